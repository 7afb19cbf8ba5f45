use super::{super::describe::range, Proportion};
use crate::score::RatingScale;

/// Scores are flat if they span at most this fraction of the scale: five points on 0 to 100,
/// which is also the usual tie threshold.
pub const FLAT_SPAN: f64 = 0.05;

/// The fewest rated outputs with which a source can be flat.
pub const FLAT_OUTPUTS: usize = 3;

/// Patterns of equal scores of a rater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Straightlining {
    /// Sources whose scores are all within [`FLAT_SPAN`] of the scale, of those with at least
    /// [`FLAT_OUTPUTS`] rated outputs.
    pub flat: Proportion,
    /// The longest run of exactly equal scores, in the given order and across sources; 0 without
    /// scores. Identical outputs that an imported file lists several times lengthen it.
    pub longest_run: usize,
}

/// Computes the figures from the scores of one rater, each with its source, in a
/// meaningful order: source by source, and in the order of a source's outputs.
pub fn straightlining<S: Ord>(
    scores: impl IntoIterator<Item = (S, f64)>,
    scale: RatingScale,
) -> Straightlining {
    let mut scores: Vec<(S, f64)> = scores.into_iter().collect();
    let runs = scores.chunk_by(|(_, one), (_, next)| one == next);
    let longest_run = runs.map(<[_]>::len).max().unwrap_or(0);

    let widest = FLAT_SPAN * f64::from(scale.high - scale.low);
    scores.sort_by(|a, b| a.0.cmp(&b.0));
    let sources = scores.chunk_by(|(one, _), (next, _)| one == next);
    let sources = sources.filter(|source_scores| source_scores.len() >= FLAT_OUTPUTS);
    let are_flat = sources.map(|source_scores| {
        let scores = source_scores.iter().map(|(_, score)| *score);
        range(scores).is_some_and(|range| range <= widest)
    });

    Straightlining {
        flat: Proportion::from_answers(are_flat),
        longest_run,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn measure(scores: &[(u8, f64)]) -> Straightlining {
        straightlining(scores.iter().copied(), RatingScale::PERCENT)
    }

    #[test]
    fn a_source_is_flat_within_five_points_of_a_hundred() {
        let flat = [(1, 70.0), (1, 75.0), (1, 72.0)];
        let apart = [(2, 70.0), (2, 76.0), (2, 72.0)];
        let few = [(3, 50.0), (3, 50.0)];
        let straightlining = measure(&[&flat[..], &apart, &few].concat());
        assert_eq!(
            (straightlining.flat.count, straightlining.flat.total),
            (1, 2)
        );
        assert_eq!(straightlining.longest_run, 2);
    }

    #[test]
    fn a_run_goes_on_across_sources() {
        let run = [(1, 10.0), (1, 50.0), (2, 50.0), (3, 50.0), (3, 51.0)];
        assert_eq!(measure(&run).longest_run, 3);
        assert_eq!(measure(&[]), Straightlining::default());
    }

    proptest! {
        #[test]
        fn no_run_is_longer_than_all_and_sources_may_be_mixed(
            mut scores in prop::collection::vec((0..4_u8, (0..4_i32).prop_map(f64::from)), 0..30),
        ) {
            let straightlining = measure(&scores);
            prop_assert!(straightlining.longest_run <= scores.len());
            prop_assert_eq!(straightlining.longest_run == 0, scores.is_empty());
            prop_assert!(straightlining.flat.count <= straightlining.flat.total);
            scores.sort_by_key(|score| score.0);
            prop_assert_eq!(measure(&scores).flat, straightlining.flat);
            scores.reverse();
            let back = measure(&scores);
            scores.reverse();
            prop_assert_eq!(measure(&scores), back);
        }
    }
}
