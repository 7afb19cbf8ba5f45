//! The agreement of scores with the people who judged a dataset.

use domain::statistics::{
    UndefinedReason,
    bootstrap::{ResamplingOptions, bootstrap},
    correlation::pearson,
};
use serde::Serialize;

use super::{
    RatedDataset,
    rated_dataset::{DatasetSource, OutputPreference},
    validate::{compute_share, compute_tau},
};

/// A metric's scores of a dataset, larger for better, by source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatasetScores {
    /// The scores of each source's outputs; NaN if the metric gives none, which counts against it.
    pub outputs: Vec<Vec<f64>>,
    /// The scores of each source's probes.
    pub probes: Vec<Vec<f64>>,
}

/// A text made from a good output of a source, and worse than it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetProbe {
    /// The index of the good output.
    pub good: usize,
    /// The text.
    pub text: String,
}

/// Agreement with people on a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, utoipa::ToSchema)]
pub struct LeftOutFigures {
    /// Tau-like: concordant less discordant pairs, as a share of both, over pairs of outputs of one source of
    /// which people prefer one. Ties of the metric are discordant.
    pub tau: FigureEstimate,
    /// The same for pairs of good outputs.
    pub hard: FigureEstimate,
    /// The same for pairs with an output that a person wrote.
    pub with_human: FigureEstimate,
    /// The same for pairs of machines' outputs.
    pub machines: FigureEstimate,
    /// The share of cases in which a good output outranks a degenerate text made from it.
    pub degenerate: FigureEstimate,
    /// Pearson's r with the mean z-scores of all outputs.
    pub r: FigureEstimate,
}

/// A figure, possibly undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, utoipa::ToSchema)]
pub struct FigureEstimate {
    /// The figure; `None` if it is undefined.
    pub value: Option<f64>,
    /// Its bootstrap interval over sources.
    #[schema(value_type = Option<Vec<f64>>)]
    pub ci: Option<[f64; 2]>,
    /// The number of pairs, cases or outputs that it is computed from.
    pub count: usize,
}

/// The number of pairs on which scores agree with people, and the number of all pairs.
type AgreementCount = (usize, usize);

/// The agreement of scores with the people who judged a dataset.
///
/// # Panics
/// If the scores are those of another dataset.
#[must_use]
pub fn evaluate_scores(
    dataset: &RatedDataset,
    probes: &[Vec<DatasetProbe>],
    scores: &DatasetScores,
    resampling: ResamplingOptions,
) -> LeftOutFigures {
    let sources = &dataset.sources;
    assert_eq!(sources.len(), scores.outputs.len(), "scores of each source");

    let degenerate: Vec<AgreementCount> = probes
        .iter()
        .zip(scores.outputs.iter().zip(&scores.probes))
        .map(|(probes, (outputs, scores))| {
            let cases = probes.iter().zip(scores);
            count_agreement(cases.map(|(probe, score)| (outputs[probe.good], *score)))
        })
        .collect();

    LeftOutFigures {
        tau: estimate_tau(sources, scores, resampling, |_, _| true),
        hard: estimate_tau(sources, scores, resampling, |_, pair| pair.both_good),
        with_human: estimate_tau(sources, scores, resampling, has_human),
        machines: estimate_tau(sources, scores, resampling, |source, pair| {
            !has_human(source, pair)
        }),
        degenerate: estimate_share(&degenerate, resampling, compute_share),
        r: estimate_correlation(sources, scores, resampling),
    }
}

fn has_human(source: &DatasetSource, pair: &OutputPreference) -> bool {
    source.human[pair.better] || source.human[pair.worse]
}

/// The agreement on the chosen pairs.
fn estimate_tau(
    sources: &[DatasetSource],
    scores: &DatasetScores,
    resampling: ResamplingOptions,
    is_chosen: impl Fn(&DatasetSource, &OutputPreference) -> bool,
) -> FigureEstimate {
    let counts: Vec<AgreementCount> = sources
        .iter()
        .zip(&scores.outputs)
        .map(|(source, scores)| {
            let pairs = source.preferences.iter();
            let pairs = pairs.filter(|pair| is_chosen(source, pair));
            count_agreement(pairs.map(|pair| (scores[pair.better], scores[pair.worse])))
        })
        .collect();

    estimate_share(&counts, resampling, compute_tau)
}

fn add_counts(sum: AgreementCount, count: &AgreementCount) -> AgreementCount {
    (sum.0 + count.0, sum.1 + count.1)
}

fn count_agreement(pairs: impl Iterator<Item = (f64, f64)>) -> AgreementCount {
    pairs.fold((0, 0), |(right, all), (better, worse)| {
        (right + usize::from(better > worse), all + 1)
    })
}

/// A share over all sources, with its interval.
fn estimate_share(
    counts: &[AgreementCount],
    resampling: ResamplingOptions,
    share: fn(AgreementCount) -> Option<f64>,
) -> FigureEstimate {
    // Sources without a pair add no information and would only widen the interval.
    let counts: Vec<AgreementCount> = counts.iter().copied().filter(|(_, all)| *all > 0).collect();
    let all = counts.iter().fold((0, 0), add_counts);

    let interval = bootstrap(counts.len(), resampling, |drawn| {
        let drawn_counts = drawn.iter().map(|at| &counts[*at]);
        let sum = drawn_counts.fold((0, 0), add_counts);
        share(sum).ok_or(UndefinedReason::NoPreference)
    });

    FigureEstimate {
        value: share(all),
        ci: interval.ok().map(|interval| [interval.low, interval.high]),
        count: all.1,
    }
}

fn estimate_correlation(
    sources: &[DatasetSource],
    scores: &DatasetScores,
    resampling: ResamplingOptions,
) -> FigureEstimate {
    let by_source: Vec<Vec<(f64, f64)>> = sources
        .iter()
        .zip(&scores.outputs)
        .map(|(source, scores)| {
            let z = source.training.outputs.iter().map(|output| output.z);
            let pairs = scores.iter().copied().zip(z);
            pairs.filter(|(score, _)| score.is_finite()).collect()
        })
        .collect();
    let all: Vec<(f64, f64)> = by_source.iter().flatten().copied().collect();

    let interval = bootstrap(by_source.len(), resampling, |drawn| {
        let drawn_pairs = drawn.iter().flat_map(|at| &by_source[*at]);
        let drawn_pairs: Vec<(f64, f64)> = drawn_pairs.copied().collect();
        Ok(pearson(&drawn_pairs)?.coefficient)
    });

    FigureEstimate {
        value: pearson(&all)
            .ok()
            .map(|correlation| correlation.coefficient),
        ci: interval.ok().map(|interval| [interval.low, interval.high]),
        count: all.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{DatasetRating, TrainingRating},
        *,
    };

    #[test]
    fn pairs_are_counted_by_who_wrote_them() {
        let outputs = [("a", 1.0, true), ("b", 0.5, false), ("c", -1.0, false)];
        let ratings: Vec<DatasetRating<'_>> = ["s", "t"]
            .into_iter()
            .flat_map(|source| {
                outputs.map(|(output, z, human)| DatasetRating {
                    rating: TrainingRating { source, output, z },
                    human,
                })
            })
            .collect();
        let dataset = RatedDataset::from_ratings("made".to_owned(), &ratings);
        let probe = |good| DatasetProbe {
            good,
            text: "worse".to_owned(),
        };
        let probes = [vec![probe(0), probe(1)], vec![]];
        let scores = DatasetScores {
            // The machine's b is put above the person's a, and once level with c.
            outputs: vec![vec![0.1, 0.6, 0.6], vec![0.1, 0.6, 0.0]],
            probes: vec![vec![0.5, 0.5], vec![]],
        };
        let figures = evaluate_scores(&dataset, &probes, &scores, ResamplingOptions::default());
        let value = |figure: FigureEstimate| (figure.value, figure.count);
        // Of six pairs, a over b is missed twice, a over c and b over c once each.
        assert_eq!(value(figures.tau), (Some(2.0 * 2.0 / 6.0 - 1.0), 6));
        assert_eq!(value(figures.hard), (Some(-1.0), 2));
        assert_eq!(value(figures.with_human), (Some(-0.5), 4));
        assert_eq!(value(figures.machines), (Some(0.0), 2));
        assert_eq!(value(figures.degenerate), (Some(0.5), 2));
        assert_eq!(figures.r.count, 6);
        let [low, high] = figures.tau.ci.expect("two sources");
        assert!((low + 1.0).abs() < 0.4 && high >= low, "{low} {high}");
    }

    #[test]
    fn what_has_no_score_counts_against_the_metric() {
        let rating = |output, z| DatasetRating {
            rating: TrainingRating {
                source: "s",
                output,
                z,
            },
            human: false,
        };
        let dataset =
            RatedDataset::from_ratings("made".to_owned(), &[rating("a", 1.0), rating("b", 0.0)]);
        let scores = DatasetScores {
            outputs: vec![vec![f64::NAN, 0.0]],
            probes: vec![vec![]],
        };
        let figures = evaluate_scores(&dataset, &[vec![]], &scores, ResamplingOptions::default());
        assert_eq!((figures.tau.value, figures.tau.ci), (Some(-1.0), None));
        assert_eq!((figures.r.value, figures.r.count), (None, 1));
        assert_eq!(figures.with_human.value, None);
    }
}
