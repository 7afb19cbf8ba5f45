//! A person's own account: their password, where they are signed in, and the tokens of their programs.

mod device;
mod own_sessions;
mod own_tokens;

use domain::study::Role;
use leptos::prelude::*;
use store::Person;

use self::{own_sessions::OwnSessions, own_tokens::OwnTokens};

use app::{
    api::ChangePassword,
    components::Field,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{Page, allow_anyone, signed_in_page},
    links,
    request::{refuse, visitor},
    services,
};
use service::accounts::password;

/// A person's own account.
#[component]
pub fn Account() -> impl IntoView {
    signed_in_page(allow_anyone, account)
}

async fn account(person: Person) -> Result<impl IntoView, Refusal> {
    let action = links::action::<ChangePassword>();
    let services = services();
    let now = services.context.now_ms();

    let sessions = services.store.sessions(person.id, now).await;
    let sessions = sessions.map_err(refuse)?;
    let tokens = services.store.api_tokens(person.id).await;
    let tokens = tokens.map_err(refuse)?;
    let mut studies = services.store.studies_of(person.id).await.map_err(refuse)?;
    studies.retain(|study| {
        person.is_admin || matches!(study.role, Some(Role::Lead | Role::Researcher))
    });
    let here = visitor().session.map(|session| session.token.hash());

    Ok(view! {
        <Page title="Your account">
            <h1>{person.name.clone()}</h1>
            <p class="soft">
                "The leads of your studies can see your name. Exports use a pseudonym instead. Where you are \
                 signed in is stored for the list below. Sign-ins and changes to accounts are kept for two \
                 years with their time and internet address, and administrators can read them. This browser \
                 is remembered for a year after you last sign in."
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
            <OwnSessions sessions here=here.unwrap_or_default()/>
            <OwnTokens tokens studies now/>
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
