//! How good the systems of a study are, and which differ.

mod by_category;
mod choice;
mod pairs;
mod scores;

use domain::category::Category;
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_query_map;

use self::{by_category::ByCategory, choice::Choice, pairs::Pairs, scores::Scores};
use crate::{
    api::{Access, refuse, services},
    charts::ChartDownloads,
    error::Refusal,
    figures::{Which, systems::SystemFigures},
    layout::{Tab, study_page},
    links,
};

/// What of a study's ratings is looked at.
#[derive(Debug, Clone, Default)]
struct Asked {
    dimension: Option<String>,
    category: Option<Category>,
    in_work: bool,
}

/// Mean scores with intervals and ranks, by kind of writer and by category, and each system against
/// each.
#[component]
pub fn SystemsPage() -> impl IntoView {
    let asked = use_query_map().with_untracked(|query| Asked {
        dimension: query.get("dimension"),
        category: query.get("category").and_then(|name| name.parse().ok()),
        in_work: query.get("count").is_some(),
    });
    study_page(
        "Systems",
        Tab::Systems,
        Access::reads,
        async move |access| content(&access, asked).await,
    )
}

async fn content(access: &Access, asked: Asked) -> Result<impl IntoView + use<>, Refusal> {
    let dimensions = access.study.settings.dimensions.clone();
    let chosen = asked
        .dimension
        .clone()
        .filter(|name| dimensions.iter().any(|known| known.name == *name))
        .or_else(|| dimensions.first().map(|first| first.name.clone()))
        .unwrap_or_default();
    let which = if asked.in_work {
        Which::WithInWork
    } else {
        Which::HandedIn
    };
    let study = access.study.id;
    let found = SystemFigures::of_study(&services().store, study, &chosen, which, asked.category)
        .await
        .map_err(refuse)?;
    let address = links::to(&format!("/s/{}/systems", access.study.slug));
    let body = if found.ranking.is_empty() {
        Either::Left(empty(asked.category))
    } else {
        let scale = dimensions.iter().find(|known| known.name == chosen);
        let scale = scale.map(|known| known.scale);
        Either::Right(view! {
            <Basis of=found.clone()/>
            <Scores ranking=found.ranking.clone() scale/>
            <ByCategory ranking=found.ranking.clone() parts=found.by_category/>
            <Pairs ranking=found.ranking pairs=found.pairs/>
            <ChartDownloads/>
        })
    };
    Ok(view! {
        <h1>"Systems"</h1>
        <p class="lead">
            "How good the outputs of each system are, in the eyes of the study's raters, and which \
             systems differ by more than chance."
        </p>
        <Choice address dimensions chosen asked/>
        {body}
    })
}

/// What the figures stand on.
#[component]
fn Basis(of: SystemFigures) -> impl IntoView {
    let outputs: usize = of.ranking.iter().map(|entry| entry.raw.outputs).sum();
    let warning = |text: String| view! { <p class="caution">{text}</p> };
    view! {
        <dl class="facts">
            <div><dt>"Systems"</dt><dd>{of.ranking.len()}</dd></div>
            <div><dt>"Outputs rated"</dt><dd>{outputs}</dd></div>
            <div><dt>"Raters in the study"</dt><dd>{of.raters}</dd></div>
        </dl>
        {of.warnings.into_iter().map(warning).collect_view()}
    }
}

fn empty(category: Option<Category>) -> impl IntoView {
    let title = match category {
        None => "No ratings yet".to_owned(),
        Some(category) => format!("No rated output in the group {}", category.title()),
    };
    view! {
        <section class="empty">
            <h2>{title}</h2>
            <p>
                "Scores show as soon as an annotator has handed in a source, or a file with ratings \
                 has been imported."
            </p>
        </section>
    }
}
