//! Attention items: sources with expected answers that look to raters like any other source.

use crate::{
    category::Category,
    comparison::PairOutcome,
    edit::Edit,
    ids::{OutputId, RaterId, SourceId},
    protocol::StudyProtocol,
    random::SeededRandom,
    span_marks::{SpanMark, edit_marks::marks_of_edits},
    study::Dimension,
    work::{
        change::{AnnotationAnswer, AnnotationSlot, StoredAnswer},
        expected_choices::check_choices,
        expected_marks::has_expected_marks,
        task::ExpectedAnswer,
    },
};

/// The points in a rater's work at which attention items come: one after every `every` sources, from an offset that
/// differs between raters, so that they do not meet them at the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttentionSchedule {
    every: u32,
    offset: u32,
}

/// The progress of a rater with the sources of the study and with attention items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AttentionProgress {
    /// The sources of the study that the rater has handed in or skipped.
    pub done: u32,
    /// The number of these before the rater's newest attention item; `None` if there was none yet.
    pub done_before_last: Option<u32>,
}

impl AttentionSchedule {
    /// The schedule of a rater; `None` where `every` is 0.
    #[must_use]
    pub fn for_rater(rater: RaterId, every: u32) -> Option<Self> {
        let bound = usize::try_from(every).ok().filter(|bound| *bound > 0)?;
        let offset = SeededRandom::new(random_half(rater.0)).below(bound);
        Some(Self {
            every,
            offset: u32::try_from(offset).expect("it is below a u32"),
        })
    }

    /// Whether the rater's next source is an attention item. After an item, a source of the study always comes first.
    /// Items that were missed because the lead added them late are not made up for.
    #[must_use]
    pub fn is_due(self, progress: AttentionProgress) -> bool {
        let before = progress
            .done_before_last
            .map_or(0, |done| self.items_after(done));
        self.items_after(progress.done) > before
    }

    /// The number of attention items that are still to come if the rater does `available` more sources of the study
    /// and there are enough items.
    #[must_use]
    pub fn remaining(self, progress: AttentionProgress, available: u32) -> u32 {
        let total = progress.done.saturating_add(available);
        let later = self.items_after(total) - self.items_after(progress.done);
        later + u32::from(self.is_due(progress))
    }

    /// The number of attention items that belong before the source after `done` sources.
    const fn items_after(self, done: u32) -> u32 {
        done.saturating_add(self.offset) / self.every
    }
}

/// The place of an attention item in the rater's order of items, which differs between raters: with few items each, all
/// items are used about as often.
#[must_use]
pub const fn item_place(rater: RaterId, item: SourceId) -> u64 {
    random_half(rater.0) ^ random_half(item.0)
}

/// The lower half of an id, which is random.
const fn random_half(id: uuid::Uuid) -> u64 {
    id.as_u64_pair().1
}

/// The share of the scale by which a score may miss the expected one, unless the lead sets a tolerance.
pub const SCORE_TOLERANCE: f64 = 0.2;

/// An output of an attention item with its expected answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedOutput {
    /// The output.
    pub output: OutputId,
    /// The lead's expectation; parts left open do not count.
    pub expected: ExpectedAnswer,
    /// The automatic category, which applies unless the rater changes it.
    pub automatic: Category,
    /// The source, and the text of the output.
    pub texts: (String, String),
    /// The automatic edits, which apply unless the rater changes them.
    pub edits: Vec<Edit>,
}

/// Whether the answers to an attention item are as expected; `None` where nothing could be checked.
///
/// A score passes within the lead's tolerance, or within [`SCORE_TOLERANCE`] of the scale where that is 0. Categories
/// are exact. Of outputs that are compared, the one with the higher expected score must be the better one; a pair
/// whose expected scores are within the lead's tolerance of each other does not count. Choices are exact. Each
/// expected mark, or edit, must be overlapped by one of its type ([`has_expected_marks`]). An output that the rater
/// said cannot be judged does not count, nor does a question that was not shown. `dimension` is the study's first
/// one.
#[must_use]
pub fn passes_attention_item(
    outputs: &[ExpectedOutput],
    answers: &[StoredAnswer],
    dimension: &Dimension,
    protocol: &StudyProtocol,
) -> Option<bool> {
    let judgeable = outputs
        .iter()
        .filter(|output| !is_unjudged(answers, output.output));

    let mut checks = vec![];
    if let Some(step) = protocol.answer_step() {
        for output in outputs {
            let judged_output = (!is_unjudged(answers, output.output))
                .then(|| (output.output, chosen_category(answers, output)));
            checks.extend(check_choices(
                step,
                judged_output,
                &output.expected,
                answers,
            ));
        }
    }

    for output in judgeable.clone() {
        if protocol.categorises()
            && let Some(expected) = output.expected.category
        {
            checks.push(chosen_category(answers, output) == expected);
        }
        if protocol.scores()
            && let Some(expected) = output.expected.rating
            && let Some(score) = score_of(answers, output.output, &dimension.name)
        {
            let most = score_tolerance(&output.expected, dimension);
            checks.push(f64::from(score.abs_diff(expected)) <= most);
        }
        if let Some(expected) = output.expected.marks_by(protocol)
            && let Some(marks) = given_marks(protocol, output, answers)
        {
            checks.push(has_expected_marks(expected, &marks));
        }
    }

    if protocol.compares() {
        let expected: Vec<&ExpectedOutput> = judgeable.collect();
        check_comparisons(&expected, answers, dimension, &mut checks);
    }

    (!checks.is_empty()).then(|| checks.iter().all(|passed| *passed))
}

/// The most points by which a score may miss the expected one.
fn score_tolerance(expected: &ExpectedAnswer, dimension: &Dimension) -> f64 {
    if expected.tolerance > 0 {
        return f64::from(expected.tolerance);
    }
    let scale = dimension.scale;
    SCORE_TOLERANCE * (f64::from(scale.high) - f64::from(scale.low))
}

fn is_unjudged(answers: &[StoredAnswer], output: OutputId) -> bool {
    let slot = AnnotationSlot::Unjudged { output };
    let mut answers = answers.iter().filter(|answer| answer.slot == slot);
    answers.any(|answer| matches!(answer.answer, AnnotationAnswer::Unjudged(Some(_))))
}

/// The category in which the rater left an output.
pub(crate) fn chosen_category(answers: &[StoredAnswer], output: &ExpectedOutput) -> Category {
    let slot = AnnotationSlot::Category {
        output: output.output,
    };
    let mut answers = answers.iter().filter(|answer| answer.slot == slot);
    let category = answers.find_map(|answer| match answer.answer {
        AnnotationAnswer::Category(category) => category,
        _ => None,
    });
    category.unwrap_or(output.automatic)
}

fn score_of(answers: &[StoredAnswer], output: OutputId, dimension: &str) -> Option<i32> {
    answers
        .iter()
        .find_map(|answer| match (&answer.slot, &answer.answer) {
            (
                AnnotationSlot::Rating {
                    output: rated,
                    dimension: on,
                },
                AnnotationAnswer::Rating(Some(score)),
            ) if *rated == output && on == dimension => Some(score.get()),
            _ => None,
        })
}

/// The marks that an annotator gave an output, or its edits as marks where edits are checked; `None` where there are
/// neither.
pub(crate) fn given_marks(
    protocol: &StudyProtocol,
    expected: &ExpectedOutput,
    answers: &[StoredAnswer],
) -> Option<Vec<SpanMark>> {
    let output = expected.output;
    if protocol.mark_spans_step().is_some() {
        return match find_answer(answers, &AnnotationSlot::Marks { output })? {
            AnnotationAnswer::Marks(marks) => marks,
            _ => None,
        };
    }

    let edits = match find_answer(answers, &AnnotationSlot::Edits { output }) {
        Some(AnnotationAnswer::Edits(Some(edits))) => edits,
        _ => expected.edits.clone(),
    };
    let texts = (expected.texts.0.as_str(), expected.texts.1.as_str());
    protocol.shows_edits().then(|| marks_of_edits(edits, texts))
}

fn find_answer(answers: &[StoredAnswer], slot: &AnnotationSlot) -> Option<AnnotationAnswer> {
    let answer = answers.iter().find(|answer| answer.slot == *slot);
    answer.map(|answer| answer.answer.clone())
}

/// Checks each pair that the rater's choices decide and whose expected scores differ by more than the tolerance.
fn check_comparisons(
    expected: &[&ExpectedOutput],
    answers: &[StoredAnswer],
    dimension: &Dimension,
    checks: &mut Vec<bool>,
) {
    for answer in answers {
        let (
            AnnotationSlot::Comparison {
                outputs,
                dimension: on,
            },
            AnnotationAnswer::Comparison(Some(choice)),
        ) = (&answer.slot, &answer.answer)
        else {
            continue;
        };
        if *on != dimension.name {
            continue;
        }
        let Ok(Some(choice)) = choice.answer(outputs) else {
            continue;
        };

        for pair in choice.pairs() {
            let (Some((a, tolerance_of_a)), Some((b, tolerance_of_b))) = (
                expected_score(expected, **pair.a()),
                expected_score(expected, **pair.b()),
            ) else {
                continue;
            };
            if a.abs_diff(b) > tolerance_of_a.max(tolerance_of_b).unsigned_abs() {
                let better = if a > b {
                    PairOutcome::A
                } else {
                    PairOutcome::B
                };
                checks.push(pair.outcome() == better);
            }
        }
    }
}

/// The expected score of an output, with its tolerance.
fn expected_score(expected: &[&ExpectedOutput], output: OutputId) -> Option<(i32, i32)> {
    let expected = expected.iter().find(|other| other.output == output)?;
    Some((expected.expected.rating?, expected.expected.tolerance))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;
    use crate::{
        comparison::ComparisonChoice,
        edit::EditKind,
        protocol::{AnswerStep, CompareStep, MarkSpansStep, ProtocolStep},
        questions::{
            AnswerOption, AskedQuestion, QuestionAbout, QuestionAnswer, QuestionCondition,
            QuestionKind, QuestionOptions,
        },
        score::RatingScale,
        span::Span,
        span_marks::taxonomy::{SpanTaxonomy, SpanType},
        work::{
            test_tasks::{id, output, rating, unjudged},
            unjudged::UnjudgedReason,
        },
    };

    /// The places of attention items in the work of a rater who does `sources` sources of the study: how many of these
    /// came before each item.
    fn places(schedule: AttentionSchedule, sources: u32) -> Vec<u32> {
        let mut progress = AttentionProgress::default();
        let mut places = vec![];
        for done in 0..=sources {
            progress.done = done;
            if schedule.is_due(progress) {
                places.push(done);
                progress.done_before_last = Some(done);
            }
            assert!(!schedule.is_due(progress), "two in a row after {done}");
        }
        places
    }

    fn schedule(rater: u128, every: u32) -> AttentionSchedule {
        AttentionSchedule::for_rater(RaterId(Uuid::from_u128(rater)), every).unwrap()
    }

    #[test]
    fn raters_meet_them_at_different_places_and_one_in_every_on_average() {
        let rater = RaterId(Uuid::nil());
        assert_eq!(AttentionSchedule::for_rater(rater, 0), None);
        let raters: Vec<_> = (0..400)
            .map(|rater| places(schedule(rater, 10), 25))
            .collect();
        let items: usize = raters.iter().map(Vec::len).sum();
        let mean = items as f64 / raters.len() as f64;
        assert!((2.3..2.7).contains(&mean), "{mean} of 25 / 10");
        let first: std::collections::BTreeSet<_> = raters.iter().map(|places| places[0]).collect();
        assert_eq!(first, (1..=10).collect());
        // Each item is the first one of some rater.
        let items: Vec<_> = (0..4_u128)
            .map(|n| SourceId(Uuid::from_u128(n << 62)))
            .collect();
        let first_item = |rater: u128| {
            let rater = RaterId(Uuid::from_u128(rater << 62));
            items.iter().min_by_key(|item| item_place(rater, **item))
        };
        let first: std::collections::BTreeSet<_> = (0..4).map(first_item).collect();
        assert_eq!(first.len(), 4);
    }

    #[test]
    fn what_a_rater_missed_is_not_made_up_for() {
        let schedule = schedule(1, 5);
        // The lead adds items when the rater has done 50 sources.
        let mut progress = AttentionProgress {
            done: 50,
            done_before_last: None,
        };
        assert!(schedule.is_due(progress));
        progress.done_before_last = Some(50);
        assert!((50..=50 + 4).any(|done| !schedule.is_due(AttentionProgress { done, ..progress })));
        let next = (51..=60).find(|done| {
            schedule.is_due(AttentionProgress {
                done: *done,
                ..progress
            })
        });
        assert!(next.is_some_and(|next| next <= 55), "{next:?}");
    }

    proptest! {
        #[test]
        fn each_rater_meets_about_one_in_every(
            rater: u128, every in 1_u32..40, sources in 0_u32..300,
        ) {
            let schedule = schedule(rater, every);
            let places = places(schedule, sources);
            let expected = sources / every;
            prop_assert!((expected..=expected + 1).contains(&u32::try_from(places.len()).unwrap()));
            prop_assert!(places.iter().all(|place| *place > 0), "never the first source");
            for pair in places.windows(2) {
                prop_assert_eq!(pair[1] - pair[0], every);
            }
        }

        #[test]
        fn the_estimate_of_what_remains_stays_the_same_along_the_way(
            rater: u128, every in 1_u32..20, sources in 0_u32..100,
        ) {
            let schedule = schedule(rater, every);
            let all = places(schedule, sources);
            let mut progress = AttentionProgress::default();
            let mut met = 0;
            for done in 0..=sources {
                progress.done = done;
                prop_assert_eq!(met + schedule.remaining(progress, sources - done) as usize, all.len());
                if schedule.is_due(progress) {
                    progress.done_before_last = Some(done);
                    met += 1;
                }
            }
        }
    }

    fn expecting(n: u32, rating: Option<i32>, category: Option<Category>) -> ExpectedOutput {
        ExpectedOutput {
            output: output(n),
            expected: ExpectedAnswer {
                rating,
                category,
                ..ExpectedAnswer::default()
            },
            automatic: Category::Paraphrase,
            texts: (String::new(), String::new()),
            edits: vec![],
        }
    }

    fn stored(answers: Vec<(AnnotationSlot, AnnotationAnswer)>) -> Vec<StoredAnswer> {
        let answer = |(at, (slot, answer))| StoredAnswer {
            id: id(at),
            slot,
            answer,
        };
        (0..).zip(answers).map(answer).collect()
    }

    #[test]
    fn scores_pass_within_a_fifth_of_the_scale_or_the_leads_tolerance() {
        let scored = |expected: i32, tolerance, given, scale| {
            let mut one = expecting(1, Some(expected), None);
            one.expected.tolerance = tolerance;
            let dimension = Dimension::new("overall", scale);
            let answers = stored(vec![rating(1, given)]);
            passes_attention_item(&[one], &answers, &dimension, &StudyProtocol::default())
        };
        let percent = RatingScale::PERCENT;
        for (expected, tolerance, given, passes) in [
            (0, 0, Some(20), Some(true)),
            (0, 0, Some(21), Some(false)),
            (80, 0, Some(60), Some(true)),
            (80, 5, Some(75), Some(true)),
            (80, 5, Some(74), Some(false)),
            (80, 40, Some(40), Some(true)),
            (80, 0, None, None),
        ] {
            let found = scored(expected, tolerance, given, percent);
            assert_eq!(found, passes, "{expected} ± {tolerance}: {given:?}");
        }
        let levels = "1..5".parse().unwrap();
        assert_eq!(scored(1, 0, Some(1), levels), Some(true));
        assert_eq!(scored(1, 0, Some(2), levels), Some(false));
    }

    #[test]
    fn every_expected_part_must_be_right_and_others_tell_nothing() {
        let dimension = Dimension::default();
        let check = |outputs: &[ExpectedOutput], answers, protocol: &StudyProtocol| {
            passes_attention_item(outputs, &stored(answers), &dimension, protocol)
        };
        let all = StudyProtocol::default();
        let rate_alone = StudyProtocol::new(vec![ProtocolStep::Rate(Default::default())]).unwrap();
        let split = (
            AnnotationSlot::Category { output: output(1) },
            AnnotationAnswer::Category(Some(Category::Split)),
        );
        let one = expecting(1, Some(0), Some(Category::Split));
        let two = expecting(2, Some(90), None);
        let outputs = [one, two];
        let right = vec![rating(1, Some(3)), rating(2, Some(95))];
        let with_category = [right.clone(), vec![split.clone()]].concat();
        assert_eq!(check(&outputs, with_category, &all), Some(true));
        // The automatic category stands where the rater leaves it.
        assert_eq!(check(&outputs, right.clone(), &all), Some(false));
        assert_eq!(check(&outputs, right, &rate_alone), Some(true));
        let wrong = vec![rating(1, Some(3)), rating(2, Some(5))];
        assert_eq!(check(&outputs, wrong, &rate_alone), Some(false));
        let unjudged = vec![
            unjudged(1, Some(UnjudgedReason::Unclear)),
            rating(2, Some(90)),
        ];
        assert_eq!(check(&outputs, unjudged, &all), Some(true));
        let other = expecting(3, None, None);
        assert_eq!(check(&[other], vec![rating(3, Some(9))], &all), None);
        assert_eq!(check(&[], vec![split], &all), None);
    }

    #[test]
    fn answers_and_marks_of_a_study_without_scores_are_checked() {
        let option = |key: &str| AnswerOption {
            key: key.to_owned(),
            label: key.to_owned(),
        };
        let asked = |key: &str, about, condition| AskedQuestion {
            key: key.to_owned(),
            text: format!("{key}?"),
            hint: String::new(),
            about,
            kind: QuestionKind::One(vec![option("yes"), option("no")]),
            required: true,
            condition,
        };
        let options = |question: &str, options: &[&str]| QuestionOptions {
            question: question.to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        };
        let when_missing = QuestionCondition::Answered(options("missing", &["yes"]));
        let step = AnswerStep {
            questions: vec![
                asked("hard", QuestionAbout::Source, None),
                asked("missing", QuestionAbout::Output, None),
                asked("much", QuestionAbout::Output, Some(when_missing)),
            ],
        };
        let protocol = StudyProtocol::new(vec![
            ProtocolStep::MarkSpans(MarkSpansStep {
                taxonomy: SpanTaxonomy {
                    types: vec![SpanType {
                        name: "Grammar".to_owned(),
                        ..SpanType::default()
                    }],
                    ..SpanTaxonomy::default()
                },
                prefills: false,
            }),
            ProtocolStep::Answer(step),
        ])
        .unwrap();
        let dimension = Dimension::default();
        let answer = |output, key: &str, option: &str| {
            let key = key.to_owned();
            let answer = QuestionAnswer::One(option.to_owned());
            (
                AnnotationSlot::Question { output, key },
                AnnotationAnswer::Question(Some(answer)),
            )
        };
        let expecting = |choices: Vec<QuestionOptions>, marks| ExpectedOutput {
            output: output(1),
            expected: ExpectedAnswer {
                choices,
                marks,
                ..ExpectedAnswer::default()
            },
            automatic: Category::Paraphrase,
            texts: (String::new(), String::new()),
            edits: vec![],
        };
        let check = |expected: &ExpectedOutput, answers| {
            let expected = std::slice::from_ref(expected);
            passes_attention_item(expected, &stored(answers), &dimension, &protocol)
        };
        let one = Some(output(1));
        let both = vec![options("hard", &["no"]), options("missing", &["no"])];
        let both = expecting(both, None);
        let right = vec![answer(None, "hard", "no"), answer(one, "missing", "no")];
        assert_eq!(check(&both, right.clone()), Some(true));
        let wrong = vec![answer(None, "hard", "yes"), answer(one, "missing", "no")];
        assert_eq!(check(&both, wrong), Some(false));
        assert_eq!(check(&both, vec![answer(None, "hard", "no")]), Some(false));
        // A question that the rater did not see tells nothing.
        let much = expecting(vec![options("much", &["yes"])], None);
        assert_eq!(check(&much, right), None);
        let seen = vec![answer(one, "missing", "yes"), answer(one, "much", "no")];
        assert_eq!(check(&much, seen), Some(false));
        let gone = expecting(vec![options("missing", &["perhaps"])], None);
        assert_eq!(check(&gone, vec![answer(one, "missing", "no")]), None);

        let mark = |start, end| SpanMark {
            kind: "Grammar".to_owned(),
            output: vec![Span::new(start, end)],
            ..SpanMark::default()
        };
        let marked = |marks| {
            let slot = AnnotationSlot::Marks { output: output(1) };
            vec![(slot, AnnotationAnswer::Marks(Some(marks)))]
        };
        // Edits that the rater leaves are those that the computer made.
        let (source, text) = ("In June the boats sank.", "The boats sank.");
        let deletion = |end| Edit {
            kind: EditKind::Deletion,
            source: vec![Span::new(0, end)],
            output: vec![Span::new(0, 0)],
            confidence: None,
        };
        let expected = marks_of_edits(vec![deletion(7)], (source, text));
        let edited = |edits, expected: &[SpanMark]| ExpectedOutput {
            texts: (source.to_owned(), text.to_owned()),
            edits,
            ..expecting(vec![], Some(expected.to_vec()))
        };
        let check_edits = |of: &ExpectedOutput, answers| {
            let (of, answers) = (std::slice::from_ref(of), stored(answers));
            passes_attention_item(of, &answers, &dimension, &StudyProtocol::default())
        };
        let slot = AnnotationSlot::Edits { output: output(1) };
        let corrected = (slot, AnnotationAnswer::Edits(Some(vec![deletion(2)])));
        assert_eq!(check_edits(&edited(vec![], &expected), vec![]), Some(false));
        assert_eq!(
            check_edits(&edited(vec![], &expected), vec![corrected]),
            Some(true)
        );
        let automatic = edited(vec![deletion(7)], &expected);
        assert_eq!(check_edits(&automatic, vec![]), Some(true));
        assert_eq!(
            check_edits(&edited(vec![], &[mark(0, 6)]), vec![]),
            None,
            "of another protocol"
        );

        let expected = expecting(vec![], Some(vec![mark(0, 6)]));
        assert_eq!(check(&expected, marked(vec![mark(5, 8)])), Some(true));
        assert_eq!(check(&expected, marked(vec![mark(6, 8)])), Some(false));
        assert_eq!(check(&expected, vec![]), None);
        let nothing = expecting(vec![], Some(vec![]));
        assert_eq!(check(&nothing, marked(vec![])), Some(true));
        assert_eq!(check(&nothing, marked(vec![mark(0, 1)])), Some(false));
        assert_eq!(check(&expecting(vec![], None), marked(vec![])), None);
    }

    #[test]
    fn choices_must_follow_the_expected_scores() {
        let compare =
            StudyProtocol::new(vec![ProtocolStep::Compare(CompareStep::default())]).unwrap();
        let dimension = Dimension::default();
        let mut near_the_best = expecting(4, Some(90), None);
        near_the_best.expected.tolerance = 10;
        let outputs = [
            expecting(1, Some(100), None),
            expecting(2, Some(0), None),
            expecting(3, Some(0), None),
            near_the_best,
        ];
        let check = |shown: &[u32], choice| {
            let slot = AnnotationSlot::Comparison {
                outputs: shown.iter().copied().map(output).collect(),
                dimension: dimension.name.clone(),
            };
            let answers = stored(vec![(slot, AnnotationAnswer::Comparison(Some(choice)))]);
            passes_attention_item(&outputs, &answers, &dimension, &compare)
        };
        let better = |n| ComparisonChoice::Better(output(n));
        let best_worst = |best, worst| ComparisonChoice::BestWorst {
            best: Some(output(best)),
            worst: Some(output(worst)),
        };
        for (shown, choice, passes) in [
            (&[1, 2][..], better(1), Some(true)),
            (&[1, 4], better(4), None),
            (&[1, 2], better(2), Some(false)),
            (&[1, 2], ComparisonChoice::Tie, Some(false)),
            (&[2, 3], better(3), None),
            (&[1, 2, 3], best_worst(1, 3), Some(true)),
            (&[1, 2, 3], best_worst(2, 3), Some(false)),
            (&[1, 2, 3], best_worst(2, 1), Some(false)),
        ] {
            assert_eq!(check(shown, choice), passes, "{shown:?} {choice:?}");
        }
    }
}
