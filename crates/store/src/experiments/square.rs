//! The columns of the square: one for each source, the same in all arms.

use std::collections::BTreeMap;

use domain::ids::{ExperimentId, PersonId, SourceId, StudyId};
use sqlx::{AnyConnection, Row};

use super::{expected_column, load_arm_studies, lock_experiment};
use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, read_rows},
    event, lock,
};

impl Store {
    /// Gives each main source that every open arm has a column of the square, the same in all arms,
    /// unless it has one. Sources take turns, in the order of the first arm, so that columns stay
    /// equally long. Closed arms are not changed, but a source keeps the column that it has there.
    /// Returns the number of sources that got one.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn place_sources(&self, experiment: ExperimentId, now_ms: i64) -> Result<u32> {
        in_transaction!(self, |tx| {
            let arms = load_arm_studies(&mut tx, experiment).await?;
            let (mut open, mut closed) = (vec![], vec![]);
            for (study, _) in &arms {
                let locked = lock::lock_study(&mut tx, *study).await?;
                match locked.closed_reason {
                    None => open.push(*study),
                    Some(_) => closed.push(*study),
                }
            }
            let (order, _) = lock_experiment(&mut tx, experiment).await?;

            let (mut sources, mut elsewhere) = (vec![], vec![]);
            for study in &open {
                sources.push(load_sources(&mut tx, *study).await?);
            }
            for study in &closed {
                elsewhere.extend(load_sources(&mut tx, *study).await?);
            }

            let placed = plan_columns(&sources, &elsewhere, order);
            for (source, column) in &placed {
                sqlx::query("UPDATE stored_source SET square_column = $2 WHERE id = $1")
                    .bind_id(source)
                    .bind(*column)
                    .execute(&mut *tx)
                    .await?;
            }

            if !placed.is_empty() {
                for study in &open {
                    event::record(&mut tx, *study, EventKind::Study, *study, now_ms).await?;
                }
            }

            let keys = placed.len() / open.len().max(1);
            u32::try_from(keys).unwrap_or(u32::MAX)
        })
    }
}

/// A main source of an arm.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlacedSource {
    id: SourceId,
    key: String,
    column: Option<i64>,
}

async fn load_sources(tx: &mut AnyConnection, study: StudyId) -> Result<Vec<PlacedSource>> {
    let rows = sqlx::query(
        "SELECT id, key, square_column FROM source WHERE study_id = $1 AND purpose = 'main' ORDER BY position",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;
    read_rows("source", &rows, |row| {
        Ok(PlacedSource {
            id: row.parse("id")?,
            key: row.get("key")?,
            column: row.get("square_column")?,
        })
    })
}

/// The sources of the open arms that get a column: the one that they have in an arm, or the one
/// with the fewest sources. Sources that an open arm lacks get none. `elsewhere` holds the sources
/// of closed arms.
fn plan_columns(
    arms: &[Vec<PlacedSource>],
    elsewhere: &[PlacedSource],
    order: usize,
) -> Vec<(SourceId, i64)> {
    let Some(first) = arms.first() else {
        return vec![];
    };

    let mut by_key = BTreeMap::<&str, Vec<&PlacedSource>>::new();
    for source in arms.iter().flatten() {
        by_key.entry(&source.key).or_default().push(source);
    }

    let elsewhere = elsewhere.iter();
    let elsewhere: BTreeMap<&str, i64> = elsewhere
        .filter_map(|source| Some((&*source.key, source.column?)))
        .collect();
    let known = |key: &str| {
        let column = by_key[key].iter().find_map(|source| source.column);
        column.or_else(|| elsewhere.get(key).copied())
    };

    let mut lengths = vec![0_usize; order.max(1)];
    for key in by_key.keys() {
        if let Some(column) = known(key) {
            let index = usize::try_from(column).unwrap_or_default() % lengths.len();
            lengths[index] += 1;
        }
    }

    let mut plan = vec![];
    for source in first {
        let everywhere = &by_key[&*source.key];
        if everywhere.len() < arms.len() {
            continue;
        }
        let column = known(&source.key).unwrap_or_else(|| {
            let shortest = (0..lengths.len()).min_by_key(|index| lengths[*index]);
            let index = shortest.unwrap_or_default();
            lengths[index] += 1;
            index as i64
        });
        let lacks = everywhere.iter().filter(|source| source.column.is_none());
        plan.extend(lacks.map(|source| (source.id, column)));
    }

    plan
}

/// Refuses to give a main source to a person who should judge it in another arm, and a source
/// without a column.
pub(crate) async fn refuse_outside_square(
    tx: &mut AnyConnection,
    study: StudyId,
    source: SourceId,
    person: PersonId,
) -> Result<()> {
    let Some(own) = expected_column(tx, study, person).await? else {
        return Ok(());
    };

    let row = sqlx::query("SELECT purpose, square_column FROM source WHERE id = $1")
        .bind_id(source)
        .fetch_one(&mut *tx)
        .await?;
    if row.try_get::<&str, _>("purpose")? != "main" {
        return Ok(());
    }

    match row.try_get::<Option<i64>, _>("square_column")? {
        Some(column) if column == own => Ok(()),
        Some(_) => Err(Error::Refused(
            "This study is part of an experiment, whose plan gives this source to this annotator in another study: choose \
             another annotator or another source."
                .into(),
        )),
        None => Err(Error::Refused(
            "This source is not in all studies of the experiment yet: bring the arms up to date on the page Protocols."
                .into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn arm(number: u128, keys: &[(&str, Option<i64>)]) -> Vec<PlacedSource> {
        let source = |(index, (key, column)): (usize, &(&str, Option<i64>))| PlacedSource {
            id: SourceId(Uuid::from_u128(number * 100 + index as u128)),
            key: (*key).to_owned(),
            column: *column,
        };
        keys.iter().enumerate().map(source).collect()
    }

    #[test]
    fn columns_are_the_same_in_all_arms_and_equally_long() {
        let arms = [
            arm(1, &[("a", None), ("b", None), ("c", None), ("only", None)]),
            arm(2, &[("c", None), ("b", None), ("a", None)]),
        ];
        let plan = plan_columns(&arms, &[], 2);
        let plan: Vec<_> = plan
            .iter()
            .map(|(source, column)| (source.0.as_u128(), *column))
            .collect();
        assert_eq!(
            plan,
            [(100, 0), (202, 0), (101, 1), (201, 1), (102, 0), (200, 0)]
        );
    }

    #[test]
    fn what_comes_later_fills_the_shortest_column() {
        let before = [("a", Some(0)), ("b", Some(0)), ("c", Some(1))];
        let mut later = before.to_vec();
        later.extend([("d", None), ("e", None)]);
        let arms = [arm(1, &later), arm(2, &later)];
        let plan: Vec<_> = plan_columns(&arms, &[], 2)
            .into_iter()
            .map(|(_, column)| column)
            .collect();
        assert_eq!(plan, [1, 1, 0, 0]);
        // A source that was taken out of an arm and came back has the column that it had.
        let arms = [arm(1, &[("a", Some(1))]), arm(2, &[("a", None)])];
        assert_eq!(plan_columns(&arms, &[], 2).len(), 1);
        assert_eq!(plan_columns(&arms, &[], 2)[0].1, 1);
    }

    #[test]
    fn a_source_keeps_the_column_that_it_has_in_a_closed_arm() {
        let open = [arm(1, &[("a", None), ("b", None)])];
        let closed = arm(2, &[("a", Some(1)), ("c", None)]);
        let columns: Vec<_> = plan_columns(&open, &closed, 2)
            .into_iter()
            .map(|(source, column)| (source.0.as_u128(), column))
            .collect();
        assert_eq!(columns, [(100, 1), (101, 0)]);
    }
}
