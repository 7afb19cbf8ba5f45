//! A participant's session: from the link to the end, without an account.

mod end;
mod start;
mod text;

use domain::comprehension::ComprehensionSettings;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::{
    Study,
    comprehension::{ParticipantSession, PlatformIds},
};

pub use self::start::ScreeningField;
use self::{
    end::{FinishForm, SessionEnded},
    start::Start,
    text::TextPage,
};
use app::{
    api::reader,
    error::Refusal,
    layout::{ParticipantFrame, expired_link_page, refusal_page},
    request::{path_parameter, refuse},
    services,
};
use service::accounts::SecretToken;

/// The start of a session, from a link: information, consent, screening questions, instructions.
#[component]
pub fn ParticipantStartPage() -> impl IntoView {
    let token = path_parameter("token");
    let query = use_query_map();
    let parameter = move |names: [&str; 2]| {
        query
            .with_untracked(|query| names.iter().find_map(|name| query.get(name)))
            .unwrap_or_default()
    };
    let platform = [
        parameter(["PROLIFIC_PID", "participant"]),
        parameter(["STUDY_ID", "study"]),
        parameter(["SESSION_ID", "session"]),
    ];

    Suspend::new(async move {
        match find_link(&token, &platform).await {
            Ok(StartState {
                study,
                settings,
                texts,
                has_place,
                ended,
            }) => {
                let closed = study.closed_at.is_some();
                let inner = if let Some(session) = ended {
                    view! { <SessionEnded settings session closed/> }.into_any()
                } else if !has_place && settings.needs_platform_id && platform[0].is_empty() {
                    view! { <MissingPlatformId/> }.into_any()
                } else if texts == 0 {
                    view! { <NoPlacesLeft/> }.into_any()
                } else {
                    view! { <Start token settings texts platform/> }.into_any()
                };
                view! { <ParticipantFrame title=study.name inner/> }.into_any()
            }
            Err(Refusal::Invalid(sentence)) => expired_link_page(&sentence),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// The link of a participant who is about to begin.
struct StartState {
    study: Study,
    settings: ComprehensionSettings,
    /// The number of texts that they get; 0 if all places are taken.
    texts: u32,
    /// Whether they have a place already.
    has_place: bool,
    /// This browser's session, if its reader may not begin again.
    ended: Option<ParticipantSession>,
}

/// Finds the link of `token` for the participant with these platform ids, which may be empty.
async fn find_link(token: &str, platform: &[String; 3]) -> Result<StartState, Refusal> {
    let services = services();
    let store = &services.store;
    let (study, link) = store
        .comprehension_link(&SecretToken::from_text(token).hash())
        .await
        .map_err(refuse)?;
    let (study, settings) = load_settings(study).await?;

    let own = match reader() {
        Ok(hash) => store.participant_session(&hash).await.map_err(refuse)?,
        Err(_) => None,
    };
    let own = own.filter(|own| own.study == study.id);

    let [platform_id, platform_study, platform_session] = platform;
    let ids = PlatformIds {
        participant: Some(platform_id),
        study: platform_study,
        session: platform_session,
    };
    if own.is_none() {
        ids.check().map_err(refuse)?;
    }

    let own_texts = match &own {
        Some(own) => Some(u32::try_from(own.texts.len()).unwrap_or(u32::MAX)),
        None if settings.needs_platform_id && !platform_id.is_empty() => store
            .platform_participant_texts(study.id, platform_id)
            .await
            .map_err(refuse)?,
        None => None,
    };

    let now = services.context.now_ms();
    // A participant with a place continues it, even if the link is used up.
    if own_texts.is_none() {
        link.check(now).map_err(refuse)?;
    }

    let texts = match own_texts.unwrap_or(0) {
        // Looked up before the form is shown, so that no participant fills it in for nothing.
        0 => {
            let outlook = store
                .comprehension_outlook(study.id, 1, now)
                .await
                .map_err(refuse)?;
            outlook.map_or(0, |outlook| outlook.texts)
        }
        given => given,
    };

    Ok(StartState {
        study,
        settings,
        texts,
        has_place: own_texts.is_some(),
        ended: own.filter(|own| own.left.is_some()),
    })
}

/// The message in place of the form if the link lacks an ID that the study needs.
#[component]
pub fn MissingPlatformId() -> impl IntoView {
    view! {
        <h1>"Open the study from your platform"</h1>
        <p class="lead">
            "Your link lacks the ID by which the platform that sent you knows you. Go back to the platform and \
             open the study there again."
        </p>
    }
}

/// The message in place of the form if no text needs another reader.
#[component]
fn NoPlacesLeft() -> impl IntoView {
    view! {
        <h1>"All places are taken"</h1>
        <p class="lead">
            "Every text has enough readers at the moment. Thank you for your interest. A place becomes free \
             when a reader gives up, so you can try this link again later."
        </p>
    }
}

async fn load_settings(
    study: domain::ids::StudyId,
) -> Result<(Study, ComprehensionSettings), Refusal> {
    let store = services().store;
    let settings = store.comprehension_settings(study).await.map_err(refuse)?;
    let study = store.study(study).await.map_err(refuse)?;
    study.zip(settings).ok_or(Refusal::NotFound)
}

/// The text or page that a participant has to do now.
#[component]
pub fn ParticipantTextPage() -> impl IntoView {
    let query = use_query_map();
    let text_number =
        query.with_untracked(|query| query.get("text").and_then(|text| text.parse().ok()));
    let show_questions = query.with_untracked(|query| query.get("questions").is_some());
    let erased = query.with_untracked(|query| query.get("erased").is_some());

    Suspend::new(async move {
        match load_session().await {
            Err(_) if erased && reader().is_err() => view! { <AnswersErased/> }.into_any(),
            Ok((study, settings, session)) => {
                let (title, closed) = (study.name.clone(), study.closed_at.is_some());
                if session.left.is_some() || session.finished_at.is_some() {
                    let inner = view! { <SessionEnded settings session closed/> }.into_any();
                    return view! { <ParticipantFrame title inner/> }.into_any();
                }
                let at = find_current_text(&settings, &session, text_number);
                let place = at.map(|at| format!("Text {} of {}", at + 1, session.texts.len()));
                let inner = session_view(settings, session, at, show_questions);
                view! { <ParticipantFrame title place inner/> }.into_any()
            }
            Err(Refusal::Invalid(sentence)) => expired_link_page(&sentence),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// The message after a participant has erased their answers.
#[component]
fn AnswersErased() -> impl IntoView {
    let inner = view! {
        <h1>"Your answers have been erased"</h1>
        <p class="lead">
            "Your answers are no longer stored in the study. Copies of the database from \
             before are kept for safety, and are deleted when they are replaced by newer ones."
        </p>
    };
    view! { <ParticipantFrame title="Erased".to_owned() inner=inner.into_any()/> }
}

async fn load_session() -> Result<(Study, ComprehensionSettings, ParticipantSession), Refusal> {
    let session = services()
        .store
        .participant_session(&reader()?)
        .await
        .map_err(refuse)?;
    let unknown = "This browser has no session. Open your link again.";
    let session = session.ok_or_else(|| Refusal::invalid(unknown))?;
    if session.begun_at.is_none() && session.left.is_none() {
        return Err(Refusal::invalid(unknown));
    }

    let (study, settings) = load_settings(session.study).await?;
    Ok((study, settings, session))
}

/// The number of the text to show, from 0: the requested one (from 1) if participants may go back,
/// else the first unfinished one. `None` if all are finished.
fn find_current_text(
    settings: &ComprehensionSettings,
    session: &ParticipantSession,
    wanted: Option<usize>,
) -> Option<usize> {
    let texts = session.texts.len();
    let open = session
        .texts
        .iter()
        .position(|reading| reading.finished_at.is_none());
    let back = wanted
        .filter(|at| settings.goes_back && (1..=texts).contains(at))
        .map(|at| at - 1);

    back.or(open)
}

fn session_view(
    settings: ComprehensionSettings,
    session: ParticipantSession,
    at: Option<usize>,
    asked: bool,
) -> AnyView {
    let texts = session.texts.len();
    match at {
        Some(at) => view! { <TextPage settings session at asked/> }.into_any(),
        None => view! { <FinishForm back=settings.goes_back texts/> }.into_any(),
    }
}
