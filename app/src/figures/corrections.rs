use std::collections::{BTreeSet, HashSet};

use domain::{
    edit::corrections::Corrections,
    ids::{RaterId, StudyId},
    study::RaterKind,
};
use store::{Rater, Store, judgements::OutputEdits};

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
    pub by_kind: Corrections,
}

impl StudyCorrections {
    /// Reads the edits that count and compares, off the threads that serve requests.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn of(store: &Store, study: StudyId) -> store::Result<Self> {
        let edits = store.edits(study).await?;
        let raters = store.raters(study).await?;
        Ok(
            tokio::task::spawn_blocking(move || Self::from(&edits, &raters))
                .await
                .expect("comparing does not panic"),
        )
    }

    /// From a study's edits, those of people among `raters`.
    pub(super) fn from(edits: &[OutputEdits], raters: &[Rater]) -> Self {
        let people = raters
            .iter()
            .filter(|rater| rater.kind == RaterKind::Person && !rater.withdrawn);
        let people: HashSet<RaterId> = people.map(|rater| rater.id).collect();
        let mut found = Self::default();
        for output in edits.iter().filter(|it| it.output == it.judged_as) {
            let given = output.given.iter();
            let looks: Vec<_> = given
                .filter(|(rater, _)| people.contains(rater))
                .map(|(_, own)| corrections(output, own.as_deref()))
                .collect();
            if looks.is_empty() {
                continue;
            }
            found.outputs += 1;
            found.corrected += usize::from(looks.iter().any(Corrections::any));
            found.versions.insert(output.version.clone());
            for look in looks {
                found.by_kind += look;
            }
        }
        found
    }
}

/// What one annotator corrected of an output; `None` where they left it as it was.
pub(super) fn corrections(of: &OutputEdits, own: Option<&[domain::edit::Edit]>) -> Corrections {
    match own {
        Some(own) => Corrections::of(&of.automatic, own, &of.source_text, &of.text),
        None => Corrections::none(&of.automatic),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        edit::{Edit, EditKind},
        ids::{OutputId, SourceId},
        span::Span,
        statistics::Undefined,
    };
    use uuid::Uuid;

    use super::*;

    #[test]
    fn untouched_outputs_stood_identical_ones_count_once_and_programs_do_not() {
        let [one, two, program] = [1, 2, 3].map(|n| RaterId(Uuid::from_u128(n)));
        let rater = |id, kind| Rater {
            id,
            position: 0,
            kind,
            label: String::new(),
            person: None,
            withdrawn: false,
        };
        let raters = [
            rater(one, RaterKind::Person),
            rater(two, RaterKind::Person),
            rater(program, RaterKind::Simulated),
        ];
        let edit = |start, end| Edit {
            kind: EditKind::Paraphrase,
            source: vec![],
            output: vec![Span::new(start, end)],
            confidence: Some(0.5),
        };
        let output = |number, judged_as, given| OutputEdits {
            output: OutputId(Uuid::from_u128(number)),
            source: SourceId(Uuid::nil()),
            source_text: "a".into(),
            text: "a big red dog".into(),
            judged_as: OutputId(Uuid::from_u128(judged_as)),
            automatic: vec![edit(2, 5), edit(6, 9)],
            version: format!("v{number}"),
            given,
        };
        let corrected = vec![(one, Some(vec![edit(2, 5)])), (two, None)];
        let found = StudyCorrections::from(
            &[
                output(1, 1, corrected.clone()),
                output(2, 1, corrected),
                output(3, 3, vec![(two, None)]),
                output(4, 4, vec![(program, Some(vec![]))]),
            ],
            &raters,
        );
        assert_eq!((found.outputs, found.corrected), (2, 1));
        assert_eq!(found.versions, ["v1", "v3"].map(str::to_owned).into());
        let of = found.by_kind.of_kind(EditKind::Paraphrase);
        assert_eq!((of.automatic(), of.stood, of.taken_away), (6, 5, 1));
        assert_eq!(of.rate(), Ok(1.0 / 6.0));
        let none = found.by_kind.of_kind(EditKind::Split);
        assert_eq!(none.rate(), Err(Undefined::NoEdit));
    }
}
