//! Reading comprehension for leads and researchers: set-up, material, links, figures, participants.

mod figures;
mod links;
mod material;
mod participants;
mod set_up;

use domain::comprehension::{Reader, Settings, by_condition, conduct, double_agreement};
use domain::statistics::{bootstrap::Resampling, quality::Share};
use leptos::{either::Either, prelude::*};

use self::{
    figures::Figures,
    links::Links,
    material::Material,
    participants::{LeaveOut, Participants},
    set_up::SetUp,
};
use crate::{
    api::{Access, refuse, services},
    charts::ChartDownloads,
    error::Refusal,
    layout::{LiveSign, Tab, study_page},
};

/// What leads set for reading comprehension, and what comes of it.
#[component]
pub fn ReadingPage() -> impl IntoView {
    study_page("Reading", Tab::Reading, Access::reads, content)
}

async fn content(access: Access) -> Result<impl IntoView, Refusal> {
    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let (slug, leads) = (access.study.slug.to_string(), access.leads().is_ok());
    // First, so that the page never claims more than it tells of.
    let event = store
        .newest_event(study)
        .await
        .map_err(refuse)?
        .unwrap_or_default();
    let settings = store.comprehension(study).await.map_err(refuse)?;
    let Some(settings) = settings else {
        return Ok(Either::Left(view! {
            <h1>"Reading"</h1>
            <p class="lead">
                "Do readers of a simplified text still understand what matters? Participants read \
                 passages in several conditions and answer three questions on each. This study has \
                 no reading comprehension yet."
            </p>
            {leads.then(|| view! { <SetUp slug settings=Settings::default() is_new=true/> })}
        }));
    };
    let answers = store.comprehension_answers(study).await.map_err(refuse)?;
    let entries = store.readers(study).await.map_err(refuse)?;
    let cells = store.reading_cells(study).await.map_err(refuse)?;
    let material = store.material(study).await.map_err(refuse)?;
    let made = if leads {
        store.reading_links(study).await.map_err(refuse)?
    } else {
        vec![]
    };
    let known = |label: &String| {
        let entry = entries.iter().find(|entry| entry.label == *label);
        entry.map_or_else(Reader::default, |entry| Reader {
            passages_ms: entry.passages_ms.clone(),
            checks: Share {
                count: entry.checks_passed as usize,
                of: entry.checks as usize,
            },
        })
    };
    let readers: Vec<_> = answers.participants().iter().map(known).collect();
    let conduct = conduct(&answers, &readers);
    let conditions = by_condition(&answers, Resampling::default());
    let agreement = double_agreement(&answers);
    let now = (services.now_ms)();
    let download = crate::links::to(&format!("/s/{slug}/reading/answers.zip"));
    Ok(Either::Right(view! {
        <div class="title-row">
            <h1>"Reading"</h1>
            <LiveSign slug=slug.clone() event/>
        </div>
        <p class="lead">
            "Do readers of a simplified text still understand what matters? Figures count the answers \
             of whoever has not withdrawn, was not left out and did not give up."
        </p>
        <div id="reading" data-live>
            <Figures answers=answers.clone() conditions agreement cells/>
            <Participants entries=entries.clone() answers conduct/>
        </div>
        {leads.then(|| view! { <LeaveOut slug=slug.clone() entries/> })}
        <p>
            <a href=download>"Download the answers"</a>
            " as a ZIP archive: CSV, JSON lines, the shape of ATS-EVAL, and a README."
        </p>
        {leads.then(|| view! { <Links slug=slug.clone() made now/> })}
        <Material slug=slug.clone() leads material/>
        {leads.then(|| view! { <SetUp slug settings is_new=false/> })}
        <ChartDownloads/>
    }))
}
