use std::collections::HashMap;

use domain::{
    forecast::{CompletionForecast, forecast_completion},
    study::{AssignmentState, SourcePurpose},
};
use leptos::prelude::*;
use store::{AssignmentEntry, overview::StudyOverview};

use super::format_thousands;
use crate::components::Moment;

/// How much is left of a study, and when it will be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyPace {
    /// Hand-ins that are still to come.
    left: u32,
    forecast: Option<CompletionForecast>,
    /// Whether somebody handed something in.
    begun: bool,
}

impl StudyPace {
    /// From who handed what in; people who withdrew do not count.
    pub fn compute(
        holds: &StudyOverview,
        overlap: u32,
        assignments: &[AssignmentEntry],
        now_ms: i64,
    ) -> Self {
        let counts = |it: &&AssignmentEntry| {
            let mut raters = holds.raters.iter();
            it.purpose == SourcePurpose::Main
                && it.state == AssignmentState::HandedIn
                && !raters.any(|rater| rater.rater == it.rater && rater.withdrawn)
        };
        let handed_in: Vec<_> = assignments.iter().filter(counts).collect();
        let mut by_source = HashMap::<_, u32>::new();
        for it in &handed_in {
            *by_source.entry(it.source).or_default() += 1;
        }
        let done: u32 = by_source.values().map(|&times| times.min(overlap)).sum();
        let left = (holds.sources * overlap).saturating_sub(done);
        let times: Vec<_> = handed_in.iter().filter_map(|it| it.ended_at).collect();
        Self {
            left,
            forecast: forecast_completion(left as usize, &times, now_ms),
            begun: !times.is_empty(),
        }
    }

    /// In a sentence.
    pub fn view(self) -> impl IntoView {
        let left = match self.left {
            1 => "One hand-in is still to come".to_owned(),
            left => format!("{} hand-ins are still to come", format_thousands(left)),
        };
        let pace = match self.forecast {
            Some(CompletionForecast {
                per_day,
                done_at_ms,
            }) => view! {
                {format!("; at the pace of the last week ({per_day:.1} a day) the last comes on ")}
                <Moment ms=done_at_ms/> "."
            }
            .into_any(),
            None => ". For a forecast it takes three hand-ins in a week.".into_any(),
        };
        (self.left > 0 && self.begun).then(|| view! { <p class="pace">{left} {pace}</p> })
    }
}
