use std::collections::{BTreeMap, HashMap};

use domain::{
    ids::{OutputId, RaterId, StudyId},
    statistics::quality::{Checks, Conduct, Fences, Pace, Share, conflicts},
};
use store::{
    Rater, Store,
    judgements::{OutputCategory, OutputEdits},
    quality::{ActiveTime, Check, Ordered},
    ratings::RatingRow,
};

use crate::figures::corrections::{StudyCorrections, corrections};

/// What annotators did beside scoring, in sources that they handed in.
#[derive(Debug, Default)]
pub(super) struct Work {
    orders: Vec<Ordered>,
    times: Vec<ActiveTime>,
    checks: Vec<Check>,
    categories: Vec<OutputCategory>,
    edits: Vec<OutputEdits>,
}

impl Work {
    pub(super) async fn of(store: &Store, study: StudyId) -> store::Result<Self> {
        Ok(Self {
            orders: store.orders(study).await?,
            times: store.active_times(study).await?,
            checks: store.quality_checks(study).await?,
            categories: store.categories(study).await?,
            edits: store.edits(study).await?,
        })
    }

    /// What people among `raters` corrected of the automatic edits.
    pub(super) fn corrections(&self, raters: &[Rater]) -> StudyCorrections {
        StudyCorrections::from(&self.edits, raters)
    }

    /// How each rater went about it; scores are on `dimension`.
    pub(super) fn by_rater(
        &self,
        dimension: &str,
        ratings: &[&RatingRow],
    ) -> impl FnMut(RaterId) -> Conduct {
        let mut conflicts = self.conflicts(ratings);
        let mut categories = self.categories();
        let mut edits = self.edits();
        let fences = Fences::of(self.times.iter().map(|time| time.active_ms));
        let mut times = HashMap::<_, Vec<_>>::new();
        for time in &self.times {
            times.entry(time.rater).or_default().push(time.active_ms);
        }
        let mut checks = HashMap::<_, Vec<_>>::new();
        for check in self.checks.iter().filter(|it| it.dimension == dimension) {
            let item = (check.purpose, check.value, check.original);
            checks.entry(check.rater).or_default().push(item);
        }
        move |rater| Conduct {
            pace: Pace::of(&times.remove(&rater).unwrap_or_default(), fences),
            conflicts: conflicts.remove(&rater).unwrap_or_default(),
            categories: categories.remove(&rater).unwrap_or_default(),
            edits: edits.remove(&rater).unwrap_or_default(),
            checks: Checks::of(checks.remove(&rater).unwrap_or_default()),
        }
    }

    /// Pairs ordered against their scores, within the groups that the rater made.
    fn conflicts(&self, ratings: &[&RatingRow]) -> HashMap<RaterId, Share> {
        let scores = ratings
            .iter()
            .map(|row| ((row.rater, row.output), row.value));
        let scores: HashMap<(RaterId, OutputId), f64> = scores.collect();
        let groups = self.categories.iter().flat_map(|of| {
            let given = of.given.iter();
            given.map(|(rater, group)| ((*rater, of.output), *group))
        });
        let groups: HashMap<_, _> = groups.collect();
        let mut found = HashMap::<_, Share>::new();
        for Ordered { rater, order, .. } in &self.orders {
            let mut by_group = BTreeMap::<_, Vec<OutputId>>::new();
            for output in order {
                if let Some(group) = groups.get(&(*rater, *output)) {
                    by_group.entry(*group as u8).or_default().push(*output);
                }
            }
            let score = |output: &OutputId| scores.get(&(*rater, *output)).copied();
            let share = by_group.values().map(|group| conflicts(group, score)).sum();
            *found.entry(*rater).or_default() += share;
        }
        found
    }

    /// Outputs put in another group than the automatic one; identical outputs count once.
    fn categories(&self) -> HashMap<RaterId, Share> {
        let mut found = HashMap::<_, Share>::new();
        for of in self
            .categories
            .iter()
            .filter(|of| of.output == of.judged_as)
        {
            for (rater, group) in &of.given {
                *found.entry(*rater).or_default() += Share::of([*group != of.automatic]);
            }
        }
        found
    }

    /// Edits corrected; identical outputs count once.
    fn edits(&self) -> HashMap<RaterId, Share> {
        let mut found = HashMap::<_, Share>::new();
        for of in self.edits.iter().filter(|of| of.output == of.judged_as) {
            for (rater, own) in &of.given {
                let counts = corrections(of, own.as_deref()).total();
                *found.entry(*rater).or_default() += Share {
                    count: size(counts.changed + counts.taken_away + counts.added),
                    of: size(counts.automatic() + counts.added),
                };
            }
        }
        found
    }
}

fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use domain::{
        category::Category,
        ids::{SourceId, SystemId},
    };
    use uuid::Uuid;

    use super::*;

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
        let work = Work {
            orders: vec![Ordered {
                rater,
                source,
                // The last one is a quality-control item, in no group here.
                order: [1, 2, 3, 4, 9].map(output).into(),
            }],
            categories: [
                (1, Category::Paraphrase),
                (2, Category::Paraphrase),
                (3, Category::Split),
                (4, Category::Split),
            ]
            .map(category)
            .into(),
            ..Work::default()
        };
        let rows: Vec<_> = rows.iter().collect();
        let found = work.by_rater("overall", &rows)(rater);
        assert_eq!(found.conflicts, Share { count: 1, of: 2 });
        assert_eq!(found.categories, Share { count: 2, of: 4 });
        assert_eq!((found.edits, found.pace.sources), (Share::default(), 0));
    }
}
