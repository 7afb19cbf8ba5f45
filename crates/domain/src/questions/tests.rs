use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn output(number: u128) -> OutputId {
    OutputId(uuid::Uuid::from_u128(number))
}

fn options(keys: &[&str]) -> Vec<AnswerOption> {
    let option = |key: &&str| AnswerOption {
        key: (*key).to_owned(),
        label: key.to_uppercase(),
    };
    keys.iter().map(option).collect()
}

fn question(key: &str, about: QuestionAbout, kind: QuestionKind) -> AskedQuestion {
    AskedQuestion {
        key: key.to_owned(),
        text: format!("{key}?"),
        hint: String::new(),
        about,
        kind,
        required: true,
        condition: None,
    }
}

fn yes_no(key: &str, about: QuestionAbout) -> AskedQuestion {
    question(key, about, QuestionKind::One(options(&["yes", "no"])))
}

fn text(key: &str, about: QuestionAbout) -> AskedQuestion {
    question(key, about, QuestionKind::Text(10))
}

fn when(governor: &str, keys: &[&str]) -> Option<QuestionCondition> {
    Some(QuestionCondition::Answered(QuestionOptions {
        question: governor.to_owned(),
        options: keys.iter().map(|key| (*key).to_owned()).collect(),
    }))
}

/// A source question governs one about outputs, which governs two others; one depends on categories.
fn step() -> AnswerStep {
    use QuestionAbout::{Output, Source};
    AnswerStep {
        questions: vec![
            yes_no("hard", Source),
            AskedQuestion {
                condition: when("hard", &["yes"]),
                ..yes_no("missing", Output)
            },
            AskedQuestion {
                condition: when("missing", &["yes"]),
                ..text("what", Output)
            },
            AskedQuestion {
                condition: Some(QuestionCondition::Category(vec![Category::Split])),
                ..yes_no("needed", Output)
            },
            AskedQuestion {
                condition: when("hard", &["no"]),
                ..text("why", Source)
            },
        ],
    }
}

fn shown(
    step: &AnswerStep,
    subject: QuestionSubject,
    given: &[(Option<OutputId>, &str, QuestionAnswer)],
) -> Vec<String> {
    let answer = |output: Option<OutputId>, key: &str| {
        let mut given = given.iter();
        given
            .find(|(of, asked, _)| *of == output && *asked == key)
            .map(|(.., answer)| answer.clone())
    };
    let shown = step.shown(subject, answer);
    shown.iter().map(|question| question.key.clone()).collect()
}

#[test]
fn questions_are_shown_under_their_conditions() {
    let step = step();
    step.check(true).expect("a step");
    let one = |key: &str| QuestionAnswer::One(key.to_owned());
    let first = QuestionSubject::Output(output(1), Category::Paraphrase);
    let split = QuestionSubject::Output(output(2), Category::Split);
    let of = Some(output(1));
    assert_eq!(shown(&step, QuestionSubject::Source, &[]), ["hard"]);
    assert_eq!(shown(&step, first, &[]), Vec::<String>::new());
    assert_eq!(shown(&step, split, &[]), ["needed"]);
    let mut given = vec![(None, "hard", one("yes")), (of, "missing", one("yes"))];
    assert_eq!(shown(&step, first, &given), ["missing", "what"]);
    assert_eq!(shown(&step, split, &given), ["missing", "needed"]);
    given[1].2 = one("no");
    assert_eq!(shown(&step, first, &given), ["missing"]);
    // Neither an option that is gone nor an answer of another kind counts.
    for other in [
        one("perhaps"),
        QuestionAnswer::Several(vec!["yes".to_owned()]),
    ] {
        given[1].2 = other;
        assert_eq!(shown(&step, first, &given), ["missing"]);
    }
    // A hidden question governs nothing, whatever was answered while it was shown.
    given[1].2 = one("yes");
    given[0].2 = one("no");
    assert_eq!(shown(&step, first, &given), Vec::<String>::new());
    assert_eq!(
        shown(&step, QuestionSubject::Source, &given),
        ["hard", "why"]
    );
}

#[test]
fn an_answer_counts_while_its_question_offers_it() {
    use QuestionAbout::Output;
    let several = question("kinds", Output, QuestionKind::Several(options(&["a", "b"])));
    let keys =
        |keys: &[&str]| QuestionAnswer::Several(keys.iter().map(|key| (*key).to_owned()).collect());
    let words = |text: &str| QuestionAnswer::Text(text.to_owned());
    for (question, answer, counts, fits) in [
        (
            yes_no("q", Output),
            QuestionAnswer::One("no".into()),
            true,
            true,
        ),
        (
            yes_no("q", Output),
            QuestionAnswer::One("maybe".into()),
            false,
            false,
        ),
        (yes_no("q", Output), keys(&["no"]), false, false),
        (several.clone(), keys(&["b", "a"]), true, true),
        (several.clone(), keys(&["b", "gone"]), true, false),
        (several.clone(), keys(&["b", "b"]), true, false),
        (several.clone(), keys(&[]), false, false),
        (text("t", Output), words("äöüäöüäöüß"), true, true),
        (text("t", Output), words("12345678901"), true, false),
        (text("t", Output), words("a\0"), true, false),
        (text("t", Output), words("  "), false, true),
        (
            text("t", Output),
            QuestionAnswer::One("no".into()),
            false,
            false,
        ),
    ] {
        assert_eq!(
            question.is_answered_by(Some(&answer)),
            counts,
            "{answer:?} to {question:?}"
        );
        assert_eq!(
            question.check_answer(&answer).is_ok(),
            fits,
            "{answer:?} to {question:?}"
        );
    }
    assert!(!several.is_answered_by(None));
}

#[test]
fn faults_of_questions_are_named() {
    use QuestionAbout::{Output, Source};
    let long = "x".repeat(501);
    let step = |questions: Vec<AskedQuestion>| AnswerStep { questions };
    let with = |change: &dyn Fn(&mut AskedQuestion)| {
        let mut asked = yes_no("b", Output);
        change(&mut asked);
        step(vec![yes_no("a", Output), text("t", Output), asked])
    };
    let table: Vec<(AnswerStep, &str)> = vec![
        (step(vec![]), "there are 0 questions: ask 1 to 30"),
        (
            step(vec![yes_no("a b", Output)]),
            "“a b” cannot be the key of a question or option: use 1 to 40 of the characters a–z, 0–9 and -",
        ),
        (
            step(vec![yes_no("a", Output), yes_no("a", Source)]),
            "the key “a” is there twice",
        ),
        (
            with(&|asked| asked.text = " ".into()),
            "the wording of “b” has 0 characters: use 1 to 500",
        ),
        (
            with(&|asked| asked.hint.clone_from(&long)),
            "the hint of “b” has more than 500 characters",
        ),
        (
            with(&|asked| asked.kind = QuestionKind::Several(options(&["x"]))),
            "“b” has 1 options: offer 2 to 12",
        ),
        (
            with(&|asked| asked.kind = QuestionKind::One(options(&["x", "x"]))),
            "the key “x” is there twice",
        ),
        (
            with(&|asked| asked.kind = QuestionKind::Text(0)),
            "the answer to “b” cannot have 0 characters: allow 1 to 5000",
        ),
        (
            with(&|asked| asked.condition = when("b", &["yes"])),
            "“b” cannot depend on “b”, which is not an earlier question with options",
        ),
        (
            with(&|asked| asked.condition = when("t", &["yes"])),
            "“b” cannot depend on “t”, which is not an earlier question with options",
        ),
        (
            with(&|asked| asked.condition = when("a", &["maybe"])),
            "“b” depends on the answer “maybe”, which “a” does not offer",
        ),
        (
            with(&|asked| asked.condition = when("a", &[])),
            "“b” is never shown: its condition names no answer or category under which it would be",
        ),
        (
            with(&|asked| {
                asked.about = Source;
                asked.condition = when("a", &["yes"]);
            }),
            "“b” is about the source, so it cannot depend on a question about each output",
        ),
        (
            with(&|asked| {
                asked.condition = Some(QuestionCondition::Category(vec![Category::Split]));
            }),
            "“b” cannot depend on categories: that needs a question about each output, and the step “Categorise” or “Rank & rate”",
        ),
    ];
    for (step, expect) in table {
        let fault = step.check(false).expect_err(expect);
        assert_eq!(fault.to_string(), expect);
    }
}

proptest! {
    #[test]
    fn only_shown_questions_govern_others(
        hard in prop::option::of(0usize..2),
        missing in prop::option::of(0usize..2),
    ) {
        let keys = ["yes", "no"];
        let given: BTreeMap<_, _> = [("hard", hard), ("missing", missing)]
            .into_iter()
            .filter_map(|(key, at)| Some((key, QuestionAnswer::One(keys[at?].to_owned()))))
            .collect();
        let step = step();
        let subject = QuestionSubject::Output(output(1), Category::Deletion);
        let shown = step.shown(subject, |_, key| given.get(key).cloned());
        let has = |key: &str| shown.iter().any(|question| question.key == key);
        prop_assert_eq!(has("missing"), hard == Some(0));
        prop_assert_eq!(has("what"), has("missing") && missing == Some(0));
    }
}
