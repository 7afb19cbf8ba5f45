use std::collections::{BTreeSet, HashMap};

use domain::metrics::{PreparedSource, ReferenceCount};
use learn::tuning::ScoringCase;

use super::ReferenceCoverage;

/// Outputs to score, with their prepared sources.
#[derive(Debug, Default)]
pub(crate) struct ScoringBatch {
    sides: Vec<PreparedSource>,
    /// The index of each output's source, and its text.
    outputs: Vec<(usize, String)>,
    source_indices: HashMap<String, usize>,
    /// The number of references in the larger set, if this batch is a part of one.
    whole: Option<ReferenceCount>,
}

impl ScoringBatch {
    /// A batch that is a part of a larger set, whose sources have this number of references. Its signatures
    /// are those of the whole set.
    pub(crate) fn of_larger(whole: ReferenceCount) -> Self {
        Self {
            whole: Some(whole),
            ..Self::default()
        }
    }

    /// Adds an output. Its source is prepared with `references` at its first output.
    pub(crate) fn add<'a>(
        &mut self,
        source: &str,
        output: &str,
        references: impl FnOnce() -> &'a [String],
    ) {
        self.add_with_key(source, source, output, references);
    }

    /// Adds an output of a source that is identified by a key, since two sources may have the same text.
    pub(crate) fn add_with_key<'a>(
        &mut self,
        key: &str,
        source: &str,
        output: &str,
        references: impl FnOnce() -> &'a [String],
    ) {
        let number = match self.source_indices.get(key) {
            Some(number) => *number,
            None => {
                let next = self.sides.len();
                self.sides.push(PreparedSource::new(source, references()));
                self.source_indices.insert(key.to_owned(), next);
                next
            }
        };

        self.outputs.push((number, output.to_owned()));
    }

    pub(crate) fn outputs(&self) -> &[(usize, String)] {
        &self.outputs
    }

    /// Each output with its source.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&PreparedSource, &str)> {
        let outputs = self.outputs.iter();
        outputs.map(|(side, text)| (&self.sides[*side], text.as_str()))
    }

    /// Each output as learned metrics take it.
    pub(super) fn cases(&self) -> Vec<ScoringCase<'_>> {
        let cases = self.iter().map(|(source, output)| ScoringCase {
            source: source.source(),
            output,
            references: source.references(),
        });
        cases.collect()
    }

    pub(crate) fn has_references(&self) -> bool {
        self.references() != ReferenceCount::Each(0)
    }

    /// The number of references of the sources.
    pub(crate) fn references(&self) -> ReferenceCount {
        self.whole.unwrap_or_else(|| self.coverage().count())
    }

    /// The sources of this batch with the numbers of their references.
    pub(crate) fn coverage(&self) -> ReferenceCoverage {
        let mut coverage = ReferenceCoverage::default();
        for side in &self.sides {
            coverage.add(side.source(), side.references().len());
        }
        coverage
    }

    /// All distinct texts.
    pub(crate) fn texts(&self) -> Vec<&str> {
        let of_sources = self.sides.iter().flat_map(|side| {
            let references = side.references().iter().map(String::as_str);
            references.chain([side.source()])
        });
        let outputs = self.outputs.iter().map(|(_, text)| text.as_str());
        let all: BTreeSet<&str> = of_sources.chain(outputs).collect();
        all.into_iter().collect()
    }
}
