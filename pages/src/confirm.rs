use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::Person;

use app::{
    api::ConfirmPassword,
    components::Field,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{KeepUnsaved, Page, allow_anyone, redirect_to, signed_in_page},
    links,
    request::visitor,
    services,
    visitor::VisitorSession,
};

/// The page that asks for the password again, before a change of rights or an erasure.
#[component]
pub fn ConfirmPage() -> impl IntoView {
    let next = use_query_map()
        .with_untracked(|query| query.get("next"))
        .unwrap_or_default();
    let next = links::next_page(&next).to_owned();
    signed_in_page(allow_anyone, |person| confirm(person, next))
}

async fn confirm(person: Person, next: String) -> Result<AnyView, Refusal> {
    let now = services().context.now_ms();
    let is_confirmed = |session: VisitorSession| session.is_confirmed(now);
    if visitor().session.is_some_and(is_confirmed) {
        redirect_to(&next);
        return Ok(().into_any());
    }

    let action = links::action::<ConfirmPassword>();
    let back = links::to(&next);

    Ok(view! {
        <Page title="Enter your password to continue">
            <h1>"Enter your password to continue"</h1>
            <p>
                "You are about to change rights or to erase something. Your password shows that it is really you. \
                 Nothing has been changed yet: you return to the page and press the button again. After that, \
                 we do not ask again for ten minutes."
            </p>
            <EnhancedForm action=action label="Enter your password">
                <input type="hidden" name="name" value=person.name autocomplete="username"/>
                <input type="hidden" name="next" value=next/>
                <Field id="password" label="Password">
                    <input
                        id="password"
                        name="password"
                        type="password"
                        required
                        autocomplete="current-password"
                    />
                </Field>
                <div class="actions">
                    <button class="primary">"Continue"</button>
                    <a class="button" href=back data-cancel="">"Cancel"</a>
                </div>
            </EnhancedForm>
            <KeepUnsaved/>
        </Page>
    }
    .into_any())
}
