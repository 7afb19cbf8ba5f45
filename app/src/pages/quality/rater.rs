use domain::score::Scale;
use leptos::prelude::*;

use super::{
    distribution::{along, bars, said},
    facts::{self, Fact, kind_tag},
};
use crate::{charts::SmallBars, figures::RaterEntry};

/// One rater: what stands out, where the scores lie, and every figure.
#[component]
pub fn RaterCard(
    /// Who, with the figures.
    of: RaterEntry,
    /// The scale of the scores.
    scale: Scale,
    /// The share of scores that the highest bar of all raters stands for.
    top: f64,
) -> impl IntoView {
    let id = format!("rater-{}", of.rater.position);
    let name = format!("{id}-name");
    let concern = |sentence: String| view! { <li>{sentence}</li> };
    let concerns: Vec<_> = of
        .concerns
        .iter()
        .map(|it| concern(it.sentence()))
        .collect();
    let concerns = (!concerns.is_empty()).then(|| {
        view! {
            <p class="look">"To be looked at"</p>
            <ul class="concerns">{concerns}</ul>
        }
    });
    let ends = (scale.low.to_string(), scale.high.to_string());
    let label = said(&of.rater.label, &of.scores, scale);
    view! {
        <article class="rater" id=id aria-labelledby=name>
            <h3 id=name.clone()>{of.rater.label.clone()} {kind_tag(of.rater.kind)}</h3>
            {concerns}
            <SmallBars
                label
                bars=bars(&of.scores, top)
                mean=along(of.scores.mean, &of.scores.histogram)
                ends
            />
            <List title="Scores" facts=facts::scores(&of.scores, scale)/>
            <List title="With the others" facts=facts::others(&of.scores.others)/>
            <List title="Work" facts=facts::work(&of.conduct, of.rater.kind)/>
            <List title="Quality control" facts=facts::checks(&of.conduct.checks, scale)/>
        </article>
    }
    .into_any()
}

/// Figures under a heading; nothing where there are none.
#[component]
fn List(title: &'static str, facts: Vec<Fact>) -> impl IntoView {
    let row = |fact: Fact| {
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
