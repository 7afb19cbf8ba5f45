use std::{
    collections::{BTreeSet, HashSet},
    ops::AddAssign,
};

use domain::{edit::corrections::EditCorrections, ids::RaterId};

/// Corrections of a study's automatic edits by annotators.
///
/// Counts submitted main outputs; of identical outputs, which are judged together, only the first. An output that was
/// submitted untouched counts as an acceptance of its edits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyCorrections {
    /// The number of outputs that at least one annotator reviewed.
    pub outputs: usize,
    /// The number of these that at least one annotator corrected.
    pub corrected: usize,
    /// The number of sources with such an output.
    pub corrected_sources: usize,
    /// The versions of the aligners that made their automatic edits.
    pub versions: BTreeSet<String>,
    /// The changes of edits, counted once for each annotator who reviewed them.
    pub by_kind: EditCorrections,
}

impl StudyCorrections {
    /// Adds the reviews of one more output of a single source. An aligner of this `version` made its edits; only
    /// reviews by `people` count.
    pub(super) fn add(
        &mut self,
        version: &str,
        reviews: &[(RaterId, EditCorrections)],
        people: &HashSet<RaterId>,
    ) {
        let reviews = reviews.iter().filter(|(rater, _)| people.contains(rater));
        let reviews: Vec<_> = reviews.map(|(_, review)| *review).collect();
        if reviews.is_empty() {
            return;
        }

        self.outputs += 1;
        self.corrected += usize::from(reviews.iter().any(EditCorrections::has_corrections));
        self.corrected_sources = usize::from(self.corrected > 0);

        if !self.versions.contains(version) {
            self.versions.insert(version.to_owned());
        }

        for review in reviews {
            self.by_kind += review;
        }
    }
}

impl AddAssign<&Self> for StudyCorrections {
    fn add_assign(&mut self, other: &Self) {
        self.outputs += other.outputs;
        self.corrected += other.corrected;
        self.corrected_sources += other.corrected_sources;
        self.versions.extend(other.versions.iter().cloned());
        self.by_kind += other.by_kind;
    }
}
