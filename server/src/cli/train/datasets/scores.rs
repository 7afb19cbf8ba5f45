//! The scores of metrics on datasets that were left out, a line for each source.

use std::{
    fs,
    io::{self, BufWriter, Write as _},
    path::Path,
};

use anyhow::Context as _;
use learn::metric::{DatasetProbe, DatasetScores, DatasetSource};
use serde_json::{Map, Value, json};

use super::OpenedDataset;

/// The file that the scores are written to, if any is wanted.
pub(super) struct ScoreFile(Option<BufWriter<fs::File>>);

impl ScoreFile {
    /// Creates the file at `path`, before anything is computed.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn create(path: Option<&Path>) -> anyhow::Result<Self> {
        let create = |path: &Path| {
            let file = fs::File::create(path);
            file.with_context(|| format!("{} cannot be written", path.display()))
        };
        Ok(Self(path.map(create).transpose()?.map(BufWriter::new)))
    }

    /// Writes the sources of a dataset with all that figures are computed from: which outputs people prefer, which texts
    /// are worse than an output, and the scores of both by each metric. A missing score is null.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(
        &mut self,
        opened: &OpenedDataset,
        probes: &[Vec<DatasetProbe>],
        scores: &[(String, DatasetScores)],
    ) -> io::Result<()> {
        let Some(file) = &mut self.0 else {
            return Ok(());
        };
        let dataset = &opened.dataset;
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
        file.flush()
    }
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
