//! The work of the simulated annotators: orders, corrections, notes, quality-control items, times.

use domain::{
    ids::{AnnotationId, AssignmentId, OutputId, RaterId, StudyId},
    score::RatingScale,
    study::{OVERALL, OutputPurpose, SourcePurpose},
    work::change::{AnnotationAnswer, AnnotationSlot},
};
use store::{AnswerValue, SourceEntry, SourceOutput, Store, simulated_work::SimulatedWork};

use super::simulated_annotator::SimulatedAnnotator;
use crate::clock;

const MINUTE: i64 = 60_000;

/// Hands in, for each simulated annotator, the main sources that they judged, beginning at `begun_at`.
pub(super) async fn hand_in(store: &Store, study: StudyId, begun_at: i64) -> store::Result<()> {
    let sources = store.sources(study).await?;
    let raters = store.raters(study).await?;
    let main = sources
        .iter()
        .filter(|source| source.purpose == SourcePurpose::Main);
    let mut works = vec![];

    for (number, source) in main.enumerate() {
        let outputs = store.source_outputs(source.id).await?;
        let answers = store.source_answers(source.id).await?;
        for (place, annotator) in SimulatedAnnotator::ALL.iter().enumerate() {
            let rater = raters.iter().find(|rater| rater.label == annotator.label);
            let Some(rater) = rater.filter(|_| annotator.judges(number)) else {
                continue;
            };

            let own = answers.iter().filter(|answer| answer.rater == rater.id);
            let scores: Vec<_> = own
                .filter_map(|answer| match &answer.value {
                    AnswerValue::Rating(_, value) => Some((answer.output, *value)),
                    AnswerValue::Category(_)
                    | AnswerValue::Unjudged(..)
                    | AnswerValue::Marks(_) => None,
                })
                .collect();

            // A source every other hour, each annotator at a different time of day.
            let hours = i64::try_from(2 * number + 20 * place).unwrap_or(0);
            works.push(
                AnnotatorSession {
                    annotator,
                    rater: rater.id,
                    source,
                    number,
                    outputs: &outputs,
                    scores,
                    begun_at: begun_at + hours * 60 * MINUTE,
                }
                .work(),
            );
        }
    }

    works.sort_by_key(|work| work.handed_in_at);
    let on = (OVERALL, RatingScale::PERCENT);
    store
        .hand_in_simulated(study, &works, on, clock::new_id)
        .await
}

/// One annotator's work on one source.
struct AnnotatorSession<'a> {
    annotator: &'a SimulatedAnnotator,
    rater: RaterId,
    source: &'a SourceEntry,
    /// The source's number among the main sources.
    number: usize,
    outputs: &'a [SourceOutput],
    /// The annotator's rating of each output that is not a quality-control item.
    scores: Vec<(OutputId, f64)>,
    begun_at: i64,
}

impl AnnotatorSession<'_> {
    fn work(&self) -> SimulatedWork {
        let ratings = self.checks();
        let mut answers = vec![(
            AnnotationSlot::Order,
            AnnotationAnswer::Order(Some(self.order(&ratings))),
        )];

        let outputs = self.outputs.iter().enumerate();
        // Identical outputs are judged once.
        for (place, output) in outputs.filter(|(_, output)| output.twin_of.is_none()) {
            let slot = AnnotationSlot::Edits { output: output.id };
            if output.edits.len() > 2 && self.annotator.corrects(self.number, place) {
                let mut edits = output.edits.clone();
                edits.pop();
                answers.push((slot, AnnotationAnswer::Edits(Some(edits))));
            }
        }

        if let (Some(note), Some(first)) = (self.annotator.note(self.number), self.outputs.first())
        {
            answers.push((
                AnnotationSlot::Note { output: first.id },
                AnnotationAnswer::Note(note.to_owned()),
            ));
        }

        let with_id = |(slot, answer)| (AnnotationId(clock::new_id()), slot, answer);
        let words: usize = self
            .outputs
            .iter()
            .map(|output| output.text.split(' ').count())
            .sum();
        let active_ms = self.annotator.active_ms(self.number, words);
        let passed = i64::try_from(active_ms).unwrap_or(0) + MINUTE;

        SimulatedWork {
            assignment: AssignmentId(clock::new_id()),
            rater: self.rater,
            source: self.source.id,
            begun_at: self.begun_at,
            handed_in_at: self.begun_at + passed,
            active_ms,
            answers: answers.into_iter().map(with_id).collect(),
            ratings: ratings
                .into_iter()
                .map(|(output, value)| (AnnotationId(clock::new_id()), output, value))
                .collect(),
        }
    }

    /// The annotator's ratings of quality-control items.
    fn checks(&self) -> Vec<(OutputId, f64)> {
        let items = self.outputs.iter().enumerate();
        let items = items.filter(|(_, item)| item.purpose != OutputPurpose::Main);
        let rating = |(place, item): (usize, &SourceOutput)| {
            let (annotator, place) = (self.annotator, 50 + place);
            let value = match item.purpose {
                OutputPurpose::Copy => annotator.rating(40, self.number, place),
                OutputPurpose::Scrambled => annotator.rating(8, self.number, place),
                OutputPurpose::Main | OutputPurpose::Repeated => {
                    let before = self.score_of(item).unwrap_or(60);
                    annotator.rating_again(before, self.number, place)
                }
            };
            (item.id, f64::from(value))
        };

        items.map(rating).collect()
    }

    /// The score of the main output with the same text.
    fn score_of(&self, item: &SourceOutput) -> Option<i32> {
        let twin = self.outputs.iter().find(|candidate| {
            candidate.text == item.text && candidate.purpose == OutputPurpose::Main
        })?;
        let (_, value) = self.scores.iter().find(|(output, _)| *output == twin.id)?;
        Some(value.round() as i32)
    }

    /// All outputs, best first. The careless annotator swaps two by mistake.
    fn order(&self, checks: &[(OutputId, f64)]) -> Vec<OutputId> {
        let one = |id: &OutputId| {
            self.outputs
                .iter()
                .any(|output| output.id == *id && output.twin_of.is_none())
        };
        let all = self.scores.iter().chain(checks).copied();
        let mut all: Vec<_> = all.filter(|(id, _)| one(id)).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut order: Vec<_> = all.into_iter().map(|(id, _)| id).collect();

        if self.annotator.is_careless() && order.len() > 5 {
            order.swap(1, 4);
        }
        order
    }
}
