//! Every rating side by side, the largest disagreements first.

mod comparisons;
mod discussion;
mod final_values;
mod output;
mod replies;

use std::{collections::HashMap, sync::Arc};

use domain::{
    category::Category,
    ids::{OutputId, StudyId},
    rater_groups::RaterGroup,
    work::comparisons::output_letter,
};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::{OutputText, discussions};

use self::{
    comparisons::ComparedOutputs,
    discussion::{Discussion, OpenQuestions},
    final_values::{FinalValueRights, FinalValues},
    output::OutputRatings,
};
use crate::rater_names::RaterNames;
use app::{
    components::{
        CategoryChoice, Pages, RatingsQuery, WhichRatingsForm, figure_or_notice, load_figure,
    },
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};
use service::{
    figures::disputed::{DisputedOutput, DisputedOutputsKey},
    wording::count_noun,
};

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
    let protocol = &access.study.settings.protocol;

    let compares = protocol.compares() && !protocol.scores();
    let mut failed = None;
    let (event, all, compared) = if compares {
        let event = services.store.newest_event(study).await;
        let (store, scope) = (&services.store, chosen.rating_scope());
        let compared = services.comparisons;
        let compared = compared.disputed(store, study, scope, &dimension.name);
        let compared = figure_or_notice(compared.await)?;
        let event = event.map_err(refuse)?.unwrap_or(0);
        let compared = compared.map_err(|notice| failed = Some(notice));
        (event, Arc::default(), compared.unwrap_or_default())
    } else {
        let key = DisputedOutputsKey {
            dimension: dimension.name.clone(),
        };
        let (event, all) = load_figure(study, chosen.rating_scope(), key).await?;
        let all = all.map_err(|notice| failed = Some(notice));
        (event, all.unwrap_or_default(), vec![])
    };

    let in_category = |output: &&DisputedOutput| category.is_none() || output.category == category;
    let hits = all.iter().filter(in_category).count() + compared.len();
    let pages = hits.div_ceil(AT_ONCE).max(1);
    let page = page.clamp(1, pages);
    let shown = all.iter().filter(in_category);
    let shown = shown.skip((page - 1) * AT_ONCE).take(AT_ONCE).cloned();

    let names = RaterNames::load(access).await?;
    let mut shown = with_texts(study, shown.collect(), |output| output.output).await?;
    for rating in shown.iter_mut().flat_map(|(output, _)| &mut output.ratings) {
        rating.rater = names.label(&rating.rater);
    }

    let questions = services.store.discussions(study).await.map_err(refuse)?;
    let replies = services.store.question_replies(study).await;
    let mut replies = replies.map_err(refuse)?;
    for reply in replies.values_mut().flatten() {
        reply.label = names.label(&reply.label);
    }
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
    let body = if let Some(notice) = failed {
        notice
    } else if compares {
        let first = (page - 1) * AT_ONCE;
        let mut cards = vec![];
        let groups = &access.study.settings.groups;
        let rater_groups = Arc::new(load_rater_groups(study, groups, &names).await?);

        for (number, mut of) in compared.into_iter().skip(first).take(AT_ONCE).enumerate() {
            for (rater, _) in &mut of.choices {
                *rater = names.label(rater);
            }

            let outputs = of.outputs.clone();
            let texts = with_texts(study, outputs.clone(), |output| *output).await?;
            let letters = (0..).map(output_letter);
            let about = letters.zip(&texts);
            let about = about
                .map(|(letter, (output, text))| (*output, format!("{letter}: {}", text.system)));
            let about = about.collect();
            let texts = texts.into_iter().map(|(_, text)| text).collect();

            let asked = questions
                .iter()
                .find(|asked| outputs.contains(&asked.output));
            let asked = asked.cloned();
            let replies = asked.as_ref().and_then(replies_to).unwrap_or_default();
            let number = first + number + 1;
            let card_slug = slug.clone();
            cards.push(view! {
                <ComparedOutputs slug=slug.clone() number of texts groups=groups.clone() rater_groups=rater_groups.clone()>
                    <Discussion slug=card_slug about asked replies leads withdraws=is_lead has_scores=false/>
                </ComparedOutputs>
            });
        }

        match cards.is_empty() {
            true => empty().into_any(),
            false => view! {
                <p class="soft">{count_noun(hits, "comparison")}</p>
                <ol class="disputed">{cards}</ol>
            }
            .into_any(),
        }
    } else if shown.is_empty() {
        empty().into_any()
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
                    about=vec![(of.output, String::new())]
                    asked
                    replies
                    leads
                    withdraws=is_lead
                    has_scores=true
                />
            };
            let number = first + number + 1;
            view! {
                <OutputRatings number of text scale=dimension.scale source groups=access.study.settings.groups.clone()>{discussion}</OutputRatings>
            }
        };

        let cards = shown.into_iter().enumerate().map(card).collect_view();
        view! {
            <p class="soft">{format!("{} with ratings.", count_noun(hits, "output"))}</p>
            <ol class="disputed">{cards}</ol>
        }
        .into_any()
    };

    let lead = match compares {
        true => {
            "Every rater's choice among the same outputs. The comparisons on which most pairs of raters differ come first."
        }
        false => {
            "Every rating of an output side by side. The outputs on which two raters are furthest apart, in z-scores, \
             come first."
        }
    };
    let category_choice = (!compares).then(|| view! { <CategoryChoice chosen=category/> });

    Ok(view! {
        <div class="title-row">
            <h1>"Ratings"</h1>
            <LiveSign slug=slug.clone() event/>
        </div>
        <p class="lead">{lead}</p>
        <WhichRatingsForm address=address.clone() dimensions chosen>
            {category_choice}
        </WhichRatingsForm>
        <div id="ratings" data-live>
            <OpenQuestions slug=slug.clone() questions=open_questions withdraws=is_lead has_scores=!compares/>
            {body}
        </div>
        <Pages address=format!("{address}?{turn}") page pages/>
    })
}

/// Group ids by rater label, for raters who are in a group.
async fn load_rater_groups(
    study: StudyId,
    groups: &[RaterGroup],
    names: &RaterNames,
) -> Result<HashMap<String, String>, Refusal> {
    if groups.is_empty() {
        return Ok(HashMap::new());
    }
    let raters = services().store.raters(study).await.map_err(refuse)?;
    let with_group = raters
        .into_iter()
        .filter_map(|rater| Some((names.label(&rater.label), rater.group?)));
    Ok(with_group.collect())
}

/// Each item with the texts of its output. Leaves out items whose output the study no longer shows.
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
