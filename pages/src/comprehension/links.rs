use domain::comprehension::ParticipantCapacity;
use leptos::prelude::*;
use store::{Invitation, InvitationTarget};

use app::{
    api::Invite,
    components::{Field, SentLinks},
    enhanced::EnhancedForm,
    links,
};

/// Links for participants: the form to make one, and the links made so far.
#[component]
pub(super) fn Links(
    slug: String,
    made: Vec<Invitation>,
    now: i64,
    /// The places left.
    outlook: ParticipantCapacity,
    /// Whether there is an information sheet for readers.
    informed: bool,
) -> impl IntoView {
    let open = made
        .iter()
        .filter(|link| link.revoked_at.is_none() && link.expires_at > now);
    let invited: i64 = open.map(|link| link.uses_left).sum();

    let places = informed.then(|| view! { <p id="places">{places_left(outlook, invited)}</p> });
    let form = if informed {
        view! { <MakeLink slug=slug.clone()/> }.into_any()
    } else {
        view! { <MissingInformationSheet invited/> }.into_any()
    };
    let list = (!made.is_empty()).then(|| {
        view! { <SentLinks slug=slug.clone() made now labelled_by="links"/> }
    });

    view! {
        <section aria-labelledby="links">
            <h2 id="links">"Links for participants"</h2>
            <p>
                "No account is needed to follow a link, and each person takes part once. A recruitment platform \
                 can add its ids of the participant, its study and its session to the address: "
                <code>"?PROLIFIC_PID=…&STUDY_ID=…&SESSION_ID=…"</code> " or "
                <code>"?participant=…&study=…&session=…"</code> "."
            </p>
            {places}
            {form}
            {list}
        </section>
    }
}

/// The places left, and how many of them the working links can fill.
fn places_left(outlook: ParticipantCapacity, invited: i64) -> String {
    let places = match outlook.places {
        0 => "Places left: none. Every text has enough readers.".to_owned(),
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
        1 => " The links that work admit one more person.".to_owned(),
        invited => format!(" The links that work admit {invited} more people."),
    };

    format!("{places}{next}{invited}")
}

/// The notice that an information sheet is missing, without which no link can be made.
#[component]
fn MissingInformationSheet(
    /// The number of people whom the working links admit.
    invited: i64,
) -> impl IntoView {
    let meanwhile = (invited > 0).then_some(
        " Links that were made earlier still work, but show no information sheet to the people who \
         follow them.",
    );

    view! {
        <p class="caution">
            "There is no information sheet for readers yet: "
            <a href="#reading-information">"write it"</a>
            " before you make a link. The sheet of the rating study is about rating, so readers do not see \
             it." {meanwhile}
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
            <Field id="link-label" label="Label">
                <input id="link-label" name="label" maxlength="80" autocomplete="off"/>
            </Field>
            <Field id="link-uses" label="Number of participants">
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
            <Field id="link-days" label="Days it works">
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
