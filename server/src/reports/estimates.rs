//! Figures as JSON: the value, or null and the reason.

use std::collections::BTreeMap;

use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};
use serde::Serialize;
use utoipa::ToSchema;

/// A figure's value, or the reason why it has none.
pub(crate) fn value_and_reason<T>(
    figure: Result<T, UndefinedReason>,
) -> (Option<T>, Option<String>) {
    match figure {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason.to_string())),
    }
}

/// Why figures of an object are null, by their keys; a figure within a map is named `MAP.KEY`.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = BTreeMap<String, String>)]
pub(crate) struct UndefinedReasons(BTreeMap<String, String>);

impl UndefinedReasons {
    /// Returns the figure's value; if it has none, keeps the reason under `key`.
    pub(crate) fn value_of<T>(
        &mut self,
        key: impl Into<String>,
        figure: Result<T, UndefinedReason>,
    ) -> Option<T> {
        let (value, undefined) = value_and_reason(figure);
        self.0.extend(undefined.map(|reason| (key.into(), reason)));
        value
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Krippendorff's alpha as JSON.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AlphaJson {
    /// Krippendorff's alpha, at most 1; null where it is undefined.
    alpha: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl From<Result<f64, UndefinedReason>> for AlphaJson {
    fn from(figure: Result<f64, UndefinedReason>) -> Self {
        let (alpha, undefined) = value_and_reason(figure);
        Self { alpha, undefined }
    }
}

/// Alpha with its interval, where one was resampled.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EstimateJson {
    #[serde(flatten)]
    alpha: AlphaJson,
    /// The percentile bootstrap interval, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<BootstrapIntervalJson>,
}

impl EstimateJson {
    pub(crate) fn new(
        alpha: Result<f64, UndefinedReason>,
        interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    ) -> Self {
        Self {
            alpha: alpha.into(),
            interval: interval.map(Into::into),
        }
    }
}

/// A figure with its interval, where one was resampled.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FigureJson {
    /// The figure; null where it is undefined.
    value: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
    /// The percentile bootstrap interval, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<BootstrapIntervalJson>,
}

impl FigureJson {
    pub(crate) fn new(
        figure: Result<f64, UndefinedReason>,
        interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    ) -> Self {
        let (value, undefined) = value_and_reason(figure);
        Self {
            value,
            undefined,
            interval: interval.map(Into::into),
        }
    }
}

/// A bootstrap interval as JSON, or the reason why it has none.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum BootstrapIntervalJson {
    Defined(BootstrapInterval),
    Undefined { undefined: String },
}

impl From<Result<BootstrapInterval, UndefinedReason>> for BootstrapIntervalJson {
    fn from(interval: Result<BootstrapInterval, UndefinedReason>) -> Self {
        match interval {
            Ok(interval) => Self::Defined(interval),
            Err(reason) => Self::Undefined {
                undefined: reason.to_string(),
            },
        }
    }
}
