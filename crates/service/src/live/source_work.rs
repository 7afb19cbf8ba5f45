//! Records of the work at sources, other than ratings and categories.

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
    quality::{ActiveTime, AttentionResult, QualityCheck, RaterOrder},
    rating_rows::StudyPart,
};

use super::StudyCorrections;

/// The work of annotators at a source that they handed in, other than scoring.
#[derive(Debug, Default)]
pub struct SourceWork {
    /// The orders in which they put outputs.
    pub orders: Vec<RaterOrder>,
    /// The active time that they took.
    pub times: Vec<ActiveTime>,
    /// Their ratings of quality-control items.
    pub checks: Vec<QualityCheck>,
    /// Their results, if the source is an attention item.
    pub attention: Vec<AttentionResult>,
    /// The corrections of its automatic edits by people.
    pub corrections: StudyCorrections,
    /// The review of its edits by each rater.
    pub reviews: Vec<ReviewedEdits>,
}

/// The outputs of a source whose automatic edits a rater reviewed. Identical outputs count once.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewedEdits {
    /// The rater.
    pub rater: RaterId,
    /// The amount of text that the rater was shown.
    pub shown: ShownText,
    /// The rater's changes of the edits, over all kinds.
    pub edits: CorrectionCounts,
}

impl SourceWork {
    /// Reads the work at the sources of a part of the study; `raters` says which raters are people.
    pub(super) async fn read(
        store: &Store,
        study: StudyId,
        part: StudyPart,
        raters: &[Rater],
    ) -> store::Result<BTreeMap<SourceId, Self>> {
        let people = raters
            .iter()
            .filter(|rater| rater.kind == RaterKind::Person && !rater.withdrawn);
        let people: HashSet<RaterId> = people.map(|rater| rater.id).collect();

        let mut work = BTreeMap::<SourceId, Self>::new();

        // Edits are summed up as they are read, because there are as many reviews as ratings.
        let add_edits = |edits: OutputEdits| {
            let of_source = work.entry(edits.source).or_default();
            of_source.add_edits(&edits, &people);
        };

        let (orders, times, checks, attention, ()) = tokio::try_join!(
            store.orders(study, part),
            store.active_times(study, part),
            store.quality_checks(study, part),
            store.attention_results(study, part),
            store.each_edits(study, part, add_edits),
        )?;

        for order in orders {
            work.entry(order.source).or_default().orders.push(order);
        }
        for time in times {
            work.entry(time.source).or_default().times.push(time);
        }
        for check in checks {
            work.entry(check.source).or_default().checks.push(check);
        }
        for result in attention {
            work.entry(result.source)
                .or_default()
                .attention
                .push(result);
        }

        for of_source in work.values_mut() {
            of_source.shrink_to_fit();
        }
        Ok(work)
    }

    /// Frees unused capacity: a study has many sources, and most of them do not change any more.
    fn shrink_to_fit(&mut self) {
        self.orders.shrink_to_fit();
        self.times.shrink_to_fit();
        self.checks.shrink_to_fit();
        self.attention.shrink_to_fit();
        self.reviews.shrink_to_fit();
    }

    /// Adds annotators' reviews of an output's edits. Identical outputs count once.
    fn add_edits(&mut self, output: &OutputEdits, people: &HashSet<RaterId>) {
        if output.output != output.judged_as {
            return;
        }

        let words = |text: &str| text.split_whitespace().count();
        let (of_source, of_output) = (words(&output.source_text), words(&output.text));
        let given = output.given.iter();
        let corrections: Vec<_> = given
            .map(|(rater, edits)| (*rater, output_corrections(output, edits.as_deref())))
            .collect();

        for (rater, corrections) in &corrections {
            let review = self.review_mut(*rater);
            // The source's own text is shown once, with the first output.
            if review.shown.outputs == 0 {
                review.shown.words = of_source;
            }
            review.shown.words += of_output;
            review.shown.outputs += 1;
            review.edits += corrections.total();
        }

        self.corrections.add(&output.version, &corrections, people);
    }

    /// The review of a rater, added if it is missing. A source has few raters, so a search is fast.
    fn review_mut(&mut self, rater: RaterId) -> &mut ReviewedEdits {
        let place = self.reviews.iter().position(|review| review.rater == rater);
        let place = place.unwrap_or_else(|| {
            self.reviews.push(ReviewedEdits {
                rater,
                shown: ShownText::default(),
                edits: CorrectionCounts::default(),
            });
            self.reviews.len() - 1
        });
        &mut self.reviews[place]
    }
}

/// One annotator's corrections of an output's edits; `edits` is `None` if they left them unchanged.
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
        let people = HashSet::from([one, two]);
        let mut work = SourceWork::default();

        for edits in [
            output(1, 1, corrected.clone()),
            output(2, 1, corrected),
            output(3, 3, vec![(two, None)]),
            output(4, 4, vec![(program, Some(vec![]))]),
        ] {
            work.add_edits(&edits, &people);
        }

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
        let review = |rater| work.reviews.iter().find(|review| review.rater == rater);
        assert_eq!(review(two).unwrap().shown, shown);
        let unchanged = |rater| review(rater).unwrap().edits.unchanged;
        assert_eq!(
            (unchanged(one), unchanged(two), unchanged(program)),
            (1, 4, 0)
        );
    }
}
