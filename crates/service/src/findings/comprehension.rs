//! Findings on the answers of readers.

use domain::{
    comprehension::RankingStability,
    statistics::{quality::Proportion, roc::RocCurve},
};

use super::{LeaderCandidate, LeaderPhrases, leader_sentence};
use crate::wording::{count_noun, decimal};

/// The fewest answers for a meaningful share.
const FEWEST: usize = 20;
/// The similarity to the ranking on all passages that counts as nearly the same.
const NEARLY_THE_SAME: f64 = 0.9;

/// A condition, passage or question with its share and the share's interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedShare<'a> {
    /// The name of the condition.
    pub name: &'a str,
    /// The share of its answers.
    pub share: Proportion,
    /// The ends of the interval for comparisons, from 0 to 1.
    pub interval: Option<(f64, f64)>,
}

/// Names the condition with the most right answers.
#[must_use]
pub fn best_understood(of: &[NamedShare<'_>]) -> String {
    leader(
        of,
        LeaderPhrases {
            one: "is understood best",
            several: "are understood best",
        },
    )
}

/// Names the condition whose texts answer the most questions.
#[must_use]
pub fn most_answerable(of: &[NamedShare<'_>]) -> String {
    leader(
        of,
        LeaderPhrases {
            one: "leaves the fewest questions unanswerable",
            several: "leave the fewest questions unanswerable",
        },
    )
}

fn leader(of: &[NamedShare<'_>], phrases: LeaderPhrases) -> String {
    let measured = of.iter().filter(|named| named.share.total > 0);
    let fewest = measured.clone().map(|named| named.share.total).min();
    match fewest {
        None => return "No answers yet".to_owned(),
        Some(answers) if answers < FEWEST => {
            return format!(
                "Too early to say: a condition has only {}",
                count_noun(answers, "answer")
            );
        }
        Some(_) => {}
    }

    let candidates = measured.filter_map(|named| {
        Some(LeaderCandidate {
            name: named.name,
            value: named.share.rate().ok()?,
            interval: named.interval,
        })
    });
    let candidates: Vec<_> = candidates.collect();

    if let [only] = &candidates[..] {
        return format!("{}: {} %", only.name, decimal(100.0 * only.value, 0));
    }
    leader_sentence(&candidates, phrases).unwrap_or_else(|| "No answers yet".to_owned())
}

/// Names the passage or question with the fewest right answers; `of` has the hardest first.
#[must_use]
pub fn hardest(of: &[NamedShare<'_>], noun: &str) -> String {
    match of {
        [] => "No answers yet".to_owned(),
        [first, ..] => {
            let percent = first.share.rate().map_or(0.0, |rate| 100.0 * rate);
            format!(
                "The hardest {noun} is {}: {} % right of {}",
                first.name,
                decimal(percent, 0),
                count_noun(first.share.total, "answer")
            )
        }
    }
}

/// Says from how many passages on the ranking is nearly the same as on all of them, in 95 % of subsets.
#[must_use]
pub fn stability(of: &[RankingStability], all: usize) -> String {
    // The subset of all passages gives the same ranking by definition.
    let subsets = of.iter().filter(|stability| stability.passages < all);

    let unstable = subsets
        .clone()
        .filter(|stability| stability.low < NEARLY_THE_SAME)
        .map(|stability| stability.passages)
        .max();

    let enough = subsets
        .map(|stability| stability.passages)
        .find(|passages| unstable.is_none_or(|unstable| *passages > unstable));

    match enough {
        Some(passages) => format!("{passages} of {all} passages give nearly the same ranking"),
        None => format!("The ranking still depends on which of the {all} passages are read"),
    }
}

/// Says how well support in the text separates unanswerable questions; takes the curve with the largest area.
#[must_use]
pub fn support(best: &RocCurve) -> String {
    let area = decimal(best.area, 2);
    if best.positive.min(best.negative) < FEWEST {
        return format!(
            "Too early to say: {} “unanswerable”, {} right",
            count_noun(best.positive, "answer"),
            best.negative
        );
    }

    let verb = if best.area >= 0.7 {
        "predict"
    } else if best.area > 0.55 {
        "say a little about"
    } else {
        "do not predict"
    };

    format!("Words missing from the text {verb} “unanswerable”: area {area}")
}

#[cfg(test)]
mod tests {
    use domain::statistics::roc::RocPoint;

    use super::*;

    fn share(name: &str, count: usize, total: usize) -> NamedShare<'_> {
        let share = Proportion { count, total };
        NamedShare {
            name,
            share,
            interval: share.wilson(0.95).ok(),
        }
    }

    #[test]
    fn the_condition_that_is_understood_best() {
        for (of, expected) in [
            (&[][..], "No answers yet"),
            (&[share("a", 0, 0)][..], "No answers yet"),
            (
                &[share("a", 10, 12), share("b", 10, 40)][..],
                "Too early to say: a condition has only 12 answers",
            ),
            (&[share("a", 30, 40)][..], "a: 75 %"),
            (
                &[share("a", 10, 40), share("b", 38, 40)][..],
                "b is understood best",
            ),
            (
                &[share("a", 30, 40), share("b", 31, 40)][..],
                "b is understood best; a cannot be told apart from it",
            ),
            (
                &[share("a", 38, 40), share("b", 38, 40), share("c", 4, 40)][..],
                "a and b are understood best",
            ),
        ] {
            assert_eq!(best_understood(of), expected);
        }

        assert_eq!(
            most_answerable(&[share("a", 10, 40), share("b", 38, 40)]),
            "b leaves the fewest questions unanswerable"
        );
    }

    #[test]
    fn the_hardest_comes_first() {
        assert_eq!(
            hardest(&[share("p1", 2, 8), share("p2", 8, 8)], "passage"),
            "The hardest passage is p1: 25 % right of 8 answers"
        );
        assert_eq!(hardest(&[], "passage"), "No answers yet");
    }

    #[test]
    fn a_ranking_is_stable_from_some_number_of_passages_on() {
        let at = |passages, low| RankingStability {
            passages,
            mean: low,
            low,
            high: 1.0,
            draws: 100,
            undefined: 0,
        };
        let of = [
            at(2, 0.1),
            at(4, 0.95),
            at(6, 0.8),
            at(8, 0.92),
            at(10, 1.0),
        ];

        assert_eq!(
            stability(&of, 10),
            "8 of 10 passages give nearly the same ranking"
        );
        assert_eq!(
            stability(&[of[0], of[4]], 10),
            "The ranking still depends on which of the 10 passages are read"
        );
        assert_eq!(
            stability(&[at(2, 0.95), of[4]], 10),
            "2 of 10 passages give nearly the same ranking"
        );
    }

    #[test]
    fn support_predicts_as_far_as_its_area_goes() {
        let curve = |area, positive| RocCurve {
            area,
            positive,
            negative: 40,
            points: vec![],
            best: RocPoint {
                threshold: 0.5,
                true_positive_rate: 0.5,
                false_positive_rate: 0.5,
            },
        };
        for (area, positive, expected) in [
            (
                0.8,
                20,
                "Words missing from the text predict “unanswerable”: area 0.80",
            ),
            (
                0.6,
                20,
                "Words missing from the text say a little about “unanswerable”: area 0.60",
            ),
            (
                0.5,
                20,
                "Words missing from the text do not predict “unanswerable”: area 0.50",
            ),
            (
                0.8,
                19,
                "Too early to say: 19 answers “unanswerable”, 40 right",
            ),
        ] {
            assert_eq!(support(&curve(area, positive)), expected);
        }
    }
}
