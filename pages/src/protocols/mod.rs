//! The protocols of several studies, compared on the sources that all of them have.

mod agreement;
mod choice;
mod differences;
mod experiment;
mod glance;
mod orders;

use std::sync::Arc;

use domain::{ids::StudyId, study::Dimension};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use service::{
    figures::protocols::{MOST_STUDIES, ProtocolComparison, compare_studies},
    findings,
    wording::count_noun,
};
use store::{Study, experiments::ProtocolExperiment};

use self::{
    agreement::AgreementChart, choice::StudyChoice, differences::Differences,
    experiment::ExperimentSection, glance::Glance, orders::OrdersChart,
};
use crate::charts::{ChartDownloads, Fold};
use app::{
    components::{RatingsQuery, WhichRatingsForm, figure_or_notice},
    error::Refusal,
    layout::{StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, access, refuse},
    services,
};

/// Agreement, active time and the pairs of systems that are told apart, of this study and of others that the
/// person may read.
#[component]
pub fn ProtocolsPage() -> impl IntoView {
    let query = RatingsQuery::from_url();
    let others = use_query_map().with_untracked(|query| query.get_all(StudyChoice::FIELD));
    study_page(
        "Protocols",
        StudyTab::Protocols,
        RequestAccess::require_panel_access,
        async move |access| content(&access, query, others.unwrap_or_default()).await,
    )
}

async fn content(
    access: &RequestAccess,
    asked: RatingsQuery,
    others: Vec<String>,
) -> Result<impl IntoView + use<>, Refusal> {
    let experiment = services().store.experiment_of(access.study.id).await;
    let experiment = experiment.map_err(refuse)?;
    let arms = match &experiment {
        Some(experiment) => ReadableArms::load(access, experiment).await?,
        None => ReadableArms::default(),
    };

    // Opened from the study, the page compares the arms of its experiment.
    let others = if others.is_empty() {
        arms.other_slugs.clone()
    } else {
        others
    };

    let leads = access.leads() && !arms.leads_too_few;
    let studies = chosen_studies(access, &others).await?;
    let choice = StudyChoice::load(access, &studies).await?;
    let dimensions = dimensions_of(&studies, &asked).await?;

    let body = if studies.len() > 1 {
        let services = services();
        let (scope, name) = (asked.rating_scope(), asked.dimension(&dimensions).name);
        let (live, store) = (&services.live, &services.store);
        let comparison = compare_studies(live, store, &studies, scope, Arc::from([name]));
        match figure_or_notice(comparison.await)? {
            Ok(comparison) => figures(&comparison).into_any(),
            Err(notice) => notice,
        }
    } else {
        empty(choice.is_empty()).into_any()
    };

    let address = StudyPage::Protocols.address(&access.study.slug);

    Ok(view! {
        <h1>"Protocols"</h1>
        <p class="lead">
            "What different ways of collecting ratings show of the same sources: how far raters agree, how long \
             they take, and which systems are told apart."
        </p>
        <ExperimentSection slug=access.study.slug.to_string() experiment readable=arms.studies leads/>
        <WhichRatingsForm address dimensions chosen=asked>{choice.view()}</WhichRatingsForm>
        <div id="protocols">{body}</div>
        <ChartDownloads study=access.study.name.clone()/>
    })
}

/// The arms of an experiment that the person may read.
#[derive(Default)]
struct ReadableArms {
    studies: Vec<StudyId>,
    /// The short names of those that are not the page's own study.
    other_slugs: Vec<String>,
    /// Whether there is an open arm that the person does not lead.
    leads_too_few: bool,
}

impl ReadableArms {
    async fn load(own: &RequestAccess, experiment: &ProtocolExperiment) -> Result<Self, Refusal> {
        let mut arms = Self::default();
        for arm in &experiment.arms {
            let (reads, leads) = match access(arm.slug.as_str()).await {
                Ok(access) => (access.require_panel_access().is_ok(), access.leads()),
                Err(Refusal::NotFound) => (false, false),
                Err(refusal) => return Err(refusal),
            };
            arms.leads_too_few |= !leads && !arm.is_closed;
            if reads {
                arms.studies.push(arm.study);
                if arm.study != own.study.id {
                    arms.other_slugs.push(arm.slug.to_string());
                }
            }
        }

        Ok(arms)
    }
}

/// The page's own study and the others that its address names, each once. Rights are checked for
/// each of them: a study that the person may not know of is treated as if it did not exist.
async fn chosen_studies(own: &RequestAccess, others: &[String]) -> Result<Vec<Study>, Refusal> {
    if others.len() >= MOST_STUDIES {
        let most = MOST_STUDIES - 1;
        return Err(Refusal::invalid(format!(
            "Choose at most {most} other studies."
        )));
    }

    let mut studies = vec![own.study.clone()];
    for slug in others {
        let other = access(slug).await?;
        other.require_panel_access()?;
        if studies.iter().all(|known| known.id != other.study.id) {
            studies.push(other.study.clone());
        }
    }

    Ok(studies)
}

/// The dimensions of any of the studies, those of the first one first.
async fn dimensions_of(studies: &[Study], asked: &RatingsQuery) -> Result<Vec<Dimension>, Refusal> {
    let mut dimensions = Vec::<Dimension>::new();
    for study in studies {
        for dimension in asked.load_dimensions(study).await? {
            if dimensions.iter().all(|known| known.name != dimension.name) {
                dimensions.push(dimension);
            }
        }
    }
    Ok(dimensions)
}

/// The figures of all protocols.
fn figures(of: &ProtocolComparison) -> impl IntoView + use<> {
    let names = of.protocols.iter().map(|protocol| &protocol.name[..]);
    let basis = format!(
        "{}, {}",
        count_noun(of.rated, "source"),
        names.collect::<Vec<_>>().join(", ")
    );

    view! {
        <h2 class="finding">{findings::protocols::agreement(of)}</h2>
        <dl class="facts">
            <div><dt>"Sources in all of them"</dt><dd>{of.shared()}</dd></div>
            <div><dt>"By the same text"</dt><dd>{of.exact}</dd></div>
            <div><dt>"By normalised text"</dt><dd>{of.normalised}</dd></div>
            <div><dt>"Rated in all of them"</dt><dd>{of.rated}</dd></div>
        </dl>
        <Glance protocols=of.protocols.clone()/>
        <Differences of=of.clone()/>
        <Fold name="protocols-method" class="terms" summary="How this is computed">
            <p class="soft">
                "A source is in all studies where its text is: the same except for case and spaces, or else for \
                 tokenisation, quotes and dashes, where only one text is so. All figures are those of the \
                 sources that are rated in every study; z-scores use all ratings of a rater. A study without \
                 ratings on the chosen dimension is compared on its first one. Active time is that of all \
                 raters at these sources, without pauses, whatever dimension they rated; the time of one \
                 source is that of one rater. Two systems are apart by Wilcoxon's signed-rank test over \
                 sources at .05 after Holm's correction, as on the page Systems; pairs per hour need a \
                 recorded time for every rating. A difference is the first study's figure minus the second one's. \
                 That of α has an interval from 1,000 resamples of sources, the same ones in both studies. In an \
                 experiment, minutes per source are paired: of each annotator with recorded time in both studies, the \
                 mean in the one minus that in the other, over all sources that the studies share, and the interval is \
                 from 1,000 resamples of annotators."
            </p>
        </Fold>
        <AgreementChart protocols=of.protocols.clone() basis=basis.clone()/>
        <OrdersChart of=of.clone() basis/>
    }
}

/// The page before a study is chosen.
fn empty(is_alone: bool) -> impl IntoView {
    let advice = match is_alone {
        true => "You can read no other study. Ask the lead of one to add you as a researcher.",
        false => {
            "Choose one study or more above. They are compared on the sources that all of them have."
        }
    };

    view! {
        <section class="empty">
            <h2>"Nothing to compare with yet"</h2>
            <p>{advice}</p>
        </section>
    }
}
