//! Support and metrics as predictors of the answers.

use std::collections::BTreeMap;

use domain::{
    metrics::ScoreDirection,
    statistics::{UndefinedReason, correlation::Correlation, roc::RocCurve},
};
use serde::Serialize;

use crate::cli::comprehension::report::{MetricCorrelations, SupportPrediction};

/// A key for each variant; those without stop words end in `_content`.
#[derive(Debug, Serialize)]
pub(super) struct SupportJson<'a> {
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
pub(super) struct MetricCorrelationsJson<'a> {
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
