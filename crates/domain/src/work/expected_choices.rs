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
    /// The options that are expected of a question. Those of a question about the source are with one of its outputs.
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
    let given: Vec<_> = question.chosen(answer).collect();
    let mut options = question.options().iter();
    !given.is_empty()
        && options.all(|option| expected.options.contains(&option.key) == given.contains(&option))
}

/// For each expected choice about the source or, where it was judged, about an output, whether the answers have exactly
/// these options. `judged` is the output with the category that it was put in. A question that was not shown beside these
/// answers does not count, nor does one that no longer offers any of the options.
#[must_use]
pub fn check_choices(
    step: &AnswerStep,
    judged: Option<(OutputId, Category)>,
    expected: &ExpectedAnswer,
    answers: &[StoredAnswer],
) -> Vec<bool> {
    let given = |output: Option<OutputId>, key: &str| {
        let key = key.to_owned();
        let slot = AnnotationSlot::Question { output, key };
        let answer = answers.iter().find(|answer| answer.slot == slot)?;
        match &answer.answer {
            AnnotationAnswer::Question(answer) => answer.clone(),
            _ => None,
        }
    };
    let check = |choice: &QuestionOptions| {
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
        let shown = step.shown(subject, given);
        let is_shown = shown.iter().any(|shown| shown.key == question.key);
        is_shown.then(|| {
            let answer = given(about, &question.key);
            has_expected_options(question, choice, answer.as_ref())
        })
    };
    expected.choices.iter().filter_map(check).collect()
}
