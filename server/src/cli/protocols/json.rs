//! The comparison as JSON.

use domain::{
    statistics::{
        UndefinedReason, bootstrap::BootstrapInterval, correlation::Correlation,
        systems::TEST_DESCRIPTION,
    },
    study::Dimension,
};
use serde::Serialize;
use service::figures::{
    protocols::{
        AlphaDifference, DimensionAgreement, MeanDimensionAlpha, PairedMinutes, ProtocolComparison,
        ProtocolDifference, ProtocolFigures, ProtocolTime, SystemOrderCorrelation,
    },
    systems::ZScoreOrigin,
};
use utoipa::ToSchema;

use crate::reports::{AlphaJson, EstimateJson, value_and_reason};

/// The method of α, for the report.
const COEFFICIENT: &str = "Krippendorff's alpha, interval level; 95 % percentile bootstrap over sources, \
                           1,000 resamples, seed 1, z-scores held fixed; z by rater over all ratings, \
                           population sd";

/// The comparison for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct ProtocolsJson<'a> {
    /// How agreement is computed.
    coefficient: &'static str,
    /// How pairs of systems are tested.
    tests: &'static str,
    /// The sources that are compared on.
    sources: SourcesJson,
    /// The figures of each protocol.
    protocols: Vec<ProtocolJson<'a>>,
    /// Whether the studies are arms of one experiment, in which a Latin square gave all raters their sources.
    randomised: bool,
    /// How much every two protocols differ: a minus b.
    differences: Vec<ProtocolDifferenceJson<'a>>,
    /// How alike two protocols order the systems.
    orders: Vec<OrderJson<'a>>,
}

/// How much two protocols differ.
#[derive(Debug, Serialize, ToSchema)]
struct ProtocolDifferenceJson<'a> {
    /// A protocol.
    a: &'a str,
    /// Another.
    b: &'a str,
    /// Alpha of the ratings as given; the interval is that of sources resampled for both together.
    raw: AlphaDifferenceJson,
    /// Alpha of z-scores.
    z: AlphaDifferenceJson,
    /// Active minutes for each submitted source, paired by rater; null unless both are arms of one experiment, with recorded
    /// time of a rater in both.
    minutes: Option<MinutesJson>,
}

/// A difference of alpha.
#[derive(Debug, Serialize, ToSchema)]
struct AlphaDifferenceJson {
    /// Null where one of the two is undefined.
    difference: Option<f64>,
    /// 95 % percentile interval over sources; null where there is none.
    interval: Option<BootstrapInterval>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

/// Active minutes, paired by rater.
#[derive(Debug, Serialize, ToSchema)]
struct MinutesJson {
    /// Raters with recorded time in both arms.
    raters: usize,
    /// Their mean in a.
    a: f64,
    /// Their mean in b.
    b: f64,
    /// The mean of their differences.
    difference: f64,
    /// 95 % percentile interval over raters; null where there is none.
    interval: Option<BootstrapInterval>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SourcesJson {
    /// Sources that all studies have.
    shared: usize,
    /// Those found by the same text, but for case and spaces.
    exact: usize,
    /// Those found by their normalised text.
    normalised: usize,
    /// Those with ratings in all studies.
    rated_in_all: usize,
}

#[derive(Debug, Serialize, ToSchema)]
struct ProtocolJson<'a> {
    /// The study, or the file.
    name: &'a str,
    /// Its steps; null of a file.
    protocol: Option<&'a str>,
    /// Where z-scores come from.
    z_from: &'static str,
    /// The number of raters.
    raters: usize,
    /// The number of ratings.
    ratings: usize,
    /// The number of outputs with a rating.
    units: usize,
    /// Those with two or more ratings.
    pairable_units: usize,
    #[serde(flatten)]
    agreement: DimensionAlphaJson<'a>,
    /// Agreement on each dimension.
    dimensions: Vec<DimensionAlphaJson<'a>>,
    /// The mean of alpha over the dimensions, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<MeanJson>,
    /// Recorded activity; null where none is recorded.
    time: Option<TimeJson>,
    /// The number of systems.
    systems: usize,
    /// The number of pairs of systems.
    pairs: usize,
    /// Those with enough sources for a test.
    pairs_tested: usize,
    /// Those that differ by Wilcoxon's signed ranks at .05 after Holm's correction.
    pairs_apart: usize,
    /// The number of these for each hour of work; null where the hours are not known.
    pairs_apart_per_hour: Option<f64>,
    /// Sentences on what limits the figures.
    warnings: &'a [String],
}

#[derive(Debug, Serialize, ToSchema)]
struct DimensionAlphaJson<'a> {
    /// The dimension that was rated.
    dimension: &'a Dimension,
    /// Alpha of the ratings as given.
    raw: EstimateJson,
    /// Alpha of z-scores.
    z: EstimateJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct MeanJson {
    /// Alpha of the ratings as given.
    raw: AlphaJson,
    /// Alpha of z-scores.
    z: AlphaJson,
}

/// Recorded activity; null in its place where none is recorded.
#[derive(Debug, Serialize, ToSchema)]
struct TimeJson {
    /// Active time in milliseconds.
    active_ms: u64,
    /// Submitted sources with recorded time.
    submissions: usize,
    /// Ratings with recorded time.
    timed_ratings: usize,
    /// All ratings.
    ratings: usize,
    /// Active minutes for each submitted source.
    minutes_per_source: f64,
    /// Active minutes for each rating.
    minutes_per_rating: f64,
    /// Null where only a part of the ratings has a recorded time.
    hours: Option<f64>,
}

#[derive(Debug, Serialize, ToSchema)]
struct OrderJson<'a> {
    /// A protocol.
    a: &'a str,
    /// Another.
    b: &'a str,
    /// The number of systems that both have.
    systems: usize,
    /// Kendall's tau-b of the systems' means.
    kendall_tau_b: OrderCorrelationJson,
    /// Its p after Holm's correction over the pairs of protocols.
    p_holm: Option<f64>,
    /// Spearman's rho of the systems' means.
    spearman: OrderCorrelationJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct OrderCorrelationJson {
    /// From -1 to 1; null where it is undefined.
    coefficient: Option<f64>,
    /// Two-sided.
    p: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl<'a> From<&'a ProtocolComparison> for ProtocolsJson<'a> {
    fn from(comparison: &'a ProtocolComparison) -> Self {
        let name = |index: usize| &comparison.protocols[index].name[..];
        let difference = |of: &ProtocolDifference| ProtocolDifferenceJson {
            a: name(of.first),
            b: name(of.second),
            raw: of.raw.into(),
            z: of.z.into(),
            minutes: of.minutes.map(Into::into),
        };
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
            randomised: comparison.is_randomised,
            differences: comparison.differences.iter().map(difference).collect(),
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

impl<'a> From<&'a DimensionAgreement> for DimensionAlphaJson<'a> {
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

impl From<AlphaDifference> for AlphaDifferenceJson {
    fn from(of: AlphaDifference) -> Self {
        let (difference, undefined) = value_and_reason(of.value);
        Self {
            difference,
            interval: of.interval.ok(),
            undefined,
        }
    }
}

impl From<PairedMinutes> for MinutesJson {
    fn from(minutes: PairedMinutes) -> Self {
        Self {
            raters: minutes.raters,
            a: minutes.first,
            b: minutes.second,
            difference: minutes.difference,
            interval: minutes.interval.ok(),
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
