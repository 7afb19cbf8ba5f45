use leptos::prelude::*;
use store::crowd::{CrowdPlace, ResumeKey};

use super::start::SignedInAs;
use app::{
    api::ResumeCrowd,
    enhanced::{CopyButton, EnhancedForm},
    error::Refusal,
    layout::{ParticipantFrame, expired_link_page, redirect_to, refusal_page},
    links::{self, StudyPage},
    request::{absolute, path_parameter, refuse, visitor},
    services,
};

/// The page at which a crowd rater continues in another browser.
#[component]
pub fn CrowdResumePage() -> impl IntoView {
    let key = path_parameter("key");

    Suspend::new(async move {
        match find_place(&key).await {
            Ok((study, place)) => {
                let signed_in = visitor().session.map(|session| session.person);
                let inner = match signed_in {
                    Some(person) if person.id == place.person => {
                        redirect_to(&StudyPage::Work.path(&study.slug));
                        return ().into_any();
                    }
                    Some(person) if !person.is_crowd => {
                        view! { <SignedInAs name=person.name/> }.into_any()
                    }
                    _ => view! { <Resume key_text=key/> }.into_any(),
                };

                view! { <ParticipantFrame title=study.name inner/> }.into_any()
            }
            Err(Refusal::Invalid(sentence)) => expired_link_page(&sentence),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

async fn find_place(key: &str) -> Result<(store::Study, CrowdPlace), Refusal> {
    let key: ResumeKey = key
        .parse()
        .map_err(|error: store::crowd::NotAResumeKey| Refusal::invalid(error.to_string()))?;
    let store = services().store;
    let place = store.crowd_place(key).await.map_err(refuse)?;
    let place = place.ok_or_else(|| {
        Refusal::invalid(
            "This address leads to no place in a study. Check that you copied all of it.",
        )
    })?;
    let study = store.study(place.study).await.map_err(refuse)?;
    Ok((study.ok_or(Refusal::NotFound)?, place))
}

/// The button that continues a crowd rater's work in this browser. Programs that only open an
/// address do not press it.
#[component]
fn Resume(key_text: String) -> impl IntoView {
    let action = links::action::<ResumeCrowd>();
    view! {
        <h1>"Welcome back"</h1>
        <p class="lead">"Continue where you were in the other browser."</p>
        <EnhancedForm action=action label="Continue">
            <input type="hidden" name="key" value=key_text/>
            <div class="actions"><button class="primary">"Continue"</button></div>
        </EnhancedForm>
    }
}

/// The address at which a crowd rater continues in another browser.
#[component]
pub fn ContinueElsewhere(key: ResumeKey) -> impl IntoView {
    let address = absolute(&links::resume_link(key));
    view! {
        <details class="more">
            <summary>"Continue in another browser"</summary>
            <p>
                "Your work belongs to this browser. To continue in another one, or on another device, open this address \
                 there. Keep it to yourself: anybody who has it can change your answers."
            </p>
            <p><code class="address">{address.clone()}</code></p>
            <CopyButton text=address/>
        </details>
    }
}
