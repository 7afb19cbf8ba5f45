use std::{
    collections::{BTreeSet, HashSet},
    ops::AddAssign,
};

use domain::{edit::corrections::EditCorrections, ids::RaterId};
use store::judgements::OutputEdits;

/// What annotators corrected of a study's automatic edits.
///
/// What counts is what people handed in of main outputs; of identical outputs, which are judged
/// together, the first. Whoever handed an output in untouched left its edits as they were.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyCorrections {
    /// Outputs that somebody looked at.
    pub outputs: usize,
    /// Outputs among them that somebody corrected.
    pub corrected: usize,
    /// The versions of the aligner that made their automatic edits.
    pub versions: BTreeSet<String>,
    /// What became of the edits, counted once for each annotator who looked at them.
    pub by_kind: EditCorrections,
}

impl StudyCorrections {
    /// Takes in what each rater made of the edits of one more output, where one of `people` did.
    pub(super) fn add(
        &mut self,
        output: &OutputEdits,
        looks: &[(RaterId, EditCorrections)],
        people: &HashSet<RaterId>,
    ) {
        let looks = looks.iter().filter(|(rater, _)| people.contains(rater));
        let looks: Vec<_> = looks.map(|(_, look)| *look).collect();
        if looks.is_empty() {
            return;
        }
        self.outputs += 1;
        self.corrected += usize::from(looks.iter().any(EditCorrections::has_corrections));
        self.versions.insert(output.version.clone());
        for look in looks {
            self.by_kind += look;
        }
    }
}

impl AddAssign<&Self> for StudyCorrections {
    fn add_assign(&mut self, other: &Self) {
        self.outputs += other.outputs;
        self.corrected += other.corrected;
        self.versions.extend(other.versions.iter().cloned());
        self.by_kind += other.by_kind;
    }
}
