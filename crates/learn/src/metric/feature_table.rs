//! Rated outputs as rows of features: the training data, which is stored with a model.

use std::{collections::HashSet, ops::Range};

use safetensors::SafeTensors;
use sha2::{Digest as _, Sha256};

use super::{
    TrainingSource, features,
    tensors::{HybridModelError, TensorWriter, read_counts, read_floats, read_text},
};

/// The key in a file of features that identifies its training.
const FEATURES_KEY: &str = "rankrate-features";

/// The tensor of the datasets of sources.
const DATASETS: &str = "table.datasets";

/// The z-score assigned to degenerate texts, that of bad outputs.
const DEGENERATE_Z: f64 = -1.0;

/// Rated outputs with their features. Outputs of a source are adjacent, and so are the
/// rows of an output: one for each reference, or one.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    /// The number of features of a row.
    pub(super) columns: usize,
    /// All rows, row by row.
    pub(super) values: Vec<f32>,
    pub(super) outputs: Vec<TableOutput>,
    /// The fingerprints of the sources.
    pub(super) sources: Vec<String>,
    /// The number of each source's dataset. Datasets have equal weight among the ranker's pairs, whatever their size.
    pub(super) datasets: Vec<usize>,
}

/// A rated output of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TableOutput {
    /// The index of its source.
    pub(super) source: usize,
    /// Its range of rows: the first, and the one after the last.
    pub(super) rows: [usize; 2],
    /// Its mean z-score.
    pub(super) z: f32,
    /// Whether it is a degenerate text made from a good output. Nobody rated it, and figures leave it out.
    pub(super) is_degenerate: bool,
}

impl FeatureTable {
    /// The table of rated sources and the features of their outputs, in the same order; a source's degenerate
    /// texts come last.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "z-scores are kept in single precision"
    )]
    pub(super) fn new(
        sources: &[TrainingSource],
        columns: usize,
        rows: Vec<features::GroupFeatures>,
    ) -> Self {
        let mut table = Self {
            columns,
            values: Vec::new(),
            outputs: Vec::new(),
            sources: sources.iter().map(TrainingSource::fingerprint).collect(),
            datasets: vec![0; sources.len()],
        };

        for (at, (source, outputs)) in sources.iter().zip(rows).enumerate() {
            let ratings = source.outputs.iter().map(|output| (output.z, false));
            let degenerate = std::iter::repeat((DEGENERATE_Z, true));
            for ((z, made), rows) in ratings.chain(degenerate).zip(outputs) {
                let first = table.rows();
                rows.iter().for_each(|row| table.values.extend(row));
                table.outputs.push(TableOutput {
                    source: at,
                    rows: [first, table.rows()],
                    z: z as f32,
                    is_degenerate: made,
                });
            }
        }

        table
    }

    /// The same table, with the number of each source's dataset.
    ///
    /// # Panics
    /// If there are more or fewer numbers than sources.
    #[must_use]
    pub fn with_datasets(mut self, datasets: Vec<usize>) -> Self {
        assert_eq!(datasets.len(), self.sources.len(), "a dataset a source");
        self.datasets = datasets;
        self
    }

    /// The number of features of a row.
    #[must_use]
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns.max(1)
    }

    /// The number of rated outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
            .iter()
            .filter(|output| !output.is_degenerate)
            .count()
    }

    /// The fingerprints of the sources; see [`super::fingerprint`].
    #[must_use]
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    pub(super) fn row(&self, at: usize) -> &[f32] {
        &self.values[at * self.columns..][..self.columns]
    }

    pub(super) fn rows_of(&self, output: &TableOutput) -> impl Iterator<Item = &[f32]> {
        (output.rows[0]..output.rows[1]).map(|at| self.row(at))
    }

    /// The outputs of the chosen sources, given by index.
    pub(super) fn select_sources(&self, is_chosen: impl Fn(usize) -> bool) -> Self {
        self.filter_outputs(|output| is_chosen(output.source))
    }

    /// The outputs that people rated.
    pub(super) fn without_degenerate(&self) -> Self {
        self.filter_outputs(|output| !output.is_degenerate)
    }

    fn filter_outputs(&self, is_chosen: impl Fn(&TableOutput) -> bool) -> Self {
        let mut part = Self {
            columns: self.columns,
            values: Vec::new(),
            outputs: Vec::new(),
            sources: Vec::new(),
            datasets: Vec::new(),
        };

        let mut last = None;
        for output in self.outputs.iter().filter(|output| is_chosen(output)) {
            if last.replace(output.source) != Some(output.source) {
                part.sources.push(self.sources[output.source].clone());
                part.datasets.push(self.datasets[output.source]);
            }

            let first = part.rows();
            self.rows_of(output).for_each(|row| part.values.extend(row));
            part.outputs.push(TableOutput {
                source: part.sources.len() - 1,
                rows: [first, part.rows()],
                ..*output
            });
        }

        part
    }

    /// This table, preceded by those sources of an older one that it lacks. Sources in both come from this table, which
    /// has the newer ratings.
    pub(super) fn merge_older(&self, older: &Self) -> Self {
        let own_sources: HashSet<&String> = self.sources.iter().collect();
        let mut all = older.select_sources(|source| !own_sources.contains(&older.sources[source]));
        let (rows, sources) = (all.rows(), all.sources.len());
        all.values.extend(&self.values);
        all.sources.extend(self.sources.iter().cloned());
        all.datasets.extend(&self.datasets);
        all.outputs
            .extend(self.outputs.iter().map(|output| TableOutput {
                source: output.source + sources,
                rows: output.rows.map(|row| row + rows),
                ..*output
            }));
        all
    }

    /// A file of the features, from which a stopped training can continue. `name` identifies the training.
    #[must_use]
    pub fn save(&self, name: &str) -> Vec<u8> {
        let mut file = TensorWriter::default();
        self.write_tensors(&mut file);
        file.finish(FEATURES_KEY, name.to_owned())
    }

    /// Reads what [`Self::save`] wrote for the same sources.
    ///
    /// # Errors
    /// The file has another format, belongs to another training, or is damaged.
    pub fn load(
        file: &[u8],
        name: &str,
        sources: &[TrainingSource],
    ) -> Result<Self, HybridModelError> {
        if read_text(file, FEATURES_KEY)? != name {
            return Err(HybridModelError::OtherTraining);
        }
        let file = SafeTensors::deserialize(file)?;
        let columns = read_floats(&file, "table.values")?
            .0
            .get(1)
            .copied()
            .unwrap_or(0);

        let sources = sources.iter().map(TrainingSource::fingerprint).collect();
        Self::read_tensors(&file, sources, columns)
    }

    pub(super) fn write_tensors(&self, file: &mut TensorWriter) {
        file.add_floats("table.values", &[self.rows(), self.columns], &self.values);
        let outputs = self.outputs.iter();
        let places = outputs.flat_map(|output| {
            [
                output.source,
                output.rows[0],
                output.rows[1],
                output.is_degenerate.into(),
            ]
        });
        file.add_counts("table.outputs", &[self.outputs.len(), 4], places);
        let z: Vec<f32> = self.outputs.iter().map(|output| output.z).collect();
        file.add_floats("table.z", &[z.len()], &z);
        if self.has_datasets() {
            let datasets = self.datasets.iter().copied();
            file.add_counts(DATASETS, &[self.datasets.len()], datasets);
        }
    }

    /// Whether its sources belong to several datasets.
    fn has_datasets(&self) -> bool {
        self.datasets.iter().any(|dataset| *dataset != 0)
    }

    pub(super) fn read_tensors(
        file: &SafeTensors<'_>,
        sources: Vec<String>,
        columns: usize,
    ) -> Result<Self, HybridModelError> {
        let (shape, values) = read_floats(file, "table.values")?;
        let (_, places) = read_counts(file, "table.outputs")?;
        let (_, z) = read_floats(file, "table.z")?;
        let rows = values.len() / columns.max(1);
        let places = places.as_chunks::<4>().0;
        if shape != [rows, columns] || places.len() != z.len() {
            return Err(HybridModelError::Damaged("table.values"));
        }

        let mut outputs = Vec::with_capacity(z.len());
        let (mut next, mut last) = (0, 0);
        for ([source, first, end, made], z) in places.iter().copied().zip(z) {
            let in_order = source >= last && first == next && end > first;
            if source >= sources.len() || !in_order || end > rows {
                return Err(HybridModelError::Damaged("table.outputs"));
            }
            (next, last) = (end, source);
            let rows = [first, end];
            outputs.push(TableOutput {
                source,
                rows,
                z,
                is_degenerate: made != 0,
            });
        }

        // Most tables have one dataset, and older files name none.
        let datasets = match file.names().contains(&DATASETS) {
            true => read_counts(file, DATASETS)?.1,
            false => vec![0; sources.len()],
        };
        if datasets.len() != sources.len() {
            return Err(HybridModelError::Damaged(DATASETS));
        }

        Ok(Self {
            columns,
            values,
            outputs,
            sources,
            datasets,
        })
    }

    /// The SHA-256 of the whole table.
    pub(super) fn hash(&self) -> String {
        let mut digest = Sha256::new();
        for source in &self.sources {
            digest.update(source.as_bytes());
        }

        for output in &self.outputs {
            let places = [
                output.source,
                output.rows[0],
                output.rows[1],
                output.is_degenerate.into(),
            ];
            places
                .iter()
                .for_each(|place| digest.update((*place as u64).to_le_bytes()));
            digest.update(output.z.to_le_bytes());
        }

        for value in &self.values {
            digest.update(value.to_le_bytes());
        }
        if self.has_datasets() {
            let datasets = self.datasets.iter();
            datasets.for_each(|dataset| digest.update((*dataset as u64).to_le_bytes()));
        }

        let digest = digest.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The range of outputs of each source.
pub(super) fn group_by_source(table: &FeatureTable) -> impl Iterator<Item = Range<usize>> {
    let mut first = 0;
    table
        .outputs
        .chunk_by(|a, b| a.source == b.source)
        .map(move |group| {
            let range = first..first + group.len();
            first = range.end;
            range
        })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Four sources of six outputs whose z is, but for a trifle, their first feature.
    pub(in super::super) fn table() -> FeatureTable {
        let z = |source: usize, output: usize| {
            f32::from(u8::try_from((source * 3 + output * 5) % 7).unwrap_or(0)) / 2.0 - 1.5
        };
        let mut table = FeatureTable {
            columns: 2,
            values: Vec::new(),
            outputs: Vec::new(),
            sources: (0..4).map(|at| format!("{at:016}")).collect(),
            datasets: vec![0; 4],
        };
        for source in 0..4 {
            for output in 0..6 {
                let z = z(source, output);
                let noise = if output % 2 == 0 { 0.1 } else { -0.1 };
                table.values.extend([z + noise, noise]);
                let row = table.outputs.len();
                let degenerate = false;
                table.outputs.push(TableOutput {
                    source,
                    rows: [row, row + 1],
                    z,
                    is_degenerate: degenerate,
                });
            }
        }
        table
    }

    #[test]
    fn a_part_has_the_rows_of_its_sources() {
        let table = table();
        let part = table.select_sources(|source| source % 2 == 1);
        assert_eq!(
            part.sources,
            [table.sources[1].clone(), table.sources[3].clone()]
        );
        assert_eq!((part.outputs(), part.rows()), (12, 12));
        assert_eq!(part.row(6), table.row(18));
        assert_eq!(part.outputs[6].source, 1);
        assert_eq!(table.select_sources(|_| true), table);
        assert_ne!(part.hash(), table.hash());
    }

    #[test]
    fn datasets_follow_their_sources() {
        let one = table();
        let two = one.clone().with_datasets(vec![0, 0, 1, 1]);
        assert_ne!(one.hash(), two.hash());
        assert_eq!(two.select_sources(|source| source > 0).datasets, [0, 1, 1]);
        let merged = one.select_sources(|source| source == 2).merge_older(&two);
        assert_eq!(merged.datasets, [0, 0, 1, 0]);
        for table in [one, two] {
            let mut writer = TensorWriter::default();
            table.write_tensors(&mut writer);
            let file = writer.finish(FEATURES_KEY, "test".to_owned());
            let file = SafeTensors::deserialize(&file).expect("a file");
            let read = FeatureTable::read_tensors(&file, table.sources.clone(), table.columns);
            assert_eq!(read.expect("a table"), table);
        }
    }

    #[test]
    fn new_ratings_replace_those_of_the_same_sources() {
        let table = table();
        let new = table.select_sources(|source| source == 2);
        let both = new.merge_older(&table);
        assert_eq!(both.outputs(), table.outputs());
        assert_eq!(both.sources.last(), table.sources.get(2));
        assert_eq!(both.row(18), table.row(12));
        assert_eq!(both.outputs[23].rows, [23, 24]);
    }
}
