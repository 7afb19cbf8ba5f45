//! The answers to a question, and the order in which they are shown.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::random::SeededRandom;

/// An answer to a question, by what it reveals about the reader (STARC), not by where it was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AnswerChoice {
    /// Right: the critical span was understood.
    A,
    /// The critical span was found but misread.
    B,
    /// An answer from elsewhere in the text.
    C,
    /// Not supported by the text.
    D,
    /// The question or its answers are not supported by the text.
    #[serde(rename = "unanswerable")]
    Unanswerable,
}

impl AnswerChoice {
    /// All of them, in the order of STARC.
    pub const ALL: [Self; 5] = [Self::A, Self::B, Self::C, Self::D, Self::Unanswerable];

    /// The name in files, in the store and on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
            Self::Unanswerable => "unanswerable",
        }
    }

    /// The answer at an index in STARC's order, from 0; 4 is *unanswerable*.
    #[must_use]
    pub fn from_index(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// The index in STARC's order, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for AnswerChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that is not the name of an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not an answer: use one of A, B, C, D, unanswerable")]
pub struct UnknownChoice(pub String);

impl FromStr for AnswerChoice {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let choice = Self::ALL.into_iter().find(|choice| choice.name() == text);
        choice.ok_or_else(|| UnknownChoice(text.to_owned()))
    }
}

/// The order in which the four answers of a question are shown; *unanswerable* is always last.
///
/// Its text is the four letters as they are shown, such as `CADB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ChoiceOrder([AnswerChoice; 4]);

impl ChoiceOrder {
    /// A random order; each of the 24 equally likely over seeds.
    #[must_use]
    pub fn random(random: &mut SeededRandom) -> Self {
        let mut order = [
            AnswerChoice::A,
            AnswerChoice::B,
            AnswerChoice::C,
            AnswerChoice::D,
        ];
        random.shuffle(&mut order);
        Self(order)
    }

    /// All five answers as they are shown.
    #[must_use]
    pub const fn shown(self) -> [AnswerChoice; 5] {
        let [first, second, third, fourth] = self.0;
        [first, second, third, fourth, AnswerChoice::Unanswerable]
    }

    /// The answer shown at a position, from 1 to 5; `None` for any other number. Pages identify
    /// answers by position, because their letters would reveal the right one.
    #[must_use]
    pub fn choice_at(self, place: u8) -> Option<AnswerChoice> {
        let index = usize::from(place).checked_sub(1)?;
        self.shown().get(index).copied()
    }

    /// The position at which an answer is shown, from 1 to 5.
    #[must_use]
    pub fn place_of(self, choice: AnswerChoice) -> u8 {
        let before = self.0.iter().take_while(|shown| **shown != choice);
        u8::try_from(before.count() + 1).expect("there are five places")
    }
}

impl fmt::Display for ChoiceOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|choice| choice.fmt(f))
    }
}

impl From<ChoiceOrder> for String {
    fn from(order: ChoiceOrder) -> Self {
        order.to_string()
    }
}

/// A text that is not an order of the four answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is not an order of answers: write the letters A, B, C and D once each, such as CADB"
)]
pub struct ChoiceOrderError(pub String);

impl FromStr for ChoiceOrder {
    type Err = ChoiceOrderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_order(text).ok_or_else(|| ChoiceOrderError(text.to_owned()))
    }
}

fn parse_order(text: &str) -> Option<ChoiceOrder> {
    let letters = text.chars().map(|letter| match letter {
        'A' => Some(AnswerChoice::A),
        'B' => Some(AnswerChoice::B),
        'C' => Some(AnswerChoice::C),
        'D' => Some(AnswerChoice::D),
        _ => None,
    });
    let choices: Vec<_> = letters.collect::<Option<_>>()?;
    let order: [AnswerChoice; 4] = choices.try_into().ok()?;

    let is_complete = AnswerChoice::ALL[..4]
        .iter()
        .all(|choice| order.contains(choice));
    is_complete.then_some(ChoiceOrder(order))
}

impl TryFrom<String> for ChoiceOrder {
    type Error = ChoiceOrderError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_order_is_refused() {
        for text in ["", "ABC", "AABC", "ABCDA", "ABCE", "abcd"] {
            assert_eq!(
                text.parse::<ChoiceOrder>(),
                Err(ChoiceOrderError(text.to_owned()))
            );
        }
    }

    proptest! {
        #[test]
        fn an_order_shows_each_answer_once_and_unanswerable_last(seed: u64) {
            let order = ChoiceOrder::random(&mut SeededRandom::new(seed));
            prop_assert_eq!(order.to_string().parse(), Ok(order));
            let mut shown = order.shown();
            prop_assert_eq!(shown[4], AnswerChoice::Unanswerable);
            for (place, choice) in (1..).zip(shown) {
                prop_assert_eq!(order.place_of(choice), place);
                prop_assert_eq!(order.choice_at(place), Some(choice));
            }
            prop_assert_eq!((order.choice_at(0), order.choice_at(6)), (None, None));
            shown.sort_unstable();
            prop_assert_eq!(shown, AnswerChoice::ALL);
        }

        #[test]
        fn a_choice_is_its_name_and_its_index(index in 0..5_usize) {
            let choice = AnswerChoice::from_index(index).unwrap();
            prop_assert_eq!(choice.index(), index);
            prop_assert_eq!(choice.name().parse(), Ok(choice));
            prop_assert_eq!(serde_json::to_value(choice).unwrap(), choice.name());
        }
    }
}
