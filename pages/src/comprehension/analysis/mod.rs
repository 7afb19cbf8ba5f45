//! A closer look at readers' answers.

mod answerability;
mod metrics;
mod query;
mod stability;
mod support;

use leptos::prelude::*;

use self::{
    answerability::Answerable,
    metrics::Metrics,
    query::{ComprehensionAnalysisQuery, ConditionsForm},
    stability::StabilityChart,
    support::{Curve, Predictors},
};
use super::sections::{ComprehensionSection, Sections};
use crate::charts::ChartDownloads;
use app::{
    components::figure_or_notice,
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    request::{RequestAccess, refuse},
    services,
};
use service::figures::comprehension::{ComprehensionAnalysis, StudyComprehension};

/// Differences between conditions, the stability of the ranking, and correlations.
#[component]
pub fn ReadingAnalysisPage() -> impl IntoView {
    let query = ComprehensionAnalysisQuery::from_url();
    study_page(
        "Reading, a closer look",
        StudyTab::Reading,
        RequestAccess::require_panel_access,
        async move |access| content(access, query).await,
    )
}

async fn content(
    access: RequestAccess,
    asked: ComprehensionAnalysisQuery,
) -> Result<impl IntoView, Refusal> {
    let (services, study) = (services(), access.study.id);
    let (live, store) = (&services.live, &services.store);
    let reading = StudyComprehension::load(live, store, study).await;
    let reading = reading.map_err(refuse)?;
    let (event, slug) = (reading.event, access.study.slug.to_string());

    let body = if reading.answers.answers().is_empty() {
        let empty = view! {
            <section class="empty">
                <h2>"No answers yet"</h2>
                <p>"The analysis appears as soon as a participant has answered."</p>
            </section>
        };
        empty.into_any()
    } else {
        let options = asked.to_options(reading.answers.conditions());
        let analysis =
            ComprehensionAnalysis::load(live, store, study, reading.clone(), options).await;
        let of = match figure_or_notice(analysis)? {
            Ok(of) => of,
            Err(notice) => return Ok(page(&access, event, notice)),
        };
        let curve = asked.curve.and_then(|(of_what, content)| {
            let is_chosen = |predictor: &&_| is_variant(predictor, of_what, content);
            of.support.iter().find(is_chosen).cloned()
        });
        let names = reading.answers.conditions().to_vec();
        let figures = view! {
            <ConditionsForm slug=slug.clone() conditions=names.clone() of=of.asked.clone() curve=asked.curve/>
            <div id="reading-analysis" data-live>
                <Answerable names of=of.clone() all=reading.questions.len()/>
                <StabilityChart found=reading.stability.clone() all=reading.passages.len()/>
                <Predictors of=of.clone()/>
                {curve.map(|of| view! { <Curve of/> })}
                <Metrics of/>
            </div>
        };
        figures.into_any()
    };
    Ok(page(&access, event, body))
}

fn page(access: &RequestAccess, event: i64, body: AnyView) -> impl IntoView + use<> {
    let slug = access.study.slug.to_string();
    view! {
        <div class="title-row">
            <h1>"Reading, a closer look"</h1>
            <LiveSign slug=slug.clone() event/>
        </div>
        <Sections slug here=ComprehensionSection::Analysis/>
        {body}
        <ChartDownloads study=access.study.name.clone()/>
    }
}

fn is_variant(
    of: &service::figures::comprehension::SupportPredictor,
    wanted: domain::comprehension::SupportTarget,
    content: bool,
) -> bool {
    of.of == wanted && of.content == content
}
