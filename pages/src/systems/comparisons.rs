//! The systems of a study whose outputs are compared.

use domain::statistics::{
    UndefinedReason,
    bootstrap::BootstrapInterval,
    pairwise::{BestWorstCounts, BradleyTerryFit, PairTest},
    systems::{PairVerdict, WinTieLoss},
};
use leptos::prelude::*;
use service::{
    figures::comparisons::ComparisonFigures,
    findings,
    wording::{count_noun, signed},
};

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, IntervalChart, IntervalRow,
    IntervalRowGroup, MarkShape, Matrix, MatrixCell, MatrixRow,
};

/// Scores of systems from the comparisons on a dimension, and who beats whom.
#[component]
pub(super) fn ComparedSystems(of: ComparisonFigures) -> impl IntoView {
    let sources = of.table.sources();
    let basis = format!(
        "{}, {}, {}",
        count_noun(of.comparisons, "comparison"),
        count_noun(sources, "source"),
        count_noun(of.agreement.raters, "rater")
    );
    let penalised = of.fit.as_ref().is_ok_and(|fit| fit.penalised);

    view! {
        <dl class="facts">
            <div><dt>"Systems"</dt><dd>{of.table.systems().len()}</dd></div>
            <div><dt>"Comparisons"</dt><dd>{of.comparisons}</dd></div>
            <div><dt>"Sources"</dt><dd>{sources}</dd></div>
            <div><dt>"Raters"</dt><dd>{of.agreement.raters}</dd></div>
        </dl>
        {penalised.then(|| view! {
            <p class="caution">
                "Some systems never lose to the others, or never win, so that their scores have no natural size: they \
                 are drawn towards each other a little."
            </p>
        })}
        {strength_chart(&of, &basis)}
        {of.has_choices().then(|| best_worst_chart(&of, &basis))}
        {pairs_chart(&of, &basis)}
    }
}

/// The figure of a system with its interval.
struct SystemFigure {
    system: usize,
    value: f64,
    interval: Option<(f64, f64)>,
}

impl SystemFigure {
    fn new(
        system: usize,
        value: f64,
        interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    ) -> Self {
        let interval = interval.and_then(Result::ok);
        Self {
            system,
            value,
            interval: interval.map(|interval| (interval.low, interval.high)),
        }
    }
}

fn interval_chart(
    of: &ComparisonFigures,
    label: &str,
    figures: &[SystemFigure],
) -> impl IntoView + use<> {
    let ends = figures.iter().flat_map(|figure| {
        let (low, high) = figure.interval.unwrap_or((figure.value, figure.value));
        [low, figure.value, high]
    });
    let axis = Axis::from_values(label, ends, 8);

    let row = |figure: &SystemFigure| {
        let system = &of.table.systems()[figure.system];
        let shown = signed(figure.value, 2);
        let interval = match figure.interval {
            Some((low, high)) => {
                format!("95 % interval {} to {}", signed(low, 2), signed(high, 2))
            }
            None => "no interval".to_owned(),
        };
        let rank = of.ranks.as_ref().map(|ranks| ranks[figure.system]);
        let ranked = rank.map(|rank| format!(", rank {rank} of {}", of.order.len()));
        IntervalRow {
            name: rank.map_or_else(|| system.clone(), |rank| format!("{rank} · {system}")),
            shape: MarkShape::Circle,
            value: figure.value,
            interval: figure.interval,
            description: format!(
                "{system}: {shown}, {interval}{}",
                ranked.unwrap_or_default()
            ),
            shown,
        }
    };

    let groups = vec![IntervalRowGroup {
        name: None,
        rows: figures.iter().map(row).collect(),
    }];
    view! { <IntervalChart label=format!("{label} of each system, with its 95 % interval") axis groups/> }
}

fn strength_chart(of: &ComparisonFigures, basis: &str) -> impl IntoView + use<> {
    let fit = of.fit.as_ref().ok();
    let figures: Vec<_> = fit
        .map(|fit| {
            let figure = |system: &usize| {
                let interval = of.intervals.as_ref().map(|all| all.strengths[*system]);
                SystemFigure::new(*system, fit.strengths[*system], interval)
            };
            of.order.iter().map(figure).collect()
        })
        .unwrap_or_default();

    let caption = ChartCaption {
        name: "Strength of each system".to_owned(),
        finding: findings::comparisons::best_system(of),
        line: "How often a system wins against others, as log odds: 0 is the middle of these systems, and a \
               difference of 1 means odds of about 2.7 to 1. With 95 % intervals."
            .to_owned(),
        method: "The model of Bradley and Terry (1952) with Davidson's (1970) ties, by maximum likelihood; a choice \
                 of the best and the worst counts as the pairs that it decides. Intervals are percentile intervals \
                 of 1,000 resamples of sources. Systems are said to be apart where their intervals do not overlap. \
                 The win share in the table is the chance to win against another of these systems drawn at random, \
                 a tie counting half. An output that several systems wrote counts for each of them."
            .to_owned(),
        basis: basis.to_owned(),
    };

    let table = strength_table(of);
    let chart = (!figures.is_empty()).then(|| interval_chart(of, "Strength (log odds)", &figures));

    view! {
        <Chart caption file="systems-strength" table>
            {chart}
        </Chart>
    }
}

fn strength_table(of: &ComparisonFigures) -> ChartTable {
    let columns = [
        "Rank",
        "Strength",
        "95 % interval, low",
        "95 % interval, high",
        "Win share",
        "95 % interval, low",
        "95 % interval, high",
        "Won",
        "Tied",
        "Lost",
    ];

    let fit = of.fit.as_ref().ok();
    let shares = fit.map(BradleyTerryFit::win_shares);
    let number = |value: Option<f64>| {
        value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
    };

    let row = |system: &usize| {
        let system = *system;
        let intervals = of.intervals.as_ref();
        let strength = intervals.and_then(|all| all.strengths[system].ok());
        let share = intervals.and_then(|all| all.win_shares[system].ok());
        let WinTieLoss { wins, ties, losses } = of.matrix.totals(system);
        let rank = of.ranks.as_ref().map(|ranks| ranks[system]);

        vec![
            ChartCell::text(&of.table.systems()[system]),
            rank.map_or_else(ChartCell::none, ChartCell::count),
            number(fit.map(|fit| fit.strengths[system])),
            number(strength.map(|interval| interval.low)),
            number(strength.map(|interval| interval.high)),
            number(shares.as_ref().map(|shares| shares[system])),
            number(share.map(|interval| interval.low)),
            number(share.map(|interval| interval.high)),
            ChartCell::count(wins),
            ChartCell::count(ties),
            ChartCell::count(losses),
        ]
    };
    let columns = columns.map(ChartColumn::number);

    ChartTable {
        columns: [ChartColumn::text("System")]
            .into_iter()
            .chain(columns)
            .collect(),
        rows: of.order.iter().map(row).collect(),
    }
}

fn best_worst_chart(of: &ComparisonFigures, basis: &str) -> impl IntoView + use<> {
    let figure = |system: &usize| {
        let score = of.best_worst[*system].score().ok()?;
        let interval = of.intervals.as_ref().map(|all| all.best_worst[*system]);
        Some(SystemFigure::new(*system, score, interval))
    };
    let figures: Vec<_> = of.order.iter().filter_map(figure).collect();

    let caption = ChartCaption {
        name: "Best and worst".to_owned(),
        finding: "How often a system is chosen as the best rather than the worst".to_owned(),
        line: "The share of comparisons in which it is the best, less that in which it is the worst: 1 is always \
               the best, −1 always the worst. With 95 % intervals."
            .to_owned(),
        method: "(best − worst)/shown, by counting (Orme 2009). Percentile intervals of 1,000 resamples of \
                 sources. It does not look at which others were shown, as the strength does."
            .to_owned(),
        basis: basis.to_owned(),
    };

    let row = |system: &usize| {
        let BestWorstCounts { shown, best, worst } = of.best_worst[*system];
        let score = of.best_worst[*system].score().ok();
        let interval = of
            .intervals
            .as_ref()
            .and_then(|all| all.best_worst[*system].ok());
        let number = |value: Option<f64>| {
            value.map_or_else(ChartCell::none, |value| ChartCell::number(value, 3))
        };

        vec![
            ChartCell::text(&of.table.systems()[*system]),
            ChartCell::count(shown),
            ChartCell::count(best),
            ChartCell::count(worst),
            number(score),
            number(interval.map(|interval| interval.low)),
            number(interval.map(|interval| interval.high)),
        ]
    };

    let columns = [
        "Shown",
        "Best",
        "Worst",
        "Score",
        "95 % interval, low",
        "95 % interval, high",
    ];
    let columns = columns.map(ChartColumn::number);
    let table = ChartTable {
        columns: [ChartColumn::text("System")]
            .into_iter()
            .chain(columns)
            .collect(),
        rows: of.order.iter().map(row).collect(),
    };
    let chart = interval_chart(of, "Best less worst", &figures);

    view! {
        <Chart caption file="systems-best-worst" table>
            {chart}
        </Chart>
    }
}

/// Above this number of systems, the cells of the matrix are small.
const MANY: usize = 12;

fn pairs_chart(of: &ComparisonFigures, basis: &str) -> impl IntoView + use<> {
    let caption = ChartCaption {
        name: "Who beats whom".to_owned(),
        finding: findings::comparisons::pairs_that_differ(of),
        line: "How many comparisons the row’s system won against the column’s. Coloured: it wins (+) or loses (−) by \
               more than chance. Grey: the difference may be chance. A dash: never compared."
            .to_owned(),
        method: "Better and worse are by the two-sided exact sign test over sources, each decided by the majority of \
                 its comparisons, at .05 after Holm’s correction for the pairs on at least 6 sources. Few sources \
                 cannot rule chance out."
            .to_owned(),
        basis: basis.to_owned(),
    };

    let cell = if of.order.len() > MANY { 32.0 } else { 56.0 };
    let (table, rows) = (pairs_table(of), rows(of));

    view! {
        <Chart caption file="systems-wins" table>
            <Matrix label="Comparisons won against each other system" rows cell/>
        </Chart>
    }
}

fn rows(of: &ComparisonFigures) -> Vec<MatrixRow> {
    let names = of.table.systems();
    let row = |a: &usize| {
        let others = || of.order.iter().filter(|b| *b != a);
        let count = |verdict| {
            others()
                .filter(|b| verdict_of(of, *a, **b) == verdict)
                .count()
        };
        MatrixRow {
            name: names[*a].clone(),
            description: format!(
                "{}: wins against {}, loses against {} by more than chance",
                names[*a],
                count(PairVerdict::Better),
                count(PairVerdict::Worse)
            ),
            cells: of
                .order
                .iter()
                .map(|b| (a != b).then(|| cell(of, *a, *b)))
                .collect(),
        }
    };

    of.order.iter().map(row).collect()
}

/// The outcome of a against b.
fn verdict_of(of: &ComparisonFigures, a: usize, b: usize) -> PairVerdict {
    let is_pair =
        |pair: &&PairTest| (pair.a.min(pair.b), pair.a.max(pair.b)) == (a.min(b), a.max(b));
    match of.pairs.iter().find(is_pair) {
        Some(pair) if pair.a == a => findings::comparisons::verdict(pair),
        Some(pair) => findings::comparisons::verdict(pair).reversed(),
        None => PairVerdict::Undecided,
    }
}

fn cell(of: &ComparisonFigures, a: usize, b: usize) -> MatrixCell {
    let names = of.table.systems();
    let WinTieLoss { wins, ties, losses } = of.matrix.counts(a, b);
    if wins + ties + losses == 0 {
        return MatrixCell {
            shown: "–".to_owned(),
            description: format!("{} and {} were never compared", names[a], names[b]),
            strength: None,
        };
    }

    let share = (wins as f64 - losses as f64) / (wins + ties + losses) as f64;
    let (sign, words, strength) = match verdict_of(of, a, b) {
        PairVerdict::Better => ("+", "wins", Some(share.abs())),
        PairVerdict::Worse => ("−", "loses", Some(-share.abs())),
        PairVerdict::Undecided => ("", "cannot be told apart", None),
    };

    MatrixCell {
        shown: format!("{wins}{sign}"),
        description: format!(
            "{} against {}: {words}; {wins} won, {ties} tied, {losses} lost",
            names[a], names[b]
        ),
        strength,
    }
}

fn pairs_table(of: &ComparisonFigures) -> ChartTable {
    let columns = [
        "A won",
        "Tied",
        "B won",
        "Sources for A",
        "Sources tied",
        "Sources for B",
        "p, sign test",
        "p, Holm",
    ];

    let row = |pair: &PairTest| {
        let name = |system: usize| ChartCell::text(&of.table.systems()[system]);
        let p = |value: Option<f64>| value.map_or_else(ChartCell::none, ChartCell::p);
        vec![
            name(pair.a),
            name(pair.b),
            ChartCell::count(pair.comparisons.wins),
            ChartCell::count(pair.comparisons.ties),
            ChartCell::count(pair.comparisons.losses),
            ChartCell::count(pair.sources.wins),
            ChartCell::count(pair.sources.ties),
            ChartCell::count(pair.sources.losses),
            p(pair.sign.ok().map(|sign| sign.p)),
            p(pair.sign_holm),
        ]
    };
    let texts = ["A", "B"].map(ChartColumn::text).into_iter();

    ChartTable {
        columns: texts.chain(columns.map(ChartColumn::number)).collect(),
        rows: of.pairs.iter().map(row).collect(),
    }
}
