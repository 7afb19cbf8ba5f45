//! The settings of a reading-comprehension study, apart from its passages.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::ComprehensionDesign;
use crate::{
    names::names,
    screening::{
        BadScreening, ChoiceAnswer, ChoiceQuestion, RaterScreening, ScreeningOutcome, check_line,
        judge_chosen,
    },
};

/// The purpose of a passage. Only [`PassagePurpose::Main`] enters any figure or export.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum PassagePurpose {
    /// Read for the study.
    #[default]
    Main,
    /// Read first, to get used to the task.
    Practice,
    /// An attention check: an attentive reader answers A.
    Check,
}

names!(PassagePurpose, "purpose of a passage", UnknownPassagePurpose,
    Main => "main", Practice => "practice", Check => "check");

/// A question that participants answer before they begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreeningQuestion {
    /// The question, for example about the first language.
    pub question: String,
    /// The answers to choose from; empty for a free-text answer.
    #[serde(deserialize_with = "read_answers")]
    pub answers: Vec<ChoiceAnswer>,
}

/// Reads answers. In older settings an answer is only a text, which is accepted.
fn read_answers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<ChoiceAnswer>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum AnswerForm {
        Text(String),
        Answer(ChoiceAnswer),
    }

    let forms = Vec::<AnswerForm>::deserialize(from)?.into_iter();
    let answers = forms.map(|form| match form {
        AnswerForm::Answer(answer) => answer,
        AnswerForm::Text(text) => ChoiceAnswer {
            text,
            accepted: true,
            places: None,
        },
    });
    Ok(answers.collect())
}

impl ScreeningQuestion {
    /// Reads questions, one a line, as [`RaterScreening::parse`] does; a line without answers asks for a text.
    ///
    /// # Errors
    /// For a line that is not a question, or has one answer, and for more than
    /// [`RaterScreening::MOST_QUESTIONS`] questions.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, BadScreening> {
        let lines = text.lines().zip(1..);
        let lines = lines.filter(|(line, _)| !line.trim().is_empty());
        let questions = lines.map(|(line, number)| {
            Self::parse_line(line).map_err(|fault| BadScreening {
                line: number,
                fault,
            })
        });
        let questions: Vec<_> = questions.collect::<Result<_, _>>()?;

        match questions.len() {
            ..=RaterScreening::MOST_QUESTIONS => Ok(questions),
            count => Err(BadScreening {
                line: RaterScreening::MOST_QUESTIONS + 1,
                fault: format!(
                    "there are {count} questions: ask at most {}",
                    RaterScreening::MOST_QUESTIONS
                ),
            }),
        }
    }

    fn parse_line(line: &str) -> Result<Self, String> {
        let ChoiceQuestion { question, answers } = ChoiceQuestion::parse(line)?;
        let question = Self { question, answers };
        question.check()?;
        Ok(question)
    }

    /// Checks what the types do not say.
    ///
    /// # Errors
    /// The first fault, and what is right instead.
    pub fn check(&self) -> Result<(), String> {
        match self.answers.is_empty() {
            true => check_line("the question", &self.question),
            false => self.as_choice().check(),
        }
    }

    fn as_choice(&self) -> ChoiceQuestion {
        ChoiceQuestion {
            question: self.question.clone(),
            answers: self.answers.clone(),
        }
    }
}

/// The line that [`ScreeningQuestion::parse_all`] reads.
impl fmt::Display for ScreeningQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_choice().fmt(f)
    }
}

/// The settings of a reading-comprehension study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComprehensionSettings {
    /// The assignment of texts to participants.
    pub design: ComprehensionDesign,
    /// Whether the text is hidden while the questions are shown.
    pub hides_text: bool,
    /// Whether a participant may return to a finished passage.
    pub goes_back: bool,
    /// The information sheet that participants consent to, as Markdown; links can only be made once
    /// there is one.
    pub information: String,
    /// The instructions shown before participants begin, as Markdown.
    pub instructions: String,
    /// The text of the answer *unanswerable*.
    pub unanswerable: String,
    /// The questions asked before the study begins.
    pub screening: Vec<ScreeningQuestion>,
    /// The code shown at the end, for the platform that pays participants.
    pub completion_code: String,
    /// The code for those whose answers to the screening questions are not accepted, or come too often.
    pub screened_out_code: String,
    /// The link offered at the end; empty for none.
    pub return_link: String,
    /// How long an inactive participant keeps a place, in hours.
    pub lease_hours: u32,
    /// Whether only people whose link holds their platform ID may begin.
    pub needs_platform_id: bool,
}

impl Default for ComprehensionSettings {
    fn default() -> Self {
        Self {
            design: ComprehensionDesign::default(),
            hides_text: false,
            goes_back: true,
            information: String::new(),
            instructions: String::new(),
            unanswerable: "The text does not support the question or any of its answers.".into(),
            screening: vec![],
            completion_code: String::new(),
            screened_out_code: String::new(),
            return_link: String::new(),
            lease_hours: 3,
            needs_platform_id: false,
        }
    }
}

impl ComprehensionSettings {
    /// The outcome of screening for a person with these answers. `taken` gives the number of people who take part, by
    /// question and answer. Free text is always accepted.
    ///
    /// # Errors
    /// The first question whose answer is not one of its choices.
    pub fn judge_screening(
        &self,
        answers: &[String],
        taken: impl Fn(usize, &str) -> u32,
    ) -> Result<ScreeningOutcome, &ScreeningQuestion> {
        let mut choices = vec![];
        for (at, question) in self.screening.iter().enumerate() {
            if question.answers.is_empty() {
                continue;
            }
            let text = answers.get(at).map_or("", String::as_str);
            let choice = question.answers.iter().find(|choice| choice.text == text);
            choices.push((at, choice.ok_or(question)?));
        }
        Ok(judge_chosen(&choices, taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "First language | + English = 2 | + another | none\nWhat do you read most?";

    #[test]
    fn answers_decide_who_reads() {
        use ScreeningOutcome::{Accepted, NotAccepted, QuotaFull};
        let settings = ComprehensionSettings {
            screening: ScreeningQuestion::parse_all(LINES).expect("questions"),
            ..ComprehensionSettings::default()
        };
        for (answers, taken, expected) in [
            (&["English", "novels"][..], 1, Some(Accepted)),
            (&["English", "novels"], 2, Some(QuotaFull)),
            (&["another", ""], 9, Some(Accepted)),
            (&["none", "novels"], 0, Some(NotAccepted)),
            (&["Klingon", "novels"], 0, None),
            (&[], 0, None),
        ] {
            let given: Vec<_> = answers.iter().map(|&answer| answer.to_owned()).collect();
            let outcome = settings.judge_screening(&given, |_, _| taken);
            assert_eq!(outcome.ok(), expected, "{answers:?}");
        }
    }

    #[test]
    fn questions_are_written_as_they_are_read() {
        let questions = ScreeningQuestion::parse_all(LINES).expect("questions");
        let lines: Vec<_> = questions.iter().map(ToString::to_string).collect();
        assert_eq!(lines.join("\n"), LINES);
        let json = serde_json::to_string(&questions).expect("JSON");
        assert_eq!(serde_json::from_str::<Vec<_>>(&json).ok(), Some(questions));
        for (line, fault) in [
            ("Age | old", "line 1: “Age” has 1 answers"),
            ("\n| a | b", "line 2: the question has 0 characters"),
        ] {
            let refused = ScreeningQuestion::parse_all(line)
                .expect_err(line)
                .to_string();
            assert!(refused.starts_with(fault), "{refused}");
        }
    }

    #[test]
    fn answers_of_older_settings_are_accepted() {
        let stored = r#"{"question": "First language", "answers": ["English", "another"]}"#;
        let read: ScreeningQuestion = serde_json::from_str(stored).expect("a question");
        assert_eq!(read.to_string(), "First language | + English | + another");
    }
}
