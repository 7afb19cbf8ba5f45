use domain::comprehension::ParticipantCapacity;
use leptos::prelude::*;
use store::{Invitation, InvitationTarget};

use crate::{
    api::Invite,
    components::{Field, SentLinks},
    islands::EnhancedForm,
    links,
};

/// Links by which participants take part: making one, and those that were made.
#[component]
pub(super) fn Links(
    slug: String,
    made: Vec<Invitation>,
    now: i64,
    /// Who can still take part.
    outlook: ParticipantCapacity,
    /// Whether there is an information sheet for readers.
    informed: bool,
) -> impl IntoView {
    let open = made
        .iter()
        .filter(|link| link.revoked_at.is_none() && link.expires_at > now);
    let invited: i64 = open.map(|link| link.uses_left).sum();
    let told = informed.then(|| view! { <p id="places">{places_left(outlook, invited)}</p> });
    let form = if informed {
        view! { <MakeLink slug=slug.clone()/> }.into_any()
    } else {
        view! { <NoSheet invited/> }.into_any()
    };
    let list = (!made.is_empty()).then(|| {
        view! { <SentLinks slug=slug.clone() made now labelled_by="links"/> }
    });
    view! {
        <section aria-labelledby="links">
            <h2 id="links">"Links for participants"</h2>
            <p>
                "Whoever follows a link needs no account; each takes part once. A platform adds what it \
                 calls the participant, its study and its session to the address: "
                <code>"?PROLIFIC_PID=…&STUDY_ID=…&SESSION_ID=…"</code> " or "
                <code>"?participant=…&study=…&session=…"</code> "."
            </p>
            {told}
            {form}
            {list}
        </section>
    }
}

/// How many more people can read, and how many the links that work let in.
fn places_left(outlook: ParticipantCapacity, invited: i64) -> String {
    let places = match outlook.places {
        0 => "Places left: none, every text has its readers.".to_owned(),
        ParticipantCapacity::MAX_PLACES => {
            format!("Places left: {} or more.", ParticipantCapacity::MAX_PLACES)
        }
        places => format!("Places left: {places}."),
    };
    let next = match outlook.texts {
        0 => String::new(),
        1 => " The next participant reads one text.".to_owned(),
        texts => format!(" The next participant reads {texts} texts."),
    };
    let invited = match invited {
        0 => String::new(),
        1 => " Links that work let one more person in.".to_owned(),
        invited => format!(" Links that work let {invited} more people in."),
    };
    format!("{places}{next}{invited}")
}

/// No link is made before readers are told what they take part in.
#[component]
fn NoSheet(
    /// How many people the links that work let in.
    invited: i64,
) -> impl IntoView {
    let meanwhile = (invited > 0).then_some(
        " Links that were made before still work: those who follow them are shown no information \
         sheet.",
    );
    view! {
        <p class="caution">
            "Readers have no information sheet: "
            <a href="#reading-information">"write it"</a>
            " before you make a link. The sheet of the rating study tells of rating, so it is not \
             shown to them." {meanwhile}
        </p>
    }
}

#[component]
fn MakeLink(slug: String) -> impl IntoView {
    let action = links::action::<Invite>();
    view! {
        <EnhancedForm action=action class="card side-by-side" label="Make a link for participants">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="role" value=InvitationTarget::Comprehension.name()/>
            <Field id="link-label" label="Called">
                <input id="link-label" name="label" maxlength="80" autocomplete="off"/>
            </Field>
            <Field id="link-uses" label="For how many participants">
                <input
                    id="link-uses"
                    name="uses"
                    type="number"
                    min="1"
                    max="10000"
                    value="1"
                    required
                    class="short"
                    aria-describedby="places"
                />
            </Field>
            <Field id="link-days" label="Works for days">
                <input
                    id="link-days"
                    name="days"
                    type="number"
                    min="1"
                    max="365"
                    value="30"
                    required
                    class="short"
                />
            </Field>
            <button class="primary">"Make a link"</button>
        </EnhancedForm>
    }
}
