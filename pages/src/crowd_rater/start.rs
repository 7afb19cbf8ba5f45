use domain::crowd::{CrowdEnd, CrowdSettings};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use service::accounts::SecretToken;
use store::{Study, comprehension::PlatformIds, crowd::CrowdRater};

use super::end::CrowdWorkEnded;
use crate::comprehension_participant::{MissingPlatformId, ScreeningField};
use app::{
    api::BeginCrowd,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{ParticipantFrame, expired_link_page, redirect_to, refusal_page},
    links::{self, StudyPage},
    markdown::Markdown,
    request::{path_parameter, refuse, visitor},
    services,
};

/// The assignment ID that MTurk gives while a worker previews a task.
const MTURK_PREVIEW: &str = "ASSIGNMENT_ID_NOT_AVAILABLE";

/// The platform's ids of a participant, of the study and of the session.
type PlatformFields = [String; 3];

/// The page of a crowd rater's link: information, consent and screening questions, or how their work ended.
#[component]
pub fn CrowdStartPage() -> impl IntoView {
    let token = path_parameter("token");
    let query = use_query_map();
    let parameter = move |names: [&str; 3]| {
        query
            .with_untracked(|query| names.iter().find_map(|name| query.get(name)))
            .unwrap_or_default()
    };
    let platform = [
        parameter(["PROLIFIC_PID", "workerId", "participant"]),
        parameter(["STUDY_ID", "hitId", "study"]),
        parameter(["SESSION_ID", "assignmentId", "session"]),
    ];

    Suspend::new(async move {
        match find_link(&token, &platform).await {
            Ok((study, state)) => {
                let crowd = study.settings.crowd.clone();
                let title = study.name.clone();
                let inner = match state {
                    LinkState::HasWork => {
                        redirect_to(&StudyPage::Work.path(&study.slug));
                        return ().into_any();
                    }
                    LinkState::Ended(rater) => {
                        view! { <CrowdWorkEnded crowd rater=*rater/> }.into_any()
                    }
                    LinkState::Preview => view! { <AcceptFirst/> }.into_any(),
                    LinkState::LacksId => view! { <MissingPlatformId/> }.into_any(),
                    LinkState::SignedIn(name) => view! { <SignedInAs name/> }.into_any(),
                    LinkState::Closed => view! { <NotOpen/> }.into_any(),
                    LinkState::Returning => view! { <ComeBack token platform/> }.into_any(),
                    LinkState::Elsewhere => view! { <BeganElsewhere/> }.into_any(),
                    LinkState::Full => view! { <NoPlaceLeft token crowd platform/> }.into_any(),
                    LinkState::New(sources) => {
                        let information = study.information;
                        view! { <Start token crowd sources information platform/> }.into_any()
                    }
                };
                view! { <ParticipantFrame title inner/> }.into_any()
            }
            Err(Refusal::Invalid(sentence)) => expired_link_page(&sentence),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// The states of the link's page.
enum LinkState {
    /// A person who can begin, and the number of sources that they can count on.
    New(u32),
    /// No place is left.
    Full,
    /// The platform's participant has a place without any work, and comes from another browser.
    Returning,
    /// The platform's participant has work in another browser.
    Elsewhere,
    /// This browser's crowd rater is at work.
    HasWork,
    /// This browser's crowd rater is done.
    Ended(Box<CrowdRater>),
    /// A worker looks at the task before accepting it.
    Preview,
    /// The platform's ID is missing.
    LacksId,
    /// A person with an account is signed in.
    SignedIn(String),
    /// The study takes no new people.
    Closed,
}

async fn find_link(
    token: &str,
    [id, platform_study, session]: &PlatformFields,
) -> Result<(Study, LinkState), Refusal> {
    let services = services();
    let store = &services.store;
    let hash = SecretToken::from_text(token).hash();
    let (study, link) = store.crowd_link(&hash).await.map_err(refuse)?;
    let study = store.study(study).await.map_err(refuse)?;
    let study = study.ok_or(Refusal::NotFound)?;

    if session == MTURK_PREVIEW {
        return Ok((study, LinkState::Preview));
    }

    if let Some(signed_in) = visitor().session {
        if !signed_in.person.is_crowd {
            return Ok((study, LinkState::SignedIn(signed_in.person.name)));
        }
        let own = store
            .crowd_rater(signed_in.person.id)
            .await
            .map_err(refuse)?;

        // Another person may use the same browser.
        let is_same = |own: &CrowdRater| {
            own.study == study.id && (id.is_empty() || own.platform_id.as_ref() == Some(id))
        };

        match own.filter(is_same) {
            Some(own) if own.end.is_some() => return Ok((study, LinkState::Ended(Box::new(own)))),
            Some(_) => return Ok((study, LinkState::HasWork)),
            None => {}
        }
    }

    let ids = PlatformIds {
        participant: Some(id),
        study: platform_study,
        session,
    };
    ids.check().map_err(refuse)?;

    let crowd = &study.settings.crowd;
    if crowd.needs_platform_id {
        if id.is_empty() {
            return Ok((study, LinkState::LacksId));
        }
        match store.has_crowd_work(study.id, id).await.map_err(refuse)? {
            Some(true) => return Ok((study, LinkState::Elsewhere)),
            Some(false) => return Ok((study, LinkState::Returning)),
            None => {}
        }
    }

    // A used-up link still leads to the page with the code for a full study.
    let now = services.context.now_ms();
    if link.uses_left > 0 {
        link.check(now).map_err(refuse)?;
    }

    if !crowd.is_open || study.closed_at.is_some() {
        return Ok((study, LinkState::Closed));
    }

    // Looked up before consent, so that nobody reads and practises for nothing.
    let room = match link.uses_left {
        ..=0 => 0,
        _ => {
            let group = link.group.as_deref();
            let room = store
                .crowd_room(study.id, &study.settings, group, now)
                .await;
            room.map_err(refuse)?
        }
    };

    let state = match room {
        0 => LinkState::Full,
        sources => LinkState::New(sources),
    };
    Ok((study, state))
}

/// The information, consent and questions before the work.
#[component]
fn Start(
    token: String,
    crowd: CrowdSettings,
    /// The number of sources that the person can count on.
    sources: u32,
    /// The information sheet, as Markdown.
    information: String,
    platform: PlatformFields,
) -> impl IntoView {
    let action = links::action::<BeginCrowd>();
    let amount = match (crowd.sources_each, sources) {
        (0, _) => {
            "You will read short texts and simpler versions of them, and judge these.".to_owned()
        }
        (_, 1) => {
            "You will read a short text and simpler versions of it, and judge these.".to_owned()
        }
        (_, n) => {
            format!("You will read {n} short texts and simpler versions of each, and judge these.")
        }
    };

    let questions = crowd.screening.questions().iter().enumerate();
    let questions = questions
        .map(|(at, asked)| {
            let answers = asked.answers.iter().map(|answer| answer.text.clone());
            let (question, answers) = (asked.question.clone(), answers.collect());
            view! { <ScreeningField at question answers/> }
        })
        .collect_view();

    let informed = !information.trim().is_empty();
    let sheet = informed.then(|| {
        view! {
            <section class="card sheet" aria-label="Information sheet">
                <Markdown text=information/>
            </section>
        }
    });
    let consent = match informed {
        true => " I have read the information sheet and want to take part",
        false => " I have read this and want to take part",
    };

    view! {
        <h1>"Before you begin"</h1>
        <p class="lead">
            {amount}
            " Taking part is voluntary, and you may stop at any time. Everything you do is saved at once, so you can \
             take a break and come back by the same link in this browser."
        </p>
        {sheet}
        <EnhancedForm action=action class="card" label="Take part">
            <input type="hidden" name="token" value=token/>
            <PlatformInputs platform/>
            {questions}
            <p>
                <label>
                    <input type="checkbox" name="consent" value="yes" required/>
                    {consent}
                </label>
            </p>
            <div class="actions"><button class="primary">"Begin"</button></div>
        </EnhancedForm>
    }
}

/// The message if no place is left, with the button that leads to the code for this case.
#[component]
fn NoPlaceLeft(token: String, crowd: CrowdSettings, platform: PlatformFields) -> impl IntoView {
    let action = links::action::<BeginCrowd>();
    let code = crowd.codes.code(CrowdEnd::QuotaFull).map(|_| {
        view! {
            <EnhancedForm action=action label="Get your code">
                <input type="hidden" name="token" value=token/>
                <PlatformInputs platform/>
                <input type="hidden" name="full" value="yes"/>
                <div class="actions"><button class="primary">"Get your code"</button></div>
            </EnhancedForm>
        }
    });

    view! {
        <h1>"All places are taken"</h1>
        <p class="lead">
            "Nothing is left to judge in this study, so you cannot take part in it. Thank you for your interest."
        </p>
        {code}
    }
}

/// The message for a platform's participant whose work is in another browser. A platform's ID is
/// not a secret, so it does not open anyone's work by itself.
#[component]
fn BeganElsewhere() -> impl IntoView {
    view! {
        <h1>"You began in another browser"</h1>
        <p class="lead">
            "Your work in this study belongs to the browser in which you began. Open your link there to continue."
        </p>
        <p>
            "To continue here, open the address that your page in the other browser shows under “Continue in another \
             browser”. If you can no longer use that browser, write to the people who run this study, through the \
             platform that sent you: they see what you have done."
        </p>
    }
}

/// The button for a person who has a place and comes from another browser.
#[component]
fn ComeBack(token: String, platform: PlatformFields) -> impl IntoView {
    let action = links::action::<BeginCrowd>();
    view! {
        <h1>"Welcome back"</h1>
        <p class="lead">"You have taken part in this study before. Continue where you were."</p>
        <EnhancedForm action=action label="Continue">
            <input type="hidden" name="token" value=token/>
            <PlatformInputs platform/>
            <input type="hidden" name="consent" value="yes"/>
            <div class="actions"><button class="primary">"Continue"</button></div>
        </EnhancedForm>
    }
}

#[component]
fn PlatformInputs(platform: PlatformFields) -> impl IntoView {
    let [participant, platform_study, platform_session] = platform;
    view! {
        <input type="hidden" name="participant" value=participant/>
        <input type="hidden" name="platform_study" value=platform_study/>
        <input type="hidden" name="platform_session" value=platform_session/>
    }
}

#[component]
fn AcceptFirst() -> impl IntoView {
    view! {
        <h1>"Accept the task first"</h1>
        <p class="lead">
            "You are looking at a preview. In the study you read short texts and simpler versions of them, and judge \
             these. Accept the task on the platform to begin."
        </p>
    }
}

#[component]
pub(super) fn SignedInAs(name: String) -> impl IntoView {
    view! {
        <h1>"You are signed in"</h1>
        <p class="lead">
            "This link is for people without an account, and you are signed in as " <b>{name}</b>
            ". To see what they see, open the link in a private window."
        </p>
    }
}

#[component]
fn NotOpen() -> impl IntoView {
    view! {
        <h1>"This study takes no new people"</h1>
        <p class="lead">"Thank you for your interest. There is nothing you need to do."</p>
    }
}
