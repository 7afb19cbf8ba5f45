//! The comparisons of outputs with each rater's choice.

use std::{collections::HashMap, sync::Arc};

use domain::{
    comparison::{ComparisonAnswer, PairOutcome},
    ids::OutputId,
    rater_groups::RaterGroup,
    work::comparisons::output_letter,
};
use leptos::prelude::*;
use store::OutputText;

use crate::charts::decimal;
use app::{components::GroupTag, links::StudyPage};
use service::figures::disputed_comparisons::DisputedComparison;

/// Outputs that were compared, with the choice of each rater.
#[component]
pub(super) fn ComparedOutputs(
    slug: String,
    /// Its place in the list, from 1.
    number: usize,
    of: DisputedComparison,
    /// The texts of its outputs.
    texts: Vec<OutputText>,
    /// The groups of raters.
    groups: Vec<RaterGroup>,
    /// Group ids by rater label, for raters who are in a group.
    rater_groups: Arc<HashMap<String, String>>,
    /// The lead's questions about the outputs.
    children: Children,
) -> impl IntoView {
    let id = format!("comparison-{number}");
    let apart = match of.disagreement {
        None => "one rater".to_owned(),
        Some(0.0) => "all chose the same".to_owned(),
        Some(share) => format!("{} % of pairs of raters differ", decimal(100.0 * share, 0)),
    };

    let letter = |output: &OutputId| {
        let place = of.outputs.iter().position(|own| own == output);
        output_letter(place.unwrap_or_default())
    };
    let choice = |(rater, answer): &(String, ComparisonAnswer<OutputId>)| {
        let words = match answer {
            ComparisonAnswer::Pair(pair) => match pair.outcome() {
                PairOutcome::A => format!("{} is better", letter(pair.a())),
                PairOutcome::B => format!("{} is better", letter(pair.b())),
                PairOutcome::Tie => "neither".to_owned(),
            },
            ComparisonAnswer::BestWorst(choice) => {
                let (best, worst) = (letter(choice.best()), letter(choice.worst()));
                format!("{best} best, {worst} worst")
            }
        };

        let group = rater_groups.get(rater).cloned();
        let group = view! { <GroupTag groups=groups.clone() group/> };
        view! { <div><dt>{rater.clone()} {group}</dt><dd><strong>{words}</strong></dd></div> }
    };
    let choices = of.choices.iter().map(choice).collect_view();

    let source = texts.first().cloned();
    let source = source.map(|text| {
        view! {
            <div class="whole">
                <h3>"Source " <a href=StudyPage::Source(text.source_id).address(&slug)>{text.source_key}</a></h3>
                <p>{text.source}</p>
            </div>
        }
    });

    let output = |(place, text): (usize, OutputText)| {
        view! {
            <div>
                <h3>{format!("{}: {}", output_letter(place), text.system)}</h3>
                <p>{text.text}</p>
            </div>
        }
    };
    let texts = texts.into_iter().enumerate().map(output).collect_view();

    view! {
        <li class="card" aria-labelledby=id.clone()>
            <header>
                <h2 id=id.clone()>{format!("Comparison {number}")}</h2>
                <span class="apart">{apart}</span>
            </header>
            <div class="texts">{source} {texts}</div>
            <dl class="each">{choices}</dl>
            {children()}
        </li>
    }
}
