//! The rows of the square: one for each person, the same in all arms.

use std::collections::HashMap;

use domain::{
    ids::{ExperimentId, PersonId, RaterId, StudyId},
    latin_square::{block_order, column_of_symbol, next_row},
};
use sqlx::AnyConnection;

use super::{find_experiment, lock_experiment};
use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_count, read_rows},
};

/// A rater who begins, or continues, in an arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EnteredArm {
    /// They get the sources in this column of the square.
    Column(i64),
    /// They are new, and this study comes first for them.
    BeginsIn(StudyId),
}

impl EnteredArm {
    /// The column whose sources they get here.
    pub(crate) const fn column(self) -> Option<i64> {
        match self {
            Self::Column(column) => Some(column),
            Self::BeginsIn(_) => None,
        }
    }
}

/// An arm and its square.
struct ArmSquare {
    experiment: ExperimentId,
    arm: usize,
    order: usize,
    /// The lowest row that the next rater may get.
    next_row: usize,
}

impl ArmSquare {
    async fn load(tx: &mut AnyConnection, study: StudyId) -> Result<Option<Self>> {
        let row = sqlx::query(
            "SELECT e.id, a.arm, e.arms, e.next_row FROM experiment_arm a
             JOIN protocol_experiment e ON e.id = a.experiment_id WHERE a.study_id = $1",
        )
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let row = TableRow::new("protocol_experiment", &row)?;
        Ok(Some(Self {
            experiment: row.parse("id")?,
            arm: row.count("arm")? as usize,
            order: row.count("arms")? as usize,
            next_row: row.count("next_row")? as usize,
        }))
    }

    fn column(&self, row: usize) -> i64 {
        column_of_symbol(row, self.arm, self.order) as i64
    }
}

impl Store {
    /// The experiment of which a study is an arm, with the number of each of its raters: the same
    /// for a person in every arm, even after their account was erased. `None` if the study is not
    /// an arm.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn experiment_rows(
        &self,
        study: StudyId,
    ) -> Result<Option<(ExperimentId, HashMap<RaterId, i64>)>> {
        let mut tx = self.reader().begin().await?;
        let Some(experiment) = find_experiment(&mut tx, study).await? else {
            return Ok(None);
        };

        let rows = sqlx::query(
            "SELECT id, square_row FROM stored_rater WHERE study_id = $1 AND square_row IS NOT NULL",
        )
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;

        let rows: Result<_> = read_rows("rater", &rows, |row| {
            Ok((row.parse("id")?, row.get("square_row")?))
        });
        Ok(Some((experiment, rows?)))
    }
}

/// Gives the rater of an arm their row of the square, unless they have one. `None` if the study is
/// not an arm. The study must be held.
pub(crate) async fn enter_arm(
    tx: &mut AnyConnection,
    study: StudyId,
    rater: RaterId,
    person: PersonId,
) -> Result<Option<EnteredArm>> {
    let Some(mut square) = ArmSquare::load(tx, study).await? else {
        return Ok(None);
    };
    if let Some(row) = load_own_row(tx, rater).await? {
        return Ok(Some(EnteredArm::Column(square.column(row))));
    }

    // Held from here on, so that nobody else gets the same number, and a person gets only one.
    (square.order, square.next_row) = lock_experiment(tx, square.experiment).await?;
    let known = find_row(tx, square.experiment, person).await?;
    let row = match known {
        Some(row) => row,
        None => take_row(tx, &square).await?,
    };

    sqlx::query("UPDATE stored_rater SET square_row = $2 WHERE id = $1")
        .bind_id(rater)
        .bind(row as i64)
        .execute(&mut *tx)
        .await?;

    if known.is_none()
        && let Some(first) = first_arm(tx, &square, row, person).await?
        && first != study
    {
        return Ok(Some(EnteredArm::BeginsIn(first)));
    }
    Ok(Some(EnteredArm::Column(square.column(row))))
}

/// The column of the square whose sources the person gets in a study, or would get if they began
/// now, with the row that [`enter_arm`] would give them. `None` if the study is not an arm.
pub(crate) async fn expected_column(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<Option<i64>> {
    let Some(square) = ArmSquare::load(tx, study).await? else {
        return Ok(None);
    };
    let row = match find_row(tx, square.experiment, person).await? {
        Some(row) => row,
        None => free_row(tx, &square).await?,
    };
    Ok(Some(square.column(row)))
}

/// The number of people who have a row, except those who left every arm in which they judge.
pub(super) async fn count_rows(tx: &mut AnyConnection, experiment: ExperimentId) -> Result<u32> {
    Ok(u32::try_from(load_rows(tx, experiment).await?.len()).unwrap_or(u32::MAX))
}

async fn load_own_row(tx: &mut AnyConnection, rater: RaterId) -> Result<Option<usize>> {
    let query = "SELECT square_row FROM stored_rater WHERE id = $1";
    let number: Option<Option<i64>> = sqlx::query_scalar(query)
        .bind_id(rater)
        .fetch_optional(tx)
        .await?;
    Ok(number
        .flatten()
        .and_then(|number| usize::try_from(number).ok()))
}

/// The row that a person has in any of the arms.
async fn find_row(
    tx: &mut AnyConnection,
    experiment: ExperimentId,
    person: PersonId,
) -> Result<Option<usize>> {
    let number: Option<i64> = sqlx::query_scalar(
        "SELECT r.square_row FROM stored_rater r JOIN experiment_arm a ON a.study_id = r.study_id
         WHERE a.experiment_id = $1 AND r.person_id = $2 AND r.square_row IS NOT NULL LIMIT 1",
    )
    .bind_id(experiment)
    .bind_id(person)
    .fetch_optional(tx)
    .await?;
    Ok(number.and_then(|number| usize::try_from(number).ok()))
}

/// Takes the next row; the experiment must be held.
async fn take_row(tx: &mut AnyConnection, square: &ArmSquare) -> Result<usize> {
    let row = free_row(tx, square).await?;
    sqlx::query("UPDATE protocol_experiment SET next_row = $2 WHERE id = $1")
        .bind_id(square.experiment)
        .bind(row as i64 + 1)
        .execute(tx)
        .await?;
    Ok(row)
}

/// The row for a person who has none yet.
async fn free_row(tx: &mut AnyConnection, square: &ArmSquare) -> Result<usize> {
    let held = load_rows(tx, square.experiment).await?;
    Ok(next_row(&held, square.next_row, square.order))
}

/// The rows that people hold, except those who left every arm in which they judge: they withdrew,
/// or a lead removed them or gave them another role. People whose account was erased keep theirs.
async fn load_rows(tx: &mut AnyConnection, experiment: ExperimentId) -> Result<Vec<usize>> {
    let rows = sqlx::query(
        "SELECT r.square_row FROM stored_rater r
         JOIN experiment_arm a ON a.study_id = r.study_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE a.experiment_id = $1 AND r.square_row IS NOT NULL AND m.withdrawn_at IS NULL
           AND (r.person_id IS NULL OR m.role = 'annotator')
         GROUP BY r.square_row ORDER BY r.square_row",
    )
    .bind_id(experiment)
    .fetch_all(tx)
    .await?;
    let rows = rows.iter().map(|row| parse_count(row, "square_row"));
    rows.map(|row| Ok(row? as usize)).collect()
}

/// The arm that comes first in a row, among the open arms in which the person annotates.
async fn first_arm(
    tx: &mut AnyConnection,
    square: &ArmSquare,
    row: usize,
    person: PersonId,
) -> Result<Option<StudyId>> {
    let rows = sqlx::query(
        "SELECT a.study_id, a.arm FROM experiment_arm a
         JOIN study s ON s.id = a.study_id
         JOIN member m ON m.study_id = a.study_id AND m.person_id = $2
         WHERE a.experiment_id = $1 AND s.closed_at IS NULL AND m.role = 'annotator' AND m.withdrawn_at IS NULL",
    )
    .bind_id(square.experiment)
    .bind_id(person)
    .fetch_all(tx)
    .await?;

    let mut arms = vec![];
    for row in &rows {
        let row = TableRow::keyed("experiment_arm", row, "study_id")?;
        arms.push((row.count("arm")? as usize, row.parse("study_id")?));
    }

    let find = |arm| arms.iter().find(|(number, _)| *number == arm);
    Ok(block_order(row, square.order)
        .find_map(find)
        .map(|(_, study)| *study))
}
