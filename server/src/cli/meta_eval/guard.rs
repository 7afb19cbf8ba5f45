//! Metrics against worthless texts, made of outputs that people rated well.

use domain::{
    metrics::degenerate::{GoodOutput, Outcome, Probe, SEED, degenerate},
    statistics::Ratings,
};
use formats::{RatedOutput, SourceReferences};

use crate::metrics::{Means, Metric, MetricError, Sheet, score};

/// The outcome of a metric on those of the `kept` outputs whose mean rating is above that of all. An
/// output that is a reference word for word is left out: it would be scored with itself.
pub(super) fn run(
    raw: &Ratings<String, u64>,
    outputs: &[&RatedOutput],
    kept: &[usize],
    references: Option<&SourceReferences>,
    metric: Metric,
    means: &Means,
) -> Result<Outcome, MetricError> {
    let ratings = super::means(raw);
    let all = ratings.iter().sum::<f64>() / ratings.len() as f64;
    let rated_well = kept.iter().filter(|at| ratings[**at] > all);
    let copies = |output: &RatedOutput| references.is_some_and(|of| super::is_copy(output, of));
    let good: Vec<GoodOutput<'_>> = rated_well
        .map(|at| outputs[*at])
        .filter(|output| !copies(output))
        .map(|output| GoodOutput {
            source: &output.source_text,
            output: &output.text,
        })
        .collect();
    let scored = |probes: &[Probe]| {
        let mut sheet = Sheet::default();
        for probe in probes {
            let source = good[probe.case].source;
            let of = || references.map_or(&[][..], |references| references.of(source));
            sheet.add(source, &probe.text, of);
        }
        let mut scores = score(&sheet, &[metric], means)?;
        let values = scores.pop().map_or_else(Vec::new, |scores| scores.values);
        let numbers = values
            .into_iter()
            .map(|value| value.map_or(f64::NAN, |x| metric.direction().orient(x)));
        Ok(numbers.collect())
    };
    degenerate(&good, SEED, scored)
}
