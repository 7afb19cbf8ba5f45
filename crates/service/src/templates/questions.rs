//! The questions of the template *Questions about outputs*.

use domain::{
    protocol::AnswerStep,
    questions::{
        AnswerOption, AskedQuestion, QuestionAbout, QuestionCondition, QuestionKind,
        QuestionOptions,
    },
};

/// The keys of the questions whose answers a tutorial expects.
pub(super) const MISSING: &str = "missing";
pub(super) const ADDED: &str = "added";
pub(super) const EASY: &str = "easy";

/// Questions about the source and each output: what is missing, what was added, what is hard to read.
pub(super) fn about_outputs() -> AnswerStep {
    let yes_no = || options(&[("yes", "Yes"), ("no", "No")]);

    let source = AskedQuestion {
        about: QuestionAbout::Source,
        hint: "Think of a person who is learning English.".to_owned(),
        ..asked(
            "source-hard",
            "How hard is the source to read?",
            QuestionKind::One(options(&[
                ("easy", "Easy"),
                ("medium", "Not easy, not hard"),
                ("hard", "Hard"),
            ])),
        )
    };

    let what_missing = AskedQuestion {
        hint: "A few words are enough: which fact or detail?".to_owned(),
        ..after(
            MISSING,
            &["yes"],
            "what-missing",
            "What is missing?",
            QuestionKind::Text(500),
        )
    };

    let added_kinds = QuestionKind::Several(options(&[
        ("wrong", "Something false"),
        ("detail", "A detail that the source does not give"),
        ("explanation", "An explanation of a word or an idea"),
    ]));

    let hard_parts = QuestionKind::Several(options(&[
        ("words", "Hard words"),
        ("sentences", "Long or tangled sentences"),
        ("order", "The order of the ideas"),
        ("mistakes", "Mistakes of grammar or spelling"),
    ]));

    let remark = AskedQuestion {
        required: false,
        ..asked("remark", "Anything else?", QuestionKind::Text(1000))
    };

    AnswerStep {
        questions: vec![
            source,
            AskedQuestion {
                hint: "Something that readers need to understand what happened.".to_owned(),
                ..asked(
                    MISSING,
                    "Is anything important missing?",
                    QuestionKind::One(yes_no()),
                )
            },
            what_missing,
            asked(
                ADDED,
                "Does it say anything that the source does not say?",
                QuestionKind::One(yes_no()),
            ),
            after(
                ADDED,
                &["yes"],
                "what-added",
                "What did it add?",
                added_kinds,
            ),
            asked(
                EASY,
                "Is it easy to read?",
                QuestionKind::One(options(&[
                    ("yes", "Yes"),
                    ("mostly", "Mostly"),
                    ("no", "No"),
                ])),
            ),
            after(
                EASY,
                &["mostly", "no"],
                "what-hard",
                "What makes it hard?",
                hard_parts,
            ),
            remark,
        ],
    }
}

fn options(options: &[(&str, &str)]) -> Vec<AnswerOption> {
    let option = |(key, label): &(&str, &str)| AnswerOption {
        key: (*key).to_owned(),
        label: (*label).to_owned(),
    };
    options.iter().map(option).collect()
}

fn asked(key: &str, text: &str, kind: QuestionKind) -> AskedQuestion {
    AskedQuestion {
        key: key.to_owned(),
        text: text.to_owned(),
        hint: String::new(),
        about: QuestionAbout::Output,
        kind,
        required: true,
        condition: None,
    }
}

/// A question that is shown after certain answers to another one.
fn after(
    governor: &str,
    answers: &[&str],
    key: &str,
    text: &str,
    kind: QuestionKind,
) -> AskedQuestion {
    AskedQuestion {
        condition: Some(QuestionCondition::Answered(QuestionOptions {
            question: governor.to_owned(),
            options: answers.iter().map(|answer| (*answer).to_owned()).collect(),
        })),
        ..asked(key, text, kind)
    }
}
