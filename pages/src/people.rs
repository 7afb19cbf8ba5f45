use leptos::prelude::*;
use store::Person;

use app::{
    api::{AddPerson, MakePasswordLink, SetAdmin, SetDisabled},
    components::Field,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{KeepUnsaved, Page, require_admin, signed_in_page},
    links,
    request::refuse,
    services,
};

/// The page where administrators manage accounts.
#[component]
pub fn People() -> impl IntoView {
    signed_in_page(require_admin, people)
}

async fn people(me: Person) -> Result<impl IntoView, Refusal> {
    let services = services();
    let people = services.store.people().await.map_err(refuse)?;
    let aligner = services.aligner.to_string();
    let log = links::to(links::AUDIT);
    let rows = people
        .into_iter()
        .map(|person| row(&me, person))
        .collect_view();

    Ok(view! {
        <Page title="Accounts">
            <h1>"Accounts"</h1>
            <p class="soft">
                "You do not need to add annotators here: leads invite them to their study with a link."
            </p>
            <p><a href=log>"Log of changes"</a></p>
            <div class="table-scroll" role="group" aria-label="Accounts" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Name"</th>
                            <th scope="col">"State"</th>
                            <th scope="col">"Change"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <AddForm/>
            <section aria-labelledby="machine">
                <h2 id="machine">"This installation"</h2>
                <p>{aligner}</p>
            </section>
            <KeepUnsaved/>
        </Page>
    })
}

fn row(me: &Person, person: Person) -> impl IntoView + use<> {
    let state = match (person.disabled, person.is_admin) {
        (true, _) => "deactivated",
        (false, true) => "administrator",
        (false, false) => "open",
    };
    let id = person.id.to_string();
    let suffix = format!(" for {}", person.name);
    let me = me.id == person.id;

    let link = (!person.disabled).then(|| {
        let action = links::action::<MakePasswordLink>();
        change(
            action,
            id.clone(),
            "",
            "Link for a new password",
            suffix.clone(),
        )
    });

    let (admin, admin_label) = if person.is_admin {
        ("no", "Remove as administrator")
    } else {
        ("yes", "Make administrator")
    };
    let admin = (!me && !person.disabled).then(|| {
        let action = links::action::<SetAdmin>();
        change(action, id.clone(), admin, admin_label, suffix.clone())
    });

    let (disabled, disabled_label) = if person.disabled {
        ("no", "Reactivate")
    } else {
        ("yes", "Deactivate")
    };
    let erase = (!me).then(|| {
        let (address, of) = (links::to(&links::erase_person(&id)), suffix.clone());
        view! { <a href=address>"Erase…"<span class="visually-hidden">{of}</span></a> }
    });
    let disabled = (!me).then(|| {
        let action = links::action::<SetDisabled>();
        change(action, id.clone(), disabled, disabled_label, suffix.clone())
    });

    view! {
        <tr>
            <th scope="row">{person.name}{me.then_some(" (you)")}</th>
            <td data-label="State">{state}</td>
            <td data-label="Change"><div class="actions">{link}{admin}{disabled}{erase}</div></td>
        </tr>
    }
}

/// A button that changes one account.
fn change(
    action: String,
    id: String,
    to: &'static str,
    label: &'static str,
    of: String,
) -> impl IntoView {
    view! {
        <EnhancedForm action=action>
            <input type="hidden" name="person" value=id/>
            <input type="hidden" name="to" value=to/>
            <button>{label}<span class="visually-hidden">{of}</span></button>
        </EnhancedForm>
    }
}

#[component]
fn AddForm() -> impl IntoView {
    let action = links::action::<AddPerson>();

    view! {
        <h2 id="add">"Add an account"</h2>
        <EnhancedForm action=action label="Add an account">
            <Field
                id="name"
                label="Name"
                help="You get a link to send to the person, who then chooses a password."
            >
                <input
                    id="name"
                    name="name"
                    required
                    maxlength="80"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    aria-describedby="name-help"
                />
            </Field>
            <p class="choice">
                <input id="admin" type="checkbox" name="admin" value="yes"/>
                <label for="admin">"Administers the platform: sees every study and account"</label>
            </p>
            <div class="actions">
                <button class="primary">"Add"</button>
            </div>
        </EnhancedForm>
    }
}
