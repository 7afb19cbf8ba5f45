use leptos::prelude::*;
use leptos_meta::Title;

/// The page's name in the browser's tab. The one place that sets it: `leptos_meta` writes a title into the
/// page unescaped, so that a study's name could end the element and continue as HTML.
#[component]
pub fn PageTitle(#[prop(into)] text: String) -> impl IntoView {
    view! { <Title text=html_escape::encode_text(&text).into_owned()/> }
}
