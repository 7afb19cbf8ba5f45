use domain::study::Role;
use leptos::prelude::*;
use store::InvitationDetails;

use super::{account::NewPassword, welcome::NameToChoose};
use app::{
    api::{Join, Register},
    components::Moment,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{Page, expired_link_page, refusal_page, sign_in_address},
    links,
    request::{path_parameter, refuse, visitor},
    services,
};
use service::accounts::SecretToken;

/// The landing page of an invitation: the study, the role, and how to join.
#[component]
pub fn Invite() -> impl IntoView {
    let token = path_parameter("token");
    Suspend::new(async move {
        match look_up(&token).await {
            Ok(invited) => view! { <Invitation token invited/> }.into_any(),
            Err(Refusal::Invalid(sentence)) => expired_link_page(&sentence),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

async fn look_up(token: &str) -> Result<InvitationDetails, Refusal> {
    let services = services();
    let now = services.context.now_ms();
    let invited = services
        .store
        .preview_invitation(&SecretToken::from_text(token).hash(), now)
        .await;
    invited.map_err(refuse)
}

#[component]
fn Invitation(token: String, invited: InvitationDetails) -> impl IntoView {
    let InvitationDetails {
        study_name,
        role,
        expires_at,
        ..
    } = invited;

    let (what, task) = match role {
        Role::Lead => (
            "a lead",
            "You will set up the study, invite people and read its results.",
        ),
        Role::Researcher => (
            "a researcher",
            "You will read the study's results and exports.",
        ),
        Role::Annotator => (
            "an annotator",
            "You will read short texts and judge how well they were simplified. Before you begin, you \
             can read what the study is about, and decline.",
        ),
    };

    let session = visitor().session;
    let form = match session.filter(|session| !session.person.is_crowd) {
        Some(session) => view! { <JoinAs token name=session.person.name/> }.into_any(),
        None => view! { <RegisterFor token/> }.into_any(),
    };

    view! {
        <Page title="Invitation">
            <h1>"Join “" {study_name} "”"</h1>
            <p class="lead">"You are invited as " <b>{what}</b> ". " {task}</p>
            {form}
            <p class="soft">"This invitation works until " <Moment ms=expires_at/> "."</p>
        </Page>
    }
}

/// The form for people who are signed in.
#[component]
fn JoinAs(token: String, name: String) -> impl IntoView {
    let action = links::action::<Join>();
    view! {
        <EnhancedForm action=action label="Join">
            <input type="hidden" name="token" value=token/>
            <div class="actions">
                <button class="primary">"Join as " {name}</button>
            </div>
        </EnhancedForm>
        <p class="soft">"If this is not your account, sign out first and open the link again."</p>
    }
}

/// The form for people without an account, or who have not signed in yet.
#[component]
fn RegisterFor(token: String) -> impl IntoView {
    let action = links::action::<Register>();
    let sign_in = links::to(&sign_in_address(&links::invitation(&token)));

    view! {
        <p>"If you already have an account, " <a href=sign_in>"sign in to join with it"</a> "."</p>
        <EnhancedForm action=action label="Create an account and join">
            <input type="hidden" name="token" value=token/>
            <NameToChoose/>
            <NewPassword label="Password"/>
            <div class="actions">
                <button class="primary">"Create an account and join"</button>
            </div>
        </EnhancedForm>
    }
}
