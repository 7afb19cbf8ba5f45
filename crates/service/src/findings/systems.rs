//! Findings on the scores of systems.

use domain::statistics::systems::{
    FEWEST_SOURCES, PairVerdict, SIGNIFICANCE_LEVEL, SystemPairComparison,
};

use super::{join_names, names_or_count};
use crate::{
    figures::systems::{StudySystems, SystemEntry},
    wording::{count_noun, decimal},
};

/// Names the system that is rated best, by the corrected signed-rank tests.
#[must_use]
pub fn best_system(systems: &StudySystems) -> String {
    let (ranking, pairs) = (&systems.ranking, &systems.pairs);
    let [best, ..] = &ranking[..] else {
        return "No system is rated yet".to_owned();
    };

    let name = &best.system.name;
    if ranking.len() == 1 {
        return format!("Only {name} is rated: there is nothing to compare it with");
    }

    if let Some(early) = too_early(pairs) {
        return early;
    }

    let tied = ranking
        .iter()
        .filter(|entry| entry.z.is_some() && entry.score().place == 1);
    let tied: Vec<_> = tied.map(|entry| &entry.system.name[..]).collect();
    if tied.len() > 1 {
        return format!("{} share the highest mean", names_or_count(&tied, "system"));
    }

    let against = |verdict| named_against_best(ranking, pairs, verdict);
    let above = against(PairVerdict::Worse);
    if !above.is_empty() {
        return format!(
            "{name} has the highest mean, yet {} did better source by source",
            names_or_count(&above, "other system")
        );
    }

    let untested = untested_against_best(ranking, pairs);
    if !untested.is_empty() {
        let below = against(PairVerdict::Better);
        let better = match below.len() {
            0 => String::new(),
            _ => format!(
                " and is better than {}",
                names_or_count(&below, "other system")
            ),
        };

        let share = match untested.len() {
            1 => "shares",
            _ => "share",
        };

        return format!(
            "{name} has the highest mean{better}; {} {share} too few sources with it to be tested",
            names_or_count(&untested, "other system")
        );
    }

    let near = against(PairVerdict::Undecided);
    match near.len() {
        0 => format!("{name} is rated best, above every other system"),
        number if number + 1 == ranking.len() && number > 1 => {
            format!("{name} has the highest mean, but cannot be told apart from any other system")
        }
        _ => format!(
            "{name} is rated best; {} cannot be told apart from it",
            names_or_count(&near, "other system")
        ),
    }
}

/// The systems that share too few sources with the best one for a test.
fn untested_against_best<'a>(
    ranking: &'a [SystemEntry],
    pairs: &[SystemPairComparison<usize>],
) -> Vec<&'a str> {
    let is_tested = |other: usize| {
        let of_both = |pair: &&SystemPairComparison<usize>| {
            [pair.a, pair.b].contains(&0) && [pair.a, pair.b].contains(&other)
        };
        pairs
            .iter()
            .find(of_both)
            .is_some_and(SystemPairComparison::can_differ)
    };

    let others = ranking.iter().enumerate().skip(1);
    others
        .filter(|(place, _)| !is_tested(*place))
        .map(|(_, entry)| &entry.system.name[..])
        .collect()
}

/// A sentence if no two systems share enough sources for a test.
fn too_early(pairs: &[SystemPairComparison<usize>]) -> Option<String> {
    let shared = pairs.iter().map(|pair| pair.of.sources).max().unwrap_or(0);
    (shared < FEWEST_SOURCES).then(|| {
        format!(
            "Too early to say: two systems have {} in common at most",
            count_noun(shared, "rated source")
        )
    })
}

/// The systems on which the best one's comparison has this verdict. A system without a comparison
/// cannot be told apart.
fn named_against_best<'a>(
    ranking: &'a [SystemEntry],
    pairs: &[SystemPairComparison<usize>],
    verdict: PairVerdict,
) -> Vec<&'a str> {
    let of_best = |other: usize| {
        let verdict = pairs.iter().find_map(|pair| match (pair.a, pair.b) {
            (0, b) if b == other => Some(pair.verdict()),
            (a, 0) if a == other => Some(pair.verdict().reversed()),
            _ => None,
        });
        verdict.unwrap_or(PairVerdict::Undecided)
    };

    let others = ranking.iter().enumerate().skip(1);
    others
        .filter(|(place, _)| of_best(*place) == verdict)
        .map(|(_, entry)| &entry.system.name[..])
        .collect()
}

/// Names the systems with the lowest and the highest mean rating.
#[must_use]
pub fn range_of_ratings(ranking: &[SystemEntry], decimals: usize) -> String {
    let mut entries: Vec<_> = ranking.iter().collect();
    entries.sort_by(|a, b| b.raw.mean.total_cmp(&a.raw.mean));

    let mean = |entry: &SystemEntry| decimal(entry.raw.mean, decimals);

    match &entries[..] {
        [] => "No system is rated yet".to_owned(),
        [only] => format!("{} gets {} on average", only.system.name, mean(only)),
        [first, .., last] if first.raw.mean == last.raw.mean => {
            format!("All systems get {} on average", mean(first))
        }
        [first, .., last] => format!(
            "Mean ratings run from {} ({}) to {} ({})",
            mean(last),
            last.system.name,
            mean(first),
            first.system.name
        ),
    }
}

/// Says how many pairs of systems differ.
#[must_use]
pub fn pairs_that_differ(pairs: &[SystemPairComparison<usize>]) -> String {
    if let Some(early) = too_early(pairs) {
        return early;
    }

    let differ = pairs
        .iter()
        .filter(|pair| pair.verdict() != PairVerdict::Undecided)
        .count();
    let tested = pairs.iter().filter(|pair| pair.can_differ()).count();

    count_differing(differ, tested, pairs.len())
}

/// Says why no difference could have been found, whatever the ratings: with so few sources, even the smallest p-value
/// of the signed-rank test exceeds the level after the correction for all pairs. `None` if one could have been found.
#[must_use]
pub fn out_of_reach(pairs: &[SystemPairComparison<usize>]) -> Option<String> {
    let family = pairs.iter().filter(|pair| pair.wilcoxon_holm.is_some());
    let tests = family.clone().count();
    let sources = family.clone().map(|pair| pair.of.sources).max()?;

    let is_decided = |pair: &SystemPairComparison<usize>| pair.verdict() != PairVerdict::Undecided;
    let corrected = |sources: usize| (tests as f64 * smallest_p(sources)).min(1.0);

    if corrected(sources) <= SIGNIFICANCE_LEVEL || family.clone().any(is_decided) {
        return None;
    }

    let enough = (sources..).find(|sources| corrected(*sources) <= SIGNIFICANCE_LEVEL)?;

    Some(format!(
        "No difference could have been found: with {} in common at most, the smallest p that the signed-rank test can \
         give is {}, and {} after the correction for {tests} pairs of systems. From {enough} sources in common on, a \
         difference can show.",
        count_noun(sources, "source"),
        decimal(smallest_p(sources), 4),
        decimal(corrected(sources), 2),
    ))
}

/// The two-sided p of the signed-rank test if one system is better on every source.
fn smallest_p(sources: usize) -> f64 {
    2.0 * 0.5_f64.powf(sources as f64)
}

/// Says how many of `all` pairs of systems differ, of which `tested` could be tested.
pub(super) fn count_differing(differ: usize, tested: usize, all: usize) -> String {
    if tested < all {
        const TESTED: &str = "with enough sources in common";
        return match (differ, tested) {
            (0, 1) => format!("The one pair of systems {TESTED} cannot be told apart"),
            (0, _) => format!("None of the {tested} pairs of systems {TESTED} can be told apart"),
            (1, 1) => format!("The one pair of systems {TESTED} differs by more than chance"),
            _ => format!(
                "{differ} of the {tested} pairs of systems {TESTED} {} by more than chance",
                if differ == 1 { "differs" } else { "differ" }
            ),
        };
    }

    match (differ, tested) {
        (0, 1) => "The two systems cannot be told apart".to_owned(),
        (1, 1) => "The two systems differ by more than chance".to_owned(),
        (0, _) => "No two systems can be told apart".to_owned(),
        (differ, all) if differ == all => {
            format!("All {all} pairs of systems differ by more than chance")
        }
        (differ, all) => format!(
            "{differ} of {all} pairs of systems {} by more than chance",
            if differ == 1 { "differs" } else { "differ" }
        ),
    }
}

/// The systems that share each letter: “a: editor-1 and splitter-1”.
#[must_use]
pub fn letter_groups(ranking: &[SystemEntry], letters: &[String]) -> Vec<String> {
    let mut groups = Vec::<(char, Vec<&str>)>::new();
    for (entry, letters) in ranking.iter().zip(letters) {
        for letter in letters.chars() {
            let name = &entry.system.name[..];
            match groups.iter_mut().find(|(known, _)| *known == letter) {
                Some((_, names)) => names.push(name),
                None => groups.push((letter, vec![name])),
            }
        }
    }

    groups
        .iter()
        .map(|(letter, names)| format!("{letter}: {}", join_names(names)))
        .collect()
}

#[cfg(test)]
mod tests {
    use domain::statistics::{
        UndefinedReason,
        systems::{SystemScore, compare, system_letters},
    };

    use super::*;
    use crate::figures::systems::SystemName;

    fn entry(system: usize, name: &str, place: usize) -> SystemEntry {
        let score = SystemScore {
            system,
            outputs: 10,
            mean: 90.0 - 10.0 * place as f64,
            spread: Err(UndefinedReason::Constant),
            place,
        };
        SystemEntry {
            system: SystemName {
                name: name.to_owned(),
                kind: None,
                is_hidden: false,
            },
            raw: score.clone(),
            z: Some(score),
            place_in_kind: place,
        }
    }

    /// A pair in which a is better. From six sources on, the difference is more than chance.
    fn pair(a: usize, b: usize, sources: u32, sign: f64) -> SystemPairComparison<usize> {
        let scores = (0..sources).map(|source| (sign * f64::from(source + 1), 0.0));
        let of = compare(&scores.collect::<Vec<_>>(), 0.0);
        let p = of.wilcoxon.ok().map(|test| test.p);
        SystemPairComparison {
            a,
            b,
            of,
            t_holm: p,
            wilcoxon_holm: p,
        }
    }

    /// A pair on ten sources that cannot be told apart.
    fn even(a: usize, b: usize) -> SystemPairComparison<usize> {
        let mut pair = pair(a, b, 10, 1.0);
        pair.wilcoxon_holm = Some(1.0);
        pair
    }

    fn systems(names: &[(&str, usize)], pairs: Vec<SystemPairComparison<usize>>) -> StudySystems {
        let ranking: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(at, (name, place))| entry(at, name, *place))
            .collect();

        StudySystems {
            letters: system_letters(ranking.len(), &pairs),
            ranking,
            pairs,
            by_category: vec![],
            raters: 2,
            ratings: 20,
            warnings: vec![],
        }
    }

    const THREE: [(&str, usize); 3] = [("a", 1), ("b", 2), ("c", 3)];

    #[test]
    fn the_best_system_and_those_that_cannot_be_told_apart() {
        let (clear, open) = (10, 5);
        for (names, pairs, expected) in [
            (&[][..], vec![], "No system is rated yet"),
            (
                &THREE[..1],
                vec![],
                "Only a is rated: there is nothing to compare it with",
            ),
            (
                &THREE[..2],
                vec![pair(0, 1, open, 1.0)],
                "Too early to say: two systems have 5 rated sources in common at most",
            ),
            (
                &THREE[..2],
                vec![pair(0, 1, clear, 1.0)],
                "a is rated best, above every other system",
            ),
            (
                &THREE[..],
                vec![
                    pair(0, 1, open, 1.0),
                    pair(0, 2, clear, 1.0),
                    pair(1, 2, clear, 1.0),
                ],
                "a has the highest mean and is better than c; b shares too few sources with it to be tested",
            ),
            (
                &THREE[..],
                vec![
                    pair(0, 1, open, 1.0),
                    pair(0, 2, open, 1.0),
                    pair(1, 2, clear, 1.0),
                ],
                "a has the highest mean; b and c share too few sources with it to be tested",
            ),
            (
                &THREE[..],
                vec![even(0, 1), pair(0, 2, clear, 1.0), pair(1, 2, clear, 1.0)],
                "a is rated best; b cannot be told apart from it",
            ),
            (
                &THREE[..],
                vec![even(0, 1), even(0, 2), pair(1, 2, clear, 1.0)],
                "a has the highest mean, but cannot be told apart from any other system",
            ),
            (
                &THREE[..],
                vec![pair(0, 1, clear, -1.0), pair(0, 2, clear, 1.0)],
                "a has the highest mean, yet b did better source by source",
            ),
            (
                &[("a", 1), ("b", 1), ("c", 3)][..],
                vec![pair(0, 1, clear, 1.0)],
                "a and b share the highest mean",
            ),
        ] {
            assert_eq!(best_system(&systems(names, pairs)), expected);
        }

        // With two systems, the verdict is found in whichever order they are compared.
        let two = systems(&THREE[..2], vec![pair(1, 0, clear, -1.0)]);
        assert_eq!(
            best_system(&two),
            "a is rated best, above every other system"
        );
    }

    #[test]
    fn pairs_are_counted() {
        let (clear, open) = (10, 5);
        for (pairs, expected) in [
            (
                vec![pair(0, 1, clear, 1.0)],
                "The two systems differ by more than chance",
            ),
            (
                vec![pair(0, 1, open, 1.0)],
                "Too early to say: two systems have 5 rated sources in common at most",
            ),
            (
                vec![pair(0, 1, clear, 1.0), pair(0, 2, open, 1.0)],
                "The one pair of systems with enough sources in common differs by more than chance",
            ),
            (
                vec![pair(0, 1, clear, 1.0), pair(0, 2, clear, 1.0)],
                "All 2 pairs of systems differ by more than chance",
            ),
        ] {
            assert_eq!(pairs_that_differ(&pairs), expected);
        }

        let mut same = pair(0, 1, clear, 1.0);
        same.wilcoxon_holm = Some(0.4);
        assert_eq!(
            pairs_that_differ(&[same]),
            "The two systems cannot be told apart"
        );
        assert_eq!(
            pairs_that_differ(&[same, same]),
            "No two systems can be told apart"
        );
    }

    /// This many pairs of systems, each on this many sources, of which none can be told apart.
    fn undecided(pairs: usize, sources: u32) -> Vec<SystemPairComparison<usize>> {
        let one = SystemPairComparison {
            wilcoxon_holm: Some(1.0),
            ..pair(0, 1, sources, 1.0)
        };
        vec![one; pairs]
    }

    #[test]
    fn too_few_sources_for_any_difference_are_named() {
        let of_nine = out_of_reach(&undecided(45, 9)).unwrap();
        assert_eq!(
            of_nine,
            "No difference could have been found: with 9 sources in common at most, the smallest p that the \
             signed-rank test can give is 0.0039, and 0.18 after the correction for 45 pairs of systems. From 11 \
             sources in common on, a difference can show."
        );

        for (pairs, sources, enough) in [
            (45, 10, Some("From 11 sources")),
            (45, 11, None),
            (1, 6, None),
            (2, 6, Some("From 7 sources")),
            (190, 12, Some("From 13 sources")),
        ] {
            let said = out_of_reach(&undecided(pairs, sources));
            assert_eq!(
                said.is_some(),
                enough.is_some(),
                "{pairs} pairs, {sources} sources"
            );
            assert!(said.is_none_or(|said| said.contains(enough.unwrap_or_default())));
        }

        // The pair with the most sources decides; pairs without a test do not belong to the family.
        let mut mixed = undecided(44, 9);
        mixed.extend(undecided(1, 12));
        assert_eq!(out_of_reach(&mixed), None);

        let mut untested = pair(0, 1, 5, 1.0);
        untested.wilcoxon_holm = None;
        assert_eq!(out_of_reach(&[untested]), None);
    }

    #[test]
    fn ratings_run_from_the_lowest_to_the_highest() {
        let entries = systems(&THREE, vec![]).ranking;
        assert_eq!(
            range_of_ratings(&entries, 0),
            "Mean ratings run from 60 (c) to 80 (a)"
        );
        assert_eq!(range_of_ratings(&entries[..1], 0), "a gets 80 on average");
        assert_eq!(range_of_ratings(&[], 0), "No system is rated yet");
        let same = systems(&[("a", 1), ("b", 1)], vec![]).ranking;
        assert_eq!(range_of_ratings(&same, 0), "All systems get 80 on average");
    }

    #[test]
    fn a_letter_names_its_systems() {
        let of = systems(&THREE, vec![pair(0, 2, 10, 1.0)]);
        let letters = of.letters.unwrap();
        assert_eq!(letters, ["a", "ab", "b"]);
        assert_eq!(
            letter_groups(&of.ranking, &letters),
            ["a: a and b", "b: b and c"]
        );
    }
}
