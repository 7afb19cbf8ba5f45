//! Raters' replies to questions, and whether they changed their scores.

use std::collections::{BTreeMap, HashMap};

use domain::ids::{DiscussionId, RaterId, StudyId};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Result, Store,
    columns::{BindId, TableRow},
};

/// A rater's reply to a question, and the scores that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionReply {
    /// The rater.
    pub rater: RaterId,
    /// The rater's name in the study.
    pub label: String,
    /// The reply; empty if there is none.
    pub reply: String,
    /// Whether the rater still has the output, or the whole source, open.
    pub is_open: bool,
    /// The scores that differ from those at the time of the question, by dimension.
    pub changes: Vec<ScoreChange>,
}

/// A score that a rater changed; `None` if there was none, or no longer is.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreChange {
    /// The dimension.
    pub dimension: String,
    /// The score when the question was asked.
    pub before: Option<f64>,
    /// The score when the output was submitted again, or now.
    pub after: Option<f64>,
}

/// A rater's scores by dimension: when the question was asked, and later.
type ScoresByDimension = BTreeMap<String, (Option<f64>, Option<f64>)>;

/// The raters of a question: those who got the output back, and those who replied about a whole source.
macro_rules! asked {
    ($rest:literal) => {
        concat!(
            "WITH asked AS (
                SELECT p.discussion_id, p.assignment_id, p.submitted_at,
                       CASE WHEN p.submitted_at IS NULL THEN 1 ELSE 0 END AS is_open
                FROM reopened_output p JOIN discussion d ON d.id = p.discussion_id
                WHERE d.study_id = $1
                UNION ALL
                SELECT n.dimension, n.assignment_id, CAST(NULL AS BIGINT),
                       CASE WHEN x.state = 'open' THEN 1 ELSE 0 END
                FROM annotation n JOIN assignment x ON x.id = n.assignment_id
                WHERE n.study_id = $1 AND n.kind = 'reply' AND n.current = 1
                  AND NOT EXISTS (SELECT 1 FROM reopened_output p
                      WHERE p.discussion_id = n.dimension AND p.assignment_id = n.assignment_id)
             )
             SELECT d.id, x.rater_id, ",
            $rest
        )
    };
}

impl Store {
    /// The raters' replies to the study's questions, including raters who only changed scores or
    /// have yet to submit the output again. A reply counts at once; raters who withdrew are left
    /// out.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn question_replies(
        &self,
        study: StudyId,
    ) -> Result<HashMap<DiscussionId, Vec<QuestionReply>>> {
        let mut reader = self.reader().acquire().await?;
        let mut scores = load_scores(&mut reader, study).await?;

        let rows = sqlx::query(asked!(
            "r.label, n.body, k.is_open
             FROM asked k
             JOIN discussion d ON d.id = k.discussion_id
             JOIN assignment x ON x.id = k.assignment_id
             JOIN rater r ON r.id = x.rater_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
             LEFT JOIN annotation n ON n.assignment_id = x.id AND n.kind = 'reply' AND n.current = 1
                AND n.dimension = d.id
             WHERE m.withdrawn_at IS NULL
             ORDER BY r.position"
        ))
        .bind_id(study)
        .fetch_all(&mut *reader)
        .await?;

        let mut replies = HashMap::<_, Vec<_>>::new();
        for row in &rows {
            let (discussion, rater) = read_asked(row)?;
            let row = TableRow::named("annotation", row, discussion);
            let reply: Option<String> = row.json_optional("body")?;
            let scores = scores.remove(&(discussion, rater)).unwrap_or_default();
            let changed = scores
                .into_iter()
                .filter(|(_, (before, after))| before != after);
            replies.entry(discussion).or_default().push(QuestionReply {
                rater,
                label: row.get("label")?,
                reply: reply.unwrap_or_default(),
                is_open: row.flag("is_open")?,
                changes: changed
                    .map(|(dimension, (before, after))| ScoreChange {
                        dimension,
                        before,
                        after,
                    })
                    .collect(),
            });
        }

        Ok(replies)
    }
}

/// For each question and rater asked, the scores of the output that the question concerns.
async fn load_scores(
    connection: &mut AnyConnection,
    study: StudyId,
) -> Result<HashMap<(DiscussionId, RaterId), ScoresByDimension>> {
    let rows = sqlx::query(asked!(
        "n.dimension, n.value,
         CASE WHEN n.recorded_at <= d.asked_at THEN 1 ELSE 0 END AS is_before
         FROM asked k
         JOIN discussion d ON d.id = k.discussion_id
         JOIN assignment x ON x.id = k.assignment_id
         JOIN annotation n ON n.assignment_id = x.id AND n.output_id = d.output_id AND n.kind = 'rating'
         WHERE k.submitted_at IS NULL OR n.recorded_at <= k.submitted_at
         ORDER BY n.event"
    ))
    .bind_id(study)
    .fetch_all(connection)
    .await?;

    let mut scores = HashMap::<_, ScoresByDimension>::new();
    for row in &rows {
        let of_rater = scores.entry(read_asked(row)?).or_default();
        let score = of_rater.entry(row.try_get("dimension")?).or_default();
        let value = row.try_get("value")?;
        if row.try_get::<i64, _>("is_before")? != 0 {
            score.0 = value;
        }
        score.1 = value;
    }

    Ok(scores)
}

fn read_asked(row: &AnyRow) -> Result<(DiscussionId, RaterId)> {
    let rater = TableRow::keyed("assignment", row, "rater_id")?.parse("rater_id")?;
    Ok((TableRow::new("discussion", row)?.parse("id")?, rater))
}
