//! The outputs of a study, with names and texts.

use std::{collections::HashMap, sync::Arc};

use domain::ids::{OutputId, SourceId, StudyId, SystemId};

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
};

/// A main output with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputEntry {
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// The name that the source has in the files it came from.
    pub source_key: Arc<str>,
    /// The source's text.
    pub source_text: Arc<str>,
    /// The system that wrote it.
    pub system: SystemId,
    /// The system's name.
    pub system_name: String,
    /// Its text.
    pub text: String,
    /// Whether one of the source's references has exactly the same text.
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
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;

        // All outputs of a source share its text.
        let mut texts = HashMap::<SourceId, (Arc<str>, Arc<str>)>::new();
        let mut entries = Vec::with_capacity(rows.len());
        for row in &rows {
            let row = TableRow::new("output", row)?;
            let source = row.parse("source_id")?;
            let (key, text): (&str, &str) = (row.get("key")?, row.get("source_text")?);
            let entry = texts
                .entry(source)
                .or_insert_with(|| (key.into(), text.into()));
            entries.push(OutputEntry {
                output: row.parse("id")?,
                source,
                source_key: entry.0.clone(),
                source_text: entry.1.clone(),
                system: row.parse("system_id")?,
                system_name: row.get("system_name")?,
                text: row.get("text")?,
                is_reference: row.flag("is_reference")?,
            });
        }

        Ok(entries)
    }
}
