//! Metrics against worthless texts, made of outputs that people rated well.

use domain::{
    metrics::degenerate::{
        DegenerateProbe, DegenerateReport, GoodOutput, SEED, run_degenerate_test,
    },
    statistics::RatingTable,
};
use formats::{RatedOutput, SourceReferences};

use super::{
    published::PublishedEvaluation,
    rated_outputs::{self, add_texts, mean_ratings},
};
use crate::metrics::{BatchScores, MetricError, MetricKind, ScoringBatch};

/// Tests a metric on worthless texts, made of the `kept` outputs whose mean rating is above that of all. Leaves out
/// outputs that equal a reference, which would be scored with themselves. Metrics get all texts as they are, or as the
/// evaluation `like` prepares them. `score` scores by the metric alone.
pub(super) fn run(
    raw: &RatingTable<String, u64>,
    outputs: &[&RatedOutput],
    kept: &[usize],
    references: Option<&SourceReferences>,
    like: Option<PublishedEvaluation>,
    metric: MetricKind,
    score: impl Fn(&ScoringBatch) -> Result<Vec<BatchScores>, MetricError>,
) -> Result<DegenerateReport, MetricError> {
    let ratings = mean_ratings(raw);
    let overall_mean = ratings.iter().sum::<f64>() / ratings.len() as f64;
    let rated_well = kept.iter().filter(|place| ratings[**place] > overall_mean);
    let is_copy = |output: &RatedOutput| {
        references.is_some_and(|references| rated_outputs::is_copy(output, references))
    };
    let good: Vec<GoodOutput<'_>> = rated_well
        .map(|place| outputs[*place])
        .filter(|output| !is_copy(output))
        .map(|output| GoodOutput {
            source: &output.source_text,
            output: &output.text,
        })
        .collect();

    let score_probes = |probes: &[DegenerateProbe]| {
        let mut batch = ScoringBatch::default();
        for probe in probes {
            let source = good[probe.case].source;
            add_texts(&mut batch, source, &probe.text, references, like);
        }

        let mut scores = score(&batch)?;
        let values = scores.pop().map_or_else(Vec::new, |scores| scores.values);
        let numbers = values
            .into_iter()
            .map(|value| value.map_or(f64::NAN, |x| metric.direction().orient(x)));
        Ok(numbers.collect())
    };

    run_degenerate_test(&good, SEED, score_probes)
}
