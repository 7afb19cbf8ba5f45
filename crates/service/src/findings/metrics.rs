//! Findings on the agreement of metrics with people.

use domain::{
    metrics::meta::{IntervalEstimate, MetricDifference, UpperLimit},
    statistics::{correlation::Correlation, significance::holm, systems::SIGNIFICANCE_LEVEL},
};

use super::{LeaderCandidate, LeaderPhrases, leader_sentence, names_or_count};
use crate::{
    figures::metrics::{AssistedSystems, DimensionCorrelation},
    wording::{count_noun, decimal},
};

/// The fewest pairs of outputs, or outputs, for meaningful figures.
const FEWEST: usize = 20;
/// The fewest systems for a meaningful correlation.
pub const FEWEST_SYSTEMS: usize = 5;

/// The name of a metric, with its figure.
pub type NamedEstimate<'a> = (&'a str, IntervalEstimate);

/// The raters and pairs behind an upper limit: “3 raters, 40 pairs”.
#[must_use]
pub fn limit_basis(limit: &UpperLimit) -> String {
    let raters = count_noun(limit.all_raters, "rater");
    let pairs = count_noun(limit.counts.pairs(), "pair");
    match limit.raters == limit.all_raters {
        true => format!("{raters}, {pairs}"),
        false => format!("{} of {raters}, {pairs}", limit.raters),
    }
}

/// Names the metric that orders outputs most like people. `pairs` is the number of pairs of outputs that people
/// tell apart.
#[must_use]
pub fn order(of: &[NamedEstimate<'_>], pairs: usize) -> String {
    if pairs < FEWEST {
        let noun = if pairs == 1 { "pair" } else { "pairs" };
        return format!("Too early to say: raters tell {pairs} {noun} of outputs apart");
    }
    leader(
        of,
        LeaderPhrases {
            one: "orders outputs most like people do",
            several: "order outputs most like people do",
        },
        "orders outputs as people do",
    )
}

/// Names the metric whose scores follow ratings most closely. `units` is the number of outputs or systems, of which
/// there must be at least `fewest`.
#[must_use]
pub fn correlation(
    of: &[NamedEstimate<'_>],
    (units, noun): (usize, &str),
    fewest: usize,
) -> String {
    if units < fewest {
        return format!(
            "Too early to say: there {} with ratings and scores",
            are(units, noun)
        );
    }

    leader(
        of,
        LeaderPhrases {
            one: "follows ratings most closely",
            several: "follow ratings most closely",
        },
        "follows ratings",
    )
}

/// Names the metric whose scores of outputs follow ratings most closely.
#[must_use]
pub fn correlation_of_outputs(of: &[NamedEstimate<'_>], outputs: usize) -> String {
    correlation(of, (outputs, "output"), FEWEST)
}

/// Names the metric whose mean scores follow the strengths of systems most closely.
#[must_use]
pub fn correlation_with_strengths(of: &[NamedEstimate<'_>], systems: usize) -> String {
    if systems < FEWEST_SYSTEMS {
        return format!(
            "Too early to say: there {} with comparisons and scores",
            are(systems, "system")
        );
    }
    leader(
        of,
        LeaderPhrases {
            one: "ranks systems most like comparisons do",
            several: "rank systems most like comparisons do",
        },
        "ranks systems as comparisons do",
    )
}

/// Says which share of ratings a metric saves, if its scores correlate with ratings within systems by more than chance.
#[must_use]
pub fn saved_ratings(label: &str, of: &AssistedSystems) -> String {
    let rated = of.rated_outputs();
    if rated < FEWEST {
        return format!(
            "Too early to say: there {} with ratings and scores",
            are(rated, "output")
        );
    }

    match (of.costs, of.correlation) {
        (Ok(costs), Ok(interval)) if interval.low > 0.0 || interval.high < 0.0 => format!(
            "{label} saves about {}\u{a0}% of the ratings",
            (100.0 * costs.saved(of.rated_by_system())).round()
        ),
        _ => format!("{label} may save no ratings: its scores may differ from them by chance"),
    }
}

fn are(number: usize, noun: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{verb} {}", count_noun(number, noun))
}

/// Names the leader among metrics. If it may be no better than chance, the sentence says only that.
fn leader(of: &[NamedEstimate<'_>], phrases: LeaderPhrases, alone: &str) -> String {
    let candidates = of.iter().filter_map(|(name, estimate)| {
        Some(LeaderCandidate {
            name,
            value: estimate.value.ok()?,
            interval: estimate
                .interval
                .ok()
                .map(|interval| (interval.low, interval.high)),
        })
    });
    let candidates: Vec<_> = candidates.collect();

    let is_clear =
        |candidate: &LeaderCandidate<'_>| candidate.interval.is_some_and(|(low, _)| low > 0.0);
    let best = candidates.iter().max_by(|a, b| a.value.total_cmp(&b.value));

    match (best, &candidates[..]) {
        (None, _) => "No metric has a figure yet".to_owned(),
        (Some(best), [_]) if is_clear(best) => {
            format!(
                "{} {alone} by more than chance: {}",
                best.name,
                decimal(best.value, 2)
            )
        }
        (Some(best), [_]) => {
            format!(
                "{} may be no better than chance: {}",
                best.name,
                decimal(best.value, 2)
            )
        }
        (Some(best), _) if !is_clear(best) => {
            format!("No metric {alone} by more than chance")
        }
        _ => leader_sentence(&candidates, phrases)
            .unwrap_or_else(|| "No metric has a figure yet".to_owned()),
    }
}

/// Names the other metrics that differ from a metric, by permutation tests of τ corrected for their number. Also
/// returns the corrected p-values, in the order of the differences; `None` for those without one.
#[must_use]
pub fn against(metric: &str, others: &[(&str, MetricDifference)]) -> (String, Vec<Option<f64>>) {
    let corrected = corrected(
        others
            .iter()
            .map(|(_, difference)| difference.permutation_p.ok()),
    );

    let significant = others
        .iter()
        .zip(&corrected)
        .filter(|(_, p)| p.is_some_and(|p| p <= SIGNIFICANCE_LEVEL));

    let (mut better, mut worse) = (Vec::new(), Vec::new());
    for ((name, difference), _) in significant {
        match difference.value {
            Ok(value) if value > 0.0 => better.push(*name),
            Ok(value) if value < 0.0 => worse.push(*name),
            _ => {}
        }
    }

    let sentence = match (&better[..], &worse[..]) {
        ([], []) => format!("{metric} cannot be told apart from the others"),
        (better, []) => format!(
            "{metric} is better than {}",
            names_or_count(better, "other")
        ),
        ([], worse) => format!("{metric} is worse than {}", names_or_count(worse, "other")),
        (better, worse) => format!(
            "{metric} is better than {}, and worse than {}",
            names_or_count(better, "other"),
            names_or_count(worse, "other")
        ),
    };

    (sentence, corrected)
}

/// Corrects the defined p-values by Holm, as one family; each keeps its place.
fn corrected(p: impl Iterator<Item = Option<f64>>) -> Vec<Option<f64>> {
    let p: Vec<Option<f64>> = p.collect();
    let family: Vec<f64> = p.iter().copied().flatten().collect();
    let mut family = holm(&family).into_iter();
    p.iter().map(|p| p.and_then(|_| family.next())).collect()
}

/// Says whether the scores of one metric correlate with ratings.
#[must_use]
pub fn scatter(metric: &str, pearson: IntervalEstimate) -> String {
    match (pearson.value, pearson.interval) {
        (Ok(r), Ok(interval)) if interval.low > 0.0 => {
            format!("{metric} and ratings go together: r = {}", decimal(r, 2))
        }
        (Ok(r), Ok(interval)) if interval.high < 0.0 => {
            format!("{metric} goes against ratings: r = {}", decimal(r, 2))
        }
        (Ok(r), _) => format!(
            "{metric} may have nothing to do with ratings: r = {}",
            decimal(r, 2)
        ),
        (Err(_), _) => format!("Scores of {metric} against ratings"),
    }
}

/// Names the two dimensions that correlate most.
#[must_use]
pub fn dimensions(pairs: &[DimensionCorrelation]) -> String {
    let measured = pairs
        .iter()
        .filter_map(|pair| Some((pair, pair.r.as_ref().ok()?)))
        .filter(|(_, r)| r.n >= FEWEST);
    let most =
        measured.max_by(|(_, a), (_, b)| a.coefficient.abs().total_cmp(&b.coefficient.abs()));

    most.map_or_else(
        || "Too early to say how dimensions correlate".to_owned(),
        |(pair, r)| {
            let most = if pairs.len() > 1 { " most" } else { "" };
            format!(
                "{} and {} correlate{most}: r = {}",
                pair.a,
                pair.b,
                decimal(r.coefficient, 2)
            )
        },
    )
}

/// Names the metrics that order systems as readers do, by p-values corrected for their number.
#[must_use]
pub fn systems_as_readers(of: &[(&str, Correlation)]) -> String {
    let corrected = corrected(of.iter().map(|(_, correlation)| Some(correlation.p)));
    let significant = of.iter().zip(corrected).filter(|((_, correlation), p)| {
        correlation.coefficient > 0.0 && p.is_some_and(|p| p <= SIGNIFICANCE_LEVEL)
    });
    let names: Vec<_> = significant.map(|((name, _), _)| *name).collect();

    match names.len() {
        0 => "No metric orders systems as readers do by more than chance".to_owned(),
        1 => format!("{} orders systems as readers do", names[0]),
        _ => format!(
            "{} order systems as readers do",
            names_or_count(&names, "metric")
        ),
    }
}

#[cfg(test)]
mod tests {
    use domain::statistics::{UndefinedReason, bootstrap::BootstrapInterval};

    use super::*;

    fn interval(low: f64, high: f64) -> BootstrapInterval {
        BootstrapInterval {
            low,
            high,
            confidence: 0.95,
            replicates: 1_000,
            undefined: 0,
        }
    }

    fn estimate(value: f64, half: f64) -> IntervalEstimate {
        IntervalEstimate {
            value: Ok(value),
            interval: Ok(interval(value - half, value + half)),
        }
    }

    const UNDEFINED: IntervalEstimate = IntervalEstimate {
        value: Err(UndefinedReason::Constant),
        interval: Err(UndefinedReason::Constant),
    };

    #[test]
    fn the_metric_that_orders_most_like_people() {
        let (sari, lens) = (("sari", estimate(0.5, 0.1)), ("lens", estimate(0.45, 0.1)));
        for (of, pairs, expected) in [
            (
                &[sari][..],
                19,
                "Too early to say: raters tell 19 pairs of outputs apart",
            ),
            (
                &[sari][..],
                1,
                "Too early to say: raters tell 1 pair of outputs apart",
            ),
            (&[("sari", UNDEFINED)][..], 20, "No metric has a figure yet"),
            (
                &[sari][..],
                20,
                "sari orders outputs as people do by more than chance: 0.50",
            ),
            (
                &[("bleu", estimate(0.05, 0.1))][..],
                20,
                "bleu may be no better than chance: 0.05",
            ),
            (
                &[sari, lens, ("bleu", estimate(0.1, 0.1))][..],
                20,
                "sari orders outputs most like people do; lens cannot be told apart from it",
            ),
            (
                &[("bleu", estimate(0.05, 0.1)), ("fkgl", estimate(-0.2, 0.1))][..],
                20,
                "No metric orders outputs as people do by more than chance",
            ),
        ] {
            assert_eq!(order(of, pairs), expected);
        }
    }

    #[test]
    fn correlations_need_enough_systems() {
        let of = [("sari", estimate(0.5, 0.1)), ("bleu", estimate(0.1, 0.1))];
        assert_eq!(
            correlation(&of, (4, "system"), FEWEST_SYSTEMS),
            "Too early to say: there are 4 systems with ratings and scores"
        );
        assert_eq!(
            correlation(&of, (1, "system"), FEWEST_SYSTEMS),
            "Too early to say: there is 1 system with ratings and scores"
        );
        assert_eq!(
            correlation_of_outputs(&of, 20),
            "sari follows ratings most closely"
        );
    }

    #[test]
    fn a_comparison_is_corrected_for_the_number_of_metrics() {
        let difference = |value: f64, p: f64| MetricDifference {
            value: Ok(value),
            interval: Ok(interval(value, value)),
            bootstrap_p: Ok(p),
            permutation_p: Ok(p),
        };

        let one = [("bleu", difference(0.2, 0.03))];
        assert_eq!(against("sari", &one).0, "sari is better than bleu");

        // Twice .03 is above .05.
        let two = [
            ("bleu", difference(0.2, 0.03)),
            ("fkgl", difference(0.1, 0.5)),
        ];
        let (sentence, p) = against("sari", &two);
        assert_eq!(sentence, "sari cannot be told apart from the others");
        assert_eq!(p, [Some(0.06), Some(0.5)]);

        let both = [
            ("bleu", difference(0.2, 0.001)),
            ("lens", difference(-0.2, 0.001)),
        ];
        assert_eq!(
            against("sari", &both).0,
            "sari is better than bleu, and worse than lens"
        );
        assert_eq!(against("sari", &both[1..]).0, "sari is worse than lens");
    }

    #[test]
    fn a_scatter_plot_says_what_its_interval_allows() {
        assert_eq!(
            scatter("sari", estimate(0.4, 0.1)),
            "sari and ratings go together: r = 0.40"
        );
        assert_eq!(
            scatter("sari", estimate(-0.4, 0.1)),
            "sari goes against ratings: r = −0.40"
        );
        assert_eq!(
            scatter("sari", estimate(0.05, 0.1)),
            "sari may have nothing to do with ratings: r = 0.05"
        );
        assert_eq!(scatter("sari", UNDEFINED), "Scores of sari against ratings");
    }

    fn correlated(coefficient: f64, p: f64, n: usize) -> Correlation {
        Correlation { coefficient, p, n }
    }

    #[test]
    fn dimensions_that_correlate_most() {
        let pair = |a: &str, b: &str, r, n| DimensionCorrelation {
            a: a.to_owned(),
            b: b.to_owned(),
            r: Ok(correlated(r, 0.01, n)),
        };

        let pairs = [
            pair("fluency", "meaning", 0.3, 40),
            pair("fluency", "simplicity", -0.8, 40),
        ];
        assert_eq!(
            dimensions(&pairs),
            "fluency and simplicity correlate most: r = −0.80"
        );
        assert_eq!(
            dimensions(&pairs[..1]),
            "fluency and meaning correlate: r = 0.30"
        );
        assert!(dimensions(&[pair("a", "b", 0.3, 19)]).starts_with("Too early"));
    }

    #[test]
    fn metrics_that_order_systems_as_readers_do() {
        let sari = ("sari", correlated(0.9, 0.001, 8));
        let bleu = ("bleu", correlated(0.8, 0.03, 8));
        let fkgl = ("fkgl", correlated(-0.9, 0.001, 8));
        assert_eq!(
            systems_as_readers(&[sari, fkgl]),
            "sari orders systems as readers do"
        );
        assert_eq!(
            systems_as_readers(&[sari, bleu]),
            "sari and bleu order systems as readers do"
        );
        assert_eq!(
            systems_as_readers(&[fkgl]),
            "No metric orders systems as readers do by more than chance"
        );
        assert_eq!(
            systems_as_readers(&[]),
            "No metric orders systems as readers do by more than chance"
        );
    }
}
