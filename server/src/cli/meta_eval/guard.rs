//! Metrics against worthless texts, made of outputs that people rated well.

use domain::{
    metrics::{
        TextMetric,
        degenerate::{GoodOutput, Outcome, Probe, SEED, degenerate},
    },
    statistics::Ratings,
};
use formats::{RatedOutput, SourceReferences};

use super::means;
use crate::{
    metrics::{Metric, MetricError, Sheet, score},
    settings::EncoderSettings,
};

/// The outcome of each metric on the outputs whose mean rating is above that of all. An output that is
/// a reference word for word is left out: it would be scored with itself.
pub(super) fn run(
    raw: &Ratings<String, u64>,
    outputs: &[&RatedOutput],
    references: Option<&SourceReferences>,
    metrics: &[Metric],
    settings: &EncoderSettings,
) -> Result<Vec<Option<Outcome>>, MetricError> {
    let means = means(raw);
    let all = means.iter().sum::<f64>() / means.len() as f64;
    let rated_well = outputs.iter().zip(&means).filter(|(_, mean)| **mean > all);
    let copies = |output: &RatedOutput| references.is_some_and(|of| super::is_copy(output, of));
    let good: Vec<GoodOutput<'_>> = rated_well
        .filter(|(output, _)| !copies(output))
        .map(|(output, _)| GoodOutput {
            source: &output.source_text,
            output: &output.text,
        })
        .collect();
    let outcome = |metric: &Metric| {
        let scored = |probes: &[Probe]| {
            let mut sheet = Sheet::default();
            for probe in probes {
                let source = good[probe.case].source;
                let of = || references.map_or(&[][..], |references| references.of(source));
                sheet.add(source, &probe.text, of);
            }
            let mut scores = score(&sheet, &[*metric], settings)?;
            let values = scores.pop().map_or_else(Vec::new, |scores| scores.values);
            let sign = if larger_is_better(*metric) { 1.0 } else { -1.0 };
            let numbers = values
                .into_iter()
                .map(|value| value.map_or(f64::NAN, |x| sign * x));
            Ok(numbers.collect())
        };
        degenerate(&good, SEED, scored).map(Some)
    };
    metrics.iter().map(outcome).collect()
}

fn larger_is_better(metric: Metric) -> bool {
    match metric {
        Metric::Text(metric) => TextMetric::larger_is_better(metric),
        Metric::Meaning(_) => true,
    }
}
