//! Rankings of systems.

use clap::ValueEnum;
use domain::{
    category::Category,
    statistics::systems::{SystemScore, system_letters},
    study::{Dimension, StudySettings, SystemKind},
};
use serde::{Deserialize, Serialize};
use service::{
    figures::{
        metrics::{AssistedSystem, AssistedSystems, MeanUnit},
        systems::{SystemEntry, SystemScores, ZScoreOrigin},
    },
    live::StudySnapshot,
};
use utoipa::ToSchema;

use super::{UndefinedReasons, choose_dimension, value_and_reason};

/// The method of the scores, for the report.
const METHOD: &str = "mean over outputs of the mean over raters; interval 95 %, t(.975, n-1)*s/sqrt(n) \
                      over outputs; z by rater over all ratings, population sd; ties share the \
                      smallest rank; letters: systems that share one cannot be told apart, by \
                      Wilcoxon's signed ranks over sources at .05 after Holm's correction";

/// The grouping of outputs.
#[derive(Debug, Clone, Copy, ValueEnum, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SystemGrouping {
    /// Split, deletion, paraphrase.
    Category,
}

/// The rankings of systems on a dimension.
pub(crate) struct SystemRankings {
    pub(crate) dimension: Dimension,
    pub(crate) scores: SystemScores,
    pub(crate) parts: Vec<PartRanking>,
    /// The name of a metric, and the systems with its help, if they are asked for.
    pub(crate) assisted: Option<(String, AssistedSystems)>,
}

/// The systems in their order, by the outputs of one category or by all outputs.
pub(crate) struct PartRanking {
    pub(crate) part: Option<Category>,
    pub(crate) systems: Vec<SystemEntry>,
    /// The letters of each system; systems that share a letter cannot be told apart.
    pub(crate) letters: Option<Vec<String>>,
}

impl SystemRankings {
    /// The ranking of all outputs, or one for each part of a grouping.
    pub(crate) fn new(
        dimension: Dimension,
        scores: SystemScores,
        by: Option<SystemGrouping>,
    ) -> Self {
        let parts: &[Option<Category>] = match by {
            None => &[None],
            Some(SystemGrouping::Category) => &Category::ALL.map(Some),
        };

        let rank = |part: &Option<Category>| {
            let systems = scores.ranking(*part);
            let letters = system_letters(systems.len(), &scores.pairs(&systems, *part));
            PartRanking {
                part: *part,
                systems,
                letters,
            }
        };

        Self {
            parts: parts.iter().map(rank).collect(),
            dimension,
            scores,
            assisted: None,
        }
    }

    /// The rankings of a study's current state, on the dimension of this name, by default the first, and by
    /// the raters of the group of this name, by default all.
    ///
    /// # Errors
    /// When the study has no such dimension or group.
    pub(crate) fn read_snapshot(
        snapshot: &StudySnapshot,
        settings: &StudySettings,
        dimension: Option<&str>,
        group: Option<&str>,
        by: Option<SystemGrouping>,
    ) -> anyhow::Result<Self> {
        let dimension = choose_dimension(dimension, &snapshot.dimensions(&settings.dimensions))?;
        let group = find_group(settings, group)?;
        let scores = SystemScores::from_snapshot(snapshot, &dimension.name, group);
        Ok(Self::new(dimension, scores, by))
    }
}

/// The id of the group of this name.
///
/// # Errors
/// When the study has no such group.
pub(crate) fn find_group<'s>(
    settings: &'s StudySettings,
    name: Option<&str>,
) -> anyhow::Result<Option<&'s str>> {
    let Some(name) = name else { return Ok(None) };
    let wanted = name.trim().to_lowercase();
    let mut groups = settings.groups.iter();
    if let Some(group) = groups.find(|group| group.name.to_lowercase() == wanted) {
        return Ok(Some(&group.id));
    }

    let names: Vec<_> = settings
        .groups
        .iter()
        .map(|group| &group.name[..])
        .collect();

    anyhow::bail!(
        "the study has no group “{name}”; {}",
        match &names[..] {
            [] => "it has no groups of raters".to_owned(),
            names => format!("its groups are: {}", names.join(", ")),
        }
    )
}

/// The rankings for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SystemsJson<'a> {
    /// How the figures are computed.
    method: &'static str,
    /// The dimension that was rated.
    dimension: &'a Dimension,
    /// Where z-scores come from: `raw ratings`, or the `file`.
    z_from: &'static str,
    /// The number of raters.
    raters: usize,
    /// The number of ratings.
    ratings: usize,
    /// One ranking, or one for each category.
    rankings: Vec<RankingJson<'a>>,
    /// Sentences on what limits the figures.
    warnings: &'a [String],
    /// Means that a metric makes more certain, where one is asked for by `--with-metric`.
    #[serde(skip_serializing_if = "Option::is_none")]
    assisted: Option<AssistedJson<'a>>,
}

/// Means of systems with the help of a metric that scored all outputs: prediction-powered inference.
#[derive(Debug, Serialize, ToSchema)]
struct AssistedJson<'a> {
    /// The metric.
    metric: &'a str,
    /// The unit of means: `z` (standard deviations), or `points` where some rater has no z-scores.
    unit: &'static str,
    /// Pearson's r of ratings and scores within systems.
    correlation: Option<f64>,
    /// Its 95 % interval, by resampling sources.
    #[schema(value_type = Option<[f64; 2]>)]
    correlation_interval: Option<(f64, f64)>,
    /// The share of rated outputs that the metric saves for the same certainty, from 0 to 1.
    saved: Option<f64>,
    /// The number of sources that are left out because the metric learned from their ratings.
    learned_from: usize,
    /// The highest mean first.
    systems: Vec<AssistedSystemJson<'a>>,
    /// Why figures are null, by their keys.
    #[serde(skip_serializing_if = "UndefinedReasons::is_empty")]
    undefined: UndefinedReasons,
}

#[derive(Debug, Serialize, ToSchema)]
struct AssistedSystemJson<'a> {
    /// Its name.
    system: &'a str,
    /// The mean with the metric's help; null with fewer than two rated outputs.
    mean: Option<f64>,
    /// The ends of its 95 % interval.
    #[schema(value_type = Option<[f64; 2]>)]
    interval: Option<(f64, f64)>,
    /// The number of rated outputs that the metric scored.
    rated: Option<usize>,
    /// The number of outputs with a score alone.
    unrated: Option<usize>,
    /// The mean of the ratings alone.
    plain_mean: Option<f64>,
    /// The ends of the 95 % interval of `plain_mean`.
    #[schema(value_type = Option<[f64; 2]>)]
    plain_interval: Option<(f64, f64)>,
    /// The weight of a score, in the unit of means by that of scores.
    weight: Option<f64>,
    /// The number of rated outputs whose plain mean would be as certain.
    equivalent_outputs: Option<f64>,
    /// Why there is no mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl<'a> From<&'a AssistedSystem> for AssistedSystemJson<'a> {
    fn from(of: &'a AssistedSystem) -> Self {
        let (mean, undefined) = value_and_reason(of.mean);
        Self {
            system: &of.system.name,
            mean: mean.map(|mean| mean.mean),
            interval: mean.map(|mean| mean.interval()),
            rated: mean.map(|mean| mean.plain.n),
            unrated: mean.map(|mean| mean.unrated),
            plain_mean: mean.map(|mean| mean.plain.mean),
            plain_interval: mean.map(|mean| mean.plain.interval()),
            weight: mean.map(|mean| mean.weight),
            equivalent_outputs: mean.and_then(|mean| mean.equivalent_outputs()),
            undefined,
        }
    }
}

impl<'a> AssistedJson<'a> {
    fn new(metric: &'a str, of: &'a AssistedSystems) -> Self {
        let mut undefined = UndefinedReasons::default();
        let interval = of.correlation.map(|interval| (interval.low, interval.high));
        let saved = of.costs.map(|costs| costs.saved(of.rated_by_system()));

        Self {
            metric,
            unit: match of.unit {
                MeanUnit::StandardDeviations => "z",
                MeanUnit::Points => "points",
            },
            correlation: undefined.value_of("correlation", of.costs.map(|costs| costs.correlation)),
            correlation_interval: undefined.value_of("correlation_interval", interval),
            saved: undefined.value_of("saved", saved),
            learned_from: of.learned_from,
            systems: of.systems.iter().map(Into::into).collect(),
            undefined,
        }
    }
}

/// The systems in their order; of one category, or null of all outputs.
#[derive(Debug, Serialize, ToSchema)]
struct RankingJson<'a> {
    /// The category whose outputs are ranked; null for all outputs.
    category: Option<&'static str>,
    /// The best first.
    systems: Vec<SystemJson<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SystemJson<'a> {
    /// Its name.
    system: &'a str,
    /// `machine`, `human` or `baseline`; null where nothing says.
    kind: Option<&'static str>,
    /// Systems that share a letter cannot be told apart; null where letters do not suffice.
    letters: Option<&'a str>,
    /// 1 for the best; equal means share the smallest rank.
    rank: usize,
    /// The rank among systems of the same kind.
    rank_in_kind: usize,
    /// Of z-scores; null where the raters have none.
    z: Option<ScoreJson>,
    /// Of the ratings as given, in points of the scale.
    raw: ScoreJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct ScoreJson {
    /// The number of its outputs with a rating.
    outputs: usize,
    /// The mean over outputs of the mean over raters.
    mean: f64,
    /// 1 for the highest mean.
    rank: usize,
    /// The ends of the 95 % t interval over outputs; null with fewer than two outputs.
    #[schema(value_type = Option<[f64; 2]>)]
    interval: Option<(f64, f64)>,
    /// The sample standard deviation over outputs (divided by n - 1).
    sd: Option<f64>,
    /// Why there is no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl<'a> SystemJson<'a> {
    fn new(entry: &'a SystemEntry, letters: Option<&'a str>) -> Self {
        Self {
            system: &entry.system.name,
            kind: entry.system.kind.map(SystemKind::name),
            letters,
            rank: entry.score().place,
            rank_in_kind: entry.place_in_kind,
            z: entry.z.as_ref().map(Into::into),
            raw: (&entry.raw).into(),
        }
    }
}

impl From<&SystemScore<usize>> for ScoreJson {
    fn from(score: &SystemScore<usize>) -> Self {
        let (spread, undefined) = value_and_reason(score.spread);
        Self {
            outputs: score.outputs,
            mean: score.mean,
            rank: score.place,
            interval: spread.map(|spread| spread.interval()),
            sd: spread.map(|spread| spread.sd),
            undefined,
        }
    }
}

impl<'a> From<&'a SystemRankings> for SystemsJson<'a> {
    fn from(rankings: &'a SystemRankings) -> Self {
        let SystemRankings {
            dimension,
            scores,
            parts,
            assisted,
        } = rankings;

        let ranking = |ranking: &'a PartRanking| RankingJson {
            category: ranking.part.map(Category::name),
            systems: ranking
                .systems
                .iter()
                .enumerate()
                .map(|(at, entry)| {
                    let letters = ranking.letters.as_ref().map(|letters| &letters[at][..]);
                    SystemJson::new(entry, letters)
                })
                .collect(),
        };

        Self {
            method: METHOD,
            dimension,
            z_from: match scores.z_from {
                ZScoreOrigin::Ratings => "raw ratings",
                ZScoreOrigin::File => "file",
            },
            raters: scores.raters,
            ratings: scores.ratings,
            rankings: parts.iter().map(ranking).collect(),
            warnings: &scores.warnings,
            assisted: assisted
                .as_ref()
                .map(|(metric, of)| AssistedJson::new(metric, of)),
        }
    }
}
