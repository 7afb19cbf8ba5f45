use proptest::prelude::*;

use super::*;
use crate::random::SeededRandom;

/// A source with outputs of these systems, with their ratings if it was judged.
fn source(outputs: &[(usize, f64)], is_given: bool) -> RankedSource {
    let outputs = outputs.iter().map(|(system, rating)| RankedOutput {
        system: *system,
        rating: is_given.then_some(*rating),
        score: None,
    });
    RankedSource {
        outputs: outputs.collect(),
        is_given,
    }
}

/// A source that nobody has, with outputs of these systems.
fn open(systems: &[usize]) -> RankedSource {
    let outputs: Vec<_> = systems.iter().map(|system| (*system, 0.0)).collect();
    source(&outputs, false)
}

/// Sources on which systems 0 and 1 are told apart from 2, and 0 from 1 are not.
fn rated() -> Vec<RankedSource> {
    let rated = (0..12_u8).map(|n| {
        let swing = f64::from(n % 3) - 1.0;
        source(&[(0, 50.0 + swing), (1, 50.0 - swing), (2, 10.0)], true)
    });
    rated.collect()
}

#[test]
fn equal_sources_keep_their_order() {
    let sources = vec![open(&[0, 1, 2]); 5];
    assert_eq!(choose_sources(3, &sources, 3), [0, 1, 2]);
    let mut sources = rated();
    sources.extend(vec![open(&[0, 1, 2]); 5]);
    assert_eq!(choose_sources(3, &sources, 9), [12, 13, 14, 15, 16]);
}

#[test]
fn sources_of_systems_that_cannot_be_told_apart_come_first() {
    let mut sources = rated();
    sources.extend([open(&[0, 2]), open(&[1, 2]), open(&[0, 1]), open(&[1])]);
    // The others have nothing to say about the two.
    assert_eq!(choose_sources(3, &sources, 9), [14]);
}

#[test]
fn nothing_is_chosen_where_the_ranking_is_certain() {
    let certain = (0..12_u8).map(|n| {
        let swing = f64::from(n % 3);
        source(&[(0, 50.0 + swing), (1, 30.0 - swing), (2, 10.0)], true)
    });
    let mut sources: Vec<_> = certain.collect();
    sources.extend(vec![open(&[0, 1, 2]); 5]);
    assert_eq!(choose_sources(3, &sources, 3), [0; 0]);
}

#[test]
fn a_system_without_a_place_in_the_ranking_comes_first() {
    let mut sources = rated();
    sources.extend([open(&[0, 1]), open(&[0, 3]), open(&[2])]);
    assert_eq!(choose_sources(4, &sources, 2), [13, 12]);
}

#[test]
fn what_is_chosen_counts_for_what_follows() {
    let mut sources = vec![open(&[0]); 3];
    sources.extend(vec![open(&[1]); 3]);
    assert_eq!(choose_sources(2, &sources, 6), [0, 3, 1, 4, 2, 5]);
}

#[test]
fn systems_that_share_no_source_are_judged_apart() {
    let near = |n: u8| f64::from(n % 5);
    let mut sources: Vec<_> = (0..20_u8).map(|n| source(&[(0, near(n))], true)).collect();
    sources.extend((0..8_u8).map(|n| source(&[(1, near(n) + 0.1)], true)));
    sources.extend([open(&[0]), open(&[1])]);
    assert_eq!(choose_sources(2, &sources, 2), [29, 28]);
}

#[test]
fn a_metric_makes_rated_sources_like_the_whole() {
    // Differences follow the scores, and those of the rated sources are all above the mean.
    let scored = |score: f64, is_given: bool| {
        let noise = (score * 7.0).sin();
        let mut of = source(&[(0, score + noise), (1, 0.0)], is_given);
        of.outputs[0].score = Some(score);
        of.outputs[1].score = Some(0.0);
        of
    };
    let mut sources: Vec<_> = (0..30_u8)
        .map(|n| scored(f64::from(n % 10) - 4.0, true))
        .collect();
    sources.extend((0..30_u8).map(|n| scored(f64::from(n % 10) - 5.0, false)));
    let chosen = choose_sources(2, &sources, 10);
    let score = |index: &usize| sources[*index].outputs[0].score.unwrap();
    let before: f64 = (0..30).map(|index| score(&index)).sum::<f64>() / 30.0;
    let after = (before * 30.0 + chosen.iter().map(score).sum::<f64>()) / 40.0;
    assert_eq!(chosen.len(), 10);
    assert!(before > 0.4 && after.abs() < 0.1, "{before} {after}");
}

#[test]
fn of_very_many_sources_some_of_each_kind_are_looked_at() {
    let mut sources = vec![open(&[0, 1]); MOST_VALUES];
    sources.push(open(&[2]));
    let chosen = choose_sources(3, &sources, 3);
    assert!(chosen.contains(&MOST_VALUES), "{chosen:?}");
    assert_eq!(chosen.len(), 3);
    // Where each tells as much, the first ones are chosen.
    let equal = vec![open(&[0, 1]); MOST_VALUES + 1];
    assert_eq!(choose_sources(2, &equal, 3), [0, 1, 2]);
    // More kinds than can be looked at: the first ones are among those that are.
    let kinds = (0..MOST_VALUES + 1).map(|at| vec![at % 700, 700 + at / 700]);
    let kinds: Vec<_> = kinds.map(|systems| open(&systems)).collect();
    assert_eq!(choose_sources(2_000, &kinds, 1).len(), 1);
}

#[test]
fn a_source_without_a_score_says_nothing_of_the_balance() {
    let with_score = |rating: f64, score: Option<f64>, is_given| {
        let mut of = source(&[(0, rating), (1, 50.0)], is_given);
        of.outputs[0].score = score;
        of.outputs[1].score = score.map(|_| 0.0);
        of
    };
    // The metric explains all. Given sources are those with high scores, so that one with a low score restores the balance.
    let mut sources: Vec<_> = (0..30)
        .map(|n| f64::from(n) / 10.0)
        .map(|score| with_score(50.0 + score - 1.4, Some(score), true))
        .collect();
    sources.push(with_score(0.0, None, false));
    sources.push(with_score(0.0, Some(-4.0), false));
    assert_eq!(choose_sources(2, &sources, 1), [31]);
    // With a source on the other side there is a balance already, which each of them alone would spoil.
    sources.push(with_score(0.0, Some(7.0), false));
    assert_eq!(choose_sources(2, &sources, 1), [30]);
}

/// A study of eight systems, two of them hard to tell apart. Each source has outputs of three. Half the width of the interval
/// of the difference between these two once 150 of 600 sources are rated.
#[test]
fn as_many_ratings_make_close_systems_more_certain() {
    let quality = [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 30.2];
    let mut random = SeededRandom::new(3);
    let mut normal = || {
        let uniform = (0..12).map(|_| random.below(1_000_000) as f64 / 1e6);
        uniform.sum::<f64>() - 6.0
    };
    let mut order = SeededRandom::new(4);
    let mut judged = || {
        let mut systems = [0, 1, 2, 3, 4, 5, 6, 7];
        order.shuffle(&mut systems);
        systems[..3].sort_unstable();
        let of_source = normal();
        let outputs = systems[..3].iter();
        let outputs = outputs.map(|system| (*system, quality[*system] + of_source + normal()));
        outputs.collect::<Vec<_>>()
    };
    let world: Vec<_> = (0..600).map(|_| judged()).collect();
    let half_width = |is_chosen: bool| {
        let mut sources: Vec<_> = world.iter().map(|outputs| source(outputs, false)).collect();
        for _ in 0..150 {
            let listed = sources.iter().position(|of| !of.is_given);
            let chosen = is_chosen.then(|| choose_sources(8, &sources, 1));
            let chosen = chosen.and_then(|chosen| chosen.first().copied());
            let next = chosen.or(listed).unwrap();
            sources[next] = source(&world[next], true);
        }
        let rated = sources.iter();
        let differences = rated.filter_map(|of| of.value((6, Some(7)), |output| output.rating));
        describe(&differences.collect::<Vec<_>>())
            .unwrap()
            .half_width
    };
    let (chosen, listed) = (half_width(true), half_width(false));
    assert!(chosen < 0.6 * listed, "{chosen} {listed}");
}

proptest! {
    #[test]
    fn each_chosen_source_is_one_that_nobody_has(
        shapes in proptest::collection::vec((proptest::collection::btree_map(0_usize..5, -5.0..5.0, 0..5), any::<bool>()), 0..40),
        count in 0_usize..20,
    ) {
        let sources: Vec<_> = shapes
            .iter()
            .map(|(outputs, is_given)| {
                let outputs: Vec<_> = outputs.iter().map(|(system, rating)| (*system, *rating)).collect();
                source(&outputs, *is_given)
            })
            .collect();
        let chosen = choose_sources(5, &sources, count);
        prop_assert!(chosen.len() <= count);
        let different: BTreeSet<_> = chosen.iter().collect();
        prop_assert_eq!(different.len(), chosen.len());
        prop_assert!(chosen.iter().all(|index| !sources[*index].is_given));
    }
}
