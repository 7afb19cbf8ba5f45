//! Batches of windows of similar length.

/// The indices of the windows in each batch, shortest windows first.
///
/// All windows of a batch are padded to the longest. A batch has at most `most` pieces, padding included, unless it is
/// a single longer window.
pub(crate) fn make_batches(lengths: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&window| lengths[window]);
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for window in order {
        match batches.last_mut() {
            Some(batch) if (batch.len() + 1) * lengths[window] <= most => batch.push(window),
            _ => batches.push(vec![window]),
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn like_lengths_come_together() {
        assert_eq!(
            make_batches(&[9, 3, 40, 3, 10], 20),
            [vec![1, 3], vec![0, 4], vec![2]]
        );
        assert!(make_batches(&[], 20).is_empty());
    }

    proptest! {
        #[test]
        fn every_window_is_in_one_batch_within_the_bound(
            lengths in prop::collection::vec(1..60_usize, 0..60), most in 1..200_usize,
        ) {
            let batches = make_batches(&lengths, most);
            let mut all = batches.concat();
            all.sort_unstable();
            prop_assert_eq!(all, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                let longest = batch.iter().map(|&window| lengths[window]).max().unwrap();
                prop_assert!(batch.len() == 1 || batch.len() * longest <= most);
            }
        }
    }
}
