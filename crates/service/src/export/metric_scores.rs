//! Metric scores: one row per output and one column per metric.

use std::{collections::HashMap, io::Write};

use domain::ids::MetricId;
use formats::CsvWriter;
use store::{export::ExportedOutput, metrics::StudyMetric};

use super::{ExportContext, ExportFailure, OutputPages};

/// A metric with the name of its column.
pub(super) struct MetricColumn<'a> {
    /// The metric's name; a second metric with the same name gets ` (2)` at the end, and so on.
    pub(super) name: String,
    pub(super) metric: &'a StudyMetric,
}

/// The columns of metrics, in the order in which the metrics were added to the study.
pub(super) fn columns(metrics: &[StudyMetric]) -> Vec<MetricColumn<'_>> {
    let mut counts = HashMap::<&str, usize>::new();
    let columns = metrics.iter().map(|metric| {
        let count = counts.entry(&metric.name).or_default();
        *count += 1;
        let name = match count {
            1 => metric.name.clone(),
            count => format!("{} ({count})", metric.name),
        };
        MetricColumn { name, metric }
    });
    columns.collect()
}

/// The score that the metric gave the output, if any.
pub(super) fn score(output: &ExportedOutput, metric: MetricId) -> Option<f64> {
    let mut scores = output.metric_scores.iter();
    scores
        .find(|(id, _)| *id == metric)
        .map(|(_, score)| *score)
}

/// Writes one row per output.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let columns = columns(&context.metrics);
    let id_columns = ["source_id", "output_id", "system"];
    let names = columns.iter().map(|column| column.name.as_str());
    let header = id_columns.into_iter().chain(names);
    let mut writer = CsvWriter::new(out, header, context.request.cells)?;

    pages.for_each_output(|output, _| {
        let ids = [
            output.source.key.clone(),
            output.output.to_string(),
            output.system.clone(),
        ];

        let cell = |column: &MetricColumn<'_>| {
            let score = score(output, column.metric.id);
            score.map_or_else(String::new, |score| score.to_string())
        };

        let scores = columns.iter().map(cell);
        Ok(writer.write(ids.into_iter().chain(scores))?)
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// Writes one row per metric: its column, name, signature and origin, and the number of outputs with a score.
pub(super) fn write_signatures(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let header = ["column", "metric", "signature", "origin", "outputs"];
    let mut writer = CsvWriter::new(out, header, context.request.cells)?;

    for MetricColumn { name, metric } in columns(&context.metrics) {
        let outputs = context.summary.scored_outputs.get(&metric.id).copied();
        writer.write([
            name.as_str(),
            &metric.name,
            &metric.signature,
            metric.origin.name(),
            &outputs.unwrap_or_default().to_string(),
        ])?;
    }

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}
