//! The lead's settings and the study's material.

use std::collections::HashMap;

use domain::{
    comprehension::{
        ComprehensionSettings, MaterialName, NonBlankText, Passage, PassagePurpose, Question,
    },
    ids::{ConditionId, PassageId, QuestionId, StudyId},
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use crate::{
    Error, EventKind, Result, Store,
    columns::{self, BindId, TableRow},
    event, lock,
};

/// A study's passages as they are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StudyMaterial {
    /// The conditions, in order.
    pub conditions: Vec<(ConditionId, MaterialName)>,
    /// The passages, in order.
    pub passages: Vec<StoredPassage>,
}

/// A passage with its ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPassage {
    /// Its id.
    pub id: PassageId,
    /// Whether a participant has been given it.
    pub given: bool,
    /// The passage.
    pub passage: Passage,
    /// The ids of its questions, in their order.
    pub questions: Vec<QuestionId>,
}

impl Store {
    /// The lead's settings for reading comprehension; `None` where the study has none.
    ///
    /// # Errors
    /// When the database fails or the row does not read.
    pub async fn comprehension_settings(
        &self,
        study: StudyId,
    ) -> Result<Option<ComprehensionSettings>> {
        let mut reader = self.reader().acquire().await?;
        load_settings(&mut reader, study).await
    }

    /// Stores the settings, and makes the study one of reading comprehension if it wasn't one.
    ///
    /// # Errors
    /// Refused where the study is closed or does not exist, or the design is impossible.
    pub async fn set_comprehension_settings(
        &self,
        study: StudyId,
        settings: &ComprehensionSettings,
        now_ms: i64,
    ) -> Result<()> {
        let checked = settings.design.validate();
        checked.map_err(|error| Error::Refused(format!("The design cannot be: {error}.")))?;
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            store_settings(&mut tx, study, settings).await?;
            event::record(&mut tx, study, EventKind::Comprehension, study, now_ms).await?;
        })
    }

    /// The passages, conditions and questions.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn comprehension_material(&self, study: StudyId) -> Result<StudyMaterial> {
        let mut reader = self.reader().acquire().await?;
        load_material(&mut reader, study).await
    }

    /// Changes the wording of a question from `was` to `to`. Returns its passage; `None` if the
    /// study has no such question.
    ///
    /// # Errors
    /// Refused where a participant has been given the question, because they answered another
    /// wording, and where another person has reworded it meanwhile, whose words would be lost.
    pub async fn set_question(
        &self,
        study: StudyId,
        question: QuestionId,
        was: &Question,
        to: &Question,
        now_ms: i64,
    ) -> Result<Option<PassageId>> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;

            // Another study's question counts as absent, even if it has been given.
            let row = sqlx::query(
                "SELECT q.passage_id, q.body,
                        (SELECT COUNT(*) FROM reading_answer a WHERE a.question_id = q.id)
                      + (SELECT COUNT(*) FROM reading_order o WHERE o.question_id = q.id) AS uses
                 FROM question q JOIN passage p ON p.id = q.passage_id
                 WHERE p.study_id = $1 AND q.id = $2",
            )
            .bind_id(study)
            .bind_id(question)
            .fetch_optional(&mut *tx)
            .await?;

            match row
                .as_ref()
                .map(|row| TableRow::named("question", row, question))
            {
                None => None,
                Some(row) if row.get::<i64>("uses")? > 0 => {
                    return Err(Error::Refused(
                        "A participant has been given this question: it stays as it is.".into(),
                    ));
                }
                Some(row) => {
                    let now: Question = row.json("body")?;
                    if now != *was && now != *to {
                        return Err(Error::Refused(
                            "Another person has changed this question since you opened it. Reload the \
                             page to see their version, and edit that."
                                .into(),
                        ));
                    }

                    sqlx::query("UPDATE question SET body = $2 WHERE id = $1")
                        .bind_id(question)
                        .bind(columns::to_json(to))
                        .execute(&mut *tx)
                        .await?;
                    event::record(&mut tx, study, EventKind::Question, question, now_ms).await?;

                    Some(row.parse("passage_id")?)
                }
            }
        })
    }

    /// Adds a question to a passage, named `q` and the first free number. Returns false if the
    /// study has no such passage.
    ///
    /// # Errors
    /// Refused where a participant has been given the passage.
    pub async fn add_question(
        &self,
        study: StudyId,
        passage: PassageId,
        id: Uuid,
        question: &Question,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;

            let material = load_material(&mut tx, study).await?;
            let mut passages = material.passages.iter();
            match passages.find(|own| own.id == passage) {
                None => false,
                Some(own) if own.given => {
                    return Err(Error::Refused(
                        "A participant has been given this passage: its questions stay as they were \
                         asked."
                            .into(),
                    ));
                }
                Some(own) => {
                    let questions = &own.passage.questions;
                    let is_taken =
                        |name: &str| questions.iter().any(|(own, _)| own.as_str() == name);
                    let mut names = (1..).map(|number| format!("q{number}"));
                    let name = names.find(|name| !is_taken(name));
                    let position = i64::try_from(questions.len()).unwrap_or(i64::MAX);

                    sqlx::query(
                        "INSERT INTO question (id, passage_id, position, name, body)
                         VALUES ($1, $2, $3, $4, $5)",
                    )
                    .bind_id(id)
                    .bind_id(passage)
                    .bind(position)
                    .bind(name.expect("there are more numbers than questions"))
                    .bind(columns::to_json(question))
                    .execute(&mut *tx)
                    .await?;

                    event::record(&mut tx, study, EventKind::Question, id, now_ms).await?;
                    true
                }
            }
        })
    }

    /// Sets the purpose of a passage. Returns false if the study has no such passage.
    ///
    /// # Errors
    /// Refused where a participant has been given the passage.
    pub async fn set_passage_purpose(
        &self,
        study: StudyId,
        passage: PassageId,
        purpose: PassagePurpose,
        now_ms: i64,
    ) -> Result<bool> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;

            // Another study's passage counts as absent, even if it has been given.
            let row = sqlx::query(
                "SELECT (SELECT COUNT(*) FROM reading r WHERE r.passage_id = passage.id) AS readings
                 FROM passage WHERE study_id = $1 AND id = $2",
            )
            .bind_id(study)
            .bind_id(passage)
            .fetch_optional(&mut *tx)
            .await?;

            match row {
                None => false,
                Some(row) if row.try_get::<i64, _>("readings")? > 0 => {
                    return Err(Error::Refused(
                        "A participant has been given this passage: its purpose stays.".into(),
                    ));
                }
                Some(_) => {
                    sqlx::query("UPDATE passage SET purpose = $2 WHERE id = $1")
                        .bind_id(passage)
                        .bind(purpose.name())
                        .execute(&mut *tx)
                        .await?;
                    event::record(&mut tx, study, EventKind::Passage, passage, now_ms).await?;
                    true
                }
            }
        })
    }
}

/// Stores the lead's settings, in place of earlier ones if there are any.
pub(crate) async fn store_settings(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &ComprehensionSettings,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO comprehension (study_id, settings) VALUES ($1, $2)
         ON CONFLICT (study_id) DO UPDATE SET settings = excluded.settings",
    )
    .bind_id(study)
    .bind(columns::to_json(settings))
    .execute(tx)
    .await?;
    Ok(())
}

/// The lead's settings; `None` if the study has no reading comprehension.
pub(super) async fn load_settings(
    tx: &mut AnyConnection,
    study: StudyId,
) -> Result<Option<ComprehensionSettings>> {
    let row = sqlx::query("SELECT settings FROM comprehension WHERE study_id = $1")
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    row.map(|row| TableRow::named("comprehension", &row, study).json("settings"))
        .transpose()
}

/// The passages, conditions and questions.
pub(super) async fn load_material(tx: &mut AnyConnection, study: StudyId) -> Result<StudyMaterial> {
    let rows =
        sqlx::query("SELECT id, name FROM reading_condition WHERE study_id = $1 ORDER BY position")
            .bind_id(study)
            .fetch_all(&mut *tx)
            .await?;
    let mut material = StudyMaterial::default();
    let mut names = HashMap::new();
    for row in &rows {
        let row = TableRow::new("reading_condition", row)?;
        let name: MaterialName = row.parse("name")?;
        names.insert(row.id().to_owned(), name.clone());
        material.conditions.push((row.parse("id")?, name));
    }

    let rows = sqlx::query(
        "SELECT id, name, title, purpose,
                CASE WHEN EXISTS (SELECT 1 FROM reading r WHERE r.passage_id = passage.id)
                     THEN 1 ELSE 0 END AS given
         FROM passage WHERE study_id = $1 ORDER BY position",
    )
    .bind_id(study)
    .fetch_all(&mut *tx)
    .await?;
    let mut at = HashMap::new();
    for row in &rows {
        let row = TableRow::new("passage", row)?;
        at.insert(row.id().to_owned(), material.passages.len());
        let passage = Passage {
            name: row.parse("name")?,
            title: row.get("title")?,
            texts: vec![],
            questions: vec![],
            spans: vec![],
            purpose: row.parse("purpose")?,
        };
        material.passages.push(StoredPassage {
            id: row.parse("id")?,
            given: row.flag("given")?,
            passage,
            questions: vec![],
        });
    }

    let rows = sqlx::query(
        "SELECT t.passage_id, t.condition_id, t.text FROM passage_text t
         JOIN passage p ON p.id = t.passage_id
         JOIN reading_condition c ON c.id = t.condition_id
         WHERE p.study_id = $1 ORDER BY p.position, c.position",
    )
    .bind_id(study)
    .fetch_all(&mut *tx)
    .await?;
    for row in rows {
        let passage: &str = row.try_get("passage_id")?;
        let text = NonBlankText::try_from(row.try_get::<String, _>("text")?)
            .map_err(|error| columns::bad_row("passage_text", passage, "text", error))?;
        let condition = &names[row.try_get::<&str, _>("condition_id")?];
        let texts = &mut material.passages[at[passage]].passage.texts;
        texts.push((condition.clone(), text));
    }

    let rows = sqlx::query(
        "SELECT q.id, q.passage_id, q.name, q.body FROM question q
         JOIN passage p ON p.id = q.passage_id
         WHERE p.study_id = $1 ORDER BY p.position, q.position",
    )
    .bind_id(study)
    .fetch_all(&mut *tx)
    .await?;
    for row in &rows {
        let row = TableRow::new("question", row)?;
        let stored_passage = &mut material.passages[at[row.get::<&str>("passage_id")?]];
        stored_passage.questions.push(row.parse("id")?);
        stored_passage
            .passage
            .questions
            .push((row.parse("name")?, row.json("body")?));
    }

    let rows = sqlx::query(
        "SELECT s.question_id, s.condition_id, s.spans, q.passage_id, q.name FROM question_spans s
         JOIN question q ON q.id = s.question_id
         JOIN passage p ON p.id = q.passage_id
         JOIN reading_condition c ON c.id = s.condition_id
         WHERE p.study_id = $1 ORDER BY p.position, c.position, q.position",
    )
    .bind_id(study)
    .fetch_all(&mut *tx)
    .await?;
    for row in &rows {
        let row = TableRow::keyed("question_spans", row, "question_id")?;
        let condition = names[row.get::<&str>("condition_id")?].clone();
        let name = row.in_table("question").parse("name")?;
        let spans = row.json("spans")?;
        let stored_passage = &mut material.passages[at[row.get::<&str>("passage_id")?]];
        stored_passage.passage.spans.push((condition, name, spans));
    }

    Ok(material)
}
