//! Passages, questions and answers from files.

mod answers;
mod passages;

use std::collections::HashMap;

use domain::{
    comprehension::{AnswerChoice, ChoiceOrder, MaterialName, Passage},
    ids::{ConditionId, QuestionId, StudyId},
};
use uuid::Uuid;

use super::material::{StudyMaterial, load_material};
use crate::{Error, EventKind, Result, Store, event, lock};

/// An answer that a file brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComprehensionImportAnswer<'a> {
    /// From the file and the position in it, so that a file imported twice counts once.
    pub id: &'a str,
    /// The passage, by name.
    pub passage: &'a MaterialName,
    /// The question, by name.
    pub question: &'a MaterialName,
    /// The condition, by name.
    pub condition: &'a MaterialName,
    /// The participant, if the file names one.
    pub participant: Option<&'a MaterialName>,
    /// The choice.
    pub choice: AnswerChoice,
    /// The order in which the answers were shown, if the file states it.
    pub order: Option<ChoiceOrder>,
    /// Active time on the question, in milliseconds, if the file states it.
    pub active_ms: Option<u64>,
}

/// Counts of what an import added; rows that existed before are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ComprehensionImportCounts {
    /// Passages.
    pub passages: u32,
    /// Texts.
    pub texts: u32,
    /// Questions.
    pub questions: u32,
    /// Answers.
    pub answers: u32,
}

impl Store {
    /// Imports passages and answers, all or none. Existing data stays as it is. `new_id` makes ids.
    ///
    /// # Errors
    /// Refused where the study has another text or question under the same name, an answer is to a
    /// question that does not exist, or the study is closed or has no reading comprehension.
    pub async fn import_comprehension(
        &self,
        study: StudyId,
        passages: &[Passage],
        answers: &[ComprehensionImportAnswer<'_>],
        new_id: impl Fn() -> Uuid,
        now_ms: i64,
    ) -> Result<ComprehensionImportCounts> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            if super::material::load_settings(&mut tx, study)
                .await?
                .is_none()
            {
                return Err(Error::Refused(
                    "This study has no reading comprehension yet: set it up first.".into(),
                ));
            }

            let material = load_material(&mut tx, study).await?;
            let mut adding = ComprehensionImport {
                study,
                new_id: &new_id,
                conditions: material
                    .conditions
                    .iter()
                    .map(|(id, name)| (name.clone(), *id))
                    .collect(),
                added: ComprehensionImportCounts::default(),
            };

            for passage in passages {
                adding.import_passage(&mut tx, &material, passage).await?;
            }

            // Loaded again, with the new passages.
            let material = load_material(&mut tx, study).await?;
            adding.insert_spans(&mut tx, &material, passages).await?;

            let number =
                event::record(&mut tx, study, EventKind::Comprehension, study, now_ms).await?;
            adding
                .import_answers(&mut tx, &material, answers, number, now_ms)
                .await?;

            adding.added
        })
    }
}

struct ComprehensionImport<'a, F> {
    study: StudyId,
    new_id: &'a F,
    conditions: HashMap<MaterialName, ConditionId>,
    added: ComprehensionImportCounts,
}

/// The ids of questions by the names of passage and question.
fn questions_by_name(known: &StudyMaterial) -> HashMap<(&MaterialName, &MaterialName), QuestionId> {
    let passages = known.passages.iter();
    passages
        .flat_map(|own| {
            let names = own.passage.questions.iter().map(|(name, _)| name);
            let ids = names.zip(&own.questions);
            ids.map(|(name, id)| ((&own.passage.name, name), *id))
        })
        .collect()
}
