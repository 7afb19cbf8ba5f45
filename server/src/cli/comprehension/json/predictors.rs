//! Support and metrics as predictors of the answers.

use std::collections::BTreeMap;

use domain::{
    metrics::ScoreDirection,
    statistics::{UndefinedReason, correlation::Correlation, roc::RocCurve},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::cli::comprehension::report::{MetricCorrelations, SupportPrediction};

/// A key for each variant; those without stop words end in `_content`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SupportJson<'a> {
    /// The list of words that do not count as content.
    stop_words: &'a str,
    /// Each way to measure support.
    variants: BTreeMap<String, RocJson>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
enum RocJson {
    Defined {
        /// The area under the ROC curve, 0 to 1.
        auc: f64,
        /// The support below which a question is best called unanswerable.
        threshold: f64,
        /// The true positive rate there.
        tpr: f64,
        /// The false positive rate there.
        fpr: f64,
        /// Answers that the text does not tell.
        unanswerable: usize,
        /// Right answers.
        right: usize,
    },
    Undefined {
        /// Always null.
        auc: (),
        /// Why it is undefined.
        undefined: String,
    },
}

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MetricCorrelationsJson<'a> {
    /// The condition whose texts are the sources.
    original: &'a str,
    /// The conditions whose texts are the references.
    references: &'a [String],
    /// Each metric, by its name.
    metrics: BTreeMap<&'a str, MetricCorrelationJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct MetricCorrelationJson {
    /// Whether a higher score is better.
    direction: ScoreDirection,
    #[serde(flatten)]
    correlation: CorrelationJson,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
enum CorrelationJson {
    Defined {
        /// Spearman's rho of mean score and accuracy over conditions.
        spearman: f64,
        /// Two-sided.
        p: f64,
        /// The number of conditions.
        conditions: usize,
    },
    Undefined {
        /// Always null.
        spearman: (),
        /// Why it is undefined.
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
