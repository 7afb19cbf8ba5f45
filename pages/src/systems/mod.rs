//! The quality of a study's systems, and the differences between them.

mod by_category;
mod comparisons;
mod edit;
mod marks;
mod pairs;
mod questions;
mod scores;
mod unjudged;

use std::sync::Arc;

use domain::{category::Category, rater_groups::RaterGroup, score::RatingScale, study::Dimension};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

pub use self::edit::EditSystemsPage;
use self::{
    by_category::ByCategory, comparisons::ComparedSystems, marks::MarkedSystems, pairs::Pairs,
    questions::AnsweredSystems, scores::Scores, unjudged::Unjudged,
};
use crate::charts::ChartDownloads;
use app::{
    components::{
        CategoryChoice, GroupFilter, OnlyWriting, RatingsQuery, ShownComparisons, ShownFigure,
        WhichRatingsForm, load_figure, load_question_figures, load_span_figures,
    },
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};
use service::{
    figures::{
        spans::SpanFigures,
        systems::{StudySystems, SystemsKey},
    },
    findings,
    wording::count_noun,
};

/// Mean scores with intervals and ranks, by kind of writer and by category, and a comparison of each pair
/// of systems.
#[component]
pub fn SystemsPage() -> impl IntoView {
    let category = use_query_map().with_untracked(|query| query.get("category"));
    let category = category.and_then(|name| name.parse().ok());
    let group = use_query_map().with_untracked(|query| query.get("group"));
    let chosen = RatingsQuery::from_url();
    study_page(
        "Systems",
        StudyTab::Systems,
        RequestAccess::require_panel_access,
        async move |access| content(&access, chosen, category, group).await,
    )
}

async fn content(
    access: &RequestAccess,
    chosen: RatingsQuery,
    category: Option<Category>,
    group: Option<String>,
) -> Result<AnyView, Refusal> {
    let settings = &access.study.settings;
    let group = settings.group(group.as_deref()).cloned();

    let has_consensus = services().store.has_consensus(access.study.id).await;
    let has_consensus = has_consensus.map_err(refuse)?;
    let questions = load_question_figures(&access.study, &chosen).await?;
    let answered = match questions {
        Ok(questions) => {
            let of_systems = questions.iter().filter(|of| !of.systems.is_empty());
            let of: Vec<_> = of_systems.cloned().collect();
            (!of.is_empty()).then(|| view! { <AnsweredSystems of/> }.into_any())
        }
        Err(notice) => Some(notice),
    };
    let has_questions = answered.is_some();
    if let Some(shown) = ShownComparisons::load(&access.study, &chosen).await? {
        let ShownComparisons {
            event,
            dimensions,
            figures,
        } = shown;
        let body = match figures {
            Ok(Some(of)) => view! { <ComparedSystems of/> }.into_any(),
            Ok(None) => empty(None, None).into_any(),
            Err(notice) => notice,
        };
        let body = view! {
            {body}
            {answered}
        }
        .into_any();

        return Ok(page(
            access,
            chosen,
            dimensions,
            event,
            None,
            has_consensus,
            body,
        ));
    }

    let spans = load_span_figures(&access.study, &chosen).await?;
    let marked = spans.map(|spans| match spans {
        Ok(of) => view! { <MarkedSystems of=SpanFigures::clone(&of)/> }.into_any(),
        Err(notice) => notice,
    });
    let dimensions = chosen.load_dimensions(&access.study).await?;
    let dimension = chosen.dimension(&dimensions);
    let study = access.study.id;
    let key = SystemsKey {
        dimension: dimension.name.clone(),
        category,
        group: group.as_ref().map(|group| group.id.clone()),
    };
    let (event, found) = load_figure(study, chosen.rating_scope(), key).await?;
    let services = services();
    let unjudged = services.live.unjudged_outputs(&services.store, study).await;
    let unjudged = unjudged.map_err(refuse)?.to_vec();
    let is_empty = found.as_ref().is_ok_and(|of| of.ranking.is_empty());
    let body = if is_empty && (marked.is_some() || has_questions) {
        ().into_any()
    } else if is_empty && access.study.settings.protocol.only_writes() {
        let slug = access.study.slug.to_string();
        view! { <OnlyWriting slug lacking="no score of a system"/> }.into_any()
    } else if is_empty {
        empty(category, group.as_ref()).into_any()
    } else {
        scored(found, dimension.scale, group.as_ref())
    };

    let has_more = marked.is_some() || has_questions;
    let of_all = (group.is_some() && has_more)
        .then(|| view! { <p class="soft">"The figures below are of all raters."</p> });
    let body = view! {
        {body}
        {of_all}
        {marked}
        {answered}
        <Unjudged systems=unjudged/>
    }
    .into_any();

    Ok(page(
        access,
        chosen,
        dimensions,
        event,
        Some((category, group)),
        has_consensus,
        body,
    ))
}

/// The scores of systems, by raters of the group where there is one.
fn scored(
    found: ShownFigure<Arc<StudySystems>>,
    scale: RatingScale,
    group: Option<&RaterGroup>,
) -> AnyView {
    let systems = match found {
        Ok(found) => StudySystems::clone(&found),
        Err(notice) => return notice,
    };
    let scale = Some(scale);
    let outputs: usize = systems.ranking.iter().map(|entry| entry.raw.outputs).sum();
    let basis = format!(
        "{}, {}",
        count_noun(outputs, "output"),
        count_noun(systems.raters, "rater")
    );
    view! {
        {group.map(|group| {
            let text = format!(
                "Only ratings of the group “{}”; z-scores use all ratings of a rater.",
                group.name
            );
            view! { <p class="soft">{text}</p> }
        })}
        <FigureBasis of=systems.clone() outputs/>
        {findings::systems::out_of_reach(&systems.pairs).map(|text| view! { <p class="caution">{text}</p> })}
        <Scores systems=systems.clone() scale basis=basis.clone()/>
        <ByCategory ranking=systems.ranking.clone() parts=systems.by_category.clone()/>
        <Pairs systems basis/>
    }
    .into_any()
}

fn page(
    access: &RequestAccess,
    chosen: RatingsQuery,
    dimensions: Vec<Dimension>,
    event: i64,
    // The chosen category and group, if they matter.
    parts: Option<(Option<Category>, Option<RaterGroup>)>,
    has_consensus: bool,
    body: AnyView,
) -> AnyView {
    let address = StudyPage::Systems.address(&access.study.slug);
    let edit = access.require_lead().is_ok().then(|| {
        let address = StudyPage::EditSystems.address(&access.study.slug);
        view! { <p><a href=address>"Edit systems"</a>": rename or hide them, or say who wrote their outputs."</p> }
    });

    let groups = access.study.settings.groups.clone();
    let parts = parts.map(|(category, group)| {
        view! {
            <CategoryChoice chosen=category/>
            <GroupFilter groups chosen=group.map(|group| group.id)/>
        }
    });

    view! {
        <div class="title-row">
            <h1>"Systems"</h1>
            <LiveSign slug=access.study.slug.to_string() event/>
        </div>
        <p class="lead">
            "How good the outputs of each system are, according to the study's raters, and which systems \
             differ by more than chance."
        </p>
        <WhichRatingsForm address dimensions chosen has_consensus>
            {parts}
        </WhichRatingsForm>
        <div id="systems" data-live>{body}</div>
        {edit}
        <ChartDownloads study=access.study.name.clone()/>
    }
    .into_any()
}

/// The data behind the figures.
#[component]
fn FigureBasis(of: StudySystems, outputs: usize) -> impl IntoView {
    let warning = |text: String| view! { <p class="caution">{text}</p> };
    view! {
        <dl class="facts">
            <div><dt>"Systems"</dt><dd>{of.ranking.len()}</dd></div>
            <div><dt>"Outputs rated"</dt><dd>{outputs}</dd></div>
            <div><dt>"Raters"</dt><dd>{of.raters}</dd></div>
        </dl>
        {of.warnings.into_iter().map(warning).collect_view()}
    }
}

fn empty(category: Option<Category>, group: Option<&RaterGroup>) -> impl IntoView + use<> {
    let title = match (category, group) {
        (None, None) => "No ratings yet".to_owned(),
        (None, Some(group)) => format!("No ratings of the group “{}”", group.name),
        (Some(category), _) => format!("No rated output in the category {}", category.title()),
    };

    view! {
        <section class="empty">
            <h2>{title}</h2>
            <p>
                "Scores appear as soon as an annotator has submitted a source, or a file with ratings has \
                 been imported."
            </p>
        </section>
    }
}
