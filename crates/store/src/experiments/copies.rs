//! The sources of an arm, to be copied to other arms.

use std::collections::HashMap;

use domain::{
    ids::{SourceId, StudyId},
    source_context::SourceContext,
    study::SystemKind,
};

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
    import::AutomaticAnswers,
};

/// A main source with everything that belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedSource {
    /// Its name in files.
    pub key: String,
    /// The text.
    pub text: String,
    /// The text around it.
    pub context: SourceContext,
    /// The references, in their order.
    pub references: Vec<String>,
    /// The outputs, in their order, without quality-control items.
    pub outputs: Vec<CopiedOutput>,
}

/// An output of a copied source.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedOutput {
    /// The name of the system.
    pub system: String,
    /// The system's kind.
    pub kind: SystemKind,
    /// Whether figures of systems leave it out.
    pub is_hidden: bool,
    /// The text.
    pub text: String,
    /// The other columns of its row in a file, as JSON.
    pub verbatim: Option<String>,
    /// Its automatic category and edits.
    pub automatic: AutomaticAnswers,
}

impl Store {
    /// The main sources of a study, in their order, with their outputs, references and contexts.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn sources_to_copy(&self, study: StudyId) -> Result<Vec<CopiedSource>> {
        // One transaction, so that everything is read at the same moment.
        let mut tx = self.reader().begin().await?;
        let rows = sqlx::query(
            "SELECT id, key, text FROM source WHERE study_id = $1 AND purpose = 'main' ORDER BY position",
        )
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;
        let (mut sources, mut places) = (vec![], HashMap::<SourceId, usize>::new());
        for row in &rows {
            let row = TableRow::new("source", row)?;
            places.insert(row.parse("id")?, sources.len());
            sources.push(CopiedSource {
                key: row.get("key")?,
                text: row.get("text")?,
                context: SourceContext::default(),
                references: vec![],
                outputs: vec![],
            });
        }

        let rows = sqlx::query(
            "SELECT r.source_id AS id, r.text FROM reference r JOIN source s ON s.id = r.source_id
             WHERE s.study_id = $1 AND s.purpose = 'main' ORDER BY r.source_id, r.position",
        )
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;
        for row in &rows {
            let row = TableRow::new("reference", row)?;
            if let Some(place) = places.get(&row.parse("id")?) {
                sources[*place].references.push(row.get("text")?);
            }
        }

        let rows = sqlx::query(
            "SELECT c.source_id AS id, c.side, c.text FROM context c JOIN source s ON s.id = c.source_id
             WHERE s.study_id = $1 AND s.purpose = 'main'",
        )
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;
        for row in &rows {
            let row = TableRow::new("context", row)?;
            if let Some(place) = places.get(&row.parse("id")?) {
                let context = &mut sources[*place].context;
                context.set(row.parse("side")?, row.get("text")?);
            }
        }

        let rows = sqlx::query(
            "SELECT o.id, o.source_id, y.name, y.kind, y.hidden, o.text, o.verbatim, o.category, o.category_reason,
                    o.category_version, o.edits, o.edits_version
             FROM output o JOIN source s ON s.id = o.source_id JOIN system y ON y.id = o.system_id
             WHERE s.study_id = $1 AND s.purpose = 'main' AND o.purpose = 'main' ORDER BY o.position, o.id",
        )
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;
        for row in &rows {
            let row = TableRow::new("output", row)?;
            let Some(place) = places.get(&row.parse("source_id")?) else {
                continue;
            };
            sources[*place].outputs.push(CopiedOutput {
                system: row.get("name")?,
                kind: row.parse("kind")?,
                is_hidden: row.flag("hidden")?,
                text: row.get("text")?,
                verbatim: row.get("verbatim")?,
                automatic: AutomaticAnswers {
                    category: row.parse("category")?,
                    reason: row.get("category_reason")?,
                    category_version: row.get("category_version")?,
                    edits: row.json("edits")?,
                    edits_version: row.get("edits_version")?,
                },
            });
        }

        Ok(sources)
    }
}
