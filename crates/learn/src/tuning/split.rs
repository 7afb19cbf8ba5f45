//! Splits of the sources: training and validation, and folds.

use std::collections::BTreeSet;

use domain::random::SeededRandom;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::metric::TrainingSource;

/// The training and validation sources of a model, each by its
/// [fingerprint](crate::metric::fingerprint).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuningSplit {
    /// The sources it was trained on.
    pub training: BTreeSet<String>,
    /// The sources its best epoch was chosen by.
    pub validation: BTreeSet<String>,
}

/// Identifies training data: the SHA-256 of all sources in their order.
#[must_use]
pub fn hash_sources(sources: &[TrainingSource]) -> String {
    let text = serde_json::to_vec(sources).expect("sources are plain data");
    let hash = Sha256::digest(text);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Splits `items` at random into those to train on and a `share` to choose the best
/// epoch by, which has one at least where there are four.
pub(super) fn split_sources(items: &[usize], share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut order = items.to_vec();
    SeededRandom::new(seed).shuffle(&mut order);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a count"
    )]
    let validation_size = (order.len() as f64 * share).ceil() as usize;
    let validation_size = if order.len() < 4 { 0 } else { validation_size };
    let training = order.split_off(validation_size.min(order.len()));
    (training, order)
}

/// Deals `items` out to `folds` of about the same size, at random.
pub(super) fn deal_folds(items: usize, folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..items).collect();
    SeededRandom::new(seed).shuffle(&mut order);
    let mut all = vec![Vec::new(); folds];
    for (at, item) in order.into_iter().enumerate() {
        all[at % folds].push(item);
    }
    all
}

/// Splits `items` like [`split_sources`], by a hash of their names: an item with the same name is on the same side of
/// every split. So the share is an expected one.
pub(super) fn split_by_hash(
    items: &[usize],
    share: f64,
    name: impl Fn(usize) -> String,
) -> (Vec<usize>, Vec<usize>) {
    let place = |item: usize| {
        let hash = Sha256::digest(name(item));
        let first = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
        f64::from(first) / f64::from(u32::MAX)
    };
    let places: Vec<_> = items.iter().map(|item| (place(*item), *item)).collect();
    let mut limit = share;
    let fits = |limit: f64| {
        let below = places.iter().filter(|(place, _)| *place < limit).count();
        below > 0 && below < items.len()
    };
    if share > 0.0 && items.len() >= 4 && !fits(share) {
        // Few items, none or all of which happen to be on one side: the lowest one is split off.
        let mut sorted: Vec<_> = places.iter().map(|(place, _)| *place).collect();
        sorted.sort_by(f64::total_cmp);
        limit = sorted[1];
    }
    let (validation, training): (Vec<_>, Vec<_>) =
        places.iter().partition(|(place, _)| *place < limit);
    let items = |split: Vec<(f64, usize)>| split.into_iter().map(|(_, item)| item).collect();
    (items(training), items(validation))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn few_sources_are_all_trained_on() {
        assert_eq!(split_sources(&[5, 6, 7], 0.1, 1).1, Vec::<usize>::new());
        assert_eq!(split_sources(&[5, 6, 7, 8], 0.1, 1).1.len(), 1);
    }

    proptest! {
        #[test]
        fn a_split_keeps_every_source_once(count in 0..60_usize, share in 0.0..1.0_f64, seed: u64) {
            let items: Vec<usize> = (10..10 + count).collect();
            let (mut training, validation) = split_sources(&items, share, seed);
            training.extend(validation);
            training.sort_unstable();
            prop_assert_eq!(training, items);
        }

        #[test]
        fn folds_are_of_like_size(count in 0..60_usize, parts in 1..12_usize, seed: u64) {
            let all = deal_folds(count, parts, seed);
            let mut items = all.concat();
            items.sort_unstable();
            prop_assert_eq!(items, (0..count).collect::<Vec<_>>());
            prop_assert!(all.iter().all(|fold| (count / parts..=count.div_ceil(parts)).contains(&fold.len())));
        }
    }

    #[test]
    fn the_same_names_are_on_the_same_side_of_every_split() {
        let all: Vec<usize> = (0..1_000).collect();
        let name = |item: usize| format!("source {item}");
        let (training, validation) = split_by_hash(&all, 0.1, name);
        assert!(
            (70..130).contains(&validation.len()),
            "{}",
            validation.len()
        );
        let some: Vec<usize> = (0..1_000).step_by(7).collect();
        let (others, of_some) = split_by_hash(&some, 0.1, name);
        assert!(of_some.iter().all(|item| validation.contains(item)));
        assert!(others.iter().all(|item| training.contains(item)));
        for few in 4..40 {
            let validation = split_by_hash(&all[..few], 0.1, name).1;
            assert!(!validation.is_empty() && validation.len() < few, "{few}");
        }
        assert_eq!(split_by_hash(&all[..3], 0.0, name).1, Vec::<usize>::new());
    }
}
