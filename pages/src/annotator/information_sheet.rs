use leptos::prelude::*;

use app::{
    api::Consent, enhanced::EnhancedForm, links, markdown::Markdown, request::RequestAccess,
};

/// The information sheet, with the button to take part.
#[component]
pub fn InformationSheet(access: RequestAccess) -> impl IntoView {
    let action = links::action::<Consent>();
    let (text, slug) = (
        access.study.information.clone(),
        access.study.slug.to_string(),
    );

    view! {
        <h1>"Before you begin"</h1>
        <p class="lead">
            "Read what this study is about and what happens to your answers. Taking part is voluntary: \
             you may skip any source and withdraw at any time."
        </p>
        <section class="card sheet" aria-label="Information sheet">
            <Markdown text/>
        </section>
        <EnhancedForm action=action label="Consent">
            <input type="hidden" name="slug" value=slug/>
            <div class="actions">
                <button class="primary">"I have read this and want to take part"</button>
                <a href=links::to(links::HOME)>"Not now"</a>
            </div>
        </EnhancedForm>
    }
}
