use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use app::{
    api::LogIn,
    enhanced::EnhancedForm,
    layout::{Page, redirect_to},
    links,
    request::visitor,
};

/// The sign-in page.
#[component]
pub fn LogInPage() -> impl IntoView {
    let next = use_query_map()
        .with_untracked(|query| query.get("next"))
        .unwrap_or_default();
    let next = links::next_page(&next).to_owned();

    if visitor()
        .session
        .is_some_and(|session| !session.person.is_crowd)
    {
        redirect_to(&next);
        return ().into_any();
    }

    let action = links::action::<LogIn>();

    view! {
        <Page title="Sign in">
            <h1>"Sign in"</h1>
            <EnhancedForm action=action label="Sign in">
                <input type="hidden" name="next" value=next/>
                <div class="field">
                    <label for="name">"Name"</label>
                    <input
                        id="name"
                        name="name"
                        required
                        autocomplete="username"
                        autocapitalize="none"
                        spellcheck="false"
                    />
                </div>
                <div class="field">
                    <label for="password">"Password"</label>
                    <input
                        id="password"
                        name="password"
                        type="password"
                        required
                        autocomplete="current-password"
                    />
                </div>
                <div class="actions">
                    <button class="primary">"Sign in"</button>
                </div>
            </EnhancedForm>
            <p class="soft">
                "You need an invitation to get an account. If you have forgotten your password, ask an \
                 administrator or the lead of your study for a link to set a new one."
            </p>
        </Page>
    }
    .into_any()
}
