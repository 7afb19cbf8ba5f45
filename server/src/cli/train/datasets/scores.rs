//! The scores of metrics on datasets that were left out, a line for each source.

use std::{
    fs,
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use learn::metric::{DatasetProbe, DatasetScores, DatasetSource};
use serde_json::{Map, Value, json};
use tempfile::TempPath;

use super::OpenedDataset;

/// The file that the scores are written to, if any is wanted. What is there stays until all scores are written.
pub(super) struct ScoreFile(Option<UnfinishedScores>);

/// The scores that are being written.
struct UnfinishedScores {
    file: BufWriter<fs::File>,
    /// The file, which is beside the place that it will be moved to; `None` of one that cannot be replaced, such as a pipe.
    moved: Option<(TempPath, PathBuf)>,
}

impl UnfinishedScores {
    fn begin(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
            let file = BufWriter::new(fs::File::create(path)?);
            return Ok(Self { file, moved: None });
        }
        let folder = path.parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rankrate-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        let (file, written) = file.into_parts();
        Ok(Self {
            file: BufWriter::new(file),
            moved: Some((written, path.to_owned())),
        })
    }
}

impl ScoreFile {
    /// Begins a file beside `path`, before anything is computed.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn create(path: Option<&Path>) -> anyhow::Result<Self> {
        let create = |path: &Path| {
            let scores = UnfinishedScores::begin(path);
            scores.with_context(|| format!("{} cannot be written", path.display()))
        };
        Ok(Self(path.map(create).transpose()?))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        let Some(UnfinishedScores { file, moved }) = self.0 else {
            return Ok(());
        };
        drop(file);
        let Some((written, path)) = moved else {
            return Ok(());
        };
        let moved = written.persist(&path);
        moved.with_context(|| format!("{} cannot be written", path.display()))
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
        let Some(UnfinishedScores { file, .. }) = &mut self.0 else {
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
