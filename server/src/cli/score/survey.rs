//! Facts about all outputs, which must be known before the first of them is scored.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher as _, Hash, RandomState},
};

use anyhow::bail;
use formats::SourceReferences;

use super::input::OutputFiles;
use crate::{cli::output::fold_repeats, metrics::ReferenceCoverage};

/// The facts about all outputs. Keeps a hash of each distinct source, and its text only on request.
pub(super) struct OutputSurvey {
    /// The number of rows with an output.
    pub(super) rows: usize,
    /// Whether there are ratings, so that an output may have several rows.
    pub(super) has_ratings: bool,
    /// Whether the file names sources.
    pub(super) has_source_ids: bool,
    /// The sources with the numbers of references in their rows.
    pub(super) coverage: ReferenceCoverage,
    /// The texts of the sources, in the order of the file.
    pub(super) sources: Vec<String>,
    /// Sources whose rows differ in their references.
    pub(super) differing: HashSet<TextHash>,
    pub(super) hasher: TextHasher,
    /// Remarks on rows that were left out.
    pub(super) warnings: Vec<String>,
}

/// Whether the texts of all sources are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceTexts {
    Kept,
    Dropped,
}

/// A hash of 16 bytes, by which texts are compared: the probability that any two of a billion texts share one is below
/// 10⁻²⁰.
pub(super) type TextHash = [u8; 16];

/// Makes hashes with random keys, so that no file can be made to collide.
#[derive(Default)]
pub(super) struct TextHasher([RandomState; 2]);

impl TextHasher {
    pub(super) fn hash(&self, value: impl Hash) -> TextHash {
        let [first, second] = self.0.each_ref().map(|state| state.hash_one(&value));
        ((u128::from(first) << 64) | u128::from(second)).to_le_bytes()
    }
}

impl OutputSurvey {
    pub(super) fn read(files: &OutputFiles<'_>, texts: SourceTexts) -> anyhow::Result<Self> {
        let mut survey = Self {
            rows: 0,
            has_ratings: false,
            has_source_ids: false,
            coverage: ReferenceCoverage::default(),
            sources: Vec::new(),
            differing: HashSet::new(),
            hasher: TextHasher::default(),
            warnings: Vec::new(),
        };
        // The hash of the references in the first row of each source.
        let mut first_references: HashMap<TextHash, u32> = HashMap::new();
        let mut rows = files.open()?;
        for output in &mut rows {
            let output = output?;
            let row = output.row;
            survey.rows += 1;
            survey.has_ratings |= output.is_rated;
            survey.has_source_ids |= !row.source_id.is_empty();

            let source = survey.hasher.hash(&row.source);
            let [a, b, c, d, ..] = survey.hasher.hash(&row.references);
            let references = u32::from_le_bytes([a, b, c, d]);
            match first_references.get(&source) {
                Some(first) if *first == references => {}
                Some(_) => {
                    survey.differing.insert(source);
                }
                None => {
                    first_references.insert(source, references);
                    survey.coverage.add(&row.source, row.references.len());
                    if texts == SourceTexts::Kept {
                        survey.sources.push(row.source);
                    }
                }
            }
        }
        survey.warnings = rows.into_warnings();

        if survey.rows == 0 {
            bail!(match survey.warnings.is_empty() {
                true =>
                    "there is no output to score: name a column “output” beside “source”".to_owned(),
                false => format!(
                    "there is no output to score:\n  {}",
                    fold_repeats(&survey.warnings).join("\n  ")
                ),
            });
        }
        Ok(survey)
    }

    /// The sources with the numbers of their references in separate files.
    pub(super) fn coverage_by(&self, references: &SourceReferences) -> ReferenceCoverage {
        let mut coverage = ReferenceCoverage::default();
        for source in &self.sources {
            coverage.add(source, references.references_for(source).len());
        }
        coverage
    }
}
