//! The active time of an annotator: from the first touch to the last interaction, without the
//! time in which the annotator was idle or the tab was hidden.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::work::change::AnnotationStep;

/// The longest gap between two interactions that counts as active time, in milliseconds; longer
/// gaps are idle and do not count.
pub const IDLE_MS: u64 = 60_000;

/// The longest active time accepted for a step, in milliseconds: 30 days. With this limit, no sum
/// over a study's rows reaches 2⁶³: that would take 3.5 billion rows.
pub const LONGEST_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// The maximum number of browser tabs whose times are stored for one source or one text. Every page
/// load counts as a new tab.
pub const MOST_TABS: i64 = 500;

/// The stored active time of a step in one tab: at most [`LONGEST_MS`], whatever was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ActiveDuration(u64);

impl ActiveDuration {
    /// Clamps the milliseconds that were sent to what is possible: at most `longest`, the time
    /// since the work was assigned, and at most [`LONGEST_MS`].
    #[must_use]
    pub fn at_most(sent: u64, longest: u64) -> Self {
        Self(sent.min(longest).min(LONGEST_MS))
    }

    /// Milliseconds, from 0 to [`LONGEST_MS`].
    #[must_use]
    pub fn get(self) -> i64 {
        i64::try_from(self.0).expect("30 days are few milliseconds")
    }
}

/// The time spent in one tab since it was opened.
///
/// It is updated with events and the milliseconds of any monotonic clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TabActivity {
    /// The time of the last interaction; `None` before the first touch and after a break.
    last: Option<(u64, AnnotationStep)>,
    spent: [u64; 5],
}

/// The report of a tab: totals since it was opened, so that a report may be lost or repeated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityReport {
    /// The tab's id, new with every page load.
    pub tab: Uuid,
    /// Milliseconds in step 1.
    pub categorise_ms: u64,
    /// Milliseconds in step 2.
    pub highlight_ms: u64,
    /// Milliseconds in step 3.
    pub rate_ms: u64,
    /// Milliseconds in the step that asks questions.
    #[serde(default)]
    pub answer_ms: u64,
    /// Milliseconds in the step that has a text written.
    #[serde(default)]
    pub write_ms: u64,
}

impl TabActivity {
    /// Records an interaction in `step`. The time since the last one counts for the step of that
    /// interaction.
    pub fn interact(&mut self, now: u64, step: AnnotationStep) {
        if let Some((last, during)) = self.last {
            let since = now.saturating_sub(last);
            if since <= IDLE_MS {
                self.spent[step_index(during)] += since;
            }
        }
        self.last = Some((now, step));
    }

    /// Records that the tab is hidden, or another one is in use: the time until the next
    /// interaction does not count here.
    pub const fn pause(&mut self) {
        self.last = None;
    }

    /// Milliseconds in `step`.
    #[must_use]
    pub const fn spent(&self, step: AnnotationStep) -> u64 {
        self.spent[step_index(step)]
    }

    /// The totals, for the server.
    #[must_use]
    pub const fn report(&self, tab: Uuid) -> ActivityReport {
        ActivityReport {
            tab,
            categorise_ms: self.spent(AnnotationStep::Categorise),
            highlight_ms: self.spent(AnnotationStep::Highlight),
            rate_ms: self.spent(AnnotationStep::Rate),
            answer_ms: self.spent(AnnotationStep::Answer),
            write_ms: self.spent(AnnotationStep::Write),
        }
    }
}

impl ActivityReport {
    /// The milliseconds of each step.
    #[must_use]
    pub const fn spent(&self) -> [(AnnotationStep, u64); 5] {
        [
            (AnnotationStep::Categorise, self.categorise_ms),
            (AnnotationStep::Highlight, self.highlight_ms),
            (AnnotationStep::Rate, self.rate_ms),
            (AnnotationStep::Answer, self.answer_ms),
            (AnnotationStep::Write, self.write_ms),
        ]
    }
}

const fn step_index(step: AnnotationStep) -> usize {
    match step {
        AnnotationStep::Categorise => 0,
        AnnotationStep::Highlight => 1,
        AnnotationStep::Rate => 2,
        AnnotationStep::Answer => 3,
        AnnotationStep::Write => 4,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn total_ms(activity: &TabActivity) -> u64 {
        let spent = activity.report(Uuid::nil()).spent();
        spent.iter().map(|(_, ms)| ms).sum()
    }

    #[test]
    fn time_runs_from_the_first_touch_to_the_last_interaction() {
        let mut activity = TabActivity::default();
        activity.interact(100_000, AnnotationStep::Categorise);
        assert_eq!(total_ms(&activity), 0);
        activity.interact(110_000, AnnotationStep::Categorise);
        activity.interact(130_000, AnnotationStep::Rate);
        activity.interact(135_000, AnnotationStep::Rate);
        let report = activity.report(Uuid::nil());
        assert_eq!((report.categorise_ms, report.rate_ms), (30_000, 5_000));
    }

    #[test]
    fn idle_time_does_not_count() {
        let mut activity = TabActivity::default();
        activity.interact(0, AnnotationStep::Rate);
        activity.interact(60_000, AnnotationStep::Rate);
        activity.interact(120_001, AnnotationStep::Rate);
        activity.interact(121_000, AnnotationStep::Rate);
        assert_eq!(activity.spent(AnnotationStep::Rate), 60_999);
    }

    #[test]
    fn hidden_time_does_not_count() {
        let mut activity = TabActivity::default();
        activity.interact(0, AnnotationStep::Rate);
        activity.interact(1_000, AnnotationStep::Rate);
        activity.pause();
        activity.interact(21_000, AnnotationStep::Rate);
        activity.interact(22_000, AnnotationStep::Rate);
        assert_eq!(activity.spent(AnnotationStep::Rate), 2_000);
    }

    #[test]
    fn what_is_sent_is_cut_to_what_is_possible() {
        for (sent, longest, expect) in [
            (0, 10, 0),
            (7, 10, 7),
            (11, 10, 10),
            (u64::MAX, 10, 10),
            (u64::MAX, u64::MAX, 2_592_000_000),
            (5, 0, 0),
        ] {
            assert_eq!(ActiveDuration::at_most(sent, longest).get(), expect);
        }
    }

    proptest! {
        #[test]
        fn never_more_than_the_time_that_passed(gaps in proptest::collection::vec((0u64..200_000, any::<bool>()), 0..60)) {
            let (mut activity, mut now) = (TabActivity::default(), 0);
            for (gap, pause) in &gaps {
                now += gap;
                if *pause { activity.pause() } else { activity.interact(now, AnnotationStep::Highlight) }
            }
            prop_assert!(total_ms(&activity) <= now);
            let busy: u64 = gaps.iter().map(|(gap, _)| (*gap).min(IDLE_MS)).sum();
            prop_assert!(total_ms(&activity) <= busy);
        }
    }
}
