//! Answers of an import, with their participants.

use std::collections::HashMap;

use domain::{comprehension::MaterialName, ids::ParticipantId};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::{ComprehensionImport, ComprehensionImportAnswer, questions_by_name};
use crate::{
    Error, Result, bulk,
    columns::{self, BindId},
    comprehension::material::StudyMaterial,
};

impl<F: Fn() -> Uuid> ComprehensionImport<'_, F> {
    pub(super) async fn import_answers(
        &mut self,
        tx: &mut AnyConnection,
        known: &StudyMaterial,
        answers: &[ComprehensionImportAnswer<'_>],
        event: i64,
        now_ms: i64,
    ) -> Result<()> {
        let questions = questions_by_name(known);

        let query = "SELECT id FROM reading_answer WHERE study_id = $1";
        let stored: Vec<String> = sqlx::query_scalar(query)
            .bind_id(self.study)
            .fetch_all(&mut *tx)
            .await?;
        let stored: std::collections::HashSet<_> = stored.into_iter().collect();
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

    /// The participants named in the answers. Adds those that don't exist yet.
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

            let row = sqlx::query("SELECT id FROM participant WHERE study_id = $1 AND label = $2 AND kind = 'reading'")
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
