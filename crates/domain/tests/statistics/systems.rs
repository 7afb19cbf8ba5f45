//! System scores against numpy.

use domain::statistics::{
    RatingTable, UndefinedReason,
    significance::holm,
    systems::{
        WinTieLoss, compare, compare_each, paired_sources, scores_by_source, system_scores,
        win_tie_loss,
    },
};
use proptest::prelude::*;
use testdata::{golden, needs_released_data};

use crate::shared::{assert_close, assert_close_p, past_table, read_simpeval_past};

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_systems() {
    let (golden, rows) = (golden("system_scores.json"), read_simpeval_past());
    let scores_of = |table: RatingTable<_, usize>| {
        let means = table.means();
        system_scores(means.map(|(unit, mean)| (rows[*unit].system.as_str(), mean)))
    };
    let raw = scores_of(past_table(&rows, |row| &row.raw));
    let z = scores_of(past_table(&rows, |row| &row.z));
    let expected = golden["expected"].as_object().unwrap();
    assert_eq!(raw.len(), expected.len());
    for (raw, z) in raw.iter().zip(&z) {
        let expected = &expected[raw.system];
        let figure = |key: &str| expected[key].as_f64().unwrap();
        let spread = raw.spread.unwrap();
        assert_eq!(raw.outputs, expected["n"]);
        assert_close(raw.mean, figure("mean_raw"), raw.system);
        assert_close(z.mean, figure("mean_z"), raw.system);
        assert_close(spread.sd, figure("sd_item_means"), raw.system);
        assert_close(spread.median, figure("median_item_mean"), raw.system);
        assert_eq!(raw.place, expected["rank_raw"], "{}", raw.system);
        assert_eq!(z.place, expected["rank_z"], "{}", raw.system);
    }
}

#[test]
fn a_tie_is_within_the_threshold() {
    let pairs = [(80.0, 70.0), (70.0, 75.0), (70.0, 75.5), (50.0, 50.0)];
    assert_eq!(
        win_tie_loss(&pairs, 5.0),
        WinTieLoss {
            wins: 1,
            ties: 2,
            losses: 1
        }
    );
    assert_eq!(
        win_tie_loss(&pairs, 0.0),
        WinTieLoss {
            wins: 1,
            ties: 1,
            losses: 2
        }
    );
}

/// R's `p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")`, and statsmodels' `multipletests`.
#[test]
fn r_p_adjust_holm() {
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
    for (found, expected) in adjusted.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
        assert_close(found, expected, "holm");
    }
    assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
    assert!(holm(&[]).is_empty());
}

#[needs_released_data("simpeval")]
#[test]
fn simpeval_past_pairs_as_the_tests_themselves() {
    let rows = read_simpeval_past();
    let z = past_table(&rows, |row| &row.z);
    let scores = scores_by_source(
        z.means()
            .map(|(unit, mean)| (rows[*unit].system.as_str(), rows[*unit].source, mean)),
    );
    let pairs = compare_each(&scores, 0.0);
    assert_eq!((scores.len(), pairs.len()), (24, 24 * 23 / 2));
    let pair = pairs
        .iter()
        .find(|pair| pair.a == "T5-3B" && pair.b == "T5-base")
        .unwrap();
    let alone = compare(&paired_sources(&scores["T5-3B"], &scores["T5-base"]), 0.0);
    assert_eq!((pair.of, pair.of.sources), (alone, 100));
    // 0.4923440672618378 − 0.4430002551611772 of the released system scores.
    assert_close(pair.of.difference, 0.0493438121006606, "difference");
    for pair in &pairs {
        let (t, wilcoxon) = (pair.of.t.unwrap(), pair.of.wilcoxon.unwrap());
        assert!(pair.t_holm.unwrap() >= t.p && pair.wilcoxon_holm.unwrap() >= wilcoxon.p);
        let WinTieLoss { wins, ties, losses } = pair.of.counts;
        assert_eq!(wins + ties + losses, 100);
    }
    let smallest = pairs
        .iter()
        .min_by(|a, b| a.of.t.unwrap().p.total_cmp(&b.of.t.unwrap().p));
    let smallest = smallest.unwrap();
    assert_close_p(
        smallest.t_holm.unwrap(),
        smallest.of.t.unwrap().p * 276.0,
        "the smallest",
    );
}

#[test]
fn systems_meet_where_both_have_a_rated_output() {
    let ratings = RatingTable::new([
        ("r", ("a", 1), 80.0),
        ("q", ("a", 1), 60.0),
        ("r", ("b", 1), 50.0),
        ("r", ("a", 2), 90.0),
        ("r", ("b", 3), 10.0),
    ]);
    let ratings = ratings.unwrap();
    let means = ratings.means();
    let scores = scores_by_source(means.map(|((system, source), mean)| (*system, *source, mean)));
    assert_eq!(paired_sources(&scores["a"], &scores["b"]), [(70.0, 50.0)]);
    let [pair] = compare_each(&scores, 0.0)[..] else {
        panic!("one pair");
    };
    assert_eq!((pair.of.sources, pair.of.difference), (1, 20.0));
    let too_few = UndefinedReason::TooFew {
        found: 1,
        needed: 2,
    };
    assert_eq!((pair.of.t, pair.t_holm), (Err(too_few), None));
    assert_eq!(pair.wilcoxon_holm, None);
}

proptest! {
    /// Corrected values keep the order, are no smaller, at most 1, and do not depend on the order
    /// in which tests are given.
    #[test]
    fn holm_keeps_the_order(mut p in prop::collection::vec(0.0..=1.0f64, 0..20)) {
        let adjusted = holm(&p);
        for (i, a) in adjusted.iter().enumerate() {
            prop_assert!(p[i] <= *a && *a <= 1.0);
            for (j, b) in adjusted.iter().enumerate() {
                prop_assert!(p[i] > p[j] || a <= b);
            }
        }
        p.reverse();
        let mut reversed = holm(&p);
        reversed.reverse();
        prop_assert_eq!(adjusted, reversed);
    }

    /// b against a is a against b with the sign turned.
    #[test]
    fn comparing_is_antisymmetric(pairs in prop::collection::vec((0..20_u8, 0..20_u8), 1..30)) {
        let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (f64::from(a), f64::from(b))).collect();
        let turned: Vec<_> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
        let (ab, ba) = (compare(&pairs, 1.0), compare(&turned, 1.0));
        prop_assert!((ab.difference + ba.difference).abs() < 1e-12);
        prop_assert_eq!((ab.counts.wins, ab.counts.ties), (ba.counts.losses, ba.counts.ties));
        prop_assert_eq!(ab.t.is_ok(), ba.t.is_ok());
        if let (Ok(ab), Ok(ba)) = (ab.wilcoxon, ba.wilcoxon) {
            prop_assert!((ab.p - ba.p).abs() < 1e-12);
            prop_assert!((ab.rank_biserial + ba.rank_biserial).abs() < 1e-12);
        }
    }
}

#[needs_released_data("simpeval")]
#[test]
fn scipy_paired_tests_of_simpeval_past_systems() {
    let (golden, rows) = (golden("paired_tests.json"), read_simpeval_past());
    for (unit, table) in [
        ("raw", past_table(&rows, |row| &row.raw)),
        ("z", past_table(&rows, |row| &row.z)),
    ] {
        let scores = scores_by_source(
            table
                .means()
                .map(|(unit, mean)| (rows[*unit].system.as_str(), rows[*unit].source, mean)),
        );
        for (a, b) in [
            ("ControlT5", "Dress-Ls.lower"),
            ("PBMT-R.lower", "UNMT"),
            ("SBMT-SARI.lower", "SEMoses_all"),
        ] {
            let name = format!("simpeval_past {unit} mean {a} vs {b}");
            let expected = &golden["cases"][&name]["expected"];
            let comparison = compare(&paired_sources(&scores[a], &scores[b]), 0.0);
            let (t, wilcoxon) = (comparison.t.unwrap(), comparison.wilcoxon.unwrap());
            let figure = |json: &serde_json::Value| json.as_f64().unwrap();
            assert_close(t.t, figure(&expected["ttest_rel"]["t"]), &name);
            assert_close_p(t.p, figure(&expected["ttest_rel"]["p_two_sided"]), &name);
            assert_close(
                comparison.difference,
                figure(&expected["ttest_rel"]["mean_diff"]),
                &name,
            );
            assert_close(wilcoxon.w_plus, figure(&expected["W_plus"]), &name);
            assert_close_p(
                wilcoxon.p,
                figure(&expected["wilcoxon_default(auto)"]["p"]),
                &name,
            );
            assert_close(
                wilcoxon.rank_biserial,
                figure(&expected["rank_biserial"]),
                &name,
            );
            assert_eq!(
                comparison.sources - comparison.counts.ties,
                expected["n_nonzero"]
            );
        }
    }
}
