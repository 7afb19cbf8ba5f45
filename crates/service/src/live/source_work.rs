//! Records of the work at sources besides ratings and categories.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

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

/// The work of annotators besides scoring, at a source that they handed in.
#[derive(Debug, Default)]
pub struct SourceWork {
    /// The orders that they set.
    pub orders: Vec<RaterOrder>,
    /// The active time that they took.
    pub times: Vec<ActiveTime>,
    /// Their ratings of quality-control items.
    pub checks: Vec<QualityCheck>,
    /// The corrections of its automatic edits by people.
    pub corrections: StudyCorrections,
    /// The amount of text that each rater was shown.
    pub shown: BTreeMap<RaterId, ShownText>,
    /// Each rater's changes of its edits, over all kinds; identical outputs count once.
    pub edits: BTreeMap<RaterId, CorrectionCounts>,
}

impl SourceWork {
    fn add_review(&mut self, review: &OutputReview, people: &HashSet<RaterId>) {
        let (of_source, of_output) = review.words;
        for (rater, corrections) in &review.corrections {
            let shown = self.shown.entry(*rater).or_default();
            // The source's own text is shown once.
            if shown.outputs == 0 {
                shown.words = of_source;
            }
            shown.words += of_output;
            shown.outputs += 1;
            *self.edits.entry(*rater).or_default() += corrections.total();
        }
        self.corrections
            .add(&review.version, &review.corrections, people);
    }
}

/// The same records as the database returns them, of all sources together.
#[derive(Debug, Default)]
pub(super) struct SourceWorkRecords {
    orders: Vec<RaterOrder>,
    times: Vec<ActiveTime>,
    checks: Vec<QualityCheck>,
    reviews: ReviewRecords,
}

/// The reviews of automatic edits, source by source.
#[derive(Debug, Default)]
struct ReviewRecords(BTreeMap<SourceId, Vec<OutputReview>>);

/// The corrections of an output's automatic edits, without the edits.
#[derive(Debug)]
struct OutputReview {
    version: Arc<str>,
    /// Words of the source and of the output.
    words: (usize, usize),
    /// Each annotator's corrections.
    corrections: Vec<(RaterId, EditCorrections)>,
}

impl SourceWorkRecords {
    pub(super) async fn read(
        store: &Store,
        study: StudyId,
        part: StudyPart,
    ) -> store::Result<Self> {
        let mut reviews = ReviewRecords::default();
        let (orders, times, checks, ()) = tokio::try_join!(
            store.orders(study, part),
            store.active_times(study, part),
            store.quality_checks(study, part),
            store.each_edits(study, part, |edits| reviews.add(&edits)),
        )?;
        Ok(Self {
            orders,
            times,
            checks,
            reviews,
        })
    }

    /// Sorts the records by source; `raters` say who is a person.
    pub(super) fn by_source(self, raters: &[Rater]) -> BTreeMap<SourceId, SourceWork> {
        let people = raters
            .iter()
            .filter(|rater| rater.kind == RaterKind::Person && !rater.withdrawn);
        let people: HashSet<RaterId> = people.map(|rater| rater.id).collect();
        let mut work = BTreeMap::<SourceId, SourceWork>::new();
        for order in self.orders {
            work.entry(order.source).or_default().orders.push(order);
        }
        for time in self.times {
            work.entry(time.source).or_default().times.push(time);
        }
        for check in self.checks {
            work.entry(check.source).or_default().checks.push(check);
        }
        for (source, reviews) in self.reviews.0 {
            let of_source = work.entry(source).or_default();
            for review in reviews {
                of_source.add_review(&review, &people);
            }
        }
        work
    }
}

impl ReviewRecords {
    /// Adds what annotators did with an output's edits. Identical outputs count once.
    fn add(&mut self, output: &OutputEdits) {
        if output.output != output.judged_as {
            return;
        }
        let words = |text: &str| text.split_whitespace().count();
        let given = output.given.iter();
        let corrections =
            given.map(|(rater, edits)| (*rater, output_corrections(output, edits.as_deref())));
        let of_source = self.0.entry(output.source).or_default();
        let known = of_source.last().map(|last| &last.version);
        let version = known.filter(|known| ***known == *output.version);
        let review = OutputReview {
            version: version.map_or_else(|| output.version.as_str().into(), Arc::clone),
            words: (words(&output.source_text), words(&output.text)),
            corrections: corrections.collect(),
        };
        of_source.push(review);
    }
}

/// One annotator's corrections of an output's edits; `edits` is `None` where they left these as they were.
fn output_corrections(output: &OutputEdits, edits: Option<&[Edit]>) -> EditCorrections {
    let automatic = &output.automatic;
    match edits {
        Some(edits) => {
            EditCorrections::from_edits(automatic, edits, &output.source_text, &output.text)
        }
        None => EditCorrections::from_uncorrected(automatic),
    }
}

#[cfg(test)]
mod tests {
    use domain::{edit::EditKind, ids::OutputId, span::Span, statistics::UndefinedReason};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn untouched_outputs_are_accepted_identical_ones_count_once_and_programs_do_not() {
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
        let mut reviews = ReviewRecords::default();
        for edits in [
            output(1, 1, corrected.clone()),
            output(2, 1, corrected),
            output(3, 3, vec![(two, None)]),
            output(4, 4, vec![(program, Some(vec![]))]),
        ] {
            reviews.add(&edits);
        }
        let records = SourceWorkRecords {
            reviews,
            ..SourceWorkRecords::default()
        };
        let work = &records.by_source(&raters)[&SourceId(Uuid::nil())];
        let corrections = &work.corrections;
        assert_eq!((corrections.outputs, corrections.corrected), (2, 1));
        assert_eq!(corrections.versions, ["v1", "v3"].map(str::to_owned).into());
        let paraphrases = corrections.by_kind.of_kind(EditKind::Paraphrase);
        assert_eq!(
            (
                paraphrases.automatic(),
                paraphrases.unchanged,
                paraphrases.removed
            ),
            (6, 5, 1)
        );
        assert_eq!(paraphrases.correction_rate(), Ok(1.0 / 6.0));
        let splits = corrections.by_kind.of_kind(EditKind::Split);
        assert_eq!(splits.correction_rate(), Err(UndefinedReason::NoEdit));
        let shown = ShownText {
            words: 1 + 4 + 4,
            outputs: 2,
        };
        assert_eq!(work.shown[&two], shown);
        let unchanged = |rater| work.edits[&rater].unchanged;
        assert_eq!(
            (unchanged(one), unchanged(two), unchanged(program)),
            (1, 4, 0)
        );
    }
}
