//! What was recorded of the work at sources beside ratings and categories.

use std::collections::{BTreeMap, HashSet};

use domain::{
    edit::{
        Edit,
        corrections::{CorrectionCounts, EditCorrections},
    },
    ids::{RaterId, SourceId, StudyId},
    statistics::quality::ShownText,
    study::RaterKind,
};
use store::{
    Rater, Store,
    judgements::OutputEdits,
    quality::{ActiveTime, QualityCheck, RaterOrder},
    rating_rows::StudyPart,
};

use super::StudyCorrections;

/// What annotators did beside scoring at a source that they handed in.
#[derive(Debug, Default)]
pub struct SourceWork {
    /// The orders that they set.
    pub orders: Vec<RaterOrder>,
    /// How long they took.
    pub times: Vec<ActiveTime>,
    /// What they gave quality-control items.
    pub checks: Vec<QualityCheck>,
    /// What people corrected of its edits, all together.
    pub corrections: StudyCorrections,
    /// What each rater was shown of it.
    pub shown: BTreeMap<RaterId, ShownText>,
    /// What became of its edits with each rater, of all kinds; identical outputs count once.
    pub edits: BTreeMap<RaterId, CorrectionCounts>,
}

/// The same as the database has it.
#[derive(Debug, Default)]
pub(super) struct SourceWorkRecords {
    orders: Vec<RaterOrder>,
    times: Vec<ActiveTime>,
    checks: Vec<QualityCheck>,
    edits: Vec<OutputEdits>,
}

impl SourceWorkRecords {
    pub(super) async fn read(
        store: &Store,
        study: StudyId,
        part: StudyPart,
    ) -> store::Result<Self> {
        Ok(Self {
            orders: store.orders(study, part).await?,
            times: store.active_times(study, part).await?,
            checks: store.quality_checks(study, part).await?,
            edits: store.edits(study, part).await?,
        })
    }

    /// Source by source; `raters` tell who is a person.
    pub(super) fn by_source(self, raters: &[Rater]) -> BTreeMap<SourceId, SourceWork> {
        let people = raters
            .iter()
            .filter(|rater| rater.kind == RaterKind::Person && !rater.withdrawn);
        let people: HashSet<RaterId> = people.map(|rater| rater.id).collect();
        let mut found = BTreeMap::<SourceId, SourceWork>::new();
        for order in self.orders {
            found.entry(order.source).or_default().orders.push(order);
        }
        for time in self.times {
            found.entry(time.source).or_default().times.push(time);
        }
        for check in self.checks {
            found.entry(check.source).or_default().checks.push(check);
        }
        for output in self.edits.iter().filter(|it| it.output == it.judged_as) {
            let of_source = found.entry(output.source).or_default();
            let words = |text: &str| text.split_whitespace().count();
            for (rater, _) in &output.given {
                let shown = of_source.shown.entry(*rater).or_default();
                if shown.outputs == 0 {
                    shown.words = words(&output.source_text);
                }
                shown.words += words(&output.text);
                shown.outputs += 1;
            }
            let given = output.given.iter();
            let looks =
                given.map(|(rater, own)| (*rater, output_corrections(output, own.as_deref())));
            let looks: Vec<_> = looks.collect();
            for (rater, look) in &looks {
                *of_source.edits.entry(*rater).or_default() += look.total();
            }
            of_source.corrections.add(output, &looks, &people);
        }
        found
    }
}

/// What one annotator corrected of an output; `None` where they left it as it was.
fn output_corrections(of: &OutputEdits, own: Option<&[Edit]>) -> EditCorrections {
    match own {
        Some(own) => EditCorrections::from_edits(&of.automatic, own, &of.source_text, &of.text),
        None => EditCorrections::from_uncorrected(&of.automatic),
    }
}

#[cfg(test)]
mod tests {
    use domain::{edit::EditKind, ids::OutputId, span::Span, statistics::UndefinedReason};
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
        let records = SourceWorkRecords {
            edits: vec![
                output(1, 1, corrected.clone()),
                output(2, 1, corrected),
                output(3, 3, vec![(two, None)]),
                output(4, 4, vec![(program, Some(vec![]))]),
            ],
            ..SourceWorkRecords::default()
        };
        let work = &records.by_source(&raters)[&SourceId(Uuid::nil())];
        let found = &work.corrections;
        assert_eq!((found.outputs, found.corrected), (2, 1));
        assert_eq!(found.versions, ["v1", "v3"].map(str::to_owned).into());
        let of = found.by_kind.of_kind(EditKind::Paraphrase);
        assert_eq!((of.automatic(), of.unchanged, of.removed), (6, 5, 1));
        assert_eq!(of.correction_rate(), Ok(1.0 / 6.0));
        let none = found.by_kind.of_kind(EditKind::Split);
        assert_eq!(none.correction_rate(), Err(UndefinedReason::NoEdit));
        let shown = ShownText {
            words: 1 + 4 + 4,
            outputs: 2,
        };
        assert_eq!(work.shown[&two], shown);
        let stood = |rater| work.edits[&rater].unchanged;
        assert_eq!((stood(one), stood(two), stood(program)), (1, 4, 0));
    }
}
