//! Every rating side by side, the largest disagreements first.

mod discussion;
mod final_values;
mod output;
mod replies;

use domain::{
    category::Category,
    ids::{OutputId, StudyId},
};
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_query_map;
use store::{OutputText, discussions};

use self::{
    discussion::{Discussion, OpenQuestions},
    final_values::{FinalValueRights, FinalValues},
    output::OutputRatings,
};
use crate::{
    components::{CategoryChoice, Pages, RatingsQuery, WhichRatingsForm},
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};
use service::figures::disputed::{DisputedOutput, DisputedOutputsKey};

/// The number of outputs on a page.
const AT_ONCE: usize = 20;

/// Outputs with all of their ratings.
#[component]
pub fn RatingsPage() -> impl IntoView {
    let (category, page) =
        use_query_map().with_untracked(|query| (query.get("category"), query.get("page")));
    let category = category.and_then(|name| name.parse().ok());
    let page = page.and_then(|page| page.parse().ok()).unwrap_or(1);
    let chosen = RatingsQuery::from_url();
    study_page(
        "Ratings",
        StudyTab::Ratings,
        RequestAccess::require_panel_access,
        async move |access| content(&access, chosen, category, page).await,
    )
}

async fn content(
    access: &RequestAccess,
    chosen: RatingsQuery,
    category: Option<Category>,
    page: usize,
) -> Result<impl IntoView + use<>, Refusal> {
    let (services, study) = (services(), access.study.id);
    let dimensions = chosen.load_dimensions(&access.study).await?;
    let dimension = chosen.dimension(&dimensions);
    let key = DisputedOutputsKey {
        dimension: dimension.name.clone(),
    };
    let figures = services.figures(study, chosen.rating_scope(), key).await;
    let (event, all) = figures.map_err(refuse)?;
    let in_category = |output: &&DisputedOutput| category.is_none() || output.category == category;
    let hits = all.iter().filter(in_category).count();
    let pages = hits.div_ceil(AT_ONCE).max(1);
    let page = page.clamp(1, pages);
    let shown = all.iter().filter(in_category);
    let shown = shown.skip((page - 1) * AT_ONCE).take(AT_ONCE).cloned();
    let shown = with_texts(study, shown.collect(), |output| output.output).await?;
    let questions = services.store.discussions(study).await.map_err(refuse)?;
    let replies = services.store.question_replies(study).await;
    let replies = replies.map_err(refuse)?;
    let replies_to = |asked: &discussions::Discussion| replies.get(&asked.id).cloned();
    let open_questions = questions.iter().filter(|asked| asked.is_unanswered());
    let open_questions = open_questions.cloned().collect();
    let open_questions = with_texts(study, open_questions, |asked| asked.output).await?;
    let open_questions = open_questions
        .into_iter()
        .map(|(asked, text)| (replies_to(&asked).unwrap_or_default(), asked, text))
        .collect();
    let discussed = |output| {
        questions
            .iter()
            .find(|discussion| discussion.output == output)
            .cloned()
    };
    let decided = services.store.final_values(study).await.map_err(refuse)?;
    let decisions = |output| {
        let of_output = decided.iter().filter(|decision| decision.output == output);
        of_output.cloned().collect::<Vec<_>>()
    };
    let is_lead = access.require_lead().is_ok();
    let leads = is_lead && access.study.closed_at.is_none();
    let rights = FinalValueRights {
        decides: is_lead,
        makes_items: leads,
    };
    let expected = access.study.settings.dimensions.first().cloned();
    let expected = expected.unwrap_or_default();
    let slug = access.study.slug.to_string();
    let address = StudyPage::Ratings.address(&slug);
    let turn = chosen.query(category.map(Category::name));
    let body = if shown.is_empty() {
        Either::Left(empty())
    } else {
        let first = (page - 1) * AT_ONCE;
        let card = |(number, (of, text)): (usize, (DisputedOutput, OutputText))| {
            let source = StudyPage::Source(of.source).address(&slug);
            let asked = discussed(of.output);
            let replies = asked.as_ref().and_then(replies_to).unwrap_or_default();
            let discussion = view! {
                <FinalValues
                    slug=slug.clone()
                    output=of.output
                    dimension=dimension.clone()
                    first=expected.clone()
                    decided=decisions(of.output)
                    rights
                    query=format!("{turn}&page={page}")
                />
                <Discussion
                    slug=slug.clone()
                    output=of.output
                    asked
                    replies
                    leads
                    withdraws=is_lead
                />
            };
            let number = first + number + 1;
            view! {
                <OutputRatings number of text scale=dimension.scale source groups=access.study.settings.groups.clone()>{discussion}</OutputRatings>
            }
        };
        let cards = shown.into_iter().enumerate().map(card).collect_view();
        Either::Right(view! {
            <p class="soft">{format!("{hits} outputs with ratings.")}</p>
            <ol class="disputed">{cards}</ol>
        })
    };
    Ok(view! {
        <div class="title-row">
            <h1>"Ratings"</h1>
            <LiveSign slug=slug.clone() event/>
        </div>
        <p class="lead">
            "Every rating of an output side by side. The outputs on which two raters are furthest apart, \
             in z-scores, come first."
        </p>
        <WhichRatingsForm address=address.clone() dimensions chosen>
            <CategoryChoice chosen=category/>
        </WhichRatingsForm>
        <div id="ratings" data-live>
            <OpenQuestions slug=slug.clone() questions=open_questions withdraws=is_lead/>
            {body}
        </div>
        <Pages address=format!("{address}?{turn}") page pages/>
    })
}

/// Each with the texts of its output, as far as the study still shows these.
async fn with_texts<T>(
    study: StudyId,
    all: Vec<T>,
    output: fn(&T) -> OutputId,
) -> Result<Vec<(T, OutputText)>, Refusal> {
    let store = services().store;
    let mut found = Vec::new();
    for one in all {
        let text = store.output_text(study, output(&one)).await;
        found.extend(text.map_err(refuse)?.map(|text| (one, text)));
    }
    Ok(found)
}

fn empty() -> impl IntoView {
    view! {
        <section class="empty">
            <h2>"No ratings yet"</h2>
            <p>
                "Ratings appear as soon as an annotator has submitted a source, or a file with ratings has \
                 been imported."
            </p>
        </section>
    }
}
