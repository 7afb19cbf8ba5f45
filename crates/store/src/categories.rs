//! The automatic categories of a study's outputs, computed again when the rule changes.

use domain::{
    category::Category,
    ids::{OutputId, StudyId},
    study::{CategoryRule, StudySettings},
    text::categorise::{ThresholdRule, categorise},
};
use sqlx::AnyConnection;

use crate::{
    EventKind, Result, Store,
    columns::{BindId, read_rows, to_json},
    event, lock, studies,
};

/// The version of a category that came with a file; no rule changes it.
const OF_FILE: &str = "file";

/// An output to categorise again.
struct CategorisedOutput {
    output: OutputId,
    category: Category,
    version: String,
    source: String,
    text: String,
}

/// The new category of an output.
struct CategoryUpdate {
    output: OutputId,
    category: Category,
    reason: String,
    /// Whether it differs from the category before.
    changes_category: bool,
}

impl Store {
    /// Sets the study's category rule and applies it to every output, except those whose category
    /// came with a file. Annotators' categories stay as they are. Returns the number of outputs
    /// whose category changed.
    ///
    /// # Errors
    /// Refused where there is no such study.
    pub async fn set_category_rule(
        &self,
        study: StudyId,
        category_rule: CategoryRule,
        category_threshold: f64,
        now_ms: i64,
    ) -> Result<u64> {
        in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            let settings = StudySettings {
                category_rule,
                category_threshold,
                ..studies::load_settings(&mut tx, study).await?
            };

            let rule = settings.rule();
            let outputs = load_outputs(&mut tx, study).await?;
            let moved = tokio::task::spawn_blocking(move || update_categories(outputs, rule))
                .await
                .expect("categorising does not panic");

            store_updates(&mut tx, &moved, &rule.version()).await?;
            sqlx::query("UPDATE study SET settings = $2 WHERE id = $1")
                .bind_id(study)
                .bind(to_json(&settings))
                .execute(&mut *tx)
                .await?;
            event::record(&mut tx, study, EventKind::Study, study, now_ms).await?;

            moved
                .iter()
                .map(|moved| u64::from(moved.changes_category))
                .sum()
        })
    }
}

async fn load_outputs(tx: &mut AnyConnection, study: StudyId) -> Result<Vec<CategorisedOutput>> {
    let rows = sqlx::query(
        "SELECT o.id, o.category, o.category_version, o.text, s.text AS source
         FROM output o JOIN source s ON s.id = o.source_id
         WHERE o.study_id = $1 AND o.category_version <> $2",
    )
    .bind_id(study)
    .bind(OF_FILE)
    .fetch_all(tx)
    .await?;

    read_rows("output", &rows, |row| {
        Ok(CategorisedOutput {
            output: row.parse("id")?,
            category: row.parse("category")?,
            version: row.get("category_version")?,
            source: row.get("source")?,
            text: row.get("text")?,
        })
    })
}

/// The rows that change: outputs that another rule or version categorised.
fn update_categories(outputs: Vec<CategorisedOutput>, rule: ThresholdRule) -> Vec<CategoryUpdate> {
    let version = rule.version();
    let old = outputs
        .into_iter()
        .filter(|output| output.version != version);
    old.map(|output| {
        let automatic = categorise(&output.source, &output.text, rule);
        CategoryUpdate {
            output: output.output,
            category: automatic.category,
            reason: automatic.reason.to_string(),
            changes_category: automatic.category != output.category,
        }
    })
    .collect()
}

async fn store_updates(
    tx: &mut AnyConnection,
    moved: &[CategoryUpdate],
    version: &str,
) -> Result<()> {
    for update in moved {
        sqlx::query(
            "UPDATE stored_output SET category = $2, category_reason = $3, category_version = $4
             WHERE id = $1",
        )
        .bind_id(update.output)
        .bind(update.category.name())
        .bind(&update.reason)
        .bind(version)
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}
