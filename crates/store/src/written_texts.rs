//! Simplifications written by annotators.

use std::collections::BTreeMap;

use domain::ids::{SourceId, StudyId};
use sqlx::{AnyConnection, any::AnyRow};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, read_rows},
    export::ExportSnapshot,
    rating_rows::RatingScope,
};

/// A simplification that an annotator wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenText {
    /// The rater's pseudonym.
    pub rater: String,
    /// The source.
    pub source: SourceId,
    /// The name of the source.
    pub source_key: String,
    /// The text of the source.
    pub source_text: String,
    /// The text, without white space at its ends; never empty.
    pub text: String,
    /// When it was stored, in milliseconds since 1970.
    pub recorded_at: i64,
}

/// The simplifications that a source has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceSimplifications {
    /// Its references.
    pub references: Vec<String>,
    /// Its outputs: the name of the system, and the text.
    pub outputs: Vec<(String, String)>,
}

impl Store {
    /// The texts about the study's main sources, except from raters who withdrew, in the order of
    /// the sources and then of raters. A consensus has none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn written_texts(
        &self,
        study: StudyId,
        which: RatingScope,
    ) -> Result<Vec<WrittenText>> {
        let mut connection = self.reader().acquire().await?;
        let rows = load_rows(&mut connection, study, None, which).await?;
        let texts = self.readable_rows("annotation", study, &rows, read_text)?;
        Ok(texts.into_iter().flatten().collect())
    }

    /// The submitted texts about one source, whatever its purpose, as in [`Store::written_texts`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn texts_about_source(
        &self,
        study: StudyId,
        source: SourceId,
    ) -> Result<Vec<WrittenText>> {
        let mut connection = self.reader().acquire().await?;
        let which = RatingScope::HandedIn;
        let rows = load_rows(&mut connection, study, Some(source), which).await?;
        let texts = self.readable_rows("annotation", study, &rows, read_text)?;
        Ok(texts.into_iter().flatten().collect())
    }

    /// The references of a study's main sources, and the outputs of systems whose name begins with
    /// `system`, including hidden ones.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn source_simplifications(
        &self,
        study: StudyId,
        system: &str,
    ) -> Result<BTreeMap<SourceId, SourceSimplifications>> {
        let mut connection = self.reader().acquire().await?;
        let rows = sqlx::query(
            "SELECT r.source_id AS id, '' AS name, r.text, 0 AS is_output, r.position FROM reference r
             JOIN source s ON s.id = r.source_id
             WHERE s.study_id = $1 AND s.purpose = 'main'
             UNION ALL
             SELECT o.source_id AS id, y.name, o.text, 1 AS is_output, o.position FROM stored_output o
             JOIN stored_system y ON y.id = o.system_id
             JOIN source s ON s.id = o.source_id
             WHERE s.study_id = $1 AND s.purpose = 'main' AND o.purpose = 'main'
               AND SUBSTR(y.name, 1, CAST($3 AS INTEGER)) = $2
             ORDER BY 1, 4, 5",
        )
        .bind_id(study)
        .bind(system)
        .bind(i64::try_from(system.chars().count()).unwrap_or(i64::MAX))
        .fetch_all(&mut *connection)
        .await?;

        let mut all = BTreeMap::<SourceId, SourceSimplifications>::new();
        for row in &rows {
            let row = TableRow::new("source", row)?;
            let simplifications = all.entry(row.parse("id")?).or_default();
            match row.get::<i64>("is_output")? {
                0 => simplifications.references.push(row.get("text")?),
                _ => {
                    let output = (row.get("name")?, row.get("text")?);
                    simplifications.outputs.push(output);
                }
            }
        }

        Ok(all)
    }
}

impl ExportSnapshot {
    /// The texts about the study's main sources, as in [`Store::written_texts`].
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn written_texts(&mut self) -> Result<Vec<WrittenText>> {
        let (study, which) = (self.study, self.which);
        let rows = load_rows(&mut self.connection, study, None, which).await?;
        let texts: Vec<_> = read_rows("annotation", &rows, read_text)?;
        Ok(texts.into_iter().flatten().collect())
    }
}

async fn load_rows(
    connection: &mut AnyConnection,
    study: StudyId,
    source: Option<SourceId>,
    which: RatingScope,
) -> Result<Vec<AnyRow>> {
    if which == RatingScope::Consensus {
        return Ok(vec![]);
    }

    let rows = sqlx::query(
        "SELECT a.id, r.label, a.source_id, s.key, s.text, a.body, a.recorded_at
         FROM annotation a
         JOIN assignment x ON x.id = a.assignment_id
         JOIN source s ON s.id = a.source_id
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE a.study_id = $1 AND a.kind = 'written' AND a.current = 1 AND a.body <> 'null'
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $2 = 1))
           AND m.withdrawn_at IS NULL
           AND (a.source_id = $3 OR ($3 = '' AND s.purpose = 'main'))
         ORDER BY s.position, s.id, r.position, a.id",
    )
    .bind_id(study)
    .bind(i64::from(which == RatingScope::IncludingOpen))
    .bind(source.map_or_else(String::new, |source| source.to_string()))
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// Reads a text; `None` if it is empty, as it can be while its source is in progress.
fn read_text(row: &TableRow<'_>) -> Result<Option<WrittenText>> {
    let text: Option<String> = row.json("body")?;
    let text = text.as_deref().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(None);
    }
    Ok(Some(WrittenText {
        rater: row.get("label")?,
        source: row.parse("source_id")?,
        source_key: row.get("key")?,
        source_text: row.get("text")?,
        text: text.to_owned(),
        recorded_at: row.get("recorded_at")?,
    }))
}
