//! Erasing an account: what is deleted, what stays, and the confirmation.

use leptos::{either::Either, prelude::*};
use store::{Person, erasure::AccountStudy};

use app::{
    api::{EraseAccount, ErasePerson},
    components::{Field, role_title},
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{KeepUnsaved, Page, allow_anyone, require_admin, signed_in_page},
    links,
    request::{parse, path_parameter, refuse},
    services,
};
use service::wording::count_noun;

/// The page on which a person erases their own account.
#[component]
pub fn EraseAccountPage() -> impl IntoView {
    signed_in_page(allow_anyone, own_account)
}

async fn own_account(person: Person) -> Result<impl IntoView, Refusal> {
    let back = (links::to(links::ACCOUNT), "Your account");
    let action = links::action::<EraseAccount>();
    confirmation(person, "Erase your account?", back, action, false).await
}

/// The page on which an administrator erases another person's account.
#[component]
pub fn ErasePersonPage() -> impl IntoView {
    let id = path_parameter("person");
    signed_in_page(require_admin, move |_| other_account(id))
}

async fn other_account(id: String) -> Result<impl IntoView, Refusal> {
    let id = parse::id(&id)?;
    let person = services().store.person(id).await.map_err(refuse)?;
    let person = person.ok_or(Refusal::NotFound)?;
    let back = (links::to(links::PEOPLE), "Accounts");
    let action = links::action::<ErasePerson>();
    confirmation(person, "Erase this account?", back, action, true).await
}

/// The list of what is deleted and what stays, and the form if the account can be erased.
async fn confirmation(
    person: Person,
    title: &'static str,
    (back, place): (String, &'static str),
    action: String,
    by_id: bool,
) -> Result<impl IntoView, Refusal> {
    let store = services().store;
    let studies = store.account_studies(person.id).await.map_err(refuse)?;
    let alone: Vec<_> = studies.iter().filter(|study| study.leads_alone).collect();

    let form = if alone.is_empty() {
        let id = by_id.then(|| person.id.to_string());
        Either::Left(view! { <EraseForm action id name=person.name.clone()/> })
    } else {
        let names: Vec<_> = alone.iter().map(|study| study.name.as_str()).collect();
        let sentence = format!(
            "Nobody else leads {}. Make another member a lead first, or erase the study.",
            names.join(", ")
        );
        Either::Right(view! { <p class="alert">{sentence}</p> })
    };

    let rows = studies.into_iter().map(study_row).collect_view();

    Ok(view! {
        <Page title>
            <p class="crumb"><a href=back>{place}</a></p>
            <h1>{title}</h1>
            <p class="lead">{person.name}</p>
            <h2>"What is erased"</h2>
            <ul>
                <li>"The name, the password, links for a new password, and all sessions."</li>
                <li>"The roles in studies, with the times of consent and admission."</li>
                <li>"The link between the person and their pseudonym in each study."</li>
                <li>"All ratings in studies that the person withdrew from."</li>
                <li>"The name, and the network addresses, in the log of changes."</li>
            </ul>
            <h2>"What stays"</h2>
            <ul>
                <li>
                    "Other ratings, under the pseudonym of the study. The agreement of a dataset is computed \
                     from them, and nothing connects them to the person any more."
                </li>
                <li>"Notes, reasons for skipping sources and for final values, and questions to raters, unless you choose below to erase them."</li>
                <li>"Studies that the person led, with their texts and settings."</li>
                <li>"Models that were trained on the ratings."</li>
                <li>
                    "Backups of the database made before, and the copies that the program makes next to it before \
                     an upgrade (“.before-…”) or a restore (“.replaced-…”): they hold everything until they are \
                     deleted or replaced."
                </li>
                <li>
                    "Exports that were downloaded before: they use pseudonyms for raters, but contain notes and \
                     comments as they were written."
                </li>
            </ul>
            <h2>"Studies"</h2>
            <ul>{rows}</ul>
            {form}
            <KeepUnsaved/>
        </Page>
    })
}

fn study_row(study: AccountStudy) -> impl IntoView {
    let role = study.role.map_or("no longer a member", role_title);
    let judged = study.label.map(|label| {
        let (ratings, comments) = (
            count_noun(study.ratings as usize, "rating"),
            count_noun(study.comments as usize, "note"),
        );
        format!(", as {label} with {ratings} and {comments}")
    });
    let withdrawn = study.withdrawn.then_some(", withdrawn");
    view! { <li><b>{study.name}</b>": " {role} {judged} {withdrawn}</li> }
}

/// The confirmation: what else is deleted, and the name to type.
#[component]
fn EraseForm(
    action: String,
    /// The person's id, if an administrator erases them.
    id: Option<String>,
    name: String,
) -> impl IntoView {
    view! {
        <EnhancedForm action=action class="card" label="Erase the account">
            {id.map(|id| view! { <input type="hidden" name="person" value=id/> })}
            <p class="choice">
                <input id="comments" type="checkbox" name="comments" value="yes"/>
                <label for="comments">
                    "Also erase comments: notes, reasons for skipping sources and for final values, and questions to raters"
                </label>
            </p>
            <p class="choice">
                <input id="ratings" type="checkbox" name="ratings" value="yes"/>
                <label for="ratings">
                    "Also erase all ratings and other answers in every study. Figures are computed again \
                     without them."
                </label>
            </p>
            <Field id="typed-name" label=format!("Type “{name}” to confirm")>
                <input
                    id="typed-name"
                    name="name"
                    required
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                />
            </Field>
            <p>"You cannot undo this."</p>
            <div class="actions"><button class="danger">"Erase the account"</button></div>
        </EnhancedForm>
    }
}
