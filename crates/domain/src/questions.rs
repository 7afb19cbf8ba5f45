//! Questions about outputs or whole sources, their answers, and the conditions under which they are shown.

use std::{collections::BTreeSet, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::{category::Category, ids::OutputId, names::names};

/// The settings of a step that asks questions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct AnswerStep {
    /// The questions, in the order in which annotators see them.
    pub questions: Vec<AskedQuestion>,
}

/// A question of a step that asks questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct AskedQuestion {
    /// Its short name, which answers and exports hold.
    pub key: String,
    /// The wording.
    pub text: String,
    /// A sentence that helps to answer it; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// The text that it is about.
    pub about: QuestionAbout,
    /// How it is answered.
    pub kind: QuestionKind,
    /// Whether a source can be submitted only once it is answered, wherever it is shown.
    #[serde(default)]
    pub required: bool,
    /// Where it is shown; `None`: everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<QuestionCondition>,
}

/// The text that a question is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum QuestionAbout {
    /// Each output.
    #[default]
    Output,
    /// The source, once for all of its outputs.
    Source,
}

names!(QuestionAbout, "text that a question is about", UnknownQuestionAbout,
    Output => "output", Source => "source");

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// By one of these options.
    One(Vec<AnswerOption>),
    /// By one or more of these options.
    Several(Vec<AnswerOption>),
    /// By a text of at most this number of characters.
    Text(u32),
}

/// An answer that a question offers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct AnswerOption {
    /// Its short name, which answers and exports hold.
    pub key: String,
    /// Its wording.
    pub label: String,
}

/// The circumstances under which a question is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum QuestionCondition {
    /// An earlier question is shown, and its answer has one of these options.
    Answered(QuestionOptions),
    /// The annotator has the output in one of these categories.
    Category(Vec<Category>),
}

/// Options of a question: those that show another one, or that are expected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct QuestionOptions {
    /// The key of the question.
    pub question: String,
    /// The keys of the options.
    pub options: Vec<String>,
}

/// The answer to a question, by the keys of its options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionAnswer {
    /// One option.
    One(String),
    /// Several options, in the order of the question.
    Several(Vec<String>),
    /// A text.
    Text(String),
}

impl QuestionAnswer {
    /// The keys of the chosen options; none of a text.
    #[must_use]
    pub fn options(&self) -> &[String] {
        match self {
            Self::One(option) => std::slice::from_ref(option),
            Self::Several(options) => options,
            Self::Text(_) => &[],
        }
    }
}

/// The text for which questions are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionSubject {
    /// The source.
    Source,
    /// An output, in the category that it has for the annotator.
    Output(OutputId, Category),
}

impl QuestionSubject {
    /// The output; `None` for the source.
    #[must_use]
    pub const fn output(self) -> Option<OutputId> {
        match self {
            Self::Source => None,
            Self::Output(output, _) => Some(output),
        }
    }
}

/// The reason why the questions of a step are not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadQuestions {
    /// There is none, or far too many.
    #[error("there are {0} questions: ask {low} to {high}", low = AnswerStep::COUNT.start(), high = AnswerStep::COUNT.end())]
    Count(usize),
    /// A key is not a short name.
    #[error("“{0}” cannot be the key of a question or option: use 1 to {most} of the characters a–z, 0–9 and -", most = AnswerStep::LONGEST_KEY)]
    Key(String),
    /// Two questions, or two options of one question, have the same key.
    #[error("the key “{0}” is there twice")]
    Twice(String),
    /// A wording is empty or too long.
    #[error("the wording of “{0}” has {1} characters: use 1 to {2}")]
    Wording(String, usize, usize),
    /// A hint is too long.
    #[error("the hint of “{0}” has more than {most} characters", most = AnswerStep::LONGEST_TEXT)]
    Hint(String),
    /// A question offers too few or too many options.
    #[error("“{0}” has {1} options: offer {low} to {high}", low = AnswerStep::OPTIONS.start(), high = AnswerStep::OPTIONS.end())]
    Options(String, usize),
    /// The limit of a text is 0, or too large.
    #[error("the answer to “{0}” cannot have {1} characters: allow {low} to {high}", low = AnswerStep::LENGTH.start(), high = AnswerStep::LENGTH.end())]
    Length(String, u32),
    /// A condition names no earlier question with options.
    #[error("“{0}” cannot depend on “{1}”, which is not an earlier question with options")]
    Governor(String, String),
    /// A question about the source depends on an output.
    #[error("“{0}” is about the source, so it cannot depend on a question about each output")]
    SourceOnOutput(String),
    /// A condition names an option that the question does not offer.
    #[error("“{0}” depends on the answer “{1}”, which “{2}” does not offer")]
    Option(String, String, String),
    /// A condition names no option or category, so that its question is never shown.
    #[error(
        "“{0}” is never shown: its condition names no answer or category under which it would be"
    )]
    Never(String),
    /// A condition names categories, but there are none or the question is about the source.
    #[error(
        "“{0}” cannot depend on categories: that needs a question about each output, and the step “Categorise” or “Rank & rate”"
    )]
    Category(String),
}

impl AnswerStep {
    /// The number of questions.
    pub const COUNT: RangeInclusive<usize> = 1..=30;
    /// The number of options of a question.
    pub const OPTIONS: RangeInclusive<usize> = 2..=12;
    /// The limits that a text may have, in characters.
    pub const LENGTH: RangeInclusive<u32> = 1..=5000;
    /// The longest key, in characters.
    pub const LONGEST_KEY: usize = 40;
    /// The longest wording or hint of a question, in characters.
    pub const LONGEST_TEXT: usize = 500;
    /// The longest wording of an option, in characters.
    pub const LONGEST_LABEL: usize = 100;

    /// The question of this key.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<&AskedQuestion> {
        self.questions.iter().find(|question| question.key == key)
    }

    /// Whether any question is about the source, or about each output.
    #[must_use]
    pub fn asks(&self, about: QuestionAbout) -> bool {
        self.questions.iter().any(|asked| asked.about == about)
    }

    /// The questions about a text that are shown given these answers, in their order. A question whose condition
    /// names a hidden question is hidden, too.
    pub fn shown(
        &self,
        subject: QuestionSubject,
        answer: impl Fn(Option<OutputId>, &str) -> Option<QuestionAnswer>,
    ) -> Vec<&AskedQuestion> {
        let mut visible: Vec<&AskedQuestion> = vec![];
        for question in &self.questions {
            if question.about == QuestionAbout::Output && subject == QuestionSubject::Source {
                continue;
            }

            let is_shown = match &question.condition {
                None => true,
                Some(QuestionCondition::Category(categories)) => match subject {
                    QuestionSubject::Source => false,
                    QuestionSubject::Output(_, category) => categories.contains(&category),
                },
                Some(QuestionCondition::Answered(QuestionOptions {
                    question: key,
                    options,
                })) => {
                    let governor = visible.iter().find(|earlier| earlier.key == *key);
                    governor.is_some_and(|governor| {
                        let output = match governor.about {
                            QuestionAbout::Output => subject.output(),
                            QuestionAbout::Source => None,
                        };
                        let answer = answer(output, key);
                        governor
                            .chosen(answer.as_ref())
                            .any(|option| options.contains(&option.key))
                    })
                }
            };

            if is_shown {
                visible.push(question);
            }
        }

        // Questions about the source can govern those about an output, but are shown in a place of their own.
        let about = match subject {
            QuestionSubject::Source => QuestionAbout::Source,
            QuestionSubject::Output(..) => QuestionAbout::Output,
        };
        visible.retain(|question| question.about == about);
        visible
    }

    /// Checks the questions; `categorises` says whether the protocol puts outputs in categories.
    ///
    /// # Errors
    /// [`BadQuestions`] names the first fault.
    pub fn check(&self, categorises: bool) -> Result<(), BadQuestions> {
        if !Self::COUNT.contains(&self.questions.len()) {
            return Err(BadQuestions::Count(self.questions.len()));
        }
        check_keys(self.questions.iter().map(|question| question.key.as_str()))?;
        for (at, question) in self.questions.iter().enumerate() {
            question.check()?;
            question.check_condition(&self.questions[..at], categorises)?;
        }
        Ok(())
    }
}

impl AskedQuestion {
    /// The options; none where it is answered by a text.
    #[must_use]
    pub fn options(&self) -> &[AnswerOption] {
        match &self.kind {
            QuestionKind::One(options) | QuestionKind::Several(options) => options,
            QuestionKind::Text(_) => &[],
        }
    }

    /// The options that an answer has and the question still offers.
    pub fn chosen<'a>(
        &'a self,
        answer: Option<&'a QuestionAnswer>,
    ) -> impl Iterator<Item = &'a AnswerOption> {
        let is_of_kind = matches!(
            (&self.kind, answer),
            (QuestionKind::One(_), Some(QuestionAnswer::One(_)))
                | (QuestionKind::Several(_), Some(QuestionAnswer::Several(_)))
        );
        let chosen_keys = answer
            .filter(|_| is_of_kind)
            .map_or(&[] as &[String], QuestionAnswer::options);

        let mut options = self.options().iter();
        std::iter::from_fn(move || options.find(|option| chosen_keys.contains(&option.key)))
    }

    /// Whether the question offers an option of this key.
    fn offers(&self, key: &str) -> bool {
        self.options().iter().any(|option| option.key == key)
    }

    /// Whether this is an answer to it: of its kind, with an option that it offers, or with words.
    #[must_use]
    pub fn is_answered_by(&self, answer: Option<&QuestionAnswer>) -> bool {
        match (&self.kind, answer) {
            (QuestionKind::Text(_), Some(QuestionAnswer::Text(text))) => !text.trim().is_empty(),
            _ => self.chosen(answer).next().is_some(),
        }
    }

    /// Checks an answer before it is stored.
    ///
    /// # Errors
    /// A sentence for the annotator.
    pub fn check_answer(&self, answer: &QuestionAnswer) -> Result<(), BadAnswer> {
        let key = || self.key.clone();
        match (&self.kind, answer) {
            (QuestionKind::Text(most), QuestionAnswer::Text(text)) => {
                if text.contains('\0') {
                    return Err(BadAnswer::Nul(key()));
                }

                let length = text.chars().count();
                match usize::try_from(*most).is_ok_and(|most| length <= most) {
                    true => Ok(()),
                    false => Err(BadAnswer::Long(key(), length, *most)),
                }
            }
            (QuestionKind::One(_), QuestionAnswer::One(_))
            | (QuestionKind::Several(_), QuestionAnswer::Several(_)) => {
                let options = answer.options();
                let unique: BTreeSet<_> = options.iter().collect();

                match options.iter().find(|option| !self.offers(option)) {
                    Some(_) => Err(BadAnswer::Option(key())),
                    None if options.is_empty() || unique.len() != options.len() => {
                        Err(BadAnswer::Twice(key()))
                    }
                    None => Ok(()),
                }
            }
            _ => Err(BadAnswer::Kind(key())),
        }
    }

    fn check(&self) -> Result<(), BadQuestions> {
        check_wording(&self.key, &self.text, AnswerStep::LONGEST_TEXT)?;
        if self.hint.chars().count() > AnswerStep::LONGEST_TEXT {
            return Err(BadQuestions::Hint(self.key.clone()));
        }

        match &self.kind {
            QuestionKind::Text(most) if !AnswerStep::LENGTH.contains(most) => {
                Err(BadQuestions::Length(self.key.clone(), *most))
            }
            QuestionKind::Text(_) => Ok(()),
            QuestionKind::One(options) | QuestionKind::Several(options) => {
                if !AnswerStep::OPTIONS.contains(&options.len()) {
                    return Err(BadQuestions::Options(self.key.clone(), options.len()));
                }
                check_keys(options.iter().map(|option| option.key.as_str()))?;
                options.iter().try_for_each(|option| {
                    check_wording(&option.key, &option.label, AnswerStep::LONGEST_LABEL)
                })
            }
        }
    }

    fn check_condition(&self, earlier: &[Self], categorises: bool) -> Result<(), BadQuestions> {
        let key = || self.key.clone();

        match &self.condition {
            None => Ok(()),
            Some(QuestionCondition::Category(categories)) => match (categorises, self.about) {
                (true, QuestionAbout::Output) if categories.is_empty() => {
                    Err(BadQuestions::Never(key()))
                }
                (true, QuestionAbout::Output) => Ok(()),
                _ => Err(BadQuestions::Category(key())),
            },
            Some(QuestionCondition::Answered(QuestionOptions { question, options })) => {
                let governor = earlier.iter().find(|earlier| earlier.key == *question);
                let governor = governor
                    .filter(|governor| !governor.options().is_empty())
                    .ok_or_else(|| BadQuestions::Governor(key(), question.clone()))?;
                if self.about == QuestionAbout::Source && governor.about == QuestionAbout::Output {
                    return Err(BadQuestions::SourceOnOutput(key()));
                }

                match options.iter().find(|option| !governor.offers(option)) {
                    Some(option) => Err(BadQuestions::Option(
                        key(),
                        option.clone(),
                        question.clone(),
                    )),
                    None if options.is_empty() => Err(BadQuestions::Never(key())),
                    None => Ok(()),
                }
            }
        }
    }
}

/// The reason why an answer does not fit its question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// It is of another kind than the question asks for.
    #[error("the question “{0}” is answered in another way (now): reload the page")]
    Kind(String),
    /// It has an option that the question does not offer.
    #[error("the question “{0}” does not offer this answer: reload the page")]
    Option(String),
    /// It has no option, or one twice.
    #[error("the answer to “{0}” must have at least one option, and none twice")]
    Twice(String),
    /// Its text is too long.
    #[error("the answer to “{0}” has {1} characters: write at most {2}")]
    Long(String, usize, u32),
    /// Its text has a character that cannot be stored.
    #[error("the answer to “{0}” cannot hold a NUL character")]
    Nul(String),
}

fn check_keys<'a>(keys: impl Iterator<Item = &'a str>) -> Result<(), BadQuestions> {
    let mut unique_keys = BTreeSet::new();
    for key in keys {
        let has_allowed_bytes = key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if key.is_empty() || key.len() > AnswerStep::LONGEST_KEY || !has_allowed_bytes {
            return Err(BadQuestions::Key(key.to_owned()));
        }
        if !unique_keys.insert(key) {
            return Err(BadQuestions::Twice(key.to_owned()));
        }
    }
    Ok(())
}

fn check_wording(key: &str, text: &str, most: usize) -> Result<(), BadQuestions> {
    let length = text.trim().chars().count();
    match (1..=most).contains(&length) {
        true => Ok(()),
        false => Err(BadQuestions::Wording(key.to_owned(), length, most)),
    }
}

#[cfg(test)]
mod tests;
