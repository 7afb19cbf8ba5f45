//! The outputs of a study with what they are called and what they say.

use std::{collections::HashMap, sync::Arc};

use domain::ids::{OutputId, SourceId, StudyId, SystemId};
use sqlx::Row;

use crate::{Result, Store, columns};

/// A main output with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputEntry {
    /// Which.
    pub output: OutputId,
    /// What was simplified.
    pub source: SourceId,
    /// The name that the source has in the files it came from.
    pub source_key: Arc<str>,
    /// The source's text.
    pub source_text: Arc<str>,
    /// Who wrote it.
    pub system: SystemId,
    /// Their name.
    pub system_name: String,
    /// What it says.
    pub text: String,
    /// Whether one of the source's references says the same, to the letter.
    pub is_reference: bool,
}

impl Store {
    /// The main outputs of the study's main sources, in their order.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn output_entries(&self, study: StudyId) -> Result<Vec<OutputEntry>> {
        let rows = sqlx::query(
            "SELECT o.id, o.source_id, s.key, s.text AS source_text, o.system_id,
                    y.name AS system_name, o.text,
                    CASE WHEN EXISTS (SELECT 1 FROM reference r
                                      WHERE r.source_id = o.source_id AND r.text = o.text)
                         THEN 1 ELSE 0 END AS is_reference
             FROM output o
             JOIN source s ON s.id = o.source_id
             JOIN system y ON y.id = o.system_id
             WHERE o.study_id = $1 AND o.purpose = 'main' AND s.purpose = 'main'
             ORDER BY o.position, o.id",
        )
        .bind(study.to_string())
        .fetch_all(self.reader())
        .await?;
        // One text a source.
        let mut texts = HashMap::<SourceId, (Arc<str>, Arc<str>)>::new();
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            let id: &str = row.try_get("id")?;
            let source = columns::parse_text("output", id, "source_id", row.try_get("source_id")?)?;
            let (key, text): (&str, &str) = (row.try_get("key")?, row.try_get("source_text")?);
            let known = texts
                .entry(source)
                .or_insert_with(|| (key.into(), text.into()));
            entries.push(OutputEntry {
                output: columns::parse_text("output", id, "id", id)?,
                source,
                source_key: known.0.clone(),
                source_text: known.1.clone(),
                system: columns::parse_text("output", id, "system_id", row.try_get("system_id")?)?,
                system_name: row.try_get("system_name")?,
                text: row.try_get("text")?,
                is_reference: row.try_get::<i64, _>("is_reference")? != 0,
            });
        }
        Ok(entries)
    }
}
