use domain::statistics::systems::{FEWEST_SOURCES, PairVerdict, SystemPairComparison};
use leptos::prelude::*;

use crate::charts::{
    Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, Matrix, MatrixCell, MatrixRow, signed,
};
use service::{
    figures::systems::{StudySystems, SystemEntry},
    findings,
};

/// Above this number of systems, the cells of the matrix are small.
const MANY: usize = 12;

/// The comparison of each pair of systems, with the figures behind it.
#[component]
pub(super) fn Pairs(
    systems: StudySystems,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let StudySystems {
        ranking,
        pairs,
        letters,
        ..
    } = systems;
    (!pairs.is_empty()).then(|| {
        let caption = ChartCaption {
            name: "Each pair of systems".to_owned(),
            finding: findings::systems::pairs_that_differ(&pairs),
            line: "On how many sources the row’s system does better than the column’s. Coloured: better (+) \
                   or worse (−) by more than chance. Grey: the difference may be chance."
                .to_owned(),
            method: method(&pairs),
            basis,
        };

        let table = table(&ranking, &pairs);
        let cell = if ranking.len() > MANY { 32.0 } else { 56.0 };
        let groups = letters.map(|letters| findings::systems::letter_groups(&ranking, &letters));

        view! {
            <Chart caption file="systems-pairs" table>
                <Matrix label="Each pair of systems" rows=rows(&ranking, &pairs) cell/>
                {groups.map(|groups| view! {
                    <p class="chart-letters">
                        {format!("Systems that share a letter cannot be told apart, or not yet. {}.", groups.join("; "))}
                    </p>
                })}
            </Chart>
        }
    })
}

/// The tests behind the matrix and the letters.
fn method(pairs: &[SystemPairComparison<usize>]) -> String {
    let tested = pairs.iter().filter(|pair| pair.can_differ()).count();
    format!(
        "Numbers count the sources on which the system of the row has a higher mean z-score. Better and worse \
         are by Wilcoxon's signed-rank test over sources (two-sided, zero differences dropped) at .05 after \
         Holm's correction for the {tested} of {} pairs with at least {FEWEST_SOURCES} sources in common, as \
         others can never be significant; the stronger the colour, the larger the rank-biserial \
         correlation. Few sources cannot rule chance out. Letters: compact letter display (Piepho 2004), in \
         which two systems share a letter exactly where their test is not significant; that does not show \
         that they are equal. The table also has ties (the same score) and the paired t-test with its interval.",
        pairs.len()
    )
}

/// One system's side of a pair.
#[derive(Clone, Copy)]
struct PairSide<'a> {
    pair: &'a SystemPairComparison<usize>,
    verdict: PairVerdict,
    wins: usize,
    losses: usize,
}

/// Both sides of a pair: a's and b's.
fn sides(pair: &SystemPairComparison<usize>) -> [PairSide<'_>; 2] {
    let (verdict, counts) = (pair.verdict(), pair.of.counts);
    let side = |verdict, wins, losses| PairSide {
        pair,
        verdict,
        wins,
        losses,
    };
    [
        side(verdict, counts.wins, counts.losses),
        side(verdict.reversed(), counts.losses, counts.wins),
    ]
}

fn rows(ranking: &[SystemEntry], pairs: &[SystemPairComparison<usize>]) -> Vec<MatrixRow> {
    let mut all: Vec<Vec<Option<PairSide<'_>>>> = vec![vec![None; ranking.len()]; ranking.len()];
    for pair in pairs {
        let [of_a, of_b] = sides(pair);
        all[pair.a][pair.b] = Some(of_a);
        all[pair.b][pair.a] = Some(of_b);
    }

    let names = || ranking.iter().map(|entry| &entry.system.name[..]);
    let row = |(name, sides): (&str, &Vec<Option<PairSide<'_>>>)| {
        let count = |verdict| {
            let same = sides
                .iter()
                .flatten()
                .filter(|side| side.verdict == verdict);
            same.count()
        };
        let cells = sides.iter().zip(names());
        MatrixRow {
            name: name.to_owned(),
            description: format!(
                "{name}: better than {}, worse than {}, cannot be told apart from {}",
                count(PairVerdict::Better),
                count(PairVerdict::Worse),
                count(PairVerdict::Undecided)
            ),
            cells: cells
                .map(|(side, other)| Some(cell((*side)?, name, other)))
                .collect(),
        }
    };

    names().zip(&all).map(row).collect()
}

fn cell(side: PairSide<'_>, name: &str, other: &str) -> MatrixCell {
    let PairSide {
        pair, wins, losses, ..
    } = side;
    let effect = pair
        .of
        .wilcoxon
        .map_or(0.0, |test| test.rank_biserial.abs());
    let (sign, word, strength) = match side.verdict {
        PairVerdict::Better => ("+", "better", Some(effect)),
        PairVerdict::Worse => ("−", "worse", Some(-effect)),
        PairVerdict::Undecided => ("", "cannot be told apart", None),
    };
    let ties = pair.of.counts.ties;

    MatrixCell {
        shown: format!("{wins}{sign}"),
        description: format!(
            "{name} against {other}: {word}; {wins} won, {ties} equal, {losses} lost"
        ),
        strength,
    }
}

fn table(ranking: &[SystemEntry], pairs: &[SystemPairComparison<usize>]) -> ChartTable {
    let columns = [
        "Sources",
        "A better",
        "Equal",
        "B better",
        "Mean difference, A − B (z)",
        "95 % interval, low",
        "95 % interval, high",
        "p, paired t",
        "p, paired t, Holm",
        "p, Wilcoxon",
        "p, Wilcoxon, Holm",
        "Rank-biserial correlation",
    ];
    let columns = ["A", "B"]
        .map(ChartColumn::text)
        .into_iter()
        .chain(columns.map(ChartColumn::number));

    let row = |pair: &SystemPairComparison<usize>| {
        let name = |place: usize| ChartCell::text(&ranking[place].system.name);
        let p = |value: Option<f64>| value.map_or_else(ChartCell::none, ChartCell::p);
        let difference = |value: f64| ChartCell {
            shown: signed(value, 2),
            ..ChartCell::number(value, 2)
        };
        let or_none = |value: Option<f64>| value.map_or_else(ChartCell::none, difference);
        let (of, t, wilcoxon) = (&pair.of, pair.of.t.ok(), pair.of.wilcoxon.ok());
        let compared = (of.sources > 0).then_some(of.difference);

        vec![
            name(pair.a),
            name(pair.b),
            ChartCell::count(of.sources),
            ChartCell::count(of.counts.wins),
            ChartCell::count(of.counts.ties),
            ChartCell::count(of.counts.losses),
            or_none(compared),
            or_none(t.map(|t| t.interval.0)),
            or_none(t.map(|t| t.interval.1)),
            p(t.map(|t| t.p)),
            p(pair.t_holm),
            p(wilcoxon.map(|test| test.p)),
            p(pair.wilcoxon_holm),
            or_none(wilcoxon.map(|test| test.rank_biserial)),
        ]
    };

    ChartTable {
        columns: columns.collect(),
        rows: pairs.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use domain::statistics::systems::compare;

    use super::*;

    /// A pair of systems on `sources` sources, on all of which a is better by the same difference.
    fn pair(sources: u32, difference: f64) -> SystemPairComparison<usize> {
        let scores =
            (0..sources).map(|source| (f64::from(source) * 1.5 + difference, f64::from(source)));
        let comparison = compare(&scores.collect::<Vec<_>>(), 0.0);
        let p = comparison.wilcoxon.ok().map(|test| test.p);
        SystemPairComparison {
            a: 0,
            b: 1,
            of: comparison,
            t_holm: p,
            wilcoxon_holm: p,
        }
    }

    #[test]
    fn a_verdict_needs_sources_and_has_two_sides() {
        for (sources, difference, signs) in [
            (10, 1.0, ["10+", "0−"]),
            // Even five of five may be chance: p = 2/32.
            (5, 1.0, ["5", "0"]),
            (20, -40.0, ["0−", "20+"]),
        ] {
            let pair = pair(sources, difference);
            let cells = sides(&pair).map(|side| cell(side, "a", "b"));
            // Only what differs by more than chance has a colour.
            let decided = signs[0].contains(['+', '−']);
            assert!(cells.iter().all(|cell| cell.strength.is_some() == decided));
            assert_eq!(cells.map(|cell| cell.shown), signs, "{sources} sources");
        }
    }
}
