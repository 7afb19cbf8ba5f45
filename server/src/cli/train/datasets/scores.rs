//! The scores of metrics on datasets that were left out, a line for each source.

use std::io::{self, Write};

use learn::metric::{DatasetProbe, DatasetScores, DatasetSource, RatedDataset};
use serde_json::{Map, Value, json};

/// Writes a JSON line for each source of a dataset, with all that figures are computed from: which outputs people
/// prefer, which texts are worse than an output, and the scores of both by each metric. A missing score is null.
///
/// # Errors
/// The file cannot be written.
pub(super) fn write(
    file: &mut impl Write,
    dataset: &RatedDataset,
    probes: &[Vec<DatasetProbe>],
    scores: &[(String, DatasetScores)],
) -> io::Result<()> {
    for (at, (source, probes)) in dataset.sources.iter().zip(probes).enumerate() {
        let scores = scores.iter().map(|(metric, scores)| {
            let (outputs, probes) = (&scores.outputs[at], &scores.probes[at]);
            let own = json!({ "outputs": outputs, "degenerate": probes });
            (metric.clone(), own)
        });
        let scores: Map<String, Value> = scores.collect();

        let mut line = describe_source(source, probes);
        line["dataset"] = json!(dataset.name);
        line["scores"] = Value::Object(scores);
        writeln!(file, "{line}")?;
    }
    Ok(())
}

fn describe_source(source: &DatasetSource, probes: &[DatasetProbe]) -> Value {
    let outputs = source.training.outputs.iter().zip(&source.human);
    let outputs: Vec<Value> = outputs
        .map(|(output, human)| json!({ "text": output.text, "z": output.z, "human": human }))
        .collect();
    let preferences: Vec<Value> = source
        .preferences
        .iter()
        .map(|pair| {
            json!({ "better": pair.better, "worse": pair.worse, "both_good": pair.both_good })
        })
        .collect();
    let probes: Vec<Value> = probes
        .iter()
        .map(|probe| json!({ "text": probe.text, "worse_than": probe.good }))
        .collect();

    json!({
        "source": source.training.text,
        "outputs": outputs,
        "preferences": preferences,
        "degenerate": probes,
    })
}
