use leptos::prelude::*;
use store::Person;

use crate::{
    api::ChangePassword,
    components::Field,
    error::Refusal,
    islands::EnhancedForm,
    layout::{Page, allow_anyone, signed_in_page},
    links,
};
use service::accounts::password;

/// A person's own account.
#[component]
pub fn Account() -> impl IntoView {
    signed_in_page(allow_anyone, account)
}

async fn account(person: Person) -> Result<impl IntoView, Refusal> {
    let action = links::action::<ChangePassword>();
    Ok(view! {
        <Page title="Your account">
            <h1>{person.name.clone()}</h1>
            <p class="soft">
                "The leads of your studies can see your name. Exports use a pseudonym instead, and nothing \
                 else about you is stored."
            </p>
            <h2>"Change your password"</h2>
            <EnhancedForm action=action label="Change your password">
                <input type="hidden" name="name" value=person.name autocomplete="username"/>
                <Field id="current" label="Current password">
                    <input
                        id="current"
                        name="current"
                        type="password"
                        required
                        autocomplete="current-password"
                    />
                </Field>
                <NewPassword/>
                <div class="actions">
                    <button class="primary">"Change password"</button>
                </div>
            </EnhancedForm>
            <h2>"Erase your account"</h2>
            <p>
                <a href=links::to(links::ERASE_ACCOUNT)>"What is erased, and what stays…"</a>
            </p>
        </Page>
    })
}

/// The field for a new password.
#[component]
pub fn NewPassword(#[prop(default = "New password")] label: &'static str) -> impl IntoView {
    let help = format!(
        "At least {} characters. Several words in a row work well.",
        password::SHORTEST
    );
    view! {
        <Field id="new-password" label=label help=help>
            <input
                id="new-password"
                name="new"
                type="password"
                required
                minlength=password::SHORTEST
                autocomplete="new-password"
                aria-describedby="new-password-help"
            />
        </Field>
    }
}
