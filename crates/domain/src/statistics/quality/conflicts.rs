use super::Proportion;

/// The pairs in an ordered `group`, best first, in which the lower-placed output has the better
/// score, of all pairs whose scores differ. Ties of scores agree with any order and are not counted,
/// nor is an output without a score.
pub fn count_conflicts<U>(group: &[U], score: impl Fn(&U) -> Option<f64>) -> Proportion {
    let scores: Vec<_> = group.iter().filter_map(score).collect();
    let pairs = scores.iter().enumerate().flat_map(|(at, upper)| {
        let lower = scores[at + 1..].iter();
        lower.map(move |lower| (*upper, *lower))
    });
    let differing = pairs.filter(|(upper, lower)| upper != lower);
    Proportion::from_answers(differing.map(|(upper, lower)| lower > upper))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ties_and_missing_scores_contradict_nothing() {
        let conflicts = count_conflicts(
            &[Some(80.0), None, Some(80.0), Some(90.0), Some(10.0)],
            |score| *score,
        );
        // Both eighties are placed above the ninety; the ten is in the right place.
        assert_eq!((conflicts.count, conflicts.total), (2, 5));
    }

    proptest! {
        #[test]
        fn an_order_and_its_reverse_share_the_pairs(
            mut scores in prop::collection::vec((0..6_i32).prop_map(f64::from), 0..20),
        ) {
            let conflicts = |scores: &[f64]| count_conflicts(scores, |score| Some(*score));
            let forward = conflicts(&scores);
            scores.reverse();
            let back = conflicts(&scores);
            prop_assert_eq!(forward.total, back.total);
            prop_assert_eq!(forward.count + back.count, forward.total);
            scores.sort_by(|a, b| b.total_cmp(a));
            prop_assert_eq!(conflicts(&scores).count, 0);
        }
    }
}
