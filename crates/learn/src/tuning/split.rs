//! Splits of the sources: training and validation, and folds.

use std::collections::{BTreeSet, HashMap};

use domain::random::SeededRandom;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::metric::{TrainingSource, collect_letters};

/// The training and validation sources of a model, each by its
/// [fingerprint](crate::metric::fingerprint).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuningSplit {
    /// The sources it was trained on.
    pub training: BTreeSet<String>,
    /// The sources its best epoch was chosen by.
    pub validation: BTreeSet<String>,
}

/// The identity of training data: the SHA-256 of all sources in their order.
#[must_use]
pub fn hash_sources(sources: &[TrainingSource]) -> String {
    let text = serde_json::to_vec(sources).expect("sources are plain data");
    let hash = Sha256::digest(text);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Splits `items` at random into those to train on and a `share` by which the best epoch is chosen, at least one of
/// four sources or more. Sources with the same letters, which datasets share, are on the same side.
pub(super) fn split_sources(
    sources: &[TrainingSource],
    items: &[usize],
    share: f64,
    seed: u64,
) -> (Vec<usize>, Vec<usize>) {
    let mut order = group_by_letters(sources, items);
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
    (training.concat(), order.concat())
}

/// Deals the sources out to `folds` of about the same size, at random. Those with the same letters are in the same fold.
pub(super) fn deal_folds(sources: &[TrainingSource], folds: usize, seed: u64) -> Vec<Vec<usize>> {
    let items: Vec<usize> = (0..sources.len()).collect();
    let mut order = group_by_letters(sources, &items);
    SeededRandom::new(seed).shuffle(&mut order);
    let mut all = vec![Vec::new(); folds];
    for (at, same) in order.into_iter().enumerate() {
        all[at % folds].extend(same);
    }
    all
}

/// The number of sources that differ in their letters.
pub(super) fn count_different(sources: &[TrainingSource]) -> usize {
    let letters = sources.iter().map(|source| collect_letters(&source.text));
    letters.collect::<BTreeSet<_>>().len()
}

/// Puts the sources with the same letters together, in the order in which each appears first.
fn group_by_letters(sources: &[TrainingSource], items: &[usize]) -> Vec<Vec<usize>> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &item in items {
        let letters = collect_letters(&sources[item].text);
        let place = *places.entry(letters).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(item);
    }
    groups
}

/// Splits `items` as [`split_sources`] does, but by a hash of their names: an item with the same name is on the same
/// side of every split. The share is met on average only.
pub(super) fn split_by_hash(
    items: &[usize],
    share: f64,
    name: impl Fn(usize) -> String,
) -> (Vec<usize>, Vec<usize>) {
    let places: Vec<_> = items
        .iter()
        .map(|item| (hash_to_place(&name(*item)), *item))
        .collect();
    let below = places.iter().filter(|(place, _)| *place < share).count();

    let mut limit = share;
    if share > 0.0 && items.len() >= 4 && (below == 0 || below == items.len()) {
        // Few items can happen to be all on one side: the lowest one is split off.
        let mut sorted: Vec<_> = places.iter().map(|(place, _)| *place).collect();
        sorted.sort_by(f64::total_cmp);
        limit = sorted[1];
    }

    let (validation, training): (Vec<_>, Vec<_>) =
        places.iter().partition(|(place, _)| *place < limit);
    (take_items(training), take_items(validation))
}

/// A place from 0 to 1.
fn hash_to_place(name: &str) -> f64 {
    let hash = Sha256::digest(name);
    let first = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    f64::from(first) / f64::from(u32::MAX)
}

fn take_items(split: Vec<(f64, usize)>) -> Vec<usize> {
    split.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sources(texts: impl IntoIterator<Item = String>) -> Vec<TrainingSource> {
        let source = |text| TrainingSource {
            text,
            outputs: Vec::new(),
            references: Vec::new(),
        };
        texts.into_iter().map(source).collect()
    }

    fn different_sources(count: usize) -> Vec<TrainingSource> {
        sources((0..count).map(|number| format!("Source {number}.")))
    }

    #[test]
    fn few_sources_are_all_trained_on() {
        let all = different_sources(9);
        assert_eq!(
            split_sources(&all, &[5, 6, 7], 0.1, 1).1,
            Vec::<usize>::new()
        );
        assert_eq!(split_sources(&all, &[5, 6, 7, 8], 0.1, 1).1.len(), 1);
    }

    #[test]
    fn sources_that_datasets_share_stay_together() {
        let first = (0..20).map(|number| format!("Source {number} ."));
        let second = (5..30).map(|number| format!("source “{number}”."));
        let all = sources(first.chain(second));
        let letters = |items: &[usize]| -> BTreeSet<String> {
            let texts = items.iter().map(|item| collect_letters(&all[*item].text));
            texts.collect()
        };
        let items: Vec<usize> = (0..all.len()).collect();
        for seed in 0..20 {
            let (training, validation) = split_sources(&all, &items, 0.2, seed);
            assert_eq!(training.len() + validation.len(), all.len());
            assert!(letters(&training).is_disjoint(&letters(&validation)));
            assert_eq!(letters(&validation).len(), 6);
            let folds = deal_folds(&all, 4, seed);
            assert_eq!(folds.concat().len(), all.len());
            let different: usize = folds.iter().map(|fold| letters(fold).len()).sum();
            assert_eq!(different, 30);
        }
        assert_eq!(count_different(&all), 30);
    }

    /// Figures that were published depend on it.
    #[test]
    fn different_sources_are_shuffled_in_their_order() {
        let all = different_sources(40);
        let mut order: Vec<usize> = (0..40).collect();
        SeededRandom::new(7).shuffle(&mut order);
        let (training, validation) = split_sources(&all, &(0..40).collect::<Vec<_>>(), 0.1, 7);
        assert_eq!([validation, training].concat(), order);
        let folds = deal_folds(&all, 3, 7);
        let dealt: Vec<usize> = (0..40).map(|at| folds[at % 3][at / 3]).collect();
        assert_eq!(dealt, order);
    }

    proptest! {
        #[test]
        fn a_split_keeps_every_source_once(count in 0..60_usize, share in 0.0..1.0_f64, seed: u64) {
            let items: Vec<usize> = (10..10 + count).collect();
            let all = different_sources(10 + count);
            let (mut training, validation) = split_sources(&all, &items, share, seed);
            training.extend(validation);
            training.sort_unstable();
            prop_assert_eq!(training, items);
        }

        #[test]
        fn folds_are_of_like_size(count in 0..60_usize, parts in 1..12_usize, seed: u64) {
            let all = deal_folds(&different_sources(count), parts, seed);
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
