//! Figures from comparisons as JSON.

use domain::{
    metrics::meta::IntervalEstimate,
    statistics::{
        pairwise::{PAIR_TEST_DESCRIPTION, PairTest},
        systems::WinTieLoss,
        tau_like::TauLike,
    },
};
use formats::BadRow;
use serde::Serialize;

use service::figures::comparisons::ComparisonFigures;
use utoipa::ToSchema;

use super::PairwiseReport;
use crate::reports::{AlphaJson, BootstrapIntervalJson, FigureJson, value_and_reason};

/// The method of the scores, for the report.
const METHOD: &str = "log strengths, mean 0: Bradley and Terry with Davidson's ties, maximum likelihood; \
                      penalised by 0.1 times their sum of squares only where it has no finite maximum; \
                      win share: chance to win against another system drawn at random, a tie \
                      counting half; best-worst: (best - worst)/shown; intervals: percentile, \
                      over sources; alpha: nominal, a unit is a pair of systems on a source";

/// The report for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct PairwiseJson<'a> {
    /// How scores and intervals are computed.
    method: &'static str,
    /// How pairs of systems are tested.
    tests: &'static str,
    /// The figures of each dimension.
    dimensions: Vec<ComparedDimensionJson<'a>>,
    /// Rows of the file that could not be read.
    skipped: &'a [BadRow],
}

#[derive(Debug, Serialize, ToSchema)]
struct ComparedDimensionJson<'a> {
    /// On what outputs were compared.
    dimension: &'a str,
    /// The number of answers; a choice of the best and the worst of several is one.
    comparisons: usize,
    /// The number of sources.
    sources: usize,
    /// The number of raters.
    raters: usize,
    /// The strongest first.
    systems: Vec<ComparedSystemJson<'a>>,
    /// Davidson's tie parameter: the odds of a tie between equally strong systems are half of it.
    tie_parameter: FigureJson,
    /// Whether log strengths are penalised; null where there are none.
    penalised: Option<bool>,
    /// Krippendorff's nominal alpha of outcomes; a unit is a pair of systems on a source.
    alpha: OutcomeAlphaJson,
    /// How often each system beat each other one.
    win_matrix: WinMatrixJson<'a>,
    /// Tests of each pair of systems that was compared.
    pairs: Vec<PairJson<'a>>,
    /// The study's metrics with scores of compared outputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<ComparedMetricJson<'a>>,
}

/// A metric against the comparisons.
#[derive(Debug, Serialize, ToSchema)]
struct ComparedMetricJson<'a> {
    /// The metric's name.
    metric: &'a str,
    /// Compared outputs with a score.
    outputs: usize,
    /// Compared outputs without one.
    unscored: usize,
    /// The number of sources that are left out because the metric learned from them.
    learned_from: usize,
    /// Pairs of outputs on which the metric and the raters agree and differ.
    counts: TauLike,
    /// Kendall-tau-like: (concordant - discordant)/(concordant + discordant).
    tau: FigureJson,
    /// Pearson's r over systems, of mean scores and strengths.
    system_pearson: FigureJson,
    /// Spearman's rho over systems.
    system_spearman: FigureJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct ComparedSystemJson<'a> {
    /// Its name.
    system: &'a str,
    /// 1 for the strongest; null where there are no strengths.
    rank: Option<usize>,
    /// Its log strength; the mean over systems is 0.
    strength: FigureJson,
    /// The chance to be better than another system drawn at random, 0 to 1.
    win_share: FigureJson,
    /// Comparisons that it won.
    wins: usize,
    /// Comparisons without a better one.
    ties: usize,
    /// Comparisons that it lost.
    losses: usize,
    /// Of files with choices of the best and the worst only.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_worst: Option<BestWorstJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct BestWorstJson {
    /// Choices in which it was shown.
    shown: usize,
    /// Choices in which it was the best.
    best: usize,
    /// Choices in which it was the worst.
    worst: usize,
    #[serde(flatten)]
    score: FigureJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct OutcomeAlphaJson {
    #[serde(flatten)]
    alpha: AlphaJson,
    /// The percentile bootstrap interval over sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<BootstrapIntervalJson>,
    /// The number of pairs of systems on a source.
    units: usize,
    /// Those with two or more raters.
    pairable_units: usize,
}

/// Wins of the row's system against the column's, and ties; systems in the order of their names.
#[derive(Debug, Serialize, ToSchema)]
struct WinMatrixJson<'a> {
    /// The names of rows and columns.
    systems: &'a [String],
    /// A row a system: its wins against each other one.
    wins: Vec<Vec<usize>>,
    /// A row a system: its ties with each other one.
    ties: Vec<Vec<usize>>,
}

/// Two systems that were compared; the counts are those of a.
#[derive(Debug, Serialize, ToSchema)]
struct PairJson<'a> {
    /// A system.
    a: &'a str,
    /// Another.
    b: &'a str,
    /// Outcomes of comparisons.
    comparisons: WinTieLoss,
    /// Outcomes of sources: who won more of its comparisons.
    sources: WinTieLoss,
    /// The two-sided p of the sign test over sources.
    sign_p: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_undefined: Option<String>,
    /// The same after Holm's correction over all pairs.
    sign_holm: Option<f64>,
}

impl<'a> From<&'a PairwiseReport> for PairwiseJson<'a> {
    fn from(report: &'a PairwiseReport) -> Self {
        Self {
            method: METHOD,
            tests: PAIR_TEST_DESCRIPTION,
            dimensions: report
                .dimensions
                .iter()
                .map(|figures| ComparedDimensionJson {
                    metrics: metrics_of(report, &figures.name),
                    ..ComparedDimensionJson::from(figures)
                })
                .collect(),
            skipped: &report.skipped,
        }
    }
}

impl<'a> From<&'a ComparisonFigures> for ComparedDimensionJson<'a> {
    fn from(report: &'a ComparisonFigures) -> Self {
        let fit = report.fit.as_ref().map_err(|reason| *reason);
        let intervals = report.intervals.as_ref();
        let (systems, agreement) = (report.table.systems(), &report.agreement);
        let order = report.order.iter();

        let pair = |test: &PairTest| {
            let (sign, sign_undefined) = value_and_reason(test.sign);
            PairJson {
                a: &systems[test.a],
                b: &systems[test.b],
                comparisons: test.comparisons,
                sources: test.sources,
                sign_p: sign.map(|sign| sign.p),
                sign_undefined,
                sign_holm: test.sign_holm,
            }
        };

        Self {
            dimension: &report.name,
            comparisons: report.comparisons,
            sources: report.table.sources(),
            raters: agreement.raters,
            systems: order
                .map(|system| ComparedSystemJson::new(report, *system))
                .collect(),
            tie_parameter: FigureJson::new(
                fit.map(|fit| fit.tie_parameter),
                intervals.map(|intervals| intervals.tie_parameter),
            ),
            penalised: fit.ok().map(|fit| fit.penalised),
            alpha: OutcomeAlphaJson {
                alpha: agreement.alpha.into(),
                interval: report.agreement_interval.map(Into::into),
                units: agreement.units,
                pairable_units: agreement.pairable_units,
            },
            win_matrix: WinMatrixJson {
                systems,
                wins: matrix_rows(report, |counts| counts.wins),
                ties: matrix_rows(report, |counts| counts.ties),
            },
            pairs: report.pairs.iter().map(pair).collect(),
            metrics: vec![],
        }
    }
}

fn metrics_of<'a>(report: &'a PairwiseReport, dimension: &str) -> Vec<ComparedMetricJson<'a>> {
    let of_dimension = report.metrics.iter().filter(|of| of.dimension == dimension);
    let entries = of_dimension.flat_map(|of| &of.entries);
    let figure = |estimate: IntervalEstimate| {
        FigureJson::new(estimate.value, estimate.interval.ok().map(Ok))
    };

    entries
        .map(|entry| ComparedMetricJson {
            metric: &entry.label,
            outputs: entry.pairs.outputs,
            unscored: entry.pairs.unscored,
            learned_from: entry.learned_from,
            counts: entry.pairs.tau,
            tau: figure(IntervalEstimate {
                value: entry.pairs.tau.tau(),
                interval: entry.pairs.tau_interval,
            }),
            system_pearson: figure(entry.systems.pearson),
            system_spearman: figure(entry.systems.spearman),
        })
        .collect()
}

fn matrix_rows(report: &ComparisonFigures, count: fn(WinTieLoss) -> usize) -> Vec<Vec<usize>> {
    let systems = 0..report.matrix.systems();
    let row = |a| {
        systems
            .clone()
            .map(|b| count(report.matrix.counts(a, b)))
            .collect()
    };
    systems.clone().map(row).collect()
}

impl<'a> ComparedSystemJson<'a> {
    fn new(report: &'a ComparisonFigures, system: usize) -> Self {
        let fit = report.fit.as_ref().map_err(|reason| *reason);
        let intervals = report.intervals.as_ref();
        let totals = report.matrix.totals(system);
        let counts = report.best_worst[system];

        let best_worst = report.has_choices().then(|| BestWorstJson {
            shown: counts.shown,
            best: counts.best,
            worst: counts.worst,
            score: FigureJson::new(
                counts.score(),
                intervals.map(|intervals| intervals.best_worst[system]),
            ),
        });

        Self {
            system: &report.table.systems()[system],
            rank: report.ranks.as_ref().map(|ranks| ranks[system]),
            strength: FigureJson::new(
                fit.map(|fit| fit.strengths[system]),
                intervals.map(|intervals| intervals.strengths[system]),
            ),
            win_share: FigureJson::new(
                fit.map(|fit| fit.win_shares()[system]),
                intervals.map(|intervals| intervals.win_shares[system]),
            ),
            wins: totals.wins,
            ties: totals.ties,
            losses: totals.losses,
            best_worst,
        }
    }
}
