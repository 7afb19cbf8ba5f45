//! Reading comprehension for leads and researchers: set-up, material, links, figures, participants.

mod analysis;
mod figures;
mod import;
mod links;
mod material;
mod participants;
mod passages;
mod sections;
mod settings;

use domain::comprehension::{ComprehensionSettings, ParticipantCapacity};
use leptos::{either::EitherOf3, prelude::*};
use store::InvitationTarget;

pub use self::{
    analysis::ReadingAnalysisPage,
    import::ReadingImportPage,
    passages::{ReadingPassagePage, ReadingPassagesPage},
};
use self::{
    figures::Figures,
    links::Links,
    material::Material,
    participants::{Participants, ReaderForms},
    sections::{ComprehensionSection, Sections},
    settings::SetUp,
};
use crate::{charts::ChartDownloads, export::FormulaCells};
use app::{
    components::figure_or_notice,
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};
use service::figures::comprehension::StudyComprehension;

/// The set-up and the results of reading comprehension.
#[component]
pub fn ReadingPage() -> impl IntoView {
    study_page(
        "Reading",
        StudyTab::Reading,
        RequestAccess::require_panel_access,
        content,
    )
}

async fn content(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let (slug, leads) = (access.study.slug.to_string(), access.require_lead().is_ok());
    let name = access.study.name.clone();
    let retention = access.study.settings.retention;

    let settings = store.comprehension_settings(study).await.map_err(refuse)?;
    let Some(settings) = settings else {
        return Ok(EitherOf3::A(view! {
            <h1>"Reading"</h1>
            <p class="lead">
                "Do readers of a simplified text still understand what matters? Participants read \
                 passages in several conditions and answer three questions on each. This study has \
                 no reading comprehension yet."
            </p>
            {leads.then(|| view! { <SetUp slug settings=ComprehensionSettings::default() retention is_new=true/> })}
        }));
    };

    let reading = StudyComprehension::load(&services.live, store, study).await;
    let reading = match figure_or_notice(reading)? {
        Ok(reading) => reading,
        Err(notice) => {
            return Ok(EitherOf3::B(view! {
                <h1>"Reading"</h1>
                <Sections slug=slug.clone() here=ComprehensionSection::Summary/>
                {notice}
                {leads.then(|| view! { <SetUp slug settings retention is_new=false/> })}
            }));
        }
    };
    let mut made = store.invitations(study).await.map_err(refuse)?;
    made.retain(|link| link.target == InvitationTarget::Comprehension);
    let has_sources = !store.systems(study).await.map_err(refuse)?.is_empty();
    let now = services.context.now_ms();

    let outlook = match leads {
        true => store
            .comprehension_outlook(study, ParticipantCapacity::MAX_PLACES, now)
            .await
            .map_err(refuse)?,
        false => None,
    };
    let outlook = outlook.unwrap_or_default();

    let informed = !settings.information.is_empty();
    let download = StudyPage::ReadingAnswers.address(&slug);
    Ok(EitherOf3::C(view! {
        <div class="title-row">
            <h1>"Reading"</h1>
            <LiveSign slug=slug.clone() event=reading.event/>
        </div>
        <Sections slug=slug.clone() here=ComprehensionSection::Summary/>
        <p class="lead">
            "Do readers of a simplified text still understand what matters? The figures leave out \
             participants who withdrew, were excluded or gave up."
        </p>
        <div id="reading" data-live>
            <Figures reading=reading.clone()/>
            <Participants reading=reading.clone()/>
        </div>
        {leads.then(|| view! { <ReaderForms slug=slug.clone() entries=reading.entries.clone()/> })}
        <h2>"Download"</h2>
        <p>"The answers as a ZIP archive: CSV, JSON lines, the format of ATS-EVAL, and a README."</p>
        <form method="get" action=download class="export">
            <FormulaCells/>
            <button>"Download the answers"</button>
        </form>
        {leads.then(|| view! { <Links slug=slug.clone() made now outlook informed/> })}
        <Material slug=slug.clone() leads has_sources reading/>
        {leads.then(|| view! { <SetUp slug settings retention is_new=false/> })}
        <ChartDownloads study=name/>
    }))
}
