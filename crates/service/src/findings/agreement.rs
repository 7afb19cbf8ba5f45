//! Findings on the agreement of raters.

use domain::{
    category::Category,
    statistics::{
        agreement::{Agreement, AgreementPoint, FIRM_ALPHA, TENTATIVE_ALPHA},
        bootstrap::BootstrapInterval,
    },
};

use super::{join_names, names_or_count};
use crate::{
    figures::{AlphaEstimate, RaterAgreement, RaterPairAgreement},
    live::FEWEST_PAIRABLE,
    wording::{count_noun, decimal},
};

/// The decimals of α, as many as in the figures next to the heading, so that a value is not shown rounded in two ways.
const DECIMALS: usize = 3;

/// The rise of α without a rater that counts as noticeable.
pub const PULLS_DOWN: f64 = 0.02;

/// The usual limits of Krippendorff's α, in words.
pub const LIMITS: &str = "How to read α: from 0.80 on, conclusions are usual; from 0.67 to 0.80, only \
                          tentative ones; below, the ratings disagree too much (Krippendorff).";

/// Says whether raters agree well enough for conclusions, by the usual limits.
#[must_use]
pub fn overall(of: &AlphaEstimate) -> String {
    let pairable = of.agreement.pairable_units;
    let alpha = match of.agreement.alpha {
        _ if pairable < FEWEST_PAIRABLE => {
            return format!(
                "Too early to say: {} by two or more raters",
                match pairable {
                    1 => "1 output is rated".to_owned(),
                    many => format!("{many} outputs are rated"),
                }
            );
        }
        Ok(alpha) => alpha,
        Err(reason) => return format!("Agreement cannot be computed: {reason}"),
    };

    let shown = format!("α = {}", decimal(alpha, DECIMALS));
    let (low, high) = of
        .interval
        .map_or((alpha, alpha), |interval| (interval.low, interval.high));

    let reaches_below = |limit: f64, shown: &str| match low < limit {
        true => format!(", but its interval reaches below {shown}"),
        false => String::new(),
    };

    if alpha >= FIRM_ALPHA {
        let caution = reaches_below(FIRM_ALPHA, "0.80");
        format!("Raters agree well enough for conclusions: {shown}{caution}")
    } else if alpha >= TENTATIVE_ALPHA {
        let caution = reaches_below(TENTATIVE_ALPHA, "0.67");
        format!("Raters agree well enough for tentative conclusions: {shown}{caution}")
    } else if high < 0.0 {
        format!("Raters disagree systematically: {shown}")
    } else if low <= 0.0 {
        format!("Raters may agree no better than by chance: {shown}")
    } else {
        format!("Agreement is too low for firm conclusions: {shown}")
    }
}

/// Says how α has moved since half of the outputs were rated: it claims a change only if the intervals do not overlap.
/// Takes the points of the chart; `None` for fewer than two.
#[must_use]
pub fn over_time(drawn: &[AgreementPoint]) -> Option<String> {
    let [first, .., last] = drawn else {
        return None;
    };

    let half = drawn
        .iter()
        .rev()
        .find(|point| 2 * point.pairable <= last.pairable)
        .unwrap_or(first);

    let (Ok(then), Ok(now), Ok(of_now)) = (half.z, last.z, last.z_interval) else {
        return Some("Agreement cannot be computed for all points".to_owned());
    };

    let numbers = (decimal(then, DECIMALS), decimal(now, DECIMALS));
    let since = count_noun(half.pairable, "output");

    let overlaps = match half.z_interval {
        Ok(of_then) => of_now.low <= of_then.high && of_then.low <= of_now.high,
        Err(_) => (of_now.low..=of_now.high).contains(&then),
    };

    Some(if overlaps {
        format!(
            "No clear change in agreement: α = {} now, {} after {since}",
            numbers.1, numbers.0
        )
    } else {
        let moved = if now > then { "risen" } else { "fallen" };
        format!(
            "Agreement has {moved} from α = {} after {since} to {}",
            numbers.0, numbers.1
        )
    })
}

/// Says whether raters agree more on one category than on another: only if their intervals do not overlap.
#[must_use]
pub fn by_category(of: &[(Category, AlphaEstimate)]) -> String {
    let named = of.iter();
    let named = named.map(|(category, estimate)| (category.title(), estimate));
    let measured = measured_parts(named);

    match &measured[..] {
        [] => "Too early to say on any category".to_owned(),
        [(only, alpha, _)] => {
            format!(
                "On {}, α = {}; too early to say on others",
                only.to_lowercase(),
                decimal(*alpha, 2)
            )
        }
        [(first, high, of_first), .., (last, low, of_last)] if of_last.high < of_first.low => {
            format!(
                "Raters agree more on {} (α = {}) than on {} ({})",
                first.to_lowercase(),
                decimal(*high, 2),
                last.to_lowercase(),
                decimal(*low, 2)
            )
        }
        _ => "No category stands out: the intervals overlap".to_owned(),
    }
}

/// Says whether raters of one group agree more than those of another: only if their intervals do not overlap.
#[must_use]
pub fn by_group(of: &[(&str, AlphaEstimate)]) -> String {
    let measured = measured_parts(of.iter().map(|(name, estimate)| (*name, estimate)));

    match &measured[..] {
        [] => "Too early to say on any group".to_owned(),
        [(only, alpha, _)] => {
            let alpha = decimal(*alpha, 2);
            format!("Within “{only}”, α = {alpha}; too early to say on others")
        }
        [(first, high, of_first), .., (last, low, of_last)] if of_last.high < of_first.low => {
            let (high, low) = (decimal(*high, 2), decimal(*low, 2));
            format!("Raters of “{first}” agree more (α = {high}) than those of “{last}” ({low})")
        }
        _ => "No group stands out: the intervals overlap".to_owned(),
    }
}

/// The parts with enough outputs, the highest α first.
fn measured_parts<'a>(
    of: impl Iterator<Item = (&'a str, &'a AlphaEstimate)>,
) -> Vec<(&'a str, f64, BootstrapInterval)> {
    let enough = of.filter(|(_, estimate)| estimate.agreement.pairable_units >= FEWEST_PAIRABLE);
    let measured = enough.filter_map(|(name, estimate)| {
        Some((
            name,
            estimate.agreement.alpha.ok()?,
            estimate.interval.ok()?,
        ))
    });

    let mut measured: Vec<_> = measured.collect();
    measured.sort_by(|a, b| b.1.total_cmp(&a.1));
    measured
}

/// Says whether a rater lowers agreement.
#[must_use]
pub fn raters(raters: &[RaterAgreement], all: Agreement) -> String {
    if all.pairable_units < FEWEST_PAIRABLE {
        return "Too early to say whether a rater lowers agreement".to_owned();
    }
    if raters.len() < 3 {
        return "With fewer than three raters, none can be left out".to_owned();
    }

    let lower = raters.iter().filter(|rater| lowers_agreement(rater, all));
    let names: Vec<_> = lower.map(|rater| &rater.rater.label[..]).collect();

    match names.len() {
        0 => "No single rater lowers agreement noticeably".to_owned(),
        _ => format!(
            "Agreement rises without {}",
            names_or_count(&names, "rater")
        ),
    }
}

/// The rise of α without the rater.
#[must_use]
pub fn change_without(rater: &RaterAgreement, all: Agreement) -> Option<f64> {
    Some(rater.others.alpha.ok()? - all.alpha.ok()?)
}

/// Whether α rises by [`PULLS_DOWN`] or more without the rater.
#[must_use]
pub fn lowers_agreement(rater: &RaterAgreement, all: Agreement) -> bool {
    change_without(rater, all).is_some_and(|change| change >= PULLS_DOWN)
}

/// Names the pair of raters that agrees least, of those with enough outputs in common.
#[must_use]
pub fn pairs(raters: &[RaterAgreement], pairs: &[RaterPairAgreement]) -> String {
    let enough = pairs.iter().filter(|pair| pair.outputs >= FEWEST_PAIRABLE);
    let measured = enough.filter_map(|pair| Some((pair, pair.alpha.ok()?)));
    let mut measured: Vec<_> = measured.collect();
    measured.sort_by(|a, b| a.1.total_cmp(&b.1));

    let names = |pair: &RaterPairAgreement| {
        let label = |place: usize| &raters[place].rater.label[..];
        join_names(&[label(pair.first), label(pair.second)])
    };

    match &measured[..] {
        [] => format!("Too early to say: no two raters have {FEWEST_PAIRABLE} outputs in common"),
        [(pair, alpha)] => format!("{}: α = {}", names(pair), decimal(*alpha, 2)),
        [(pair, alpha), ..] => {
            format!("{} agree least: α = {}", names(pair), decimal(*alpha, 2))
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::RaterId,
        statistics::{MeasurementLevel, UndefinedReason, bootstrap::BootstrapInterval},
        study::RaterKind,
    };
    use store::Rater;
    use uuid::Uuid;

    use super::*;

    fn agreement(alpha: f64, pairable_units: usize) -> Agreement {
        Agreement {
            alpha: Ok(alpha),
            level: MeasurementLevel::Interval,
            raters: 3,
            units: pairable_units,
            ratings: 3 * pairable_units,
            pairable_units,
            pairable_values: 3 * pairable_units,
        }
    }

    fn interval(low: f64, high: f64) -> BootstrapInterval {
        BootstrapInterval {
            low,
            high,
            confidence: 0.95,
            replicates: 1_000,
            undefined: 0,
        }
    }

    fn estimate(low: f64, alpha: f64, high: f64, pairable: usize) -> AlphaEstimate {
        AlphaEstimate {
            agreement: agreement(alpha, pairable),
            interval: Ok(interval(low, high)),
        }
    }

    #[test]
    fn alpha_is_read_by_the_usual_limits() {
        for ((low, alpha, high), expected) in [
            (
                (0.81, 0.86, 0.9),
                "Raters agree well enough for conclusions: α = 0.860",
            ),
            (
                (0.75, 0.82, 0.9),
                "Raters agree well enough for conclusions: α = 0.820, but its interval reaches below 0.80",
            ),
            (
                (0.7, 0.76, 0.8),
                "Raters agree well enough for tentative conclusions: α = 0.760",
            ),
            (
                (0.5, 0.7, 0.8),
                "Raters agree well enough for tentative conclusions: α = 0.700, but its interval \
                 reaches below 0.67",
            ),
            (
                (0.3, 0.41, 0.5),
                "Agreement is too low for firm conclusions: α = 0.410",
            ),
            (
                (-0.1, 0.05, 0.2),
                "Raters may agree no better than by chance: α = 0.050",
            ),
            (
                (-0.5, -0.3, -0.1),
                "Raters disagree systematically: α = −0.300",
            ),
        ] {
            assert_eq!(overall(&estimate(low, alpha, high, 20)), expected);
        }
    }

    #[test]
    fn little_data_is_too_early() {
        let early = |pairable| overall(&estimate(0.8, 0.9, 1.0, pairable));
        assert_eq!(
            early(19),
            "Too early to say: 19 outputs are rated by two or more raters"
        );
        assert_eq!(
            early(1),
            "Too early to say: 1 output is rated by two or more raters"
        );

        let mut constant = estimate(0.0, 0.0, 0.0, 20);
        constant.agreement.alpha = Err(UndefinedReason::Constant);
        assert!(overall(&constant).starts_with("Agreement cannot be computed: all values"));

        let without_interval = AlphaEstimate {
            interval: Err(UndefinedReason::Constant),
            ..estimate(0.0, 0.7, 0.0, 20)
        };
        assert!(overall(&without_interval).ends_with("tentative conclusions: α = 0.700"));
    }

    #[test]
    fn over_time_a_move_needs_intervals_apart() {
        let point = |pairable, alpha| AgreementPoint {
            ratings: 2 * pairable,
            pairable,
            raw: Ok(alpha),
            z: Ok(alpha),
            z_interval: Ok(interval(alpha - 0.1, alpha + 0.1)),
        };
        let sentence = |drawn: &[AgreementPoint]| over_time(drawn).unwrap();

        assert_eq!(over_time(&[point(20, 0.5)]), None);
        assert_eq!(
            sentence(&[point(20, 0.1), point(40, 0.7), point(80, 0.75)]),
            "No clear change in agreement: α = 0.750 now, 0.700 after 40 outputs"
        );
        assert_eq!(
            sentence(&[point(30, 0.4), point(40, 0.75)]),
            "Agreement has risen from α = 0.400 after 30 outputs to 0.750"
        );
        assert_eq!(
            sentence(&[point(20, 0.98), point(40, 0.75)]),
            "Agreement has fallen from α = 0.980 after 20 outputs to 0.750"
        );

        // Each is outside the other's interval, but the intervals overlap.
        assert_eq!(
            sentence(&[point(20, 0.9), point(40, 0.75)]),
            "No clear change in agreement: α = 0.750 now, 0.900 after 20 outputs"
        );

        let undefined = AgreementPoint {
            z: Err(UndefinedReason::Constant),
            ..point(20, 0.0)
        };
        assert!(sentence(&[undefined, point(40, 0.7)]).contains("cannot be computed"));
    }

    #[test]
    fn categories_differ_where_intervals_do_not_overlap() {
        let of = |category, low: f64, high: f64, pairable| {
            let alpha = f64::midpoint(low, high);
            (category, estimate(low, alpha, high, pairable))
        };
        let (split, deletion) = (Category::Split, Category::Deletion);
        assert_eq!(by_category(&[]), "Too early to say on any category");
        assert_eq!(
            by_category(&[of(split, 0.6, 0.8, 20), of(deletion, 0.1, 0.3, 19)]),
            format!(
                "On {}, α = 0.70; too early to say on others",
                split.title().to_lowercase()
            )
        );
        assert_eq!(
            by_category(&[of(split, 0.6, 0.8, 20), of(deletion, 0.1, 0.3, 20)]),
            format!(
                "Raters agree more on {} (α = 0.70) than on {} (0.20)",
                split.title().to_lowercase(),
                deletion.title().to_lowercase()
            )
        );
        assert_eq!(
            by_category(&[of(split, 0.6, 0.8, 20), of(deletion, 0.1, 0.6, 20)]),
            "No category stands out: the intervals overlap"
        );
    }

    #[test]
    fn groups_differ_where_intervals_do_not_overlap() {
        let of = |name, low: f64, high: f64, pairable| {
            let alpha = f64::midpoint(low, high);
            (name, estimate(low, alpha, high, pairable))
        };
        for (parts, expect) in [
            (vec![], "Too early to say on any group"),
            (
                vec![of("Experts", 0.6, 0.8, 20), of("Readers", 0.1, 0.3, 19)],
                "Within “Experts”, α = 0.70; too early to say on others",
            ),
            (
                vec![of("Readers", 0.1, 0.3, 20), of("Experts", 0.6, 0.8, 20)],
                "Raters of “Experts” agree more (α = 0.70) than those of “Readers” (0.20)",
            ),
            (
                vec![of("Readers", 0.1, 0.6, 20), of("Experts", 0.6, 0.8, 20)],
                "No group stands out: the intervals overlap",
            ),
        ] {
            assert_eq!(by_group(&parts), expect);
        }
    }

    fn rater(number: u128, without: f64) -> RaterAgreement {
        RaterAgreement {
            rater: Rater {
                id: RaterId(Uuid::from_u128(number)),
                position: number as i64,
                kind: RaterKind::Person,
                label: format!("annotator {number}"),
                person: None,
                withdrawn: false,
                group: None,
            },
            ratings: 20,
            scale: Err(UndefinedReason::Constant),
            others: agreement(without, 20),
        }
    }

    #[test]
    fn a_rater_who_lowers_agreement_is_named() {
        let all = agreement(0.5, 20);
        let few = [rater(1, 0.5), rater(2, 0.6)];
        assert_eq!(
            raters(&few, all),
            "With fewer than three raters, none can be left out"
        );

        let three = [rater(1, 0.5), rater(2, 0.6), rater(3, 0.515)];
        assert_eq!(raters(&three, all), "Agreement rises without annotator 2");

        let even = [rater(1, 0.5), rater(2, 0.5), rater(3, 0.5)];
        assert_eq!(
            raters(&even, all),
            "No single rater lowers agreement noticeably"
        );
        assert!(raters(&three, agreement(0.5, 19)).starts_with("Too early"));
    }

    #[test]
    fn the_pair_that_agrees_least_has_enough_outputs() {
        let of = [rater(1, 0.5), rater(2, 0.5), rater(3, 0.5)];
        let pair = |first, second, outputs, alpha| RaterPairAgreement {
            first,
            second,
            outputs,
            alpha: Ok(alpha),
        };

        let (low, high) = (pair(0, 1, 20, 0.3), pair(1, 2, 20, 0.6));
        assert_eq!(
            pairs(&of, &[high, low, pair(0, 2, 19, -1.0)]),
            "annotator 1 and annotator 2 agree least: α = 0.30"
        );
        assert_eq!(pairs(&of, &[high]), "annotator 2 and annotator 3: α = 0.60");
        assert!(pairs(&of, &[]).starts_with("Too early to say: no two raters have 20"));
    }
}
