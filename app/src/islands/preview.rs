use leptos::{html::Div, prelude::*, task::spawn_local, wasm_bindgen::JsCast};
use web_sys::HtmlTextAreaElement;

use crate::api::preview_markdown;

/// A Markdown field with a preview: the server renders the current text of the field as readers will
/// see it.
#[island]
pub fn Preview(
    /// The preview's name for screen readers.
    #[prop(into)]
    label: String,
    /// The field: a `textarea`.
    children: Children,
) -> impl IntoView {
    let field = NodeRef::<Div>::new();
    let (shown, set_shown) = signal(None::<Result<String, String>>);
    let (awake, set_awake) = signal(false);
    Effect::new(move || set_awake.set(true));
    let read_text = move || {
        let text = field.get_untracked()?.query_selector("textarea").ok()??;
        Some(text.dyn_into::<HtmlTextAreaElement>().ok()?.value())
    };
    let toggle = move |_| {
        if shown.get_untracked().is_some() {
            set_shown.set(None);
        } else if let Some(text) = read_text() {
            spawn_local(async move {
                let html = preview_markdown(text)
                    .await
                    .map_err(|refusal| refusal.to_string());
                set_shown.set(Some(html));
            });
        }
    };
    let page = move || {
        shown.get().map(|html| match html {
            Ok(html) => {
                let label = label.clone();
                view! { <div class="prose preview" role="region" aria-label=label inner_html=html></div> }
                    .into_any()
            }
            Err(sentence) => view! { <p class="alert" role="alert">{sentence}</p> }.into_any(),
        })
    };
    view! {
        <div node_ref=field>{children()}</div>
        <div class="actions" hidden=move || !awake.get()>
            <button type="button" aria-expanded=move || shown.get().is_some().to_string() on:click=toggle>
                {move || if shown.get().is_some() { "Close preview" } else { "Preview" }}
            </button>
        </div>
        {page}
    }
}
