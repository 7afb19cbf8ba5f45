use leptos::prelude::*;
use store::Person;

use super::account::NewPassword;
use app::{
    api::{BecomeAdmin, SetPassword},
    components::Field,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{Page, expired_link_page, refusal_page},
    links,
    request::{path_parameter, refuse},
    services,
};
use service::accounts::SecretToken;

/// The landing page of a one-time link: the first administrator chooses a name and a password, others a
/// password.
#[component]
pub fn Welcome() -> impl IntoView {
    let token = path_parameter("token");
    Suspend::new(async move {
        match look_up(&token).await {
            Ok(OneTimeLink::FirstAdmin) => first_admin(token).into_any(),
            Ok(OneTimeLink::Password(person)) => password(token, person).into_any(),
            Ok(OneTimeLink::None) => expired_link_page(
                "This link has been used or has expired. Ask an administrator for a new one. If there is no \
                 administrator yet, restart the server.",
            ),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// The purpose of a one-time link.
enum OneTimeLink {
    FirstAdmin,
    Password(Person),
    None,
}

async fn look_up(token: &str) -> Result<OneTimeLink, Refusal> {
    let (services, token) = (services(), SecretToken::from_text(token).hash());
    let (store, now) = (&services.store, services.context.now_ms());
    if store
        .is_first_admin_link(&token, now)
        .await
        .map_err(refuse)?
    {
        return Ok(OneTimeLink::FirstAdmin);
    }

    let person = store
        .person_of_password_link(&token, now)
        .await
        .map_err(refuse)?;
    Ok(person.map_or(OneTimeLink::None, OneTimeLink::Password))
}

fn first_admin(token: String) -> impl IntoView {
    let action = links::action::<BecomeAdmin>();

    view! {
        <Page title="Welcome">
            <h1>"Become the administrator"</h1>
            <p class="lead">
                "Administrators create accounts and see every study. You can make other people \
                 administrators later."
            </p>
            <EnhancedForm action=action label="Become the administrator">
                <input type="hidden" name="token" value=token/>
                <NameToChoose/>
                <NewPassword label="Password"/>
                <div class="actions">
                    <button class="primary">"Create my account"</button>
                </div>
            </EnhancedForm>
        </Page>
    }
}

fn password(token: String, person: Person) -> impl IntoView {
    let action = links::action::<SetPassword>();

    view! {
        <Page title="Welcome">
            <h1>"Choose your password"</h1>
            <p class="lead">"Your name for signing in is " <b>{person.name.clone()}</b> "."</p>
            <EnhancedForm action=action label="Choose your password">
                <input type="hidden" name="token" value=token/>
                <input type="hidden" name="name" value=person.name autocomplete="username"/>
                <NewPassword label="Password"/>
                <div class="actions">
                    <button class="primary">"Set password and sign in"</button>
                </div>
            </EnhancedForm>
        </Page>
    }
}

/// The field for the name of a new account.
#[component]
pub fn NameToChoose() -> impl IntoView {
    let help = "The name for signing in. It need not be your real name. The leads of your studies see it, \
                other annotators do not.";

    view! {
        <Field id="name" label="Name" help=help>
            <input
                id="name"
                name="name"
                required
                maxlength="80"
                autocomplete="username"
                autocapitalize="none"
                spellcheck="false"
                aria-describedby="name-help"
            />
        </Field>
    }
}
