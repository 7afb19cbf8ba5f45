//! Training, qualification and attention items made from outputs with final values.

use domain::{
    category::Category,
    ids::{OutputId, SourceId, StudyId},
    score::RatingScale,
    study::SourcePurpose,
    work::task::ExpectedAnswer,
};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::{
    EventKind, Result, Store,
    columns::{BindId, read_rows, to_json},
    event, lock, places, source_items,
};

/// An item to make from a source.
#[derive(Debug, Clone, Copy)]
pub struct NewGoldItem {
    /// An output of the source with a final value.
    pub output: OutputId,
    /// The purpose of the item.
    pub purpose: SourcePurpose,
    /// The tolerance of the expected ratings, in points.
    pub tolerance: i32,
}

impl Store {
    /// Copies the source of an output as an item of another purpose, with those of its outputs that
    /// have a final value on the study's first dimension or a final category; these become the
    /// expected answers. The source itself stays as it is. `None` if the study has no such output,
    /// or its source has no final values.
    ///
    /// # Errors
    /// Refused where the study is closed.
    pub async fn make_gold_item(
        &self,
        study: StudyId,
        new: NewGoldItem,
        new_id: fn() -> Uuid,
        now_ms: i64,
    ) -> Result<Option<SourceId>> {
        change_in_transaction!(self, |tx| {
            let locked_study = lock::lock_open_study(&mut tx, study).await?;
            let dimension = locked_study.settings.dimensions.first().cloned();
            let dimension = dimension.unwrap_or_default();

            match source_items::find_judged(&mut tx, study, new.output).await? {
                None => None,
                Some((source, _)) => {
                    let outputs = load_gold(&mut tx, source, &dimension.name).await?;
                    if outputs.is_empty() {
                        None
                    } else {
                        let item = SourceId(new_id());
                        insert_source(&mut tx, study, source, item, new.purpose).await?;

                        for output in outputs {
                            let expected = output.expected(dimension.scale, new.tolerance);
                            let id = OutputId(new_id());
                            insert_output(&mut tx, output.output, item, id, &expected).await?;
                        }

                        places::keep_group_places(&mut tx, study, &locked_study.settings).await?;
                        event::record(&mut tx, study, EventKind::Source, item, now_ms).await?;
                        Some(item)
                    }
                }
            }
        })
    }
}

/// An output with a final value, a final category or both.
struct GoldOutput {
    output: OutputId,
    value: Option<f64>,
    category: Option<Category>,
    reason: String,
}

impl GoldOutput {
    /// The expected answer: the final value as a whole number of the scale.
    fn expected(&self, scale: RatingScale, tolerance: i32) -> ExpectedAnswer {
        ExpectedAnswer {
            category: self.category,
            // The cast saturates, and the value lies on the scale anyway.
            rating: self
                .value
                .map(|value| scale.clamp(value.round() as i32).get()),
            tolerance,
            explanation: self.reason.clone(),
            ..ExpectedAnswer::default()
        }
    }
}

/// The outputs of a source with final values.
async fn load_gold(
    tx: &mut AnyConnection,
    source: SourceId,
    dimension: &str,
) -> Result<Vec<GoldOutput>> {
    let rows = sqlx::query(
        "SELECT o.id, v.value, c.category,
                COALESCE(CASE WHEN v.value IS NULL THEN c.reason ELSE v.reason END, '') AS reason
         FROM output o
         LEFT JOIN final_value v
            ON v.output_id = o.id AND v.dimension = $2 AND v.current = 1 AND v.value IS NOT NULL
         LEFT JOIN final_value c
            ON c.output_id = o.id AND c.dimension = '' AND c.current = 1
            AND c.category IS NOT NULL
         WHERE o.source_id = $1 AND o.purpose = 'main' AND o.twin_of IS NULL
           AND (v.value IS NOT NULL OR c.category IS NOT NULL)
         ORDER BY o.position, o.id",
    )
    .bind_id(source)
    .bind(dimension)
    .fetch_all(tx)
    .await?;

    read_rows("output", &rows, |row| {
        Ok(GoldOutput {
            output: row.parse("id")?,
            value: row.get("value")?,
            category: row.parse_optional("category")?,
            reason: row.get("reason")?,
        })
    })
}

/// Copies a source under a name of its own.
async fn insert_source(
    tx: &mut AnyConnection,
    study: StudyId,
    from: SourceId,
    item: SourceId,
    purpose: SourcePurpose,
) -> Result<()> {
    let key: String = sqlx::query_scalar("SELECT key FROM source WHERE id = $1")
        .bind_id(from)
        .fetch_one(&mut *tx)
        .await?;

    let mut number = 1_u32;
    let name = loop {
        let name = match number {
            1 => format!("{key} ({purpose})"),
            number => format!("{key} ({purpose} {number})"),
        };
        let taken = sqlx::query("SELECT id FROM stored_source WHERE study_id = $1 AND key = $2")
            .bind_id(study)
            .bind(&name)
            .fetch_optional(&mut *tx)
            .await?;
        if taken.is_none() {
            break name;
        }
        number += 1;
    };

    sqlx::query(
        "INSERT INTO stored_source (id, study_id, position, key, text, purpose)
         SELECT $2, study_id,
                (SELECT MAX(p.position) + 1 FROM stored_source p WHERE p.study_id = s.study_id),
                $3, text, $4
         FROM stored_source s WHERE id = $1",
    )
    .bind_id(from)
    .bind_id(item)
    .bind(name)
    .bind(purpose.name())
    .execute(&mut *tx)
    .await?;

    sqlx::query(
        "INSERT INTO stored_context (source_id, side, text)
         SELECT $2, side, text FROM context WHERE source_id = $1",
    )
    .bind_id(from)
    .bind_id(item)
    .execute(tx)
    .await?;
    Ok(())
}

/// Copies an output into an item.
async fn insert_output(
    tx: &mut AnyConnection,
    from: OutputId,
    item: SourceId,
    id: OutputId,
    expected: &ExpectedAnswer,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO stored_output (id, study_id, source_id, system_id, position, text, purpose,
             category, category_reason, category_version, edits, edits_version, expected)
         SELECT $2, study_id, $3, system_id,
                (SELECT MAX(p.position) + 1 FROM stored_output p WHERE p.study_id = o.study_id),
                text, purpose, category, category_reason, category_version, edits, edits_version, $4
         FROM stored_output o WHERE id = $1",
    )
    .bind_id(from)
    .bind_id(id)
    .bind_id(item)
    .bind(to_json(expected))
    .execute(tx)
    .await?;
    Ok(())
}
