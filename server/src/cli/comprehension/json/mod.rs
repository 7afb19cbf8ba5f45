//! Reading comprehension as JSON.

mod predictors;
mod shares;

use std::collections::BTreeMap;

use domain::{
    comprehension::{ConditionFigures, DoubleAgreement, ItemFigures, RankingStability},
    statistics::UndefinedReason,
};
use serde::Serialize;
use utoipa::ToSchema;

use self::{
    predictors::{MetricCorrelationsJson, SupportJson},
    shares::{AnswerabilityJson, ItemJson, TallyJson, answerability_json, item_json},
};
use super::report::ComprehensionReport;
use crate::reports::UndefinedReasons;

/// The figures of each condition; whatever else was requested has a key of its own.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct ComprehensionJson<'a> {
    /// Each version of the text that was read, by its name.
    conditions: BTreeMap<&'a str, ConditionJson>,
    /// How many of the questions that are answerable in the chosen conditions are answerable in each.
    #[serde(skip_serializing_if = "Option::is_none")]
    answerable_in: Option<AnswerabilityJson<'a>>,
    /// How stable the order of conditions is with fewer passages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stability: Vec<StabilityJson>,
    /// Each passage, with `--by passage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    passages: Option<Vec<ItemJson<'a>>>,
    /// Each question.
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<Vec<ItemJson<'a>>>,
    /// How well the words of an output predict that a question is unanswerable.
    #[serde(skip_serializing_if = "Option::is_none")]
    support: Option<SupportJson<'a>>,
    /// How well metrics order the conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<MetricCorrelationsJson<'a>>,
    /// Agreement of two people who answered the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<DoubleAgreementJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct ConditionJson {
    #[serde(flatten)]
    tally: TallyJson,
    /// 1 for the highest accuracy; null without an answer.
    rank: Option<usize>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
enum StabilityJson {
    Defined {
        /// The number of passages drawn.
        passages: usize,
        /// The mean over draws of Spearman's rho with the order of all passages.
        mean: f64,
        /// The 5th percentile.
        p5: f64,
        /// The 95th percentile.
        p95: f64,
        /// The number of draws.
        draws: usize,
        /// Draws without a correlation.
        undefined_draws: usize,
    },
    Undefined {
        /// Always null.
        mean: (),
        /// Why it is undefined.
        undefined: String,
    },
}

#[derive(Debug, Serialize, ToSchema)]
struct DoubleAgreementJson {
    /// Questions that two people answered.
    items: usize,
    /// Cohen's kappa of the chosen answers.
    kappa: Option<f64>,
    /// Cohen's kappa of right and wrong.
    kappa_correct: Option<f64>,
    /// The share of equal answers, 0 to 1.
    same: Option<f64>,
    /// Why figures are null, by their keys.
    #[serde(skip_serializing_if = "UndefinedReasons::is_empty")]
    undefined: UndefinedReasons,
}

impl<'a> From<&'a ComprehensionReport> for ComprehensionJson<'a> {
    fn from(report: &'a ComprehensionReport) -> Self {
        let answers = &report.answers;
        let condition = |figures: &ConditionFigures| {
            let json = ConditionJson {
                tally: figures.tally.into(),
                rank: figures.rank,
            };
            (&answers.conditions()[figures.condition][..], json)
        };
        let items = |items: &[ItemFigures]| -> Vec<ItemJson<'a>> {
            items.iter().map(|item| item_json(item, answers)).collect()
        };
        let chosen = report.chosen_answerability.as_ref();

        Self {
            conditions: report.conditions.iter().map(condition).collect(),
            answerable_in: chosen.map(|chosen| answerability_json(chosen, answers)),
            stability: report.stability.iter().map(Into::into).collect(),
            passages: report
                .items
                .as_ref()
                .map(|breakdown| items(&breakdown.passages)),
            questions: report
                .items
                .as_ref()
                .map(|breakdown| items(&breakdown.questions)),
            support: report.support.as_ref().map(Into::into),
            metrics: report.metrics.as_ref().map(Into::into),
            agreement: (report.agreement.items > 0).then(|| (&report.agreement).into()),
        }
    }
}

impl From<&Result<RankingStability, UndefinedReason>> for StabilityJson {
    fn from(stability: &Result<RankingStability, UndefinedReason>) -> Self {
        match stability {
            Ok(stability) => Self::Defined {
                passages: stability.passages,
                mean: stability.mean,
                p5: stability.low,
                p95: stability.high,
                draws: stability.draws,
                undefined_draws: stability.undefined,
            },
            Err(reason) => Self::Undefined {
                mean: (),
                undefined: reason.to_string(),
            },
        }
    }
}

impl From<&DoubleAgreement> for DoubleAgreementJson {
    fn from(agreement: &DoubleAgreement) -> Self {
        let mut undefined = UndefinedReasons::default();
        Self {
            items: agreement.items,
            kappa: undefined.value_of("kappa", agreement.kappa),
            kappa_correct: undefined.value_of("kappa_correct", agreement.kappa_correct),
            same: undefined.value_of("same", agreement.same),
            undefined,
        }
    }
}
