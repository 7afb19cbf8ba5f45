//! Passages, questions and answers from files.

use std::collections::HashMap;

use domain::{
    comprehension::{AnswerChoice, ChoiceOrder, MaterialName, Passage},
    ids::{ConditionId, ParticipantId, PassageId, QuestionId, StudyId},
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::material::{StudyMaterial, load_material};
use crate::{
    Error, EventKind, Result, Store, bulk,
    columns::{self, BindId},
    event, lock,
};

/// An answer that a file brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComprehensionImportAnswer<'a> {
    /// Of the file and the place in it, so that the same file brought in twice counts once.
    pub id: &'a str,
    /// The passage, by name.
    pub passage: &'a MaterialName,
    /// The question, by name.
    pub question: &'a MaterialName,
    /// The condition, by name.
    pub condition: &'a MaterialName,
    /// Who answered, where the file says.
    pub participant: Option<&'a MaterialName>,
    /// The choice.
    pub choice: AnswerChoice,
    /// The order in which the answers were shown, where the file says.
    pub order: Option<ChoiceOrder>,
    /// Active time on the question, where the file says.
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
    /// Brings passages and answers in, all or none. What is there already stays as it is. `new_id`
    /// makes ids.
    ///
    /// # Errors
    /// Refused where a text or question of the same name is another one, an answer is to something
    /// that is not there, or the study is closed or has no reading comprehension.
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
            // Read again with what was added.
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

impl<F: Fn() -> Uuid> ComprehensionImport<'_, F> {
    async fn import_passage(
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

    /// The place of the evidence; what is known of a question in a condition stays.
    async fn insert_spans(
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

    async fn import_answers(
        &mut self,
        tx: &mut AnyConnection,
        known: &StudyMaterial,
        answers: &[ComprehensionImportAnswer<'_>],
        event: i64,
        now_ms: i64,
    ) -> Result<()> {
        let questions = questions_by_name(known);
        let stored = sqlx::query("SELECT id FROM reading_answer WHERE study_id = $1")
            .bind_id(self.study)
            .fetch_all(&mut *tx)
            .await?;
        let stored: std::collections::HashSet<String> = stored
            .iter()
            .map(|row| row.try_get("id"))
            .collect::<Result<_, _>>()?;
        let fresh: Vec<_> = answers
            .iter()
            .filter(|answer| !stored.contains(answer.id))
            .collect();
        let participants = self.ensure_participants(tx, &fresh, now_ms).await?;
        let mut rows = Vec::with_capacity(fresh.len());
        for answer in fresh {
            let place = (answer.passage, answer.question);
            let (Some(question), Some(condition)) =
                (questions.get(&place), self.conditions.get(answer.condition))
            else {
                let (passage, question) = place;
                return Err(Error::Refused(format!(
                    "An answer is to question {question} of passage {passage} in {}, which is not \
                     there: bring texts and questions in first.",
                    answer.condition
                )));
            };
            let participant = answer.participant.map(|name| participants[name]);
            rows.push((answer, *question, *condition, participant));
        }
        let study = self.study.to_string();
        let columns = "reading_answer (id, study_id, question_id, condition_id, participant_id, \
                       choice, answers, active_ms, current, event, recorded_at)";
        bulk::insert(
            tx,
            columns,
            &rows,
            |query, (answer, question, condition, participant)| {
                query
                    .bind(answer.id.to_owned())
                    .bind(study.clone())
                    .bind_id(question)
                    .bind_id(condition)
                    .bind_id(participant)
                    .bind(answer.choice.name())
                    .bind(answer.order.map(|order| order.to_string()))
                    .bind(
                        answer
                            .active_ms
                            .map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)),
                    )
                    .bind(1_i64)
                    .bind(event)
                    .bind(now_ms)
            },
        )
        .await?;
        self.added.answers = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        Ok(())
    }

    /// The named participants of the answers, those of them made that are not there.
    async fn ensure_participants(
        &self,
        tx: &mut AnyConnection,
        answers: &[&ComprehensionImportAnswer<'_>],
        now_ms: i64,
    ) -> Result<HashMap<MaterialName, ParticipantId>> {
        let mut participants = HashMap::new();
        for name in answers.iter().filter_map(|answer| answer.participant) {
            if participants.contains_key(name) {
                continue;
            }
            let row = sqlx::query("SELECT id FROM participant WHERE study_id = $1 AND label = $2")
                .bind_id(self.study)
                .bind(name.as_str())
                .fetch_optional(&mut *tx)
                .await?;
            let id = match row {
                Some(row) => columns::parse_text("participant", name, "id", row.try_get("id")?)?,
                None => {
                    let id = ParticipantId((self.new_id)());
                    sqlx::query(
                        "INSERT INTO participant (id, study_id, label, joined_at, seen_at, seed,
                                                  begun_at, finished_at)
                         VALUES ($1, $2, $3, $4, $4, 0, $4, $4)",
                    )
                    .bind_id(id)
                    .bind_id(self.study)
                    .bind(name.as_str())
                    .bind(now_ms)
                    .execute(&mut *tx)
                    .await?;
                    id
                }
            };
            participants.insert(name.clone(), id);
        }
        Ok(participants)
    }
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

fn conflict_error(what: &str, name: &MaterialName, passage: &MaterialName) -> Error {
    Error::Refused(format!(
        "Passage {passage} is in the study with another {what} {name}: give it another name, or \
         leave it out."
    ))
}

fn position_of(place: usize) -> i64 {
    i64::try_from(place).expect("fewer than 2⁶³ rows")
}
