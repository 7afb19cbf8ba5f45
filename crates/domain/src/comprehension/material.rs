//! The material of a study: passages, their texts in each condition, and their questions.

use std::{collections::BTreeSet, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{AnswerChoice, PassagePurpose};
use crate::span::Span;

/// The name of a passage, a question, a condition or a participant: one line of 1 to 200
/// characters without white space around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct MaterialName(String);

impl MaterialName {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MaterialName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<MaterialName> for String {
    fn from(name: MaterialName) -> Self {
        name.0
    }
}

impl TryFrom<String> for MaterialName {
    type Error = MaterialError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl FromStr for MaterialName {
    type Err = MaterialError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let is_valid =
            (1..=200).contains(&text.chars().count()) && !text.chars().any(char::is_control);
        match is_valid {
            true => Ok(Self(text.to_owned())),
            false => Err(MaterialError::Name),
        }
    }
}

/// The fault of a name, a text or a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MaterialError {
    /// The name is empty.
    #[error("a name is one line of 1 to 200 characters")]
    Name,
    /// The text is blank.
    #[error("the text is empty: fill it in or leave the condition out for this passage")]
    EmptyText,
    /// The question has no words.
    #[error("the question is empty: write what readers are asked")]
    EmptyQuestion,
    /// There are not exactly four answers.
    #[error("a question has four answers in the order of STARC, A to D; here are {0}")]
    Answers(usize),
    /// An answer has no words.
    #[error("answer {0} is empty: fill it in")]
    EmptyAnswer(AnswerChoice),
    /// Two answers are the same but for case and white space.
    #[error("the answers {0} and {1} are the same: readers could not tell them apart")]
    SameAnswers(AnswerChoice, AnswerChoice),
}

/// A text that is not blank.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct NonBlankText(String);

impl NonBlankText {
    /// The text, unchanged.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<NonBlankText> for String {
    fn from(text: NonBlankText) -> Self {
        text.0
    }
}

impl TryFrom<String> for NonBlankText {
    type Error = MaterialError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.trim().is_empty() {
            true => Err(MaterialError::EmptyText),
            false => Ok(Self(text)),
        }
    }
}

/// A multiple-choice question on a passage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    text: String,
    answers: [String; 4],
}

impl Question {
    /// A question with its answers in the order of STARC. White space around texts is dropped.
    ///
    /// # Errors
    /// [`MaterialError`] where a text is missing or two answers are the same but for case and space.
    pub fn new<T: AsRef<str>>(text: &str, answers: &[T]) -> Result<Self, MaterialError> {
        let text = text.trim().to_owned();
        if text.is_empty() {
            return Err(MaterialError::EmptyQuestion);
        }

        let trimmed: Vec<_> = answers
            .iter()
            .map(|answer| answer.as_ref().trim().to_owned())
            .collect();
        let answers: [String; 4] = trimmed
            .try_into()
            .map_err(|answers: Vec<_>| MaterialError::Answers(answers.len()))?;

        for (at, answer) in answers.iter().enumerate() {
            if answer.is_empty() {
                return Err(MaterialError::EmptyAnswer(AnswerChoice::ALL[at]));
            }
            let same = answers[..at]
                .iter()
                .position(|a| fold_case(a) == fold_case(answer));
            if let Some(earlier) = same {
                let (first, second) = (AnswerChoice::ALL[earlier], AnswerChoice::ALL[at]);
                return Err(MaterialError::SameAnswers(first, second));
            }
        }
        Ok(Self { text, answers })
    }

    /// The question's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The four answers, A to D.
    #[must_use]
    pub const fn answers(&self) -> &[String; 4] {
        &self.answers
    }

    /// The text of an answer; `None` for *unanswerable*, whose words are the study's.
    #[must_use]
    pub fn answer(&self, choice: AnswerChoice) -> Option<&str> {
        self.answers.get(choice.index()).map(String::as_str)
    }

    /// The answer with this text, ignoring case and white space.
    #[must_use]
    pub fn choice(&self, answer: &str) -> Option<AnswerChoice> {
        let folded_answer = fold_case(answer);
        let position = self
            .answers
            .iter()
            .position(|own| fold_case(own) == folded_answer);
        position.and_then(AnswerChoice::from_index)
    }
}

/// The places in a condition's text that hold the evidence for a question (STARC).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceSpans {
    /// The critical span, which A and B are about.
    pub critical: Vec<Span>,
    /// The distractor span, from which C comes.
    pub distractor: Vec<Span>,
}

/// A passage with one text a condition and its questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Its name, unlike those of other passages.
    pub name: MaterialName,
    /// Its article or heading; may be empty.
    pub title: String,
    /// The texts by condition.
    pub texts: Vec<(MaterialName, NonBlankText)>,
    /// The questions, each with its name.
    pub questions: Vec<(MaterialName, Question)>,
    /// The places of the evidence by condition and question, as far as a file states them.
    pub spans: Vec<(MaterialName, MaterialName, EvidenceSpans)>,
    /// Its purpose.
    pub purpose: PassagePurpose,
}

/// Something in the material that a lead should check before participants read it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MaterialWarning {
    /// A passage lacks a text in a condition that other passages have.
    MissingText {
        /// The passage.
        passage: MaterialName,
        /// The condition.
        condition: MaterialName,
    },
    /// Two passages have the same text in a condition.
    DuplicatePassage {
        /// The passage.
        passage: MaterialName,
        /// The earlier passage.
        before: MaterialName,
        /// The condition in which they are the same.
        condition: MaterialName,
    },
    /// An answer occurs word for word in a text, so that it can be found without understanding.
    Verbatim {
        /// The passage.
        passage: MaterialName,
        /// The question.
        question: MaterialName,
        /// The answer.
        choice: AnswerChoice,
        /// The condition whose text contains it.
        condition: MaterialName,
    },
    /// A passage has no questions.
    NoQuestion {
        /// The passage.
        passage: MaterialName,
    },
}

impl MaterialWarning {
    /// The passage that it is about.
    #[must_use]
    pub const fn passage(&self) -> &MaterialName {
        match self {
            Self::MissingText { passage, .. }
            | Self::DuplicatePassage { passage, .. }
            | Self::Verbatim { passage, .. }
            | Self::NoQuestion { passage } => passage,
        }
    }
}

impl fmt::Display for MaterialWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingText { passage, condition } => {
                write!(
                    f,
                    "Passage {passage} has no text in {condition}: nobody reads it there."
                )
            }
            Self::DuplicatePassage {
                passage,
                before,
                condition,
            } => write!(
                f,
                "Passages {before} and {passage} have the same text in {condition}."
            ),
            Self::Verbatim {
                passage,
                question,
                choice,
                condition,
            } => write!(
                f,
                "Answer {choice} of question {question} appears word for word in passage {passage} \
                 in {condition}."
            ),
            Self::NoQuestion { passage } => write!(f, "Passage {passage} has no question."),
        }
    }
}

/// Everything that a lead should check, passage by passage.
#[must_use]
pub fn find_material_warnings(passages: &[Passage]) -> Vec<MaterialWarning> {
    let texts = passages.iter().flat_map(|passage| &passage.texts);
    let conditions: BTreeSet<_> = texts.map(|(condition, _)| condition).collect();

    let mut warnings = Vec::new();
    for (at, passage) in passages.iter().enumerate() {
        let name = &passage.name;

        for condition in &conditions {
            if !passage
                .texts
                .iter()
                .any(|(condition_name, _)| condition_name == *condition)
            {
                warnings.push(MaterialWarning::MissingText {
                    passage: name.clone(),
                    condition: (*condition).clone(),
                });
            }
        }

        for text in &passage.texts {
            let before = passages[..at]
                .iter()
                .find(|other| other.texts.contains(text));
            if let Some(before) = before {
                warnings.push(MaterialWarning::DuplicatePassage {
                    passage: name.clone(),
                    before: before.name.clone(),
                    condition: text.0.clone(),
                });
            }
        }

        if passage.questions.is_empty() {
            warnings.push(MaterialWarning::NoQuestion {
                passage: name.clone(),
            });
        }
        warnings.extend(find_verbatim_answers(passage));
    }
    warnings
}

fn find_verbatim_answers(passage: &Passage) -> Vec<MaterialWarning> {
    let folded_texts: Vec<_> = passage
        .texts
        .iter()
        .map(|(condition, text)| (condition, fold_case(text.as_str())))
        .collect();

    let mut warnings = Vec::new();
    for (question, item) in &passage.questions {
        for (at, answer) in item.answers.iter().enumerate() {
            let answer = fold_case(answer);
            let matching_texts = folded_texts
                .iter()
                .filter(|(_, text)| is_within(text, &answer));
            warnings.extend(
                matching_texts.map(|(condition, _)| MaterialWarning::Verbatim {
                    passage: passage.name.clone(),
                    question: question.clone(),
                    choice: AnswerChoice::ALL[at],
                    condition: (*condition).clone(),
                }),
            );
        }
    }
    warnings
}

/// Whether `text` contains `words` as whole words.
fn is_within(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, occurrence)| {
        let before = text[..at].chars().next_back();
        let after = text[at + occurrence.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Lower case, with one space between words.
fn fold_case(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> MaterialName {
        text.parse().unwrap()
    }

    fn passage(own: &str, texts: &[(&str, &str)]) -> Passage {
        let question = Question::new(
            "Who rowed?",
            &["The two sisters", "A ferryman", "Cats", "Nobody"],
        );
        let text = |(condition, text): &(&str, &str)| {
            (
                name(condition),
                NonBlankText::try_from((*text).to_owned()).unwrap(),
            )
        };
        Passage {
            name: name(own),
            title: String::new(),
            texts: texts.iter().map(text).collect(),
            questions: vec![(name("q1"), question.unwrap())],
            spans: vec![],
            purpose: PassagePurpose::Main,
        }
    }

    #[test]
    fn a_question_has_four_answers_that_can_be_told_apart() {
        let bad = |text, answers: &[&str]| Question::new(text, answers).unwrap_err();
        assert_eq!(
            bad(" ", &["a", "b", "c", "d"]),
            MaterialError::EmptyQuestion
        );
        assert_eq!(bad("q", &["a", "b", "c"]), MaterialError::Answers(3));
        assert_eq!(
            bad("q", &["a", "b", " ", "d"]),
            MaterialError::EmptyAnswer(AnswerChoice::C)
        );
        assert_eq!(
            bad("q", &["Red  wine", "b", "red wine ", "d"]),
            MaterialError::SameAnswers(AnswerChoice::A, AnswerChoice::C)
        );
        let good = Question::new(" q ", &[" a", "b", "c", "d"]).unwrap();
        assert_eq!(
            (good.text(), good.answer(AnswerChoice::A)),
            ("q", Some("a"))
        );
        assert_eq!(good.choice("  D "), Some(AnswerChoice::D));
        assert_eq!(good.choice("e"), None);
        assert_eq!(good.answer(AnswerChoice::Unanswerable), None);
    }

    #[test]
    fn a_name_is_one_line() {
        for text in ["", "  ", "a\nb", &"x".repeat(201)] {
            assert_eq!(
                text.parse::<MaterialName>(),
                Err(MaterialError::Name),
                "{text:?}"
            );
        }
        assert_eq!(name(" ChatGPT ").as_str(), "ChatGPT");
    }

    #[test]
    fn what_is_missing_doubled_or_given_away_is_told() {
        let original = "At dawn the  two Sisters rowed. Catsup was sold.";
        let warnings = find_material_warnings(&[
            passage("1", &[("Original", original), ("Simple", "They rowed.")]),
            passage("2", &[("Original", original)]),
        ]);
        let messages: Vec<_> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "Answer A of question q1 appears word for word in passage 1 in Original.",
                "Passage 2 has no text in Simple: nobody reads it there.",
                "Passages 1 and 2 have the same text in Original.",
                "Answer A of question q1 appears word for word in passage 2 in Original.",
            ]
        );
    }
}
