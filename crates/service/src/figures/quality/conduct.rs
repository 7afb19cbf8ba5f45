use std::collections::{BTreeMap, HashMap};

use domain::{
    edit::corrections::CorrectionCounts,
    ids::{OutputId, RaterId},
    statistics::quality::{
        CheckOutcome, PaceFences, PaceSummary, Proportion, QualityControlScores, RaterConduct,
        ShownText, count_conflicts, too_fast_to_read,
    },
    study::OutputPurpose,
};

use store::quality::RaterOrder;

use crate::live::SourceJudgements;

/// The records of one rater from which their conduct is computed.
#[derive(Debug, Default)]
struct RaterConductRecords {
    times: Vec<u64>,
    shown: Vec<(u64, ShownText)>,
    checks: Vec<(OutputPurpose, CheckOutcome)>,
    attention: Proportion,
    conflicts: Proportion,
    categories: Proportion,
    edits: CorrectionCounts,
}

/// Computes each rater's conduct at the sources that they handed in; scores are those on `dimension`. The
/// returned function yields each rater's figures once.
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
        let categories = source.categories.iter();
        for category in categories.filter(|category| category.output == category.judged_as) {
            for (rater, chosen) in &category.given {
                let of_rater = raters.entry(*rater).or_default();
                of_rater.categories += Proportion::from_answers([*chosen != category.automatic]);
            }
        }

        for review in &source.work.reviews {
            raters.entry(review.rater).or_default().edits += review.edits;
        }
        for time in &source.work.times {
            let of_rater = raters.entry(time.rater).or_default();
            of_rater.times.push(time.active_ms);
            // Ratings from a file have no review: nothing was shown here.
            let mut reviews = source.work.reviews.iter();
            if let Some(review) = reviews.find(|review| review.rater == time.rater) {
                of_rater.shown.push((time.active_ms, review.shown));
            }
        }

        let checks = source.work.checks.iter();
        // Checks of marks have no dimension.
        let is_on = |own: &str| own == dimension || own.is_empty();
        for check in checks.filter(|check| is_on(&check.dimension)) {
            let item = (check.purpose, check.outcome);
            raters.entry(check.rater).or_default().checks.push(item);
        }
        for result in &source.work.attention {
            let of_rater = raters.entry(result.rater).or_default();
            of_rater.attention += Proportion::from_answers([result.passed]);
        }
    }

    let times = raters.values().flat_map(|records| &records.times);
    let fences = PaceFences::from_times(times.copied());

    move |rater| {
        let records = raters.remove(&rater).unwrap_or_default();
        RaterConduct {
            pace: PaceSummary::from_times(&records.times, fences),
            unread: too_fast_to_read(records.shown),
            conflicts: records.conflicts,
            categories: records.categories,
            edits: correction_rate(records.edits),
            checks: QualityControlScores {
                attention: records.attention,
                ..QualityControlScores::from_items(records.checks)
            },
        }
    }
}

/// The pairs whose order contradicts their scores, by rater. Only outputs that the rater put in the same category are
/// compared, because raters order outputs within categories.
fn conflicts_in(source: &SourceJudgements, dimension: &str) -> Vec<(RaterId, Proportion)> {
    if source.work.orders.is_empty() {
        return vec![];
    }

    let rows = source.ratings.iter();
    let rows = rows.filter(|row| !row.shared && *row.dimension == *dimension);
    let scores: HashMap<(RaterId, OutputId), f64> = rows
        .map(|row| ((row.rater, row.output), row.value))
        .collect();

    let categories = source.categories.iter().flat_map(|category| {
        let choices = category.given.iter();
        choices.map(|(rater, chosen)| ((*rater, category.output), *chosen))
    });
    let categories: HashMap<_, _> = categories.collect();

    let share = |order: &RaterOrder| {
        let mut by_category = BTreeMap::<_, Vec<OutputId>>::new();
        for output in &order.order {
            if let Some(category) = categories.get(&(order.rater, *output)) {
                let outputs = by_category.entry(*category as u8).or_default();
                outputs.push(*output);
            }
        }

        let score = |output: &OutputId| scores.get(&(order.rater, *output)).copied();
        let conflicts = by_category.values();
        let conflicts = conflicts.map(|outputs| count_conflicts(outputs, score));
        (order.rater, conflicts.sum())
    };

    source.work.orders.iter().map(share).collect()
}

/// The share of edits that were corrected.
fn correction_rate(counts: CorrectionCounts) -> Proportion {
    let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Proportion {
        count: size(counts.changed + counts.removed + counts.added),
        total: size(counts.automatic() + counts.added),
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        category::Category,
        ids::{SourceId, SystemId},
    };
    use store::{judgements::OutputCategory, quality::AttentionResult, rating_rows::RatingRow};
    use uuid::Uuid;

    use super::*;
    use crate::live::SourceWork;

    #[test]
    fn orders_are_compared_with_scores_within_the_raters_own_categories() {
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

        let category = |(number, chosen)| OutputCategory {
            output: output(number),
            source,
            system,
            judged_as: output(number),
            automatic: Category::Paraphrase,
            given: vec![(rater, chosen)],
            majority: chosen,
        };

        let work = SourceWork {
            orders: vec![RaterOrder {
                rater,
                source,
                // The last output is a quality-control item, which has no category here.
                order: [1, 2, 3, 4, 9].map(output).into(),
            }],
            attention: [true, false, true]
                .map(|passed| AttentionResult {
                    rater,
                    source,
                    passed,
                })
                .into(),
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

        let conduct = compute_conduct([&source], "overall")(rater);
        assert_eq!(conduct.conflicts, Proportion { count: 1, total: 2 });
        assert_eq!(conduct.categories, Proportion { count: 2, total: 4 });
        let attention = Proportion { count: 2, total: 3 };
        assert_eq!(conduct.checks.attention, attention);
        assert_eq!(
            (conduct.edits, conduct.pace.sources),
            (Proportion::default(), 0)
        );
    }
}
