//! Passages of an import, with their texts, questions and evidence.

use domain::{
    comprehension::{MaterialName, Passage},
    ids::{ConditionId, PassageId},
};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{ComprehensionImport, questions_by_name};
use crate::{
    Error, Result, bulk,
    columns::{self, BindId},
    comprehension::material::StudyMaterial,
};

impl<F: Fn() -> Uuid> ComprehensionImport<'_, F> {
    pub(super) async fn import_passage(
        &mut self,
        tx: &mut AnyConnection,
        known: &StudyMaterial,
        passage: &Passage,
    ) -> Result<()> {
        let own = known
            .passages
            .iter()
            .find(|own| own.passage.name == passage.name);
        let id = match own {
            Some(own) => own.id,
            None => self.insert_passage(tx, known, passage).await?,
        };

        for (condition, text) in &passage.texts {
            let existing = own.and_then(|own| {
                let mut texts = own.passage.texts.iter();
                texts.find(|(name, _)| name == condition)
            });
            match existing {
                Some((_, there)) if there == text => {}
                Some(_) => return Err(conflict_error("text in", condition, &passage.name)),
                None => {
                    let condition = self.ensure_condition(tx, condition).await?;
                    sqlx::query(
                        "INSERT INTO passage_text (passage_id, condition_id, text)
                         VALUES ($1, $2, $3)",
                    )
                    .bind_id(id)
                    .bind_id(condition)
                    .bind(text.as_str())
                    .execute(&mut *tx)
                    .await?;
                    self.added.texts += 1;
                }
            }
        }

        for (position, (name, question)) in passage.questions.iter().enumerate() {
            let existing = own.and_then(|own| {
                let mut questions = own.passage.questions.iter();
                questions.find(|(own, _)| own == name)
            });
            match existing {
                Some((_, there)) if there == question => {}
                Some(_) => return Err(conflict_error("question", name, &passage.name)),
                None => {
                    let before = own.map_or(0, |own| own.questions.len());
                    sqlx::query(
                        "INSERT INTO question (id, passage_id, position, name, body)
                         VALUES ($1, $2, $3, $4, $5)",
                    )
                    .bind((self.new_id)().to_string())
                    .bind_id(id)
                    .bind(position_of(before + position))
                    .bind(name.as_str())
                    .bind(columns::to_json(question))
                    .execute(&mut *tx)
                    .await?;
                    self.added.questions += 1;
                }
            }
        }

        Ok(())
    }

    async fn insert_passage(
        &mut self,
        tx: &mut AnyConnection,
        known: &StudyMaterial,
        passage: &Passage,
    ) -> Result<PassageId> {
        let id = PassageId((self.new_id)());
        let position = known.passages.len() + self.added.passages as usize;

        sqlx::query(
            "INSERT INTO passage (id, study_id, position, name, title, purpose)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind_id(id)
        .bind_id(self.study)
        .bind(position_of(position))
        .bind(passage.name.as_str())
        .bind(&passage.title)
        .bind(passage.purpose.name())
        .execute(tx)
        .await?;

        self.added.passages += 1;
        Ok(id)
    }

    async fn ensure_condition(
        &mut self,
        tx: &mut AnyConnection,
        name: &MaterialName,
    ) -> Result<ConditionId> {
        if let Some(id) = self.conditions.get(name) {
            return Ok(*id);
        }

        let id = ConditionId((self.new_id)());
        sqlx::query(
            "INSERT INTO reading_condition (id, study_id, position, name) VALUES ($1, $2, $3, $4)",
        )
        .bind_id(id)
        .bind_id(self.study)
        .bind(position_of(self.conditions.len()))
        .bind(name.as_str())
        .execute(tx)
        .await?;

        self.conditions.insert(name.clone(), id);
        Ok(id)
    }

    /// Stores the places of the evidence. Known places of a question in a condition stay as they
    /// are.
    pub(super) async fn insert_spans(
        &self,
        tx: &mut AnyConnection,
        known: &StudyMaterial,
        passages: &[Passage],
    ) -> Result<()> {
        let questions = questions_by_name(known);
        let mut rows = Vec::new();
        for passage in passages {
            for (condition, question, spans) in &passage.spans {
                let place = (&passage.name, question);
                let ids = questions.get(&place).zip(self.conditions.get(condition));
                rows.extend(ids.map(|(question, condition)| (*question, *condition, spans)));
            }
        }

        bulk::insert_on_conflict(
            tx,
            "question_spans (question_id, condition_id, spans)",
            "ON CONFLICT DO NOTHING",
            &rows,
            |query, (question, condition, spans)| {
                query
                    .bind_id(question)
                    .bind_id(condition)
                    .bind(columns::to_json(spans))
            },
        )
        .await
    }
}

fn conflict_error(what: &str, name: &MaterialName, passage: &MaterialName) -> Error {
    Error::Refused(format!(
        "Passage {passage} is in the study with another {what} {name}: give it another name, or \
         leave it out."
    ))
}

fn position_of(place: usize) -> i64 {
    i64::try_from(place).expect("fewer than 2⁶³ rows")
}
