use std::collections::BTreeMap;

use super::ProtocolRatings;

/// The recorded active time behind ratings. It covers all work of the raters on the sources, on every dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProtocolTime {
    /// The activity of all raters at the sources, without idle time, in milliseconds.
    pub active_ms: u64,
    /// The number of sources submitted with a recorded time, summed over raters.
    pub submissions: usize,
    /// The number of ratings on the compared dimension that were given in this time.
    pub timed_ratings: usize,
    /// The number of all ratings on this dimension, including those without a recorded time.
    pub ratings: usize,
}

const MS_PER_MINUTE: f64 = 60_000.0;

impl ProtocolTime {
    /// The time behind the ratings of the sources that `keep` accepts; `None` if none is recorded, as for ratings
    /// from a file.
    pub(super) fn of_sources(
        study: &ProtocolRatings,
        keep: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        let ratings = &study.compared_dimension().ratings;
        let mut counts = BTreeMap::<(usize, usize), usize>::new();
        for (rater, unit, _) in ratings.raw.entries() {
            let rater = ratings.raw.raters()[rater];
            let source = ratings.outputs[&ratings.raw.units()[unit]].source;
            if keep(source) {
                *counts.entry((rater, source)).or_default() += 1;
            }
        }

        let mut time = Self::default();
        for (submission, ratings) in counts {
            time.ratings += ratings;
            if let Some(ms) = study.active_ms.get(&submission) {
                time.active_ms += ms;
                time.submissions += 1;
                time.timed_ratings += ratings;
            }
        }

        (time.submissions > 0).then_some(time)
    }

    /// The mean active time of one rater at one source, in minutes.
    #[must_use]
    pub fn minutes_per_source(&self) -> f64 {
        self.active_ms as f64 / MS_PER_MINUTE / self.submissions as f64
    }

    /// The mean active time for one rating, in minutes.
    #[must_use]
    pub fn minutes_per_rating(&self) -> f64 {
        self.active_ms as f64 / MS_PER_MINUTE / self.timed_ratings as f64
    }

    /// The active time of all raters, in hours, above 0; `None` unless all ratings have a recorded time.
    #[must_use]
    pub fn hours(&self) -> Option<f64> {
        let whole = self.timed_ratings == self.ratings && self.active_ms > 0;
        whole.then(|| self.active_ms as f64 / MS_PER_MINUTE / 60.0)
    }
}
