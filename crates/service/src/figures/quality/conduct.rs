use std::collections::{BTreeMap, HashMap};

use domain::{
    edit::corrections::CorrectionCounts,
    ids::{OutputId, RaterId},
    statistics::quality::{
        PaceFences, PaceSummary, Proportion, QualityControlScores, RaterConduct, ShownText,
        count_conflicts, too_fast_to_read,
    },
    study::OutputPurpose,
};

use store::quality::RaterOrder;

use crate::live::SourceJudgements;

/// What is looked at of one rater.
#[derive(Debug, Default)]
struct RaterConductRecords {
    times: Vec<u64>,
    shown: Vec<(u64, ShownText)>,
    checks: Vec<(OutputPurpose, f64, Option<f64>)>,
    conflicts: Proportion,
    categories: Proportion,
    edits: CorrectionCounts,
}

/// How each rater went about the sources that they handed in; scores are on `dimension`.
pub(super) fn compute_conduct<'a>(
    sources: impl IntoIterator<Item = &'a SourceJudgements>,
    dimension: &str,
) -> impl FnMut(RaterId) -> RaterConduct {
    let mut raters = HashMap::<RaterId, RaterConductRecords>::new();
    for source in sources {
        for (rater, share) in conflicts_in(source, dimension) {
            raters.entry(rater).or_default().conflicts += share;
        }
        // Identical outputs count once.
        let judged = source.categories.iter();
        for of in judged.filter(|of| of.output == of.judged_as) {
            for (rater, group) in &of.given {
                let of_rater = raters.entry(*rater).or_default();
                of_rater.categories += Proportion::from_answers([*group != of.automatic]);
            }
        }
        for (rater, counts) in &source.work.edits {
            raters.entry(*rater).or_default().edits += *counts;
        }
        for time in &source.work.times {
            let of_rater = raters.entry(time.rater).or_default();
            of_rater.times.push(time.active_ms);
            // Ratings from a file have no text that was shown here.
            if let Some(shown) = source.work.shown.get(&time.rater) {
                of_rater.shown.push((time.active_ms, *shown));
            }
        }
        let checks = source.work.checks.iter();
        for check in checks.filter(|it| it.dimension == dimension) {
            let item = (check.purpose, check.value, check.original);
            raters.entry(check.rater).or_default().checks.push(item);
        }
    }
    let times = raters.values().flat_map(|of| &of.times);
    let fences = PaceFences::from_times(times.copied());
    move |rater| {
        let of = raters.remove(&rater).unwrap_or_default();
        RaterConduct {
            pace: PaceSummary::from_times(&of.times, fences),
            unread: too_fast_to_read(of.shown),
            conflicts: of.conflicts,
            categories: of.categories,
            edits: correction_rate(of.edits),
            checks: QualityControlScores::from_items(of.checks),
        }
    }
}

/// Pairs ordered against their scores, within the groups that the rater made.
fn conflicts_in(source: &SourceJudgements, dimension: &str) -> Vec<(RaterId, Proportion)> {
    if source.work.orders.is_empty() {
        return vec![];
    }
    let rows = source.ratings.iter();
    let own = rows.filter(|row| !row.shared && *row.dimension == *dimension);
    let scores: HashMap<(RaterId, OutputId), f64> = own
        .map(|row| ((row.rater, row.output), row.value))
        .collect();
    let groups = source.categories.iter().flat_map(|of| {
        let given = of.given.iter();
        given.map(|(rater, group)| ((*rater, of.output), *group))
    });
    let groups: HashMap<_, _> = groups.collect();
    let share = |of: &RaterOrder| {
        let mut by_group = BTreeMap::<_, Vec<OutputId>>::new();
        for output in &of.order {
            if let Some(group) = groups.get(&(of.rater, *output)) {
                by_group.entry(*group as u8).or_default().push(*output);
            }
        }
        let score = |output: &OutputId| scores.get(&(of.rater, *output)).copied();
        let groups = by_group.values().map(|group| count_conflicts(group, score));
        (of.rater, groups.sum())
    };
    source.work.orders.iter().map(share).collect()
}

/// The correction rate.
fn correction_rate(of: CorrectionCounts) -> Proportion {
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Proportion {
        count: size(of.changed + of.removed + of.added),
        total: size(of.automatic() + of.added),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        category::Category,
        ids::{SourceId, SystemId},
    };
    use store::{judgements::OutputCategory, rating_rows::RatingRow};
    use uuid::Uuid;

    use super::*;
    use crate::live::SourceWork;

    #[test]
    fn orders_are_held_against_scores_within_the_raters_own_groups() {
        let rater = RaterId(Uuid::from_u128(1));
        let output = |number| OutputId(Uuid::from_u128(number));
        let (source, system) = (SourceId(Uuid::nil()), SystemId(Uuid::nil()));
        let scores = [(1, 20.0), (2, 80.0), (3, 90.0), (4, 10.0)];
        let rows = scores.map(|(number, value)| RatingRow {
            rater,
            output: output(number),
            source,
            system,
            dimension: "overall".into(),
            value,
            recorded_at: 0,
            shared: false,
        });
        let category = |(number, group)| OutputCategory {
            output: output(number),
            source,
            system,
            judged_as: output(number),
            automatic: Category::Paraphrase,
            given: vec![(rater, group)],
            majority: group,
        };
        let work = SourceWork {
            orders: vec![RaterOrder {
                rater,
                source,
                // The last one is a quality-control item, in no group here.
                order: [1, 2, 3, 4, 9].map(output).into(),
            }],
            ..SourceWork::default()
        };
        let categories = [
            (1, Category::Paraphrase),
            (2, Category::Paraphrase),
            (3, Category::Split),
            (4, Category::Split),
        ];
        let source = SourceJudgements {
            ratings: rows.into(),
            categories: categories.map(category).into(),
            work,
        };
        let found = compute_conduct([&source], "overall")(rater);
        assert_eq!(found.conflicts, Proportion { count: 1, total: 2 });
        assert_eq!(found.categories, Proportion { count: 2, total: 4 });
        assert_eq!(
            (found.edits, found.pace.sources),
            (Proportion::default(), 0)
        );
    }
}
