//! Reading comprehension as JSON.

use std::collections::BTreeMap;

use domain::{
    comprehension::{
        AnswerChoice, AnswerTable, AnswerabilityDenominator, ChoiceTally, ConditionFigures,
        DoubleAgreement, ItemFigures, RankingStability,
    },
    metrics::ScoreDirection,
    statistics::{UndefinedReason, correlation::Correlation, quality::Proportion, roc::RocCurve},
};
use serde::Serialize;

use super::report::{
    ChosenAnswerability, ComprehensionReport, MetricCorrelations, SupportPrediction,
};

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

/// Percentages from 0 to 100; null where there is no answer.
#[derive(Debug, Serialize)]
struct TallyJson {
    n: usize,
    correct: Option<f64>,
    #[serde(rename = "B")]
    b: Option<f64>,
    #[serde(rename = "C")]
    c: Option<f64>,
    #[serde(rename = "D")]
    d: Option<f64>,
    unanswerable: Option<f64>,
    answerability: Option<f64>,
}

#[derive(Debug, Serialize)]
struct ConditionJson {
    #[serde(flatten)]
    tally: TallyJson,
    rank: Option<usize>,
}

/// A passage, or a question of one: all answers together, and those of each condition that has some.
#[derive(Debug, Serialize)]
struct ItemJson<'a> {
    passage: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a str>,
    #[serde(flatten)]
    tally: TallyJson,
    conditions: BTreeMap<&'a str, TallyJson>,
}

#[derive(Debug, Serialize)]
struct AnswerabilityJson<'a> {
    chosen: &'a [String],
    questions: usize,
    denominator: &'static str,
    conditions: BTreeMap<&'a str, AnswerabilityShareJson>,
}

#[derive(Debug, Serialize)]
struct AnswerabilityShareJson {
    answerability: Option<f64>,
    n: usize,
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

/// A key for each variant; those without stop words end in `_content`.
#[derive(Debug, Serialize)]
struct SupportJson<'a> {
    stop_words: &'a str,
    variants: BTreeMap<String, RocJson>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum RocJson {
    Defined {
        auc: f64,
        threshold: f64,
        tpr: f64,
        fpr: f64,
        unanswerable: usize,
        right: usize,
    },
    Undefined {
        /// Always null.
        auc: (),
        undefined: String,
    },
}

#[derive(Debug, Serialize)]
struct MetricCorrelationsJson<'a> {
    original: &'a str,
    references: &'a [String],
    metrics: BTreeMap<&'a str, MetricCorrelationJson>,
}

#[derive(Debug, Serialize)]
struct MetricCorrelationJson {
    direction: ScoreDirection,
    #[serde(flatten)]
    correlation: CorrelationJson,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum CorrelationJson {
    Defined {
        spearman: f64,
        p: f64,
        conditions: usize,
    },
    Undefined {
        /// Always null.
        spearman: (),
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

fn item_json<'a>(item: &ItemFigures, answers: &'a AnswerTable) -> ItemJson<'a> {
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

fn answerability_json<'a>(
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

impl<'a> From<&'a SupportPrediction> for SupportJson<'a> {
    fn from(support: &'a SupportPrediction) -> Self {
        let variants = support.variants.iter().map(|(target, content, curve)| {
            let name = if *content {
                format!("{}_content", target.name())
            } else {
                target.name().to_owned()
            };
            (name, curve.into())
        });
        Self {
            stop_words: &support.stop_words,
            variants: variants.collect(),
        }
    }
}

impl From<&Result<RocCurve, UndefinedReason>> for RocJson {
    fn from(curve: &Result<RocCurve, UndefinedReason>) -> Self {
        match curve {
            Ok(curve) => Self::Defined {
                auc: curve.area,
                threshold: curve.best.threshold,
                tpr: curve.best.true_positive_rate,
                fpr: curve.best.false_positive_rate,
                unanswerable: curve.positive,
                right: curve.negative,
            },
            Err(reason) => Self::Undefined {
                auc: (),
                undefined: reason.to_string(),
            },
        }
    }
}

impl<'a> From<&'a MetricCorrelations> for MetricCorrelationsJson<'a> {
    fn from(metrics: &'a MetricCorrelations) -> Self {
        let correlations = metrics.correlations.iter();
        let by_name = correlations.map(|(name, direction, correlation)| {
            let json = MetricCorrelationJson {
                direction: *direction,
                correlation: correlation.into(),
            };
            (&name[..], json)
        });
        Self {
            original: &metrics.against.original,
            references: &metrics.against.references,
            metrics: by_name.collect(),
        }
    }
}

impl From<&Result<Correlation, UndefinedReason>> for CorrelationJson {
    fn from(correlation: &Result<Correlation, UndefinedReason>) -> Self {
        match correlation {
            Ok(correlation) => Self::Defined {
                spearman: correlation.coefficient,
                p: correlation.p,
                conditions: correlation.n,
            },
            Err(reason) => Self::Undefined {
                spearman: (),
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

fn percent(share: Proportion) -> Option<f64> {
    // Multiplied by 100 first, as is usual for percentages of counts.
    let defined = share.rate().ok();
    defined.map(|_| 100.0 * share.count as f64 / share.total as f64)
}
