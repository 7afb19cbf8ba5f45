use domain::{category::Category, study::SystemKind};
use leptos::prelude::*;
use store::SourceOutput;

use super::{
    Highlights,
    marked_spans::RaterMarks,
    output_judgements::{OutputJudgements, format_rating},
};

/// An output with its system, its category, its edits and its ratings.
#[component]
pub fn OutputCard(
    source: String,
    output: SourceOutput,
    /// The system with an identical output that is judged together with this one.
    twin: Option<String>,
    /// The raters' answers.
    about: OutputJudgements,
    /// The number of annotators who have handed in the source.
    annotators: usize,
    /// The dimensions to show, in order.
    dimensions: Vec<String>,
    /// The raters' answers to questions.
    answers: AnyView,
    /// Whether there are such answers. Raters may then not have been asked for ratings.
    is_answered: bool,
    /// The actions to hide or delete it; nothing for viewers without that right.
    take_out: AnyView,
) -> impl IntoView {
    let kind = match output.kind {
        SystemKind::Machine => "system",
        SystemKind::Human => "human",
        SystemKind::Baseline => "baseline",
    };
    let empty = output.text.is_empty();

    let ratings = dimensions
        .into_iter()
        .filter_map(|name| {
            about
                .ratings
                .get(&name)
                .cloned()
                .map(|ratings| (name, ratings))
        })
        .collect::<Vec<_>>();

    let unjudged = about.unjudged.clone();
    let marks = about.marks.clone();
    let is_marked = !marks.is_empty() || is_answered;
    let texts = (source.clone(), output.text.clone());

    view! {
        <article class="card output">
            <header>
                <h3>{output.system.clone()}</h3>
                <span class="tag">{kind}</span>
                {twin.map(|twin| view! {
                    <span class="soft">{format!("same as {twin}, judged together")}</span>
                })}
            </header>
            {if empty {
                view! { <p class="soft">"(This output is empty.)"</p> }.into_any()
            } else {
                view! { <Highlights text=output.text.clone() edits=output.edits.clone() source/> }
                    .into_any()
            }}
            <Categories automatic=output.category reason=output.reason.clone() about annotators/>
            <RaterMarks source=texts.0 output=texts.1 marks/>
            <Ratings ratings unjudged is_marked/>
            {answers}
            {take_out}
        </article>
    }
}

/// The automatic category with its reason, and the one that the annotators chose.
#[component]
fn Categories(
    automatic: Category,
    reason: String,
    about: OutputJudgements,
    annotators: usize,
) -> impl IntoView {
    let settled = (annotators > 0).then(|| {
        let (category, agree) = about.majority(automatic, annotators);
        let agreement = format!("{agree} of {annotators} annotators");
        view! {
            <div class:differs=category != automatic>
                <dt>"Annotators"</dt>
                <dd>{category.title()} " " <span class="soft">{agreement}</span></dd>
            </div>
        }
    });

    view! {
        <dl class="categories">
            <div>
                <dt>"Automatic"</dt>
                <dd>{automatic.title()} " " <span class="soft">{reason}</span></dd>
            </div>
            {settled}
        </dl>
    }
}

/// Every rater's rating on each dimension, with the mean, and the reasons of those who gave none.
#[component]
fn Ratings(
    ratings: Vec<(String, Vec<(String, f64)>)>,
    unjudged: Vec<(String, String)>,
    /// Whether spans are marked in it, or questions about it answered. Raters may then not have
    /// been asked for ratings.
    is_marked: bool,
) -> impl IntoView {
    if ratings.is_empty() && unjudged.is_empty() && is_marked {
        return ().into_any();
    }
    if ratings.is_empty() && unjudged.is_empty() {
        return view! { <p class="soft unrated">"Not rated yet."</p> }.into_any();
    }

    let several = ratings.len() > 1;
    let line = |(dimension, ratings): (String, Vec<(String, f64)>)| {
        let mean = mean(&ratings);
        let each = ratings
            .into_iter()
            .map(|(label, value)| {
                view! { <li><span class="soft">{label}</span> " " <b>{format_rating(value)}</b></li> }
            })
            .collect_view();
        view! {
            <div class="rating-line">
                {several.then(|| view! { <h4>{dimension}</h4> })}
                <ul>{each}</ul>
                <p class="mean"><span class="soft">"mean "</span> <b>{format!("{mean:.1}")}</b></p>
            </div>
        }
    };

    let reason = |(label, reason): (String, String)| {
        view! { <li><span class="soft">{label}</span> " could not judge it: " <b>{reason}</b></li> }
    };
    let reasons = (!unjudged.is_empty()).then(|| {
        view! { <div class="rating-line"><ul>{unjudged.into_iter().map(reason).collect_view()}</ul></div> }
    });

    view! {
        <div class="ratings">
            {ratings.into_iter().map(line).collect_view()}
            {reasons}
        </div>
    }
    .into_any()
}

#[expect(clippy::cast_precision_loss, reason = "no output has 2⁵³ ratings")]
fn mean(ratings: &[(String, f64)]) -> f64 {
    ratings.iter().map(|(_, value)| value).sum::<f64>() / ratings.len().max(1) as f64
}
