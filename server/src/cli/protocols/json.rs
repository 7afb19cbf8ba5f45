//! The comparison as JSON.

use domain::{
    statistics::{UndefinedReason, correlation::Correlation, systems::TEST_DESCRIPTION},
    study::Dimension,
};
use serde::Serialize;
use service::figures::{
    protocols::{
        DimensionAgreement, MeanDimensionAlpha, ProtocolComparison, ProtocolFigures, ProtocolTime,
        SystemOrderCorrelation,
    },
    systems::ZScoreOrigin,
};

use crate::reports::{AlphaJson, EstimateJson, value_and_reason};

/// The method of α, for the report.
const COEFFICIENT: &str = "Krippendorff's alpha, interval level; 95 % percentile bootstrap over sources, \
                           1,000 resamples, seed 1, z-scores held fixed; z by rater over all ratings, \
                           population sd";

/// The comparison for programs.
#[derive(Debug, Serialize)]
pub(super) struct ProtocolsJson<'a> {
    coefficient: &'static str,
    tests: &'static str,
    sources: SourcesJson,
    protocols: Vec<ProtocolJson<'a>>,
    orders: Vec<OrderJson<'a>>,
}

#[derive(Debug, Serialize)]
struct SourcesJson {
    shared: usize,
    exact: usize,
    normalised: usize,
    rated_in_all: usize,
}

#[derive(Debug, Serialize)]
struct ProtocolJson<'a> {
    name: &'a str,
    protocol: Option<&'a str>,
    z_from: &'static str,
    raters: usize,
    ratings: usize,
    units: usize,
    pairable_units: usize,
    #[serde(flatten)]
    agreement: DimensionJson<'a>,
    dimensions: Vec<DimensionJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<MeanJson>,
    time: Option<TimeJson>,
    systems: usize,
    pairs: usize,
    pairs_tested: usize,
    pairs_apart: usize,
    pairs_apart_per_hour: Option<f64>,
    warnings: &'a [String],
}

#[derive(Debug, Serialize)]
struct DimensionJson<'a> {
    dimension: &'a Dimension,
    raw: EstimateJson,
    z: EstimateJson,
}

#[derive(Debug, Serialize)]
struct MeanJson {
    raw: AlphaJson,
    z: AlphaJson,
}

/// Recorded activity; null in its place where none is recorded.
#[derive(Debug, Serialize)]
struct TimeJson {
    active_ms: u64,
    submissions: usize,
    timed_ratings: usize,
    ratings: usize,
    minutes_per_source: f64,
    minutes_per_rating: f64,
    /// Null where only a part of the ratings has a recorded time.
    hours: Option<f64>,
}

#[derive(Debug, Serialize)]
struct OrderJson<'a> {
    a: &'a str,
    b: &'a str,
    systems: usize,
    kendall_tau_b: OrderCorrelationJson,
    p_holm: Option<f64>,
    spearman: OrderCorrelationJson,
}

#[derive(Debug, Serialize)]
struct OrderCorrelationJson {
    coefficient: Option<f64>,
    p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl<'a> From<&'a ProtocolComparison> for ProtocolsJson<'a> {
    fn from(comparison: &'a ProtocolComparison) -> Self {
        let name = |index: usize| &comparison.protocols[index].name[..];
        let order = |order: &SystemOrderCorrelation| OrderJson {
            a: name(order.first),
            b: name(order.second),
            systems: order.systems,
            kendall_tau_b: order.kendall.into(),
            p_holm: order.kendall_holm,
            spearman: order.spearman.into(),
        };
        Self {
            coefficient: COEFFICIENT,
            tests: TEST_DESCRIPTION,
            sources: SourcesJson {
                shared: comparison.shared(),
                exact: comparison.exact,
                normalised: comparison.normalised,
                rated_in_all: comparison.rated,
            },
            protocols: comparison.protocols.iter().map(Into::into).collect(),
            orders: comparison.orders.iter().map(order).collect(),
        }
    }
}

impl<'a> From<&'a ProtocolFigures> for ProtocolJson<'a> {
    fn from(figures: &'a ProtocolFigures) -> Self {
        let raw = &figures.agreement.raw.agreement;
        Self {
            name: &figures.name,
            protocol: figures.protocol.as_deref(),
            z_from: match figures.z_from {
                ZScoreOrigin::Ratings => "raw ratings",
                ZScoreOrigin::File => "file",
            },
            raters: raw.raters,
            ratings: raw.ratings,
            units: raw.units,
            pairable_units: raw.pairable_units,
            agreement: (&figures.agreement).into(),
            dimensions: figures.dimensions.iter().map(Into::into).collect(),
            mean: figures.mean.map(Into::into),
            time: figures.time.map(Into::into),
            systems: figures.ranking.len(),
            pairs: figures.pairs.all,
            pairs_tested: figures.pairs.tested,
            pairs_apart: figures.pairs.apart,
            pairs_apart_per_hour: figures.pairs_per_hour(),
            warnings: &figures.warnings,
        }
    }
}

impl<'a> From<&'a DimensionAgreement> for DimensionJson<'a> {
    fn from(of: &'a DimensionAgreement) -> Self {
        Self {
            dimension: &of.dimension,
            raw: EstimateJson::new(of.raw.agreement.alpha, Some(of.raw.interval)),
            z: EstimateJson::new(of.z.agreement.alpha, Some(of.z.interval)),
        }
    }
}

impl From<MeanDimensionAlpha> for MeanJson {
    fn from(mean: MeanDimensionAlpha) -> Self {
        Self {
            raw: mean.raw.into(),
            z: mean.z.into(),
        }
    }
}

impl From<ProtocolTime> for TimeJson {
    fn from(time: ProtocolTime) -> Self {
        Self {
            active_ms: time.active_ms,
            submissions: time.submissions,
            timed_ratings: time.timed_ratings,
            ratings: time.ratings,
            minutes_per_source: time.minutes_per_source(),
            minutes_per_rating: time.minutes_per_rating(),
            hours: time.hours(),
        }
    }
}

impl From<Result<Correlation, UndefinedReason>> for OrderCorrelationJson {
    fn from(correlation: Result<Correlation, UndefinedReason>) -> Self {
        let (correlation, undefined) = value_and_reason(correlation);
        Self {
            coefficient: correlation.map(|it| it.coefficient),
            p: correlation.map(|it| it.p),
            undefined,
        }
    }
}
