//! A participant's session: from the link to the end, without an account.

mod end;
mod start;
mod text;

use domain::comprehension::ComprehensionSettings;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::{Study, comprehension::ParticipantSession};

use self::{
    end::{FinishForm, SessionEnded},
    start::Start,
    text::TextPage,
};
use crate::{
    api::reader,
    error::Refusal,
    flash,
    layout::{PageTitle, expired_link_page, flash_message, refusal_page},
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
        match find_link(&token).await {
            Ok((study, settings, texts)) => {
                let inner = if texts == 0 {
                    view! { <NoPlacesLeft/> }.into_any()
                } else {
                    view! { <Start token settings texts platform/> }.into_any()
                };
                view! { <Frame title=study.name inner/> }.into_any()
            }
            Err(Refusal::Invalid(sentence)) => expired_link_page(&sentence),
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

/// The study, and how many texts the next participant gets; 0 where all places are taken.
async fn find_link(token: &str) -> Result<(Study, ComprehensionSettings, u32), Refusal> {
    let services = services();
    let store = &services.store;
    let (study, link) = store
        .comprehension_link(&SecretToken::from_text(token).hash())
        .await
        .map_err(refuse)?;
    // A participant with a session continues it, even if the link is used up.
    let own = match reader() {
        Ok(hash) => store.participant_session(&hash).await.map_err(refuse)?,
        Err(_) => None,
    };
    let now = services.context.now_ms();
    let own = own.filter(|own| own.study == study);
    if own.is_none() {
        link.check(now).map_err(refuse)?;
    }
    let own_texts = own.map_or(0, |own| own.texts.len());
    let texts = match u32::try_from(own_texts).unwrap_or(u32::MAX) {
        // Shown before the form, so that no participant fills it in for nothing.
        0 => {
            let outlook = store
                .comprehension_outlook(study, 1, now)
                .await
                .map_err(refuse)?;
            outlook.map_or(0, |outlook| outlook.texts)
        }
        given => given,
    };
    let (study, settings) = load_settings(study).await?;
    Ok((study, settings, texts))
}

/// The message in place of the form where no text needs another reader.
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
                let inner = match session.left.is_some() || session.finished_at.is_some() {
                    true => view! { <SessionEnded settings session closed/> }.into_any(),
                    false => session_view(settings, session, text_number, show_questions),
                };
                view! { <Frame title inner/> }.into_any()
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
            "Nothing of what you answered is stored in the study any more. Copies of the database from \
             before are kept for safety, and are deleted when they are replaced by newer ones."
        </p>
    };
    view! { <Frame title="Erased".to_owned() inner=inner.into_any()/> }
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

fn session_view(
    settings: ComprehensionSettings,
    session: ParticipantSession,
    wanted: Option<usize>,
    asked: bool,
) -> AnyView {
    let texts = session.texts.len();
    let open = session
        .texts
        .iter()
        .position(|reading| reading.finished_at.is_none());
    let back = wanted
        .filter(|at| settings.goes_back && (1..=texts).contains(at))
        .map(|at| at - 1);
    match back.or(open) {
        Some(at) => view! { <TextPage settings session at asked/> }.into_any(),
        None => view! { <FinishForm back=settings.goes_back texts/> }.into_any(),
    }
}

/// The page around a session, without links that lead away from it.
#[component]
fn Frame(title: String, inner: AnyView) -> impl IntoView {
    view! {
        <PageTitle text=format!("{title} · Rank & Rate")/>
        <a class="skip" href="#main">"Skip to the content"</a>
        <header class="site-header">
            <div class="bar"><span class="where">{title}</span></div>
        </header>
        <main id="main" tabindex="-1" class="take">
            {flash::take().map(flash_message)}
            {inner}
        </main>
    }
}
