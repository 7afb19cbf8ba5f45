//! Shares of answers: of a condition, of an item, and on chosen questions.

use std::collections::BTreeMap;

use domain::{
    comprehension::{
        AnswerChoice, AnswerTable, AnswerabilityDenominator, ChoiceTally, ItemFigures,
    },
    statistics::quality::Proportion,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::cli::comprehension::report::ChosenAnswerability;

/// Percentages from 0 to 100; null where there is no answer.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TallyJson {
    /// Answered questions.
    n: usize,
    /// Right answers, in per cent.
    correct: Option<f64>,
    /// Answers B, in per cent.
    #[serde(rename = "B")]
    b: Option<f64>,
    /// Answers C, in per cent.
    #[serde(rename = "C")]
    c: Option<f64>,
    /// Answers D, in per cent.
    #[serde(rename = "D")]
    d: Option<f64>,
    /// Answers that the text does not tell, in per cent.
    unanswerable: Option<f64>,
    /// Answers other than that, in per cent.
    answerability: Option<f64>,
}

/// A passage, or a question of one: all answers together, and those of each condition that has some.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ItemJson<'a> {
    /// The passage.
    passage: &'a str,
    /// The question; none where all of the passage are together.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a str>,
    #[serde(flatten)]
    tally: TallyJson,
    /// The same of each condition.
    conditions: BTreeMap<&'a str, TallyJson>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AnswerabilityJson<'a> {
    /// The chosen conditions.
    chosen: &'a [String],
    /// The number of questions.
    questions: usize,
    /// The total of the shares: the `chosen` questions, or as the `paper` has it.
    denominator: &'static str,
    /// The share of each condition.
    conditions: BTreeMap<&'a str, AnswerabilityShareJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct AnswerabilityShareJson {
    /// In per cent; null without a question.
    answerability: Option<f64>,
    /// The number of questions.
    n: usize,
}

impl From<ChoiceTally> for TallyJson {
    fn from(tally: ChoiceTally) -> Self {
        let share = |choice| percent(tally.share(choice));
        Self {
            n: tally.n(),
            correct: share(AnswerChoice::A),
            b: share(AnswerChoice::B),
            c: share(AnswerChoice::C),
            d: share(AnswerChoice::D),
            unanswerable: share(AnswerChoice::Unanswerable),
            answerability: percent(tally.answerability()),
        }
    }
}

pub(super) fn item_json<'a>(item: &ItemFigures, answers: &'a AnswerTable) -> ItemJson<'a> {
    let tallies = answers.conditions().iter().zip(&item.by_condition);
    let answered = tallies.filter(|(_, tally)| tally.n() > 0);
    ItemJson {
        passage: &answers.passages()[item.passage],
        question: item.question.map(|at| &answers.questions()[at].1[..]),
        tally: item.all.into(),
        conditions: answered
            .map(|(name, tally)| (&name[..], (*tally).into()))
            .collect(),
    }
}

pub(super) fn answerability_json<'a>(
    chosen: &'a ChosenAnswerability,
    answers: &'a AnswerTable,
) -> AnswerabilityJson<'a> {
    let shares = answers.conditions().iter().zip(&chosen.shares);
    let share_json = |(name, share): (&'a String, &Proportion)| {
        let json = AnswerabilityShareJson {
            answerability: percent(*share),
            n: share.total,
        };
        (&name[..], json)
    };

    AnswerabilityJson {
        chosen: &chosen.conditions,
        questions: chosen.questions,
        denominator: match chosen.denominator {
            AnswerabilityDenominator::Chosen => "chosen",
            AnswerabilityDenominator::Paper => "paper",
        },
        conditions: shares.map(share_json).collect(),
    }
}

fn percent(share: Proportion) -> Option<f64> {
    // Multiplied by 100 first, as is usual for percentages of counts.
    let defined = share.rate().ok();
    defined.map(|_| 100.0 * share.count as f64 / share.total as f64)
}
