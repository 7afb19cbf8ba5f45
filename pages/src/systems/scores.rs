use domain::{
    score::RatingScale,
    statistics::systems::SystemScore,
    study::SystemKind::{self, Baseline, Human, Machine},
};
use leptos::{either::Either, prelude::*};

use crate::charts::{
    Axis, Chart, ChartCaption, ChartCell, ChartColumn, ChartTable, Fold, IntervalChart,
    IntervalRow, IntervalRowGroup, MarkShape, decimal,
};
use service::{
    figures::systems::{StudySystems, SystemEntry},
    findings,
};

/// The charts of mean z-scores and of mean ratings.
#[component]
pub(super) fn Scores(
    systems: StudySystems,
    /// The scale of the ratings.
    scale: Option<RatingScale>,
    /// The numbers behind the figures, for downloads.
    basis: String,
) -> impl IntoView {
    let points = scale.map_or_else(String::new, |scale| {
        format!(" (points from {} to {})", scale.low, scale.high)
    });
    let ranking = &systems.ranking;
    let z_scores = ranking
        .iter()
        .any(|entry| entry.z.is_some())
        .then(|| z_chart(&systems, basis.clone()));

    let limits = scale.map(|scale| (f64::from(scale.low), f64::from(scale.high)));
    let raw_axis = axis(&format!("Mean rating{points}"), limits, ranking, |entry| {
        Some(&entry.raw)
    });
    let decimals = scale.map_or(1, RatingScale::decimals);
    let raw_groups = groups(ranking, ("rating", decimals), None, |entry| {
        Some(&entry.raw)
    });

    let caption = ChartCaption {
        name: "Mean rating of each system".to_owned(),
        finding: findings::systems::range_of_ratings(ranking, decimals),
        line: format!("Mean rating as it was entered{points}, with its 95 % interval."),
        method: "The same means and intervals as above, of the ratings as raters entered them. Raters who \
                 use the scale differently are not brought into line here."
            .to_owned(),
        basis,
    };
    let table = table(ranking, ("rating", decimals + 1), None, |entry| {
        Some(&entry.raw)
    });

    let in_points = view! {
        <Chart caption file="systems-raw" table>
            <IntervalChart
                label="Mean rating and 95 % interval of each system"
                axis=raw_axis
                groups=raw_groups
            />
        </Chart>
    };

    match z_scores {
        // The order is nearly the same: a second chart next to the first would say little.
        Some(z_scores) => Either::Left(view! {
            {z_scores}
            <Fold name="systems-points" class="terms" summary="Mean ratings in points">
                {in_points}
            </Fold>
        }),
        None => Either::Right(in_points),
    }
}

/// The chart of mean z-scores, with the letters of systems that cannot be told apart.
fn z_chart(systems: &StudySystems, basis: String) -> impl IntoView + use<> {
    let (ranking, letters) = (&systems.ranking, systems.letters.as_deref());
    let label = "Mean z-score (standard deviations)";
    let axis = axis(label, Some(Z_LIMITS), ranking, |entry| entry.z.as_ref());
    let groups = groups(ranking, ("z-score", 2), letters, |entry| entry.z.as_ref());
    let table = table(ranking, ("z", 3), letters, |entry| entry.z.as_ref());

    let explained = match letters {
        Some(_) => " Systems that share a letter cannot be told apart.",
        None => "",
    };
    let caption = ChartCaption {
        name: "Mean z-score of each system".to_owned(),
        finding: findings::systems::best_system(systems),
        line: format!(
            "Mean z-score with its 95 % interval; the number before a name is the rank.{explained}"
        ),
        method: "The mean over its outputs of the mean over their raters, with the 95 % interval \
                 t(.975, n − 1) · s/√n over outputs. z removes each rater's own mean and spread, over all of \
                 their ratings. Ranks are among all systems; equal means share the smallest rank. Letters are \
                 by Wilcoxon's signed-rank test over sources at .05 after Holm's correction, as in “Each pair \
                 of systems” below: intervals may overlap where the test, which compares source by source, \
                 shows a difference."
            .to_owned(),
        basis,
    };

    view! {
        <Chart caption file="systems-z" table>
            <IntervalChart label="Mean z-score and 95 % interval of each system" axis groups/>
        </Chart>
    }
}

/// The kinds of writers in display order, with their names and marks.
const KINDS: [(SystemKind, &str, MarkShape); 3] = [
    (Human, "Written by people", MarkShape::Square),
    (Machine, "Written by machines", MarkShape::Circle),
    (Baseline, "Baselines", MarkShape::Diamond),
];

fn interval(of: &SystemScore<usize>) -> Option<(f64, f64)> {
    of.spread.ok().map(|spread| spread.interval())
}

/// The limits of the axis of z-scores. Few z-scores lie beyond them, but the interval of a mean
/// over two sources can be many times as wide.
const Z_LIMITS: (f64, f64) = (-3.0, 3.0);

/// The axis of means and their intervals; an interval that goes beyond both the limits and all means is cut off.
fn axis(
    label: &str,
    limits: Option<(f64, f64)>,
    ranking: &[SystemEntry],
    score: impl Fn(&SystemEntry) -> Option<&SystemScore<usize>>,
) -> Axis {
    let ends = ranking.iter().filter_map(score).flat_map(|system_score| {
        let mean = system_score.mean;
        let (low, high) = interval(system_score).unwrap_or((mean, mean));
        match limits {
            Some((least, most)) => [low.max(least), mean, high.min(most)],
            None => [low, mean, high],
        }
    });

    Axis::from_values(label, ends, 8)
}

/// A group of rows for each kind of writer, its systems from the best.
fn groups(
    ranking: &[SystemEntry],
    (unit, decimals): (&str, usize),
    letters: Option<&[String]>,
    score: impl Fn(&SystemEntry) -> Option<&SystemScore<usize>>,
) -> Vec<IntervalRowGroup> {
    let several = ranking
        .iter()
        .any(|entry| entry.system.kind != ranking[0].system.kind);

    let group = |(kind, name, shape): (SystemKind, &str, MarkShape)| {
        let mut of_kind: Vec<_> = ranking
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.system.kind.unwrap_or(Machine) == kind)
            .filter_map(|(at, entry)| Some((at, entry, score(entry)?)))
            .collect();
        of_kind.sort_by_key(|(_, _, system_score)| system_score.place);

        let row = |(at, entry, system_score): &(usize, &SystemEntry, &SystemScore<usize>)| {
            let letters = letters.map(|letters| &letters[*at]);
            let system = &entry.system.name;
            let mean = decimal(system_score.mean, decimals);
            let spread = match interval(system_score) {
                Some((low, high)) => format!(
                    "95 % interval {} to {}",
                    decimal(low, decimals),
                    decimal(high, decimals)
                ),
                None => "no interval".to_owned(),
            };

            IntervalRow {
                name: format!("{} · {system}", system_score.place),
                shape,
                value: system_score.mean,
                interval: interval(system_score),
                description: format!(
                    "{system}: mean {unit} {mean}, {spread}, rank {} of {}, {} outputs{}",
                    system_score.place,
                    ranking.len(),
                    system_score.outputs,
                    letters.map_or_else(String::new, |letters| format!(
                        ", {} {letters}",
                        if letters.len() == 1 {
                            "letter"
                        } else {
                            "letters"
                        }
                    ))
                ),
                shown: letters.map_or_else(|| mean.clone(), |letters| format!("{mean} {letters}")),
            }
        };

        IntervalRowGroup {
            name: several.then(|| name.to_owned()),
            rows: of_kind.iter().map(row).collect(),
        }
    };

    let groups = KINDS.map(group).into_iter();
    groups.filter(|group| !group.rows.is_empty()).collect()
}

fn table(
    ranking: &[SystemEntry],
    (unit, decimals): (&str, usize),
    letters: Option<&[String]>,
    score: impl Fn(&SystemEntry) -> Option<&SystemScore<usize>>,
) -> ChartTable {
    let mut columns = vec![
        ChartColumn::text("System"),
        ChartColumn::text("Kind"),
        ChartColumn::number("Rank"),
        ChartColumn::number("Rank among its kind, by z"),
        ChartColumn::number("Outputs"),
        ChartColumn::number(format!("Mean {unit}")),
        ChartColumn::number("95 % interval, low"),
        ChartColumn::number("95 % interval, high"),
        ChartColumn::number("Standard deviation of outputs"),
    ];
    columns.extend(letters.map(|_| ChartColumn::text("Letters")));

    let row = |(at, entry): (usize, &SystemEntry)| {
        let system_score = score(entry);
        let number = |value: Option<f64>| {
            value.map_or_else(ChartCell::none, |value| ChartCell::number(value, decimals))
        };
        let ends = system_score.and_then(interval);

        let mut cells = vec![
            ChartCell::text(&entry.system.name),
            ChartCell::text(entry.system.kind.map_or("", SystemKind::name)),
            system_score.map_or_else(ChartCell::none, |system_score| {
                ChartCell::count(system_score.place)
            }),
            ChartCell::count(entry.place_in_kind),
            ChartCell::count(system_score.map_or(0, |system_score| system_score.outputs)),
            number(system_score.map(|system_score| system_score.mean)),
            number(ends.map(|ends| ends.0)),
            number(ends.map(|ends| ends.1)),
            number(
                system_score
                    .and_then(|system_score| system_score.spread.ok())
                    .map(|spread| spread.sd),
            ),
        ];
        cells.extend(letters.map(|letters| ChartCell::text(&letters[at])));
        cells
    };

    ChartTable {
        columns,
        rows: ranking.iter().enumerate().map(row).collect(),
    }
}
