//! Screening: questions that decide who takes part, and how many of each kind.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The questions that a person answers before they take part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct RaterScreening(Vec<ChoiceQuestion>);

/// A question with answers to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct ChoiceQuestion {
    /// The question.
    pub question: String,
    /// The answers, in the order in which they are shown; two or more.
    pub answers: Vec<ChoiceAnswer>,
}

/// An answer to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct ChoiceAnswer {
    /// Its text.
    pub text: String,
    /// Whether people who choose it may take part.
    pub accepted: bool,
    /// How many people who choose it take part; absent for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<u32>,
}

/// The outcome of screening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScreeningOutcome {
    /// The person may take part.
    Accepted,
    /// An answer is not accepted.
    NotAccepted,
    /// Every place for one of the answers is taken.
    QuotaFull,
}

/// A line that is not a screening question, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct BadScreening {
    /// The line, from 1.
    pub line: usize,
    /// The fault, and what is right instead.
    pub fault: String,
}

/// The mark before an answer that is accepted.
const ACCEPTED: char = '+';

impl RaterScreening {
    /// The most questions.
    pub const MOST_QUESTIONS: usize = 20;
    /// The most answers to one question.
    pub const MOST_ANSWERS: usize = 50;
    /// The longest question or answer, in characters.
    pub const LONGEST_LINE: usize = 300;
    /// The most places for one answer.
    pub const MOST_PLACES: u32 = 100_000;

    /// The questions.
    #[must_use]
    pub fn questions(&self) -> &[ChoiceQuestion] {
        &self.0
    }

    /// Reads questions, one a line: `First language | + English = 20 | + another = 20 | none`. Answers with a plus
    /// are accepted; without any plus, all are. A number after `=` limits the places.
    ///
    /// # Errors
    /// [`BadScreening`] for a line that is not a question with two or more answers.
    pub fn parse(text: &str) -> Result<Self, BadScreening> {
        let mut questions = vec![];
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let question = ChoiceQuestion::parse(line);
            questions.push(question.map_err(|fault| BadScreening {
                line: at + 1,
                fault,
            })?);
        }

        let screening = Self(questions);
        screening.check()?;
        Ok(screening)
    }

    /// Checks what the types do not guarantee, for questions that come from a file.
    ///
    /// # Errors
    /// The first fault, with the number of its question.
    pub fn check(&self) -> Result<(), BadScreening> {
        if self.0.len() > Self::MOST_QUESTIONS {
            return Err(BadScreening {
                line: Self::MOST_QUESTIONS + 1,
                fault: format!("there are more than {} questions", Self::MOST_QUESTIONS),
            });
        }

        for (at, question) in self.0.iter().enumerate() {
            question.check().map_err(|fault| BadScreening {
                line: at + 1,
                fault,
            })?;
        }
        Ok(())
    }

    /// The outcome for a person with these answers. `taken` returns the number of participants who gave an answer to
    /// a question, which is numbered from 0.
    ///
    /// # Errors
    /// The first question without an answer, or with one that it does not offer.
    pub fn judge(
        &self,
        answers: &[String],
        taken: impl Fn(usize, &str) -> u32,
    ) -> Result<ScreeningOutcome, &ChoiceQuestion> {
        let mut chosen_answers = vec![];
        for (at, question) in self.0.iter().enumerate() {
            let answer = answers.get(at);
            let answer = answer
                .and_then(|answer| question.find(answer))
                .ok_or(question)?;
            chosen_answers.push((at, answer));
        }
        Ok(judge_chosen(&chosen_answers, taken))
    }

    /// Whether there is an answer with which people cannot take part.
    #[must_use]
    pub fn excludes_anybody(&self) -> bool {
        let mut answers = self.0.iter().flat_map(|question| &question.answers);
        answers.any(|answer| !answer.accepted)
    }

    /// The numbers of the questions, from 0, to which the person chose an answer without a place left. `taken` is as
    /// for [`judge`](Self::judge).
    pub fn full_questions(
        &self,
        answers: &[String],
        taken: impl Fn(usize, &str) -> u32,
    ) -> Vec<usize> {
        let full_questions = self.0.iter().enumerate().filter(|(at, question)| {
            let answer = answers.get(*at).and_then(|answer| question.find(answer));
            answer.is_some_and(|answer| is_taken(answer, *at, &taken))
        });
        full_questions.map(|(at, _)| at).collect()
    }
}

/// Whether every place for people with this answer to question `at` is taken.
fn is_taken(answer: &ChoiceAnswer, at: usize, taken: impl Fn(usize, &str) -> u32) -> bool {
    let places = answer.places;
    places.is_some_and(|places| taken(at, &answer.text) >= places)
}

/// The outcome for a person who chose these answers, each with the number of its question. `taken` is as for
/// [`RaterScreening::judge`].
pub(crate) fn judge_chosen(
    chosen: &[(usize, &ChoiceAnswer)],
    taken: impl Fn(usize, &str) -> u32,
) -> ScreeningOutcome {
    let mut chosen_answers = chosen.iter();
    if chosen.iter().any(|(_, answer)| !answer.accepted) {
        ScreeningOutcome::NotAccepted
    } else if chosen_answers.any(|(at, answer)| is_taken(answer, *at, &taken)) {
        ScreeningOutcome::QuotaFull
    } else {
        ScreeningOutcome::Accepted
    }
}

impl fmt::Display for RaterScreening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// The line that [`RaterScreening::parse`] reads.
impl fmt::Display for ChoiceQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.question)?;
        for answer in &self.answers {
            f.write_str(" | ")?;
            if answer.accepted {
                write!(f, "{ACCEPTED} ")?;
            }
            f.write_str(&answer.text)?;
            if let Some(places) = answer.places {
                write!(f, " = {places}")?;
            }
        }
        Ok(())
    }
}

impl ChoiceQuestion {
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        let mut parts = line.split('|').map(str::trim);
        let question = parts.next().unwrap_or_default().to_owned();
        let mut answers = parts
            .filter(|part| !part.is_empty())
            .map(ChoiceAnswer::parse)
            .collect::<Result<Vec<_>, _>>()?;

        if !answers.iter().any(|answer| answer.accepted) {
            for answer in &mut answers {
                answer.accepted = true;
            }
        }
        Ok(Self { question, answers })
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        check_line("the question", &self.question)?;
        if !(2..=RaterScreening::MOST_ANSWERS).contains(&self.answers.len()) {
            return Err(format!(
                "“{}” has {} answers: give it two to {}, after bars",
                self.question,
                self.answers.len(),
                RaterScreening::MOST_ANSWERS
            ));
        }

        for (at, answer) in self.answers.iter().enumerate() {
            check_line("an answer", &answer.text)?;
            if self.answers[..at]
                .iter()
                .any(|other| other.text == answer.text)
            {
                return Err(format!("the answer “{}” is there twice", answer.text));
            }
            if answer
                .places
                .is_some_and(|places| !(1..=RaterScreening::MOST_PLACES).contains(&places))
            {
                return Err(format!(
                    "“{}” has places for {} people: write a number from 1 to {}",
                    answer.text,
                    answer.places.unwrap_or_default(),
                    RaterScreening::MOST_PLACES
                ));
            }
            // Nobody who gives an answer that is not accepted takes a place.
            if !answer.accepted && answer.places.is_some() {
                return Err(format!(
                    "“{}” has a number of places but is not accepted: put a plus before it",
                    answer.text
                ));
            }
        }

        if !self.answers.iter().any(|answer| answer.accepted) {
            return Err(format!("no answer to “{}” is accepted", self.question));
        }
        Ok(())
    }

    /// The answer of that text.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<&ChoiceAnswer> {
        self.answers.iter().find(|answer| answer.text == text)
    }
}

impl ChoiceAnswer {
    fn parse(part: &str) -> Result<Self, String> {
        let accepted = part.starts_with(ACCEPTED);
        let part = part.strip_prefix(ACCEPTED).unwrap_or(part).trim();
        let (text, places) = match part.rsplit_once('=') {
            None => (part, None),
            Some((text, places)) => {
                let places = places.trim();
                let number = places.parse().map_err(|_| {
                    format!("“{places}” is not a number of places: write one after “=”")
                })?;
                (text.trim(), Some(number))
            }
        };
        Ok(Self {
            text: text.to_owned(),
            accepted,
            places,
        })
    }
}

pub(crate) fn check_line(name: &str, line: &str) -> Result<(), String> {
    let length = line.chars().count();
    if !(1..=RaterScreening::LONGEST_LINE).contains(&length) {
        return Err(format!(
            "{name} has {length} characters: use 1 to {}",
            RaterScreening::LONGEST_LINE
        ));
    }
    // The page of the settings writes these between and around answers.
    if line.contains(['|', '=']) || line.contains(char::is_control) || line.starts_with(ACCEPTED) {
        return Err(format!("“{line}” cannot hold | or =, nor begin with +"));
    }
    if line.trim() != line {
        return Err(format!("“{line}” has space around it"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LANGUAGE: &str = "First language | + English = 2 | + another = 1 | none of these";

    fn outcome(text: &str, answers: &[&str], taken: u32) -> Option<ScreeningOutcome> {
        let screening = RaterScreening::parse(text).expect("questions");
        let answers: Vec<_> = answers.iter().map(|&answer| answer.to_owned()).collect();
        screening.judge(&answers, |_, _| taken).ok()
    }

    #[test]
    fn answers_decide_who_takes_part() {
        use ScreeningOutcome::{Accepted, NotAccepted, QuotaFull};
        for (answers, taken, expect) in [
            (&["English"][..], 0, Some(Accepted)),
            (&["English"], 1, Some(Accepted)),
            (&["English"], 2, Some(QuotaFull)),
            (&["another"], 1, Some(QuotaFull)),
            (&["none of these"], 0, Some(NotAccepted)),
            (&["none of these"], 9, Some(NotAccepted)),
            (&["Klingon"], 0, None),
            (&[""], 0, None),
            (&[], 0, None),
        ] {
            assert_eq!(
                outcome(LANGUAGE, answers, taken),
                expect,
                "{answers:?} {taken}"
            );
        }
        // A question that only asks accepts every answer.
        assert_eq!(
            outcome("Age | under 40 | 40 or more", &["under 40"], 9),
            Some(Accepted)
        );
        assert_eq!(outcome("", &["anything"], 0), Some(Accepted));
    }

    #[test]
    fn a_line_that_is_no_question_is_named() {
        for (text, expect) in [
            ("Age?", "line 1: “Age?” has 0 answers"),
            ("\nAge? | old", "line 1: “Age?” has 1 answers"),
            (
                "Age? | old | old",
                "line 1: the answer “old” is there twice",
            ),
            (
                "Age? | old = many | young",
                "line 1: “many” is not a number of places",
            ),
            (
                "Age? | + old = 0 | young",
                "line 1: “old” has places for 0 people",
            ),
            (
                "Age? | + old | young = 3",
                "line 1: “young” has a number of places but is not accepted",
            ),
            ("| a | b", "line 1: the question has 0 characters"),
        ] {
            let fault = RaterScreening::parse(text).expect_err(text).to_string();
            assert!(fault.starts_with(expect), "{text}: {fault}");
        }
        let many = "Age? | a | b\n".repeat(21);
        assert!(RaterScreening::parse(&many).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_reads_the_same(
            questions in proptest::collection::vec(
                ("[A-Za-z?]{1,9}", proptest::collection::btree_map("[a-z]{1,5}", (any::<bool>(), 0_u32..4), 2..5)),
                0..4,
            ),
        ) {
            let question = |(question, answers): (String, std::collections::BTreeMap<String, (bool, u32)>)| {
                let mut answers: Vec<_> = answers
                    .into_iter()
                    .map(|(text, (accepted, places))| ChoiceAnswer {
                        text,
                        accepted,
                        places: (accepted && places > 0).then_some(places),
                    })
                    .collect();
                answers[0].accepted = true;
                ChoiceQuestion { question, answers }
            };
            let screening = RaterScreening(questions.into_iter().map(question).collect());
            prop_assert_eq!(screening.check(), Ok(()));
            prop_assert_eq!(RaterScreening::parse(&screening.to_string()), Ok(screening));
        }
    }
}
