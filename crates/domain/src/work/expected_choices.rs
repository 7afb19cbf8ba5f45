//! The options that a lead expects annotators to choose.

use crate::{
    category::Category,
    ids::OutputId,
    protocol::AnswerStep,
    questions::{AskedQuestion, QuestionAbout, QuestionAnswer, QuestionOptions, QuestionSubject},
    work::{
        change::{AnnotationAnswer, AnnotationSlot, StoredAnswer},
        task::ExpectedAnswer,
    },
};

impl ExpectedAnswer {
    /// The options that are expected of a question. Those of a question about the source are part of the expected
    /// answer of one of its outputs.
    #[must_use]
    pub fn choice(&self, key: &str) -> Option<&QuestionOptions> {
        self.choices.iter().find(|choice| choice.question == key)
    }
}

/// Whether an answer has exactly the expected options, of those that the question offers.
#[must_use]
pub fn has_expected_options(
    question: &AskedQuestion,
    expected: &QuestionOptions,
    answer: Option<&QuestionAnswer>,
) -> bool {
    let chosen_options: Vec<_> = question.chosen(answer).collect();
    let mut options = question.options().iter();
    !chosen_options.is_empty()
        && options.all(|option| {
            expected.options.contains(&option.key) == chosen_options.contains(&option)
        })
}

/// Whether the answers have exactly the expected options, for each expected choice about the source or about a judged
/// output. `judged` is the output with the category that it was put in. A question that was not shown given these
/// answers does not count, nor does one that no longer offers any of the options.
#[must_use]
pub fn check_choices(
    step: &AnswerStep,
    judged: Option<(OutputId, Category)>,
    expected: &ExpectedAnswer,
    answers: &[StoredAnswer],
) -> Vec<bool> {
    let checks = expected.choices.iter().filter_map(|choice| {
        let question = step.find(&choice.question)?;
        let mut options = question.options().iter();
        if !options.any(|option| choice.options.contains(&option.key)) {
            return None;
        }

        let (subject, about) = match question.about {
            QuestionAbout::Output => {
                let (output, category) = judged?;
                (QuestionSubject::Output(output, category), Some(output))
            }
            QuestionAbout::Source => (QuestionSubject::Source, None),
        };
        let shown_questions = step.shown(subject, |output, key| find_answer(answers, output, key));
        let mut shown_questions = shown_questions.iter();
        let is_shown = shown_questions.any(|shown| shown.key == question.key);
        is_shown.then(|| {
            let answer = find_answer(answers, about, &question.key);
            has_expected_options(question, choice, answer.as_ref())
        })
    });
    checks.collect()
}

/// The answer to a question about an output, or about the source.
fn find_answer(
    answers: &[StoredAnswer],
    output: Option<OutputId>,
    key: &str,
) -> Option<QuestionAnswer> {
    let key = key.to_owned();
    let slot = AnnotationSlot::Question { output, key };
    let answer = answers.iter().find(|answer| answer.slot == slot)?;
    match &answer.answer {
        AnnotationAnswer::Question(answer) => answer.clone(),
        _ => None,
    }
}
