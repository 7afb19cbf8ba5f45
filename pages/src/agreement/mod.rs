//! Agreement between the raters of a study.

mod alpha;
mod history;
mod pairs;
mod questions;
mod raters;
mod spans;

use std::sync::Arc;

use domain::{score_input::ScoreInput, study::Dimension};
use leptos::prelude::*;

use self::{
    alpha::{Alpha, ByCategoryChart, ByGroupChart, Coefficients, FigureBasis},
    history::History,
    pairs::Pairs,
    questions::AnsweredQuestions,
    raters::Raters,
    spans::MarkedSpans,
};
use crate::{charts::ChartDownloads, rater_names::RaterNames};
use app::{
    components::{
        OnlyWriting, RatingsQuery, ShownComparisons, ShownFigure, WhichRatingsForm, load_figure,
        load_question_figures, load_span_figures,
    },
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    links::StudyPage,
    request::RequestAccess,
};
use service::{
    figures::{
        AgreementKey, LevelAgreement, LevelAgreementKey, StudyAgreement,
        comparisons::ComparisonFigures, questions::QuestionFigures, spans::SpanFigures,
    },
    findings,
    wording::count_noun,
};

/// α of raw and z-scored ratings with intervals, over time, by category, without each rater and for each
/// pair.
#[component]
pub fn AgreementPage() -> impl IntoView {
    let query = RatingsQuery::from_url();
    study_page(
        "Agreement",
        StudyTab::Agreement,
        RequestAccess::require_panel_access,
        async move |access| content(&access, query).await,
    )
}

async fn content(access: &RequestAccess, asked: RatingsQuery) -> Result<AnyView, Refusal> {
    let questions = load_question_figures(&access.study, &asked).await?;
    if let Some(shown) = ShownComparisons::load(&access.study, &asked).await? {
        let ShownComparisons {
            event,
            dimensions,
            figures,
        } = shown;
        let body = match figures {
            Ok(Some(of)) => compared(&of).into_any(),
            Ok(None) => empty().into_any(),
            Err(notice) => notice,
        };
        let body = with_questions(body, questions);
        return Ok(page(access, asked, dimensions, event, body));
    }

    let spans = load_span_figures(&access.study, &asked).await?;
    let dimensions = asked.load_dimensions(&access.study).await?;
    let dimension = asked.dimension(&dimensions);
    let key = AgreementKey {
        dimension: dimension.name.clone(),
        groups: access.study.settings.groups.clone(),
    };
    let (event, agreement) = load_figure(access.study.id, asked.rating_scope(), key).await?;
    let has_questions = questions.as_ref().map_or(true, |of| !of.is_empty());
    let body = match agreement {
        Err(notice) => notice,
        Ok(found) if found.raters.is_empty() => match &access.study.settings.protocol {
            _ if spans.is_some() || has_questions => ().into_any(),
            protocol if protocol.only_writes() => {
                let slug = access.study.slug.to_string();
                view! { <OnlyWriting slug lacking="no agreement to compute"/> }.into_any()
            }
            _ => empty().into_any(),
        },
        Ok(found) => {
            let levels = match dimension.input {
                ScoreInput::Levels(_) => Some(load_levels(access, &asked, dimension).await?),
                ScoreInput::Slider(_) => None,
            };
            let names = RaterNames::load(access).await?;
            let mut agreement = StudyAgreement::clone(&found);
            for rater in &mut agreement.raters {
                rater.rater.label = names.label(&rater.rater.label);
            }
            figures(agreement, levels).into_any()
        }
    };
    let body = with_spans(body, spans);
    let body = with_questions(body, questions);
    Ok(page(access, asked, dimensions, event, body))
}

/// The figures with those of marked spans below them, where there are some.
fn with_spans(body: AnyView, spans: Option<ShownFigure<Arc<SpanFigures>>>) -> AnyView {
    let spans = match spans {
        None => return body,
        Some(Ok(of)) => view! { <MarkedSpans of=SpanFigures::clone(&of)/> }.into_any(),
        Some(Err(notice)) => notice,
    };
    view! {
        {body}
        {spans}
    }
    .into_any()
}

/// The figures with those of answers to questions below them, where there are some.
fn with_questions(body: AnyView, questions: ShownFigure<Arc<Vec<QuestionFigures>>>) -> AnyView {
    let questions = match questions {
        Ok(of) if of.is_empty() => return body,
        Ok(of) => view! { <AnsweredQuestions of=of.to_vec()/> }.into_any(),
        Err(notice) => notice,
    };
    view! {
        {body}
        {questions}
    }
    .into_any()
}

/// The figures of a study that compares outputs.
fn compared(of: &ComparisonFigures) -> impl IntoView + use<> {
    let pairs = of.agreement.pairable_units;

    view! {
        <h2 class="finding">{findings::comparisons::agreement(of)}</h2>
        <p>{findings::agreement::LIMITS}</p>
        <div class="figures">
            <Alpha
                name="choices"
                note="Which of two outputs is better, or neither, at the nominal level. A unit is two outputs of a \
                      source that were shown together, beside the same others; a choice of the best and the worst \
                      counts as the pairs that it decides."
                of=of.agreement
                interval=of.agreement_interval
            />
        </div>
        <dl class="facts">
            <div><dt>"Raters"</dt><dd>{of.agreement.raters}</dd></div>
            <div><dt>"Comparisons"</dt><dd>{of.comparisons}</dd></div>
            <div><dt>"Pairs decided by two raters or more"</dt><dd>{pairs}</dd></div>
        </dl>
    }
}

fn page(
    access: &RequestAccess,
    asked: RatingsQuery,
    dimensions: Vec<Dimension>,
    event: i64,
    body: AnyView,
) -> AnyView {
    let address = StudyPage::Agreement.address(&access.study.slug);

    view! {
        <div class="title-row">
            <h1>"Agreement"</h1>
            <LiveSign slug=access.study.slug.to_string() event/>
        </div>
        <p class="lead">
            "How far raters agree: 1 is full agreement, 0 is what chance alone would give."
        </p>
        <WhichRatingsForm address dimensions chosen=asked/>
        <div id="agreement" data-live>
            {body}
        </div>
        <ChartDownloads study=access.study.name.clone()/>
    }
    .into_any()
}

/// The figures that follow from the ratings, updated as these come in.
fn figures(
    agreement: StudyAgreement,
    levels: Option<ShownFigure<Arc<LevelAgreement>>>,
) -> impl IntoView + use<> {
    let (raw, z) = (agreement.raw, agreement.z);
    let pairable = z.agreement.pairable_units;
    let basis = format!(
        "{}, {}",
        count_noun(pairable, "output"),
        count_noun(z.agreement.raters, "rater")
    );

    view! {
        <h2 class="finding">{findings::agreement::overall(&z)}</h2>
        <p>{findings::agreement::LIMITS}</p>
        <div class="figures">
            {levels.map(|levels| levels.map_or_else(|notice| notice, |levels| view! {
                <Alpha
                    name="ordinal"
                    note="The levels as they were chosen, by their order alone."
                    of=levels.ordinal.agreement
                    interval=Some(levels.ordinal.interval)
                />
                <Coefficients coefficients=levels.coefficients.clone()/>
            }.into_any()))}
            <Alpha
                name="z-scored"
                note="With each rater's own mean and spread taken out."
                of=z.agreement
                interval=Some(z.interval)
            />
            <Alpha
                name="raw"
                note="The numbers as they were entered."
                of=raw.agreement
                interval=Some(raw.interval)
            />
            {(agreement.categories.ratings > 0).then(|| view! {
                <Alpha
                    name="categories"
                    note="The categories, at the nominal level. A rater who corrects nothing agrees with the \
                          automatic category."
                    of=agreement.categories
                    interval=None
                />
                <Coefficients coefficients=agreement.category_coefficients/>
            })}
        </div>
        <FigureBasis of=raw.agreement warnings=agreement.warnings/>
        <History points=agreement.history pairable basis=basis.clone()/>
        <ByCategoryChart of=agreement.by_category basis=basis.clone()/>
        {(!agreement.by_group.is_empty()).then(|| view! {
            <ByGroupChart of=agreement.by_group basis=basis.clone()/>
        })}
        <Raters raters=agreement.raters.clone() all=z.agreement basis=basis.clone()/>
        <Pairs raters=agreement.raters pairs=agreement.pairs basis/>
    }
}

/// The agreement on the levels of a Likert scale.
async fn load_levels(
    access: &RequestAccess,
    asked: &RatingsQuery,
    dimension: Dimension,
) -> Result<ShownFigure<Arc<LevelAgreement>>, Refusal> {
    let key = LevelAgreementKey {
        dimension: dimension.name,
        scale: dimension.scale,
    };
    let (_, levels) = load_figure(access.study.id, asked.rating_scope(), key).await?;
    Ok(levels)
}

fn empty() -> impl IntoView {
    view! {
        <section class="empty">
            <h2>"No ratings yet"</h2>
            <p>
                "Agreement appears as soon as two annotators have submitted the same source, or a file \
                 with ratings has been imported."
            </p>
        </section>
    }
}
