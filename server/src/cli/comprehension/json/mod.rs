//! Reading comprehension as JSON.

mod predictors;
mod shares;

use std::collections::BTreeMap;

use domain::{
    comprehension::{ConditionFigures, DoubleAgreement, ItemFigures, RankingStability},
    statistics::UndefinedReason,
};
use serde::Serialize;

use self::{
    predictors::{MetricCorrelationsJson, SupportJson},
    shares::{AnswerabilityJson, ItemJson, TallyJson, answerability_json, item_json},
};
use super::report::ComprehensionReport;

/// The figures of each condition; whatever else was requested has a key of its own.
#[derive(Debug, Serialize)]
pub(super) struct ComprehensionJson<'a> {
    conditions: BTreeMap<&'a str, ConditionJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answerable_in: Option<AnswerabilityJson<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stability: Vec<StabilityJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    passages: Option<Vec<ItemJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<Vec<ItemJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    support: Option<SupportJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<MetricCorrelationsJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agreement: Option<DoubleAgreementJson>,
}

#[derive(Debug, Serialize)]
struct ConditionJson {
    #[serde(flatten)]
    tally: TallyJson,
    rank: Option<usize>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum StabilityJson {
    Defined {
        passages: usize,
        mean: f64,
        p5: f64,
        p95: f64,
        draws: usize,
        undefined_draws: usize,
    },
    Undefined {
        /// Always null.
        mean: (),
        undefined: String,
    },
}

#[derive(Debug, Serialize)]
struct DoubleAgreementJson {
    items: usize,
    kappa: Option<f64>,
    kappa_correct: Option<f64>,
    same: Option<f64>,
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
        Self {
            items: agreement.items,
            kappa: agreement.kappa.ok(),
            kappa_correct: agreement.kappa_correct.ok(),
            same: agreement.same.ok(),
        }
    }
}
