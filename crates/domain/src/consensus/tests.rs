use uuid::Uuid;

use super::*;
use crate::{
    comparison::ComparisonChoice,
    edit::EditKind,
    ids::AnnotationId,
    protocol::{AnswerStep, CompareStep, MarkSpansStep, ProtocolStep, RateStep},
    questions::{
        AnswerOption, AskedQuestion, QuestionAbout, QuestionAnswer, QuestionCondition,
        QuestionKind, QuestionOptions,
    },
    score::RatingScale,
    span::Span,
    span_marks::taxonomy::{MarkLevel, MarkedSides, SpanType},
    work::unjudged::UnjudgedReason,
};

fn output(number: u128) -> OutputId {
    OutputId(Uuid::from_u128(number))
}

const SOURCE: &str = "In June, the boats sank.";

fn judged(number: u128, category: Category) -> ConsensusOutput {
    ConsensusOutput {
        output: output(number),
        text: "The boats went down.".to_owned(),
        category,
        edits: vec![
            edit(EditKind::Deletion, (0, 7), (0, 0), Some(0.9)),
            edit(EditKind::Paraphrase, (19, 23), (10, 19), Some(0.9)),
        ],
    }
}

fn edit(
    kind: EditKind,
    source: (usize, usize),
    output: (usize, usize),
    confidence: Option<f64>,
) -> Edit {
    Edit {
        kind,
        source: vec![Span::new(source.0, source.1)],
        output: vec![Span::new(output.0, output.1)],
        confidence,
    }
}

fn stored(slot: AnnotationSlot, answer: AnnotationAnswer) -> StoredAnswer {
    StoredAnswer {
        id: AnnotationId(Uuid::nil()),
        slot,
        answer,
    }
}

fn rating(number: u128, score: i32) -> StoredAnswer {
    let slot = AnnotationSlot::Rating {
        output: output(number),
        dimension: "overall".into(),
    };
    let score = RatingScale::PERCENT.clamp(score);
    stored(slot, AnnotationAnswer::Rating(Some(score)))
}

fn unjudged(number: u128, reason: UnjudgedReason) -> StoredAnswer {
    let slot = AnnotationSlot::Unjudged {
        output: output(number),
    };
    stored(slot, AnnotationAnswer::Unjudged(Some(reason)))
}

fn mark(kind: &str, level: Option<&str>, words: (usize, usize)) -> SpanMark {
    SpanMark {
        kind: kind.into(),
        level: level.map(str::to_owned),
        source: vec![],
        output: vec![Span::new(words.0, words.1)],
    }
}

fn marks(number: u128, marks: Vec<SpanMark>) -> StoredAnswer {
    let slot = AnnotationSlot::Marks {
        output: output(number),
    };
    stored(slot, AnnotationAnswer::Marks(Some(marks)))
}

fn decided(answer: StoredAnswer, left_out: Vec<SpanMark>) -> ConsensusAnswer {
    ConsensusAnswer {
        stored: answer,
        left_out,
    }
}

/// A protocol with marks and ratings.
fn marking() -> StudyProtocol {
    let kind = |name: &str| SpanType {
        name: name.into(),
        sides: MarkedSides::Output,
        description: String::new(),
        prefill: vec![],
    };
    let level = |name: &str, value| MarkLevel {
        name: name.into(),
        value,
        description: String::new(),
    };
    let step = MarkSpansStep {
        taxonomy: SpanTaxonomy {
            types: vec![kind("Word"), kind("Split")],
            levels: vec![level("right", 1.0), level("wrong", 0.0)],
            rules: vec![],
        },
        prefills: false,
    };
    let steps = vec![
        ProtocolStep::MarkSpans(step),
        ProtocolStep::Rate(RateStep::default()),
    ];
    StudyProtocol::new(steps).expect("a protocol")
}

/// Runs a test on the basis of some raters' answers to two outputs.
fn with_basis(
    protocol: &StudyProtocol,
    raters: &[Vec<StoredAnswer>],
    test: impl FnOnce(ConsensusBasis<'_>),
) {
    let outputs = [
        judged(1, Category::Paraphrase),
        judged(2, Category::Deletion),
    ];
    test(ConsensusBasis {
        protocol,
        dimensions: &[Dimension::default()],
        source: SOURCE,
        outputs: &outputs,
        raters,
    });
}

#[test]
fn what_all_raters_said_is_decided_and_the_rest_is_open() {
    let corrected = stored(
        AnnotationSlot::Category { output: output(2) },
        AnnotationAnswer::Category(Some(Category::Paraphrase)),
    );
    let raters = [
        vec![rating(1, 70), rating(2, 10), corrected.clone()],
        vec![rating(1, 70), rating(2, 30)],
    ];
    with_basis(&StudyProtocol::default(), &raters, |basis| {
        let shared = basis.shared_answers();
        let slots: Vec<_> = shared.iter().map(|(slot, _)| slot.clone()).collect();
        let category = |number| AnnotationSlot::Category {
            output: output(number),
        };
        let edits = |number| AnnotationSlot::Edits {
            output: output(number),
        };
        assert_eq!(slots, [category(1), rating(1, 0).slot, edits(1), edits(2)]);
        assert_eq!(
            shared[0].1,
            AnnotationAnswer::Category(Some(Category::Paraphrase)),
            "neither corrected the computer"
        );

        let mut decisions: Vec<_> = shared
            .into_iter()
            .map(|(slot, answer)| decided(stored(slot, answer), vec![]))
            .collect();
        let open = [category(2), rating(2, 0).slot].map(OpenQuestion::Answer);
        assert_eq!(basis.open_questions(&decisions), open);
        decisions.push(decided(corrected, vec![]));
        decisions.push(decided(rating(2, 25), vec![]));
        assert_eq!(basis.open_questions(&decisions), []);
    });
}

#[test]
fn an_output_that_cannot_be_judged_needs_no_scores_and_no_marks() {
    let word = mark("Word", Some("right"), (0, 3));
    let raters = [
        vec![
            rating(1, 70),
            marks(1, vec![word.clone()]),
            marks(2, vec![]),
            rating(2, 5),
        ],
        vec![
            unjudged(1, UnjudgedReason::Unclear),
            marks(1, vec![word]),
            marks(2, vec![]),
            rating(2, 5),
        ],
    ];
    with_basis(&marking(), &raters, |basis| {
        let shared = basis.shared_answers();
        let shared: Vec<_> = shared
            .into_iter()
            .map(|(slot, answer)| decided(stored(slot, answer), vec![]))
            .collect();
        let open = basis.open_questions(&shared);
        let can_judge = AnnotationSlot::Unjudged { output: output(1) };
        let expect = [
            OpenQuestion::Answer(can_judge.clone()),
            OpenQuestion::Answer(rating(1, 0).slot),
            // The mark of a rater who could not judge the output does not count.
            OpenQuestion::Marks(output(1), 1),
        ];
        assert_eq!(open, expect);

        let mut cannot = shared.clone();
        cannot.push(decided(unjudged(1, UnjudgedReason::Unclear), vec![]));
        assert_eq!(basis.open_questions(&cannot), []);
        let mut can = shared;
        can.push(decided(
            stored(can_judge, AnnotationAnswer::Unjudged(None)),
            vec![],
        ));
        assert_eq!(basis.open_questions(&can), expect[1..]);
    });
}

#[test]
fn marks_of_the_same_words_and_type_are_one_question() {
    let right = |words| mark("Word", Some("right"), words);
    let raters = [
        vec![marks(1, vec![right((4, 8)), right((0, 3))])],
        vec![marks(
            1,
            vec![
                right((0, 3)),
                mark("Word", Some("wrong"), (4, 8)),
                mark("Split", Some("right"), (4, 8)),
            ],
        )],
    ];
    with_basis(&marking(), &raters, |basis| {
        let questions = basis.mark_questions(output(1), &[]);
        let marked = |level: &str| GivenMark::Marked(Some(level.into()));
        let given: Vec<_> = questions
            .iter()
            .map(|question| (question.mark.kind.as_str(), question.given.clone()))
            .collect();
        assert_eq!(
            given,
            [
                ("Word", vec![marked("right"), marked("right")]),
                ("Word", vec![marked("right"), marked("wrong")]),
                ("Split", vec![GivenMark::Absent, marked("right")]),
            ]
        );
        assert_eq!(questions[0].shared(), Some(right((0, 3))));
        assert_eq!(questions[1].shared(), None);

        let open = |kept: Vec<SpanMark>, left_out: Vec<SpanMark>| {
            let decision = decided(marks(1, kept), left_out);
            let open = basis.open_questions(&[decision]).into_iter();
            open.filter(
                |question| matches!(question, OpenQuestion::Marks(of, _) if *of == output(1)),
            )
            .collect::<Vec<_>>()
        };
        let left = |count| vec![OpenQuestion::Marks(output(1), count)];
        assert_eq!(open(vec![right((0, 3))], vec![]), left(2));
        assert_eq!(open(vec![right((0, 3)), right((4, 8))], vec![]), left(1));
        let split = mark("Split", None, (4, 8));
        assert_eq!(
            open(vec![right((0, 3)), right((4, 8)), split.clone()], vec![]),
            left(1),
            "no level"
        );
        assert_eq!(
            open(vec![right((0, 3)), right((4, 8))], vec![split]),
            vec![]
        );
    });
}

#[test]
fn nothing_to_mark_is_shared_where_nobody_marked_anything() {
    let raters = [vec![marks(1, vec![])], vec![marks(1, vec![])]];
    with_basis(&marking(), &raters, |basis| {
        let shared = basis.shared_answers();
        let slot = AnnotationSlot::Marks { output: output(1) };
        assert!(shared.contains(&(slot, AnnotationAnswer::Marks(Some(vec![])))));
    });
}

#[test]
fn comparisons_are_questions_once_somebody_made_them() {
    let protocol = vec![ProtocolStep::Compare(CompareStep::default())];
    let protocol = StudyProtocol::new(protocol).expect("a protocol");
    let compared = |outputs: [u128; 2], better| {
        let slot = AnnotationSlot::Comparison {
            outputs: outputs.map(output).to_vec(),
            dimension: "overall".into(),
        };
        let choice = ComparisonChoice::Better(output(better));
        stored(slot, AnnotationAnswer::Comparison(Some(choice)))
    };
    let raters = [
        // The second compares with an output that is gone.
        vec![compared([1, 2], 1), compared([1, 9], 9)],
        vec![compared([1, 2], 2)],
    ];
    with_basis(&protocol, &raters, |basis| {
        let questions = basis.questions(&[]);
        let slots: Vec<_> = questions.iter().map(|question| &question.slot).collect();
        assert_eq!(slots, [&compared([1, 2], 1).slot]);
        assert_eq!(questions[0].shared(), None);
        let open = basis.open_questions(&[decided(compared([1, 2], 2), vec![])]);
        assert_eq!(open, []);
    });
}

/// “missing”, with “what” in words where something is, “kinds” by several options, and one about the source.
fn asking() -> StudyProtocol {
    let option = |key: &str| AnswerOption {
        key: key.into(),
        label: key.into(),
    };
    let asked = |key: &str, about, kind| AskedQuestion {
        key: key.into(),
        text: format!("{key}?"),
        hint: String::new(),
        about,
        kind,
        required: true,
        condition: None,
    };
    let yes_no = || QuestionKind::One(vec![option("yes"), option("no")]);
    let questions = vec![
        asked("hard", QuestionAbout::Source, yes_no()),
        asked("missing", QuestionAbout::Output, yes_no()),
        AskedQuestion {
            condition: Some(QuestionCondition::Answered(QuestionOptions {
                question: "missing".into(),
                options: vec!["yes".into()],
            })),
            ..asked("what", QuestionAbout::Output, QuestionKind::Text(100))
        },
        AskedQuestion {
            required: false,
            ..asked(
                "kinds",
                QuestionAbout::Output,
                QuestionKind::Several(vec![option("a"), option("b")]),
            )
        },
    ];
    StudyProtocol::new(vec![ProtocolStep::Answer(AnswerStep { questions })]).expect("a protocol")
}

fn answer(of: Option<u128>, key: &str, answer: QuestionAnswer) -> StoredAnswer {
    let slot = AnnotationSlot::Question {
        output: of.map(output),
        key: key.into(),
    };
    stored(slot, AnnotationAnswer::Question(Some(answer)))
}

fn one(of: Option<u128>, key: &str, option: &str) -> StoredAnswer {
    answer(of, key, QuestionAnswer::One(option.into()))
}

#[test]
fn answers_to_questions_are_agreed_on_one_by_one() {
    let words = |text: &str| answer(Some(1), "what", QuestionAnswer::Text(text.into()));
    let protocol = asking();
    let raters = [
        vec![
            one(None, "hard", "no"),
            one(Some(1), "missing", "yes"),
            words("The date."),
            one(Some(2), "missing", "no"),
            // Hidden: the rater says that nothing is missing.
            answer(Some(2), "what", QuestionAnswer::Text("Old words.".into())),
        ],
        vec![
            one(None, "hard", "no"),
            one(Some(1), "missing", "no"),
            one(Some(2), "missing", "no"),
            answer(Some(2), "kinds", QuestionAnswer::Several(vec!["a".into()])),
        ],
    ];
    with_basis(&protocol, &raters, |basis| {
        let asked = |decided: &[ConsensusAnswer]| {
            let questions = basis.questions(decided).into_iter();
            let name = |question: ConsensusQuestion| match question.slot {
                AnnotationSlot::Question { output, key } => {
                    let number = output.map_or(0, |output| output.0.as_u128());
                    (number, key, question.given.iter().flatten().count())
                }
                slot => panic!("{slot:?}"),
            };
            questions.map(name).collect::<Vec<_>>()
        };
        let expected = [
            (0, "hard", 2),
            (1, "missing", 2),
            (1, "what", 1),
            (1, "kinds", 0),
            (2, "missing", 2),
            (2, "kinds", 1),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(number, key, given)| (number, key.to_owned(), given))
            .collect();
        assert_eq!(asked(&[]), expected);

        let shared = basis.shared_answers();
        assert_eq!(shared.len(), 2, "{shared:?}");
        let begun: Vec<_> = shared
            .into_iter()
            .map(|(slot, answer)| decided(stored(slot, answer), vec![]))
            .collect();
        let open = |more: Vec<StoredAnswer>| {
            let mut all = begun.clone();
            all.extend(more.into_iter().map(|answer| decided(answer, vec![])));
            let open = basis.open_questions(&all).into_iter();
            let key = |open: OpenQuestion| match open {
                OpenQuestion::Answer(AnnotationSlot::Question { key, .. }) => key,
                open => panic!("{open:?}"),
            };
            open.map(key).collect::<Vec<_>>()
        };
        // Optional questions may stay without an answer, and “what” is asked only where something is missing.
        assert_eq!(open(vec![]), ["missing"]);
        assert_eq!(open(vec![one(Some(1), "missing", "yes")]), ["what"]);
        assert!(open(vec![one(Some(1), "missing", "no")]).is_empty());
        let written = vec![
            one(Some(1), "missing", "yes"),
            words("The date is missing."),
        ];
        assert!(open(written).is_empty());
        // An answer that no rater gave can be decided; then the question that depends on it is asked.
        let other = one(Some(2), "missing", "yes");
        let questions = asked(&[decided(other, vec![])]);
        assert!(
            questions.contains(&(2, "what".to_owned(), 0)),
            "{questions:?}"
        );
    });
}

#[test]
fn scores_on_a_dimension_are_asked_of_those_who_rate_it() {
    let rated = |n, dimension: &str, score| {
        let slot = AnnotationSlot::Rating {
            output: output(n),
            dimension: dimension.to_owned(),
        };
        stored(
            slot,
            AnnotationAnswer::Rating(RatingScale::PERCENT.score(score).ok()),
        )
    };
    let dimensions = ["meaning", "simplicity"];
    let dimensions = dimensions.map(|name| Dimension::new(name, RatingScale::PERCENT));
    let protocol = StudyProtocol::new(vec![ProtocolStep::Rate(RateStep::default())]);
    let protocol = protocol.expect("a protocol");
    let outputs = [judged(1, Category::Paraphrase)];
    let shared_of = |raters: &[Vec<StoredAnswer>]| {
        let basis = ConsensusBasis {
            protocol: &protocol,
            dimensions: &dimensions,
            source: SOURCE,
            outputs: &outputs,
            raters,
        };
        let asked = basis.questions(&[]).into_iter();
        let asked = asked.map(|question| (question.slot.clone(), question.shared().is_some()));
        let named = asked.map(|(slot, is_shared)| match slot {
            AnnotationSlot::Rating { dimension, .. } => (dimension, is_shared),
            other => panic!("{other:?}"),
        });
        named.collect::<Vec<_>>()
    };
    // The second rater's group rates simplicity alone.
    let both = [
        vec![rated(1, "meaning", 80), rated(1, "simplicity", 40)],
        vec![rated(1, "simplicity", 60)],
    ];
    let (meaning, simplicity) = ("meaning".to_owned(), "simplicity".to_owned());
    assert_eq!(
        shared_of(&both),
        [(meaning, true), (simplicity.clone(), false)]
    );
    let readers = [
        vec![rated(1, "simplicity", 60)],
        vec![rated(1, "simplicity", 60)],
    ];
    assert_eq!(shared_of(&readers), [(simplicity, true)]);
}

#[test]
fn edits_are_decided_one_by_one_and_stored_as_edits() {
    let steps = vec![ProtocolStep::CheckEdits, ProtocolStep::RankAndRate];
    let protocol = StudyProtocol::new(steps).expect("a protocol");
    let slot = AnnotationSlot::Edits { output: output(1) };
    // The second rater says that “In June,” was kept and that “went” alone is new; the first one changed nothing.
    let own = vec![edit(EditKind::Paraphrase, (19, 23), (10, 14), None)];
    let corrected = stored(slot.clone(), AnnotationAnswer::Edits(Some(own)));
    with_basis(&protocol, &[vec![], vec![corrected]], |basis| {
        let questions = basis.mark_questions(output(1), &[]);
        let given: Vec<_> = questions
            .iter()
            .map(|question| {
                let is_marked = |given: &GivenMark| *given != GivenMark::Absent;
                let given: Vec<_> = question.given.iter().map(is_marked).collect();
                (question.mark.kind.as_str(), given)
            })
            .collect();
        let expected = [
            ("Deletion", vec![true, false]),
            ("Paraphrase", vec![false, true]),
            ("Paraphrase", vec![true, false]),
        ];
        let mut sorted = given.clone();
        sorted.sort();
        assert_eq!(sorted, expected);
        // Both said the same about the second output.
        let shared = basis.shared_answers();
        let [.., (agreed, AnnotationAnswer::Edits(Some(edits)))] = shared.as_slice() else {
            panic!("{shared:?}");
        };
        assert_eq!(*agreed, AnnotationSlot::Edits { output: output(2) });
        assert_eq!(edits.len(), 2);
        assert!(edits.iter().all(|edit| edit.confidence.is_none()));

        let answer = AnnotationAnswer::Edits(Some(edits.clone()));
        let second = decided(stored(agreed.clone(), answer), vec![]);
        let open_marks = |decided: &[ConsensusAnswer]| {
            let open = basis.open_questions(decided).into_iter();
            let open = open.filter(|open| matches!(open, OpenQuestion::Marks(..)));
            open.collect::<Vec<_>>()
        };
        let open = open_marks(std::slice::from_ref(&second));
        assert_eq!(open, [OpenQuestion::Marks(output(1), 3)]);

        let (kept, left_out): (Vec<_>, Vec<_>) = questions
            .iter()
            .map(|question| question.mark.clone())
            .partition(|mark| mark.output == [Span::new(10, 14)]);
        let answer = basis.answer_of_marks(&slot, kept.clone());
        let expected = vec![edit(EditKind::Paraphrase, (19, 23), (10, 14), None)];
        assert_eq!(answer, AnnotationAnswer::Edits(Some(expected)));
        let first = decided(stored(slot.clone(), answer), left_out);
        assert_eq!(first.kept(), kept);
        assert_eq!(open_marks(&[first, second]), []);
    });
}
