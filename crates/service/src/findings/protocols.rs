//! Findings on several protocols, compared on the sources that they share.

use domain::statistics::systems::SIGNIFICANCE_LEVEL;

use super::{LeaderCandidate, LeaderPhrases, leader_sentence, names_or_count};
use crate::{
    figures::protocols::{ProtocolComparison, ProtocolFigures, SystemOrderCorrelation},
    live::FEWEST_PAIRABLE,
    wording::{count_noun, decimal},
};

const PHRASES: LeaderPhrases = LeaderPhrases {
    one: "has the highest agreement",
    several: "have the highest agreement",
};

/// Names the protocol on which raters agree most, by α on z-scores. Another one is below it only if the intervals
/// do not overlap.
#[must_use]
pub fn agreement(of: &ProtocolComparison) -> String {
    if of.shared() == 0 {
        return "There is no source that all of these have".to_owned();
    }
    if of.rated == 0 {
        return "No source is rated in all of these yet".to_owned();
    }

    let is_early =
        |of: &&ProtocolFigures| of.agreement.z.agreement.pairable_units < FEWEST_PAIRABLE;

    let early: Vec<_> = of.protocols.iter().filter(is_early).collect();

    if !early.is_empty() {
        let names: Vec<_> = early.iter().map(|of| &of.name[..]).collect();
        return format!(
            "Too early to say: fewer than {FEWEST_PAIRABLE} outputs have two z-scores in {}",
            names_or_count(&names, "study")
        );
    }

    let mut candidates = Vec::new();
    for protocol in &of.protocols {
        let z = &protocol.agreement.z;
        match z.agreement.alpha {
            Ok(value) => candidates.push(LeaderCandidate {
                name: &protocol.name,
                value,
                interval: z
                    .interval
                    .ok()
                    .map(|interval| (interval.low, interval.high)),
            }),
            Err(reason) => {
                return format!(
                    "Agreement in {} cannot be computed: {reason}",
                    protocol.name
                );
            }
        }
    }

    leader_sentence(&candidates, PHRASES).unwrap_or_default()
}

/// The fewest raters with recorded time in both arms for a sentence on it: with fewer, resamples say too little.
const FEWEST_RATERS: usize = 6;

/// Names the protocol that takes annotators longer for a source, by the paired minutes of an experiment: only if the
/// interval excludes 0. `None` if the protocols are not those of an experiment.
#[must_use]
pub fn minutes(of: &ProtocolComparison) -> Option<String> {
    if !of.is_randomised {
        return None;
    }

    let paired = of.differences.iter().filter_map(|difference| {
        let minutes = difference
            .minutes
            .filter(|minutes| minutes.raters >= FEWEST_RATERS)?;
        let interval = minutes.interval.ok()?;
        let is_apart = interval.low > 0.0 || interval.high < 0.0;
        Some((difference, minutes, is_apart))
    });
    let paired: Vec<_> = paired.collect();

    let apart = paired.iter().filter(|(.., is_apart)| *is_apart).count();
    let name = |index: usize| &of.protocols[index].name;

    Some(match (&paired[..], apart) {
        ([], _) => format!(
            "Too early to say which takes longer: fewer than {FEWEST_RATERS} annotators have recorded time in both of two \
             studies"
        ),
        ([(difference, minutes, true)], _) => format!(
            "{} takes an annotator {} minutes {} for a source than {}",
            name(difference.first),
            decimal(minutes.difference.abs(), 2),
            if minutes.difference > 0.0 {
                "more"
            } else {
                "less"
            },
            name(difference.second),
        ),
        ([(difference, ..)], _) => format!(
            "{} and {} do not differ significantly in time per source",
            name(difference.first),
            name(difference.second)
        ),
        (pairs, 0) => format!(
            "No pair of these differs significantly in time per source ({} compared)",
            count_noun(pairs.len(), "pair")
        ),
        (pairs, apart) => format!(
            "{apart} of {} differ in the time that an annotator takes for a source",
            count_noun(pairs.len(), "pair")
        ),
    })
}

/// Says whether the protocols order the systems alike, by Kendall's τ-b: only if the corrected p-value says that
/// it is more than chance.
#[must_use]
pub fn orders(of: &ProtocolComparison) -> String {
    let verdict = |order: &SystemOrderCorrelation| {
        let tau = order.kendall.ok()?.coefficient;
        let significant = order.kendall_holm? <= SIGNIFICANCE_LEVEL;
        Some((significant && tau > 0.0, significant && tau < 0.0))
    };

    if let [order] = &of.orders[..] {
        let names = format!(
            "{} and {}",
            of.protocols[order.first].name, of.protocols[order.second].name
        );

        let tau = match order.kendall {
            Ok(tau) => decimal(tau.coefficient, 2),
            Err(reason) => return format!("The orders of systems cannot be compared: {reason}"),
        };

        return match verdict(order) {
            Some((true, _)) => format!("{names} order the systems alike: τ-b = {tau}"),
            Some((_, true)) => {
                format!("{names} order the systems the other way round: τ-b = {tau}")
            }
            _ => format!("{names} may order the systems alike by chance: τ-b = {tau}"),
        };
    }

    let verdicts: Vec<_> = of.orders.iter().filter_map(verdict).collect();
    let alike = verdicts.iter().filter(|(alike, _)| *alike).count();
    let opposite = verdicts.iter().filter(|(_, opposite)| *opposite).count();

    match (verdicts.len(), alike, opposite) {
        (0, ..) => "The orders of systems cannot be compared yet".to_owned(),
        (tested, 0, 0) => {
            format!("None of the {tested} orders compared are alike by more than chance")
        }
        (tested, alike, 0) if tested == alike => {
            "All of these order the systems alike, by more than chance".to_owned()
        }
        (tested, alike, 0) => {
            format!("{alike} of {tested} pairs order the systems alike by more than chance")
        }
        (tested, alike, opposite) => format!(
            "{alike} of {tested} pairs order the systems alike by more than chance, {opposite} the other way \
             round"
        ),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        statistics::{
            Agreement, MeasurementLevel, UndefinedReason, bootstrap::BootstrapInterval,
            correlation::Correlation,
        },
        study::Dimension,
    };

    use super::*;
    use crate::figures::{
        AlphaEstimate,
        protocols::{
            AlphaDifference, DimensionAgreement, PairCounts, PairedMinutes, ProtocolDifference,
        },
        systems::ZScoreOrigin,
    };

    fn protocol(name: &str, alpha: f64, half: f64, pairable_units: usize) -> ProtocolFigures {
        let estimate = AlphaEstimate {
            agreement: Agreement {
                alpha: Ok(alpha),
                level: MeasurementLevel::Interval,
                raters: 2,
                units: pairable_units,
                ratings: 2 * pairable_units,
                pairable_units,
                pairable_values: 2 * pairable_units,
            },
            interval: Ok(BootstrapInterval {
                low: alpha - half,
                high: alpha + half,
                confidence: 0.95,
                replicates: 1_000,
                undefined: 0,
            }),
        };

        let agreement = DimensionAgreement {
            dimension: Dimension::default(),
            raw: estimate,
            z: estimate,
        };
        ProtocolFigures {
            name: name.to_owned(),
            protocol: None,
            dimensions: vec![agreement.clone()],
            agreement,
            mean: None,
            z_from: ZScoreOrigin::Ratings,
            time: None,
            ranking: vec![],
            pairs: PairCounts::default(),
            warnings: vec![],
        }
    }

    fn order(first: usize, second: usize, coefficient: f64, p: f64) -> SystemOrderCorrelation {
        let correlation = Ok(Correlation {
            coefficient,
            p,
            n: 6,
        });
        SystemOrderCorrelation {
            first,
            second,
            systems: 6,
            kendall: correlation,
            kendall_holm: Some(p),
            spearman: correlation,
        }
    }

    fn comparison(
        protocols: Vec<ProtocolFigures>,
        orders: Vec<SystemOrderCorrelation>,
    ) -> ProtocolComparison {
        ProtocolComparison {
            exact: 10,
            normalised: 0,
            rated: 10,
            is_randomised: false,
            has_other_ratings: false,
            differences: vec![],
            protocols,
            orders,
        }
    }

    #[test]
    fn agreement_is_higher_only_where_intervals_do_not_overlap() {
        let sentence = |half| {
            let protocols = vec![
                protocol("lake", 0.25, half, 20),
                protocol("river", 0.33, half, 20),
            ];
            agreement(&comparison(protocols, vec![]))
        };

        assert_eq!(sentence(0.03), "river has the highest agreement");
        assert_eq!(
            sentence(0.05),
            "river has the highest agreement; lake cannot be told apart from it"
        );
    }

    #[test]
    fn little_data_says_so() {
        let mut of = comparison(
            vec![
                protocol("lake", 0.9, 0.1, 19),
                protocol("river", 0.1, 0.1, 20),
            ],
            vec![],
        );
        assert_eq!(
            agreement(&of),
            "Too early to say: fewer than 20 outputs have two z-scores in lake"
        );

        of.rated = 0;
        assert_eq!(agreement(&of), "No source is rated in all of these yet");
        of.exact = 0;
        assert_eq!(agreement(&of), "There is no source that all of these have");

        let mut constant = protocol("river", 0.1, 0.1, 20);
        constant.agreement.z.agreement.alpha = Err(UndefinedReason::Constant);
        let of = comparison(vec![protocol("lake", 0.9, 0.1, 20), constant], vec![]);
        assert!(agreement(&of).starts_with("Agreement in river cannot be computed: all values"));
    }

    #[test]
    fn orders_are_alike_by_the_corrected_test() {
        let two = |order| {
            let protocols = vec![
                protocol("lake", 0.5, 0.1, 20),
                protocol("river", 0.5, 0.1, 20),
            ];
            orders(&comparison(protocols, vec![order]))
        };

        for (tau, p, expected) in [
            (
                0.87,
                0.02,
                "lake and river order the systems alike: τ-b = 0.87",
            ),
            (
                0.33,
                0.4,
                "lake and river may order the systems alike by chance: τ-b = 0.33",
            ),
            (
                -0.87,
                0.02,
                "lake and river order the systems the other way round: τ-b = −0.87",
            ),
        ] {
            assert_eq!(two(order(0, 1, tau, p)), expected);
        }

        let none = SystemOrderCorrelation {
            kendall: Err(UndefinedReason::TooFew {
                found: 1,
                needed: 2,
            }),
            kendall_holm: None,
            ..order(0, 1, 0.0, 1.0)
        };
        assert!(
            two(none).starts_with("The orders of systems cannot be compared: 1 values are too few")
        );

        let three = |p: [f64; 3], tau: f64| {
            let protocols = ["lake", "river", "pond"].map(|name| protocol(name, 0.5, 0.1, 20));
            let orders = [(0, 1), (0, 2), (1, 2)].into_iter().zip(p);
            let orders = orders.map(|((a, b), p)| order(a, b, tau, p)).collect();
            super::orders(&comparison(protocols.into(), orders))
        };
        assert_eq!(
            three([0.01; 3], 0.8),
            "All of these order the systems alike, by more than chance"
        );
        assert_eq!(
            three([0.01, 0.2, 0.3], 0.8),
            "1 of 3 pairs order the systems alike by more than chance"
        );
        assert_eq!(
            three([0.2; 3], 0.8),
            "None of the 3 orders compared are alike by more than chance"
        );
        assert_eq!(
            three([0.01, 0.2, 0.3], -0.8),
            "0 of 3 pairs order the systems alike by more than chance, 1 the other way round"
        );
    }

    #[test]
    fn one_takes_longer_only_where_the_interval_has_no_zero() {
        let difference = |second: usize, pairs: &[[f64; 2]]| ProtocolDifference {
            first: 0,
            second,
            raw: AlphaDifference {
                value: Ok(0.0),
                interval: Err(UndefinedReason::Constant),
            },
            z: AlphaDifference {
                value: Ok(0.0),
                interval: Err(UndefinedReason::Constant),
            },
            minutes: PairedMinutes::new(pairs),
        };

        let longer: &[[f64; 2]] = &[[2.5, 1.0]; 6];
        let either: &[[f64; 2]] = &[
            [3.0, 1.0],
            [1.0, 3.0],
            [2.0, 2.0],
            [2.0, 2.0],
            [4.0, 2.0],
            [2.0, 4.0],
        ];

        let sentence = |pairs: &[&[[f64; 2]]]| {
            let names = ["lake", "river", "pond"];
            let protocols = names[..=pairs.len()].iter();
            let protocols = protocols.map(|name| protocol(name, 0.5, 0.1, 20)).collect();
            let mut of = comparison(protocols, vec![]);
            of.is_randomised = true;

            let numbered = (1..).zip(pairs);
            of.differences = numbered
                .map(|(second, pairs)| difference(second, pairs))
                .collect();
            minutes(&of).unwrap()
        };

        for (pairs, expected) in [
            (
                &[longer][..],
                "lake takes an annotator 1.50 minutes more for a source than river",
            ),
            (
                &[either],
                "lake and river do not differ significantly in time per source",
            ),
            (
                &[either, either],
                "No pair of these differs significantly in time per source (2 pairs compared)",
            ),
            (
                &[longer, either],
                "1 of 2 pairs differ in the time that an annotator takes for a source",
            ),
            (
                &[&[[2.5, 1.0]; 5]],
                "Too early to say which takes longer: fewer than 6 annotators have recorded time in both of two studies",
            ),
        ] {
            assert_eq!(sentence(pairs), expected);
        }

        assert_eq!(minutes(&comparison(vec![], vec![])), None);
    }
}
