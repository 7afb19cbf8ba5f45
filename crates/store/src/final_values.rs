//! Final values: leads' decisions about outputs. They are kept apart from the ratings, and no
//! figure of ratings uses them.

use domain::{
    category::Category,
    ids::{FinalValueId, OutputId, PersonId, StudyId},
};
use sqlx::AnyConnection;

use crate::{
    EventKind, Result, Store,
    columns::{BindId, TableRow, read_row},
    event, lock, source_items,
};

/// The dimension of a final category, which has none.
const OF_CATEGORY: &str = "";

/// A decision of a lead about an output.
#[derive(Debug, Clone, Copy)]
pub struct NewFinalValue<'a> {
    /// The ids of its rows, for the value and for the category.
    pub ids: [FinalValueId; 2],
    /// The output.
    pub output: OutputId,
    /// The dimension of the value.
    pub dimension: &'a str,
    /// The final value; `None` for none, and to remove it.
    pub value: Option<f64>,
    /// The final category, likewise.
    pub category: Option<Category>,
    /// The reason; may be empty.
    pub reason: &'a str,
    /// The lead.
    pub decided_by: PersonId,
}

/// A current final value: the newest one of an output on a dimension, or its category.
#[derive(Debug, Clone, PartialEq)]
pub struct FinalValue {
    /// The output that was judged, for itself and identical ones.
    pub output: OutputId,
    /// The decision.
    pub answer: FinalAnswer,
    /// The reason; empty if there is none.
    pub reason: String,
    /// The lead's name; `None` after the account was erased.
    pub decided_by: Option<String>,
    /// When, in milliseconds since 1970.
    pub decided_at: i64,
}

/// A lead's decision.
#[derive(Debug, Clone, PartialEq)]
pub enum FinalAnswer {
    /// The value on a dimension.
    Value(String, f64),
    /// The category.
    Category(Category),
}

impl Store {
    /// Records an output's final value on a dimension, and its final category. Each supersedes the
    /// one before; one that equals the current one is not stored again. Returns whether anything
    /// changed; `None` if the study has no such output.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn record_final_value(
        &self,
        study: StudyId,
        new: NewFinalValue<'_>,
        now_ms: i64,
    ) -> Result<Option<bool>> {
        let (found, changed) = change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let judged = source_items::find_judged(&mut tx, study, new.output).await?;
            let mut changed = false;
            if let Some((_, output)) = judged {
                let new = NewFinalValue { output, ..new };
                let [of_value, of_category] = [
                    FinalRow {
                        id: new.ids[0],
                        dimension: new.dimension,
                        value: new.value,
                        category: None,
                    },
                    FinalRow {
                        id: new.ids[1],
                        dimension: OF_CATEGORY,
                        value: None,
                        category: new.category,
                    },
                ];

                changed |= supersede(&mut tx, study, &new, of_value, now_ms).await?;
                changed |= supersede(&mut tx, study, &new, of_category, now_ms).await?;
            }

            (judged.is_some(), changed)
        })?;
        Ok(found.then_some(changed))
    }

    /// The current final values of the study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn final_values(&self, study: StudyId) -> Result<Vec<FinalValue>> {
        let rows = sqlx::query(
            "SELECT f.id, f.output_id, f.dimension, f.value, f.category, f.reason, f.decided_at,
                    p.name AS decided_by
             FROM final_value f
             JOIN output o ON o.id = f.output_id
             LEFT JOIN person p ON p.id = f.decided_by
             WHERE f.study_id = $1 AND f.current = 1
               AND (f.value IS NOT NULL OR f.category IS NOT NULL)
             ORDER BY o.position, f.dimension",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        self.readable_rows("final_value", study, &rows, read_final_value)
    }
}

/// A row to store.
struct FinalRow<'a> {
    id: FinalValueId,
    dimension: &'a str,
    value: Option<f64>,
    category: Option<Category>,
}

/// Stores a row in place of the current one, unless they say the same. Returns whether it was
/// stored.
async fn supersede(
    tx: &mut AnyConnection,
    study: StudyId,
    new: &NewFinalValue<'_>,
    row: FinalRow<'_>,
    now_ms: i64,
) -> Result<bool> {
    let current = sqlx::query(
        "SELECT id, value, category, reason FROM final_value
         WHERE output_id = $1 AND dimension = $2 AND current = 1",
    )
    .bind_id(new.output)
    .bind(row.dimension)
    .fetch_optional(&mut *tx)
    .await?;
    let current = read_row("final_value", current, CurrentRow::read)?;

    let is_removal = row.value.is_none() && row.category.is_none();
    let is_same = match &current {
        None => is_removal,
        Some(current) => {
            let same_answer = (current.value, current.category) == (row.value, row.category);
            same_answer && (is_removal || current.reason == new.reason)
        }
    };

    if is_same {
        return Ok(false);
    }

    if let Some(current) = &current {
        sqlx::query("UPDATE final_value SET current = 0 WHERE id = $1")
            .bind_id(current.id)
            .execute(&mut *tx)
            .await?;
    }

    // A missing number is bound together with a flag: see `bulk`.
    sqlx::query(
        "INSERT INTO final_value (id, study_id, output_id, dimension, value, category, reason,
             supersedes, current, decided_by, decided_at)
         VALUES ($1, $2, $3, $4, CASE WHEN $5 = 1 THEN CAST($6 AS DOUBLE PRECISION) END, $7, $8, $9, 1, $10, $11)",
    )
    .bind_id(row.id)
    .bind_id(study)
    .bind_id(new.output)
    .bind(row.dimension)
    .bind(i64::from(row.value.is_some()))
    .bind(row.value.unwrap_or_default())
    .bind(row.category.map(Category::name))
    .bind(new.reason)
    .bind_id(current.map(|current| current.id))
    .bind_id(new.decided_by)
    .bind(now_ms)
    .execute(&mut *tx)
    .await?;

    event::record(tx, study, EventKind::FinalValue, row.id, now_ms).await?;
    Ok(true)
}

/// The current row.
struct CurrentRow {
    id: FinalValueId,
    value: Option<f64>,
    category: Option<Category>,
    reason: String,
}

impl CurrentRow {
    fn read(row: &TableRow<'_>) -> Result<Self> {
        Ok(Self {
            id: row.parse("id")?,
            value: row.get("value")?,
            category: row.parse_optional("category")?,
            reason: row.get("reason")?,
        })
    }
}

fn read_final_value(row: &TableRow<'_>) -> Result<FinalValue> {
    let answer = match row.get::<Option<f64>>("value")? {
        Some(value) => FinalAnswer::Value(row.get("dimension")?, value),
        None => FinalAnswer::Category(row.parse("category")?),
    };
    Ok(FinalValue {
        output: row.parse("output_id")?,
        answer,
        reason: row.get("reason")?,
        decided_by: row.get("decided_by")?,
        decided_at: row.get("decided_at")?,
    })
}
