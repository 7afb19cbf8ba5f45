use std::collections::{HashMap, HashSet};

use domain::{
    forecast::{CompletionForecast, forecast_completion},
    study::{AssignmentState, SourcePurpose, WantedRaters},
};
use leptos::prelude::*;
use store::overview::{AssignmentOutline, StudyOverview};

use super::format_thousands;
use app::components::{Moment, MomentForm};

/// A week, in milliseconds.
const WEEK_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// The remaining work of a study, and the forecast of its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StudyPace {
    /// The number of hand-ins that are still needed.
    left: u32,
    forecast: Option<CompletionForecast>,
    /// The number of annotators who began or ended a source in the last week.
    active: usize,
    /// Whether anything has been handed in.
    begun: bool,
}

impl StudyPace {
    /// Computes the forecast from the hand-ins of annotators. Those who withdrew do not count.
    pub fn compute(
        holds: &StudyOverview,
        wanted: &WantedRaters,
        assignments: &[AssignmentOutline],
        now_ms: i64,
    ) -> Self {
        let withdrawn = holds.raters.iter().filter(|rater| rater.withdrawn);
        let withdrawn: HashSet<_> = withdrawn.map(|rater| rater.rater).collect();
        let main: Vec<_> = assignments
            .iter()
            .filter(|entry| entry.purpose == SourcePurpose::Main)
            .filter(|entry| !withdrawn.contains(&entry.rater))
            .collect();

        let is_recent = |entry: &&&AssignmentOutline| {
            let last = entry.ended_at.unwrap_or(0).max(entry.created_at);
            last > now_ms - WEEK_MS
        };
        let active: HashSet<_> = main.iter().filter(is_recent).map(|e| e.rater).collect();

        let handed_in: Vec<_> = main
            .iter()
            .filter(|entry| entry.state == AssignmentState::HandedIn)
            .collect();

        let mut by_source = HashMap::<_, (u32, Vec<&str>)>::new();
        for entry in &handed_in {
            let (raters, in_groups) = by_source.entry(entry.source).or_default();
            *raters += 1;
            in_groups.extend(entry.group.as_deref());
        }

        let counted = by_source.into_iter();
        let done: u32 = counted
            .map(|(source, (raters, in_groups))| {
                wanted.count_filled(holds.own_overlap(source), raters, in_groups)
            })
            .sum();
        let left = holds.wanted_submissions(wanted).saturating_sub(done);

        let times: Vec<_> = handed_in
            .iter()
            .filter_map(|entry| entry.ended_at)
            .collect();

        Self {
            left,
            forecast: forecast_completion(left as usize, &times, now_ms),
            active: active.len(),
            begun: !times.is_empty(),
        }
    }

    /// The forecast as a sentence.
    pub fn view(self) -> impl IntoView {
        let left = match self.left {
            1 => "1 submission to go".to_owned(),
            left => format!("{} submissions to go", format_thousands(left)),
        };
        let active = match self.active {
            0 => "Nobody was active this week.".to_owned(),
            1 => "1 person active this week.".to_owned(),
            active => format!("{active} people active this week."),
        };
        let pace = match self.forecast {
            Some(CompletionForecast {
                per_day,
                done_at_ms,
            }) => view! {
                ": done about " <Moment ms=done_at_ms form=MomentForm::Day/>
                {format!(" at this pace ({} a day). {active}", format_pace(per_day))}
            }
            .into_any(),
            None => {
                format!(
                    ". {active} A forecast needs three submissions within a week, and a day since the first."
                )
                .into_any()
            }
        };

        (self.left > 0 && self.begun).then(|| view! { <p class="pace">{left} {pace}</p> })
    }
}

/// Submissions a day; with a decimal below ten.
fn format_pace(per_day: f64) -> String {
    match per_day < 10.0 {
        true => format!("{per_day:.1}"),
        false => format_thousands(per_day.round() as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::format_pace;

    #[test]
    fn a_pace_has_a_decimal_where_it_is_slow() {
        for (per_day, text) in [
            (0.25, "0.2"),
            (9.94, "9.9"),
            (12.4, "12"),
            (1836.1, "1,836"),
        ] {
            assert_eq!(format_pace(per_day), text);
        }
    }
}
