//! Scores of metrics: an output a row, a metric a column.

use std::{collections::HashMap, io::Write};

use domain::ids::MetricId;
use formats::CsvWriter;
use store::{export::ExportedOutput, metrics::StudyMetric};

use super::{ExportContext, ExportFailure, OutputPages};

/// A metric with the name of its column.
pub(super) struct MetricColumn<'a> {
    /// The metric's name; of several with the same name, the second ends in ` (2)`, and so on.
    pub(super) name: String,
    pub(super) metric: &'a StudyMetric,
}

/// The columns of metrics, in the order in which the study got these.
pub(super) fn columns(metrics: &[StudyMetric]) -> Vec<MetricColumn<'_>> {
    let mut seen = HashMap::<&str, usize>::new();
    let columns = metrics.iter().map(|metric| {
        let times = seen.entry(&metric.name).or_default();
        *times += 1;
        let name = match times {
            1 => metric.name.clone(),
            times => format!("{} ({times})", metric.name),
        };
        MetricColumn { name, metric }
    });
    columns.collect()
}

/// The score that a metric gave an output, where it has one.
pub(super) fn score(output: &ExportedOutput, metric: MetricId) -> Option<f64> {
    let mut scores = output.metric_scores.iter();
    scores
        .find(|(of, _)| *of == metric)
        .map(|(_, score)| *score)
}

/// Writes a row an output.
pub(super) fn write(
    about: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let columns = columns(&about.metrics);
    let about_output = ["source_id", "output_id", "system"];
    let names = columns.iter().map(|column| column.name.as_str());
    let header = about_output.into_iter().chain(names);
    let mut writer = CsvWriter::new(out, header, about.request.cells)?;
    pages.for_each_output(|output, _| {
        let about_output = [
            output.source.key.clone(),
            output.output.to_string(),
            output.system.clone(),
        ];
        let cell = |column: &MetricColumn<'_>| {
            let score = score(output, column.metric.id);
            score.map_or_else(String::new, |score| score.to_string())
        };
        let scores = columns.iter().map(cell);
        Ok(writer.write(about_output.into_iter().chain(scores))?)
    })?;
    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// Writes a row a metric: its column, name, signature and origin, and how many outputs have its score.
pub(super) fn write_signatures(
    about: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let header = ["column", "metric", "signature", "origin", "outputs"];
    let mut writer = CsvWriter::new(out, header, about.request.cells)?;
    for MetricColumn { name, metric } in columns(&about.metrics) {
        let outputs = about.summary.scored_outputs.get(&metric.id).copied();
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
