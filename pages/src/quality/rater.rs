use domain::{protocol::StudyProtocol, rater_groups::RaterGroup, score::RatingScale};
use leptos::prelude::*;

use super::{
    distribution::{bar_heights, describe_distribution, relative_position},
    rater_facts::{self, RaterFact, kind_tag},
};
use crate::charts::SmallBars;
use app::components::GroupTag;
use service::figures::RaterQualityEntry;

/// One rater: what stands out, the distribution of scores, and all figures.
#[component]
pub fn RaterCard(
    /// The rater with the figures.
    of: RaterQualityEntry,
    /// The scale of the scores.
    scale: RatingScale,
    /// The steps of the study.
    protocol: StudyProtocol,
    /// The share of scores that the highest bar of all raters shows.
    top: f64,
    /// The groups of raters.
    groups: Vec<RaterGroup>,
) -> impl IntoView {
    let id = format!("rater-{}", of.rater.position);
    let name = format!("{id}-name");

    let concern = |sentence: String| view! { <li>{sentence}</li> };
    let concerns: Vec<_> = of
        .concerns
        .iter()
        .map(|rater_concern| concern(rater_concern.sentence()))
        .collect();
    let concerns = (!concerns.is_empty()).then(|| {
        view! {
            <p class="look">"To check"</p>
            <ul class="concerns">{concerns}</ul>
        }
    });

    let ends = (scale.low.to_string(), scale.high.to_string());
    let scores = of.scores.map(|scores| {
        view! {
            <SmallBars
                label=describe_distribution(&of.rater.label, &scores, scale)
                bars=bar_heights(&scores, top)
                mean=relative_position(scores.mean, &scores.histogram)
                ends
            />
            <List title="Scores" facts=rater_facts::score_facts(&scores, scale)/>
            <List title="With the others" facts=rater_facts::agreement_facts(&scores.others)/>
        }
    });

    view! {
        <article class="rater" id=id aria-labelledby=name>
            <h3 id=name.clone()>
                {of.rater.label.clone()} {kind_tag(of.rater.kind)} <GroupTag groups group=of.rater.group.clone()/>
            </h3>
            {concerns}
            {scores}
            <List title="Work" facts=rater_facts::conduct_facts(&of.conduct, of.rater.kind, &protocol)/>
            <List title="Quality control" facts=rater_facts::check_facts(&of.conduct.checks, scale)/>
        </article>
    }
    .into_any()
}

/// Figures under a heading; nothing if there are none.
#[component]
fn List(title: &'static str, facts: Vec<RaterFact>) -> impl IntoView {
    let row = |fact: RaterFact| {
        let value = match fact.value {
            Ok(value) => {
                view! { <b>{value}</b> " " <span class="soft">{fact.base}</span> }.into_any()
            }
            Err(reason) => view! { <span class="soft">{reason}</span> }.into_any(),
        };
        view! { <div><dt>{fact.name}</dt><dd>{value}</dd></div> }
    };
    (!facts.is_empty()).then(|| {
        view! {
            <h4>{title}</h4>
            <dl class="rows">{facts.into_iter().map(row).collect_view()}</dl>
        }
    })
}
