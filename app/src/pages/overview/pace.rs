use std::collections::HashMap;

use domain::{
    forecast::{CompletionForecast, forecast_completion},
    study::{AssignmentState, SourcePurpose},
};
use leptos::prelude::*;
use store::{AssignmentEntry, overview::StudyOverview};

use super::format_thousands;
use crate::components::Moment;

/// How much of a study is left, and when it will be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyPace {
    /// The number of hand-ins still to come.
    left: u32,
    forecast: Option<CompletionForecast>,
    /// Whether anything has been handed in.
    begun: bool,
}

impl StudyPace {
    /// The forecast from the hand-ins of each annotator; those of people who withdrew do not count.
    pub fn compute(
        holds: &StudyOverview,
        overlap: u32,
        assignments: &[AssignmentEntry],
        now_ms: i64,
    ) -> Self {
        let counts = |entry: &&AssignmentEntry| {
            let mut raters = holds.raters.iter();
            entry.purpose == SourcePurpose::Main
                && entry.state == AssignmentState::HandedIn
                && !raters.any(|rater| rater.rater == entry.rater && rater.withdrawn)
        };
        let handed_in: Vec<_> = assignments.iter().filter(counts).collect();
        let mut by_source = HashMap::<_, u32>::new();
        for entry in &handed_in {
            *by_source.entry(entry.source).or_default() += 1;
        }
        let done: u32 = by_source.values().map(|&times| times.min(overlap)).sum();
        let left = (holds.sources * overlap).saturating_sub(done);
        let times: Vec<_> = handed_in
            .iter()
            .filter_map(|entry| entry.ended_at)
            .collect();
        Self {
            left,
            forecast: forecast_completion(left as usize, &times, now_ms),
            begun: !times.is_empty(),
        }
    }

    /// The forecast as a sentence.
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
                {format!("; at the pace of the last week ({per_day:.1} a day) the last one comes on ")}
                <Moment ms=done_at_ms/> "."
            }
            .into_any(),
            None => ". A forecast needs three hand-ins within a week.".into_any(),
        };
        (self.left > 0 && self.begun).then(|| view! { <p class="pace">{left} {pace}</p> })
    }
}
