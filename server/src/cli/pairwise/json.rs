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

use super::PairwiseReport;
use crate::reports::{AlphaJson, BootstrapIntervalJson, FigureJson, value_and_reason};

/// The method of the scores, for the report.
const METHOD: &str = "log strengths, mean 0: Bradley and Terry with Davidson's ties, maximum likelihood; \
                      penalised by 0.1 times their sum of squares only where it has no finite maximum; \
                      win share: chance to win against another system drawn at random, a tie \
                      counting half; best-worst: (best - worst)/shown; intervals: percentile, \
                      over sources; alpha: nominal, a unit is a pair of systems on a source";

/// The report for programs.
#[derive(Debug, Serialize)]
pub(super) struct PairwiseJson<'a> {
    method: &'static str,
    tests: &'static str,
    dimensions: Vec<ComparedDimensionJson<'a>>,
    skipped: &'a [BadRow],
}

#[derive(Debug, Serialize)]
struct ComparedDimensionJson<'a> {
    dimension: &'a str,
    comparisons: usize,
    sources: usize,
    raters: usize,
    /// The strongest first.
    systems: Vec<ComparedSystemJson<'a>>,
    tie_parameter: FigureJson,
    /// Whether log strengths are penalised; null where there are none.
    penalised: Option<bool>,
    alpha: OutcomeAlphaJson,
    win_matrix: WinMatrixJson<'a>,
    pairs: Vec<PairJson<'a>>,
    /// The study's metrics with scores of compared outputs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    metrics: Vec<ComparedMetricJson<'a>>,
}

/// A metric against the comparisons.
#[derive(Debug, Serialize)]
struct ComparedMetricJson<'a> {
    metric: &'a str,
    outputs: usize,
    unscored: usize,
    /// The number of sources that are left out because the metric learned from them.
    learned_from: usize,
    counts: TauLike,
    tau: FigureJson,
    system_pearson: FigureJson,
    system_spearman: FigureJson,
}

#[derive(Debug, Serialize)]
struct ComparedSystemJson<'a> {
    system: &'a str,
    rank: Option<usize>,
    strength: FigureJson,
    win_share: FigureJson,
    wins: usize,
    ties: usize,
    losses: usize,
    /// Of files with choices of the best and the worst only.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_worst: Option<BestWorstJson>,
}

#[derive(Debug, Serialize)]
struct BestWorstJson {
    shown: usize,
    best: usize,
    worst: usize,
    #[serde(flatten)]
    score: FigureJson,
}

#[derive(Debug, Serialize)]
struct OutcomeAlphaJson {
    #[serde(flatten)]
    alpha: AlphaJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<BootstrapIntervalJson>,
    units: usize,
    pairable_units: usize,
}

/// Wins of the row's system against the column's, and ties; systems in the order of their names.
#[derive(Debug, Serialize)]
struct WinMatrixJson<'a> {
    systems: &'a [String],
    wins: Vec<Vec<usize>>,
    ties: Vec<Vec<usize>>,
}

/// Two systems that were compared; the counts are those of a.
#[derive(Debug, Serialize)]
struct PairJson<'a> {
    a: &'a str,
    b: &'a str,
    comparisons: WinTieLoss,
    sources: WinTieLoss,
    sign_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_undefined: Option<String>,
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
