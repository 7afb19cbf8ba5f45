//! Sums over scored outputs, which are all that is kept of them.

use std::collections::{BTreeMap, HashSet};

use domain::metrics::{CorpusCounts, PreparedSource, ScoreDirection, TextMetric};
use learn::metric::fingerprint;

use super::slices::ScoredSlice;
use crate::metrics::BatchScores;

/// Sums over the scores of outputs, whose size does not depend on the number of outputs.
#[derive(Default)]
pub(super) struct ScoreTotals {
    /// The number of outputs.
    pub(super) outputs: usize,
    pub(super) metrics: Vec<MetricTotals>,
    /// Whether scores are added up, which takes time for those of a corpus. Otherwise only doubts are noted.
    is_summarised: bool,
}

/// Sums over the scores of a metric.
pub(super) struct MetricTotals {
    pub(super) name: String,
    pub(super) signature: Option<String>,
    pub(super) direction: ScoreDirection,
    pub(super) overall: ScoreTotal,
    pub(super) systems: BTreeMap<String, ScoreTotal>,
    /// The number of outputs outside the metric's domain.
    outside: usize,
    /// The sources that it learned from, for a metric that knows what its scores mean.
    learned: HashSet<String>,
}

/// The sum of the scores of some outputs.
pub(super) struct ScoreTotal {
    /// The number of outputs that have a score.
    pub(super) outputs: usize,
    sum: f64,
    /// The counts of these outputs, for a metric that is made of counts.
    counts: Option<CorpusCounts>,
}

impl ScoreTotals {
    /// Empty totals.
    pub(super) fn new(is_summarised: bool) -> Self {
        Self {
            is_summarised,
            ..Self::default()
        }
    }

    pub(super) fn add(&mut self, slice: &ScoredSlice) {
        self.outputs += slice.rows.len();
        if self.metrics.is_empty() {
            self.metrics = slice.scores.iter().map(MetricTotals::new).collect();
        }
        for (totals, scores) in self.metrics.iter_mut().zip(&slice.scores) {
            totals.note_doubts(slice, scores);
            if self.is_summarised {
                totals.add_up(slice, scores);
            }
        }
    }

    /// Sentences on what limits the scores, for outputs of this number of sources.
    pub(super) fn warnings(&self, sources: usize) -> Vec<String> {
        let outside = self.metrics.iter().filter(|metric| metric.outside > 0);
        let outside = outside.map(|metric| {
            format!(
                "{}: {} of {} outputs are out of domain, unlike all that it learned from, so that their scores are \
                 guesses",
                metric.name, metric.outside, self.outputs
            )
        });

        let learned = self
            .metrics
            .iter()
            .filter(|metric| !metric.learned.is_empty());
        let learned = learned.map(|metric| {
            format!(
                "{}: it learned from {} of {sources} sources, of which its scores are better than its intervals say",
                metric.name,
                metric.learned.len()
            )
        });

        outside.chain(learned).collect()
    }
}

impl MetricTotals {
    fn new(scores: &BatchScores) -> Self {
        Self {
            name: scores.name.clone(),
            signature: scores.signature.clone(),
            direction: scores.direction,
            overall: ScoreTotal::new(&scores.name),
            systems: BTreeMap::new(),
            outside: 0,
            learned: HashSet::new(),
        }
    }

    fn note_doubts(&mut self, slice: &ScoredSlice, scores: &BatchScores) {
        let known = scores.meanings.iter().flatten();
        let outside = known.filter(|meaning| meaning.is_out_of_domain == Some(true));
        self.outside += outside.count();
        if !scores.meanings.is_empty() && !scores.trained_on.is_empty() {
            let trained_on: HashSet<&String> = scores.trained_on.iter().collect();
            let sources = slice.rows.iter().map(|row| fingerprint(&row.source));
            self.learned
                .extend(sources.filter(|source| trained_on.contains(source)));
        }
    }

    fn add_up(&mut self, slice: &ScoredSlice, scores: &BatchScores) {
        for ((row, of), value) in slice
            .rows
            .iter()
            .zip(slice.batch.iter())
            .zip(&scores.values)
        {
            self.overall.add(*value, of);
            match self.systems.get_mut(&row.system) {
                Some(total) => total.add(*value, of),
                None => {
                    let mut total = ScoreTotal::new(&self.name);
                    total.add(*value, of);
                    self.systems.insert(row.system.clone(), total);
                }
            }
        }
    }
}

impl ScoreTotal {
    fn new(metric: &str) -> Self {
        Self {
            outputs: 0,
            sum: 0.0,
            counts: TextMetric::from_name(metric).and_then(CorpusCounts::new),
        }
    }

    fn add(&mut self, value: Option<f64>, (side, output): (&PreparedSource, &str)) {
        let Some(value) = value else { return };
        self.outputs += 1;
        self.sum += value;
        if let Some(counts) = &mut self.counts {
            counts.add(side, output);
        }
    }

    /// The mean over outputs; `None` without a score.
    #[expect(clippy::cast_precision_loss, reason = "outputs stay far under 2⁵³")]
    pub(super) fn mean(&self) -> Option<f64> {
        (self.outputs > 0).then(|| self.sum / self.outputs as f64)
    }

    /// The score of these outputs as one corpus; `None` without a score, or for a metric that is not made of counts.
    pub(super) fn corpus(&self) -> Option<f64> {
        let counts = self.counts.filter(|_| self.outputs > 0);
        counts.map(|counts| counts.score())
    }
}

#[cfg(test)]
mod tests {
    use learn::metric::ScoreMeaning;

    use super::{super::input::ScoreInputRow, *};
    use crate::metrics::ScoringBatch;

    #[test]
    fn doubtful_meanings_are_told() {
        let meaning = |is_out_of_domain: Option<bool>| {
            Some(ScoreMeaning {
                percent: 50.0,
                interval: (10.0, 90.0),
                is_out_of_domain,
            })
        };
        let row = |source: &str, output: &str| ScoreInputRow {
            id: String::new(),
            source_id: String::new(),
            source: source.to_owned(),
            system: "A".to_owned(),
            output: output.to_owned(),
            references: Vec::new(),
        };

        let rows = vec![
            row("A source.", "One."),
            row("A new one.", "Two."),
            row("A source.", "Three."),
        ];
        let mut batch = ScoringBatch::default();
        for row in &rows {
            batch.add(&row.source, &row.output, || &[]);
        }

        let scores = BatchScores {
            name: "learned-free".to_owned(),
            signature: None,
            direction: ScoreDirection::HigherIsBetter,
            trained_on: vec![fingerprint("A source."), fingerprint("Another one.")],
            values: vec![Some(0.1), Some(0.2), None],
            meanings: vec![meaning(Some(false)), meaning(Some(true)), meaning(None)],
        };
        let mut slice = ScoredSlice {
            rows,
            batch,
            scores: vec![scores],
        };

        let warnings = |slice: &ScoredSlice| {
            let mut totals = ScoreTotals::default();
            totals.add(slice);
            totals.warnings(2)
        };

        let told = warnings(&slice);
        assert!(told[0].contains("1 of 3 outputs"), "{told:?}");
        assert!(told[1].contains("1 of 2 sources"), "{told:?}");
        slice.scores[0].meanings.clear();
        assert_eq!(warnings(&slice), Vec::<String>::new());
    }
}
