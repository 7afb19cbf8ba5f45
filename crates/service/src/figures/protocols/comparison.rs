use std::collections::{BTreeMap, BTreeSet};

use domain::{
    statistics::{
        RatingTable, UndefinedReason,
        agreement::{AlphaBootstrap, MeasurementLevel, agreement, mean_alpha},
        bootstrap::ResamplingOptions,
        systems::{PairVerdict, SystemPairComparison},
    },
    study::Dimension,
};
use formats::SharedSources;

use super::{
    ProtocolDifference, ProtocolRatings, ProtocolTime, RatedDimension,
    differences::{compare_pairs, is_experiment, is_planned},
    system_orders::{SystemOrderCorrelation, correlate_orders},
};
use crate::figures::{
    AlphaEstimate,
    systems::{SystemEntry, ZScoreOrigin},
};

/// Several protocols, compared on the sources that all of them share.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolComparison {
    /// The number of sources that all have with the same text, apart from case and white space.
    pub exact: usize,
    /// The number of sources that all have with texts that differ only in tokenisation, quotes and the like.
    pub normalised: usize,
    /// The number of shared sources that have ratings on the compared dimension in all studies. All figures are
    /// based on these sources.
    pub rated: usize,
    /// The figures of each protocol, in the order in which they were named.
    pub protocols: Vec<ProtocolFigures>,
    /// Whether they are arms of one experiment whose plan gave all raters their sources, so that differences are due
    /// only to the protocol and chance.
    pub is_randomised: bool,
    /// Whether they are arms of one experiment with ratings from outside its plan, such as those of a file.
    pub has_other_ratings: bool,
    /// The difference of every two protocols.
    pub differences: Vec<ProtocolDifference>,
    /// The correlation of every two protocols' orders of the systems.
    pub orders: Vec<SystemOrderCorrelation>,
}

/// The figures of one protocol on the compared sources.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolFigures {
    /// The name of the study or the file.
    pub name: String,
    /// A description of how the ratings are collected; `None` if a file does not give one.
    pub protocol: Option<String>,
    /// The agreement on the compared dimension.
    pub agreement: DimensionAgreement,
    /// The agreement on each dimension with ratings, the compared one included, in the study's order.
    pub dimensions: Vec<DimensionAgreement>,
    /// The means over dimensions; `None` if there is just one.
    pub mean: Option<MeanDimensionAlpha>,
    /// The origin of z-scores.
    pub z_from: ZScoreOrigin,
    /// The recorded active time; `None` if none is recorded.
    pub time: Option<ProtocolTime>,
    /// The systems with rated outputs, best first.
    pub ranking: Vec<SystemEntry>,
    /// The pairs of these systems.
    pub pairs: PairCounts,
    /// Sentences on the limits of the figures.
    pub warnings: Vec<String>,
}

/// Krippendorff's α on one dimension, at the interval level, with 95 % intervals over sources from the default
/// resampling. z-scores are those of the whole study: sources that are left out also count for a rater's mean
/// and standard deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionAgreement {
    /// The dimension.
    pub dimension: Dimension,
    /// Agreement on the ratings as they were entered.
    pub raw: AlphaEstimate,
    /// Agreement on z-scores by rater.
    pub z: AlphaEstimate,
}

/// The unweighted means of α over dimensions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanDimensionAlpha {
    /// The mean for the ratings as they were entered.
    pub raw: Result<f64, UndefinedReason>,
    /// The mean for z-scores.
    pub z: Result<f64, UndefinedReason>,
}

/// The number of pairs of systems that are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCounts {
    /// The number of all pairs.
    pub all: usize,
    /// The number of pairs with enough common sources for a test to show a difference.
    pub tested: usize,
    /// The number of pairs that differ by the corrected test.
    pub apart: usize,
}

impl ProtocolComparison {
    /// The number of shared sources.
    #[must_use]
    pub const fn shared(&self) -> usize {
        self.exact + self.normalised
    }
}

impl ProtocolFigures {
    /// The number of pairs of systems told apart per hour of active time of all raters; `None` unless all ratings
    /// have a recorded time.
    #[must_use]
    pub fn pairs_per_hour(&self) -> Option<f64> {
        Some(self.pairs.apart as f64 / self.time?.hours()?)
    }

    fn compute(study: &ProtocolRatings, keep: &BTreeSet<usize>) -> Self {
        let agree = |dimension: &RatedDimension| DimensionAgreement::compute(dimension, keep);
        let dimensions: Vec<_> = study.dimensions.iter().map(agree).collect();
        let mean = |pick: fn(&DimensionAgreement) -> &AlphaEstimate| {
            mean_alpha(dimensions.iter().map(|of| &pick(of).agreement))
        };
        let mean = (dimensions.len() > 1).then(|| MeanDimensionAlpha {
            raw: mean(|of| &of.raw),
            z: mean(|of| &of.z),
        });

        let mut scores = study.scores.clone();
        scores.retain_sources(|source| keep.contains(&source));
        let ranking = scores.ranking(None);
        let pairs = scores.pairs(&ranking, None);

        Self {
            name: study.name.clone(),
            protocol: study.protocol.clone(),
            agreement: dimensions[study.compared].clone(),
            dimensions,
            mean,
            z_from: scores.z_from,
            time: ProtocolTime::of_sources(study, |source| keep.contains(&source)),
            ranking,
            pairs: PairCounts::new(&pairs),
            warnings: scores.warnings,
        }
    }
}

impl PairCounts {
    fn new(pairs: &[SystemPairComparison<usize>]) -> Self {
        let count = |is: fn(&SystemPairComparison<usize>) -> bool| {
            pairs.iter().filter(|pair| is(pair)).count()
        };
        Self {
            all: pairs.len(),
            tested: count(SystemPairComparison::can_differ),
            apart: count(|pair| pair.verdict() != PairVerdict::Undecided),
        }
    }
}

impl DimensionAgreement {
    fn compute(of: &RatedDimension, keep: &BTreeSet<usize>) -> Self {
        let source = |unit: &usize| of.ratings.outputs[unit].source;
        let estimate = |table: &RatingTable<usize, usize>| {
            let table = table.retain(|_, unit| keep.contains(&source(unit)));
            let level = MeasurementLevel::Interval;
            let bootstrap = AlphaBootstrap::new(&table, level, source);
            AlphaEstimate {
                agreement: agreement(&table, level),
                interval: bootstrap.interval(ResamplingOptions::default()),
            }
        };

        Self {
            dimension: of.dimension.clone(),
            raw: estimate(&of.ratings.raw),
            z: estimate(&of.ratings.z),
        }
    }
}

/// Compares protocols on the sources that all of them have, by text, and that have ratings on the compared dimension in
/// all of them.
#[must_use]
pub fn compare_protocols(studies: &[ProtocolRatings]) -> ProtocolComparison {
    let lists: Vec<Vec<&str>> = studies
        .iter()
        .map(|study| study.sources.values().map(String::as_str).collect())
        .collect();
    let shared = SharedSources::find(&lists);

    let rated: Vec<_> = studies
        .iter()
        .zip(&shared.numbers)
        .map(|(study, numbers)| rated_sources(study, numbers))
        .collect();

    let mut compared: BTreeSet<usize> = (0..shared.len()).collect();
    for of_study in &rated {
        let of_study: BTreeSet<usize> = of_study.values().copied().collect();
        compared.retain(|number| of_study.contains(number));
    }

    let kept: Vec<BTreeMap<usize, usize>> = rated
        .into_iter()
        .map(|mut rated| {
            rated.retain(|_, number| compared.contains(number));
            rated
        })
        .collect();

    let protocols: Vec<_> = studies
        .iter()
        .zip(&kept)
        .map(|(study, kept)| ProtocolFigures::compute(study, &kept.keys().copied().collect()))
        .collect();

    let everywhere: Vec<BTreeMap<usize, usize>> = studies
        .iter()
        .zip(&shared.numbers)
        .map(|(study, numbers)| {
            let sources = study.sources.keys().zip(numbers);
            sources
                .filter_map(|(source, number)| Some((*source, (*number)?)))
                .collect()
        })
        .collect();

    let rankings: Vec<_> = protocols.iter().map(|of| &of.ranking[..]).collect();
    ProtocolComparison {
        exact: shared.exact,
        normalised: shared.normalised,
        rated: compared.len(),
        is_randomised: is_experiment(studies) && is_planned(studies),
        has_other_ratings: is_experiment(studies) && !is_planned(studies),
        differences: compare_pairs(studies, &protocols, &kept, &everywhere),
        orders: correlate_orders(&rankings),
        protocols,
    }
}

/// The shared sources with ratings on the compared dimension: the study's number of each and its shared number.
fn rated_sources(study: &ProtocolRatings, numbers: &[Option<usize>]) -> BTreeMap<usize, usize> {
    let ratings = &study.compared_dimension().ratings;
    let rated = ratings.raw.units().iter();
    let rated: BTreeSet<usize> = rated.map(|unit| ratings.outputs[unit].source).collect();

    let sources = study.sources.keys().zip(numbers);
    sources
        .filter(|(source, _)| rated.contains(source))
        .filter_map(|(source, number)| Some((*source, (*number)?)))
        .collect()
}
