//! An annotator's results on qualification items, and their admission by them.

use domain::{
    ids::{PersonId, RaterId, SourceId, StudyId},
    study::{OVERALL, QualificationRule, StudySettings},
    work::{
        attention::ExpectedOutput,
        change::{AnnotationAnswer, AnnotationSlot},
        qualification::{QualificationJudgement, QualificationResult, check_other_answers},
    },
};
use sqlx::{AnyConnection, Row};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_text},
    membership, source_items, studies, task,
};

/// An annotator's results on the qualification items.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct QualificationStatus {
    /// The number of qualification sources.
    pub sources: usize,
    /// The number of them that the annotator has handed in.
    pub handed_in: usize,
    /// How close the submitted answers are to the expected ones.
    pub nearness: QualificationResult,
}

/// An output with expected answers, in a qualification source that an annotator handed in.
#[derive(Debug, Clone, PartialEq)]
pub struct QualificationAnswer {
    /// The source.
    pub source: SourceId,
    /// The output's text.
    pub text: String,
    /// The expected answers, and those of the annotator.
    pub judged: QualificationJudgement,
}

/// An annotator's work for their qualification.
struct QualificationWork {
    sources: usize,
    handed_in: usize,
    answers: Vec<QualificationAnswer>,
}

impl Store {
    /// The person's results on the qualification items of the study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn qualification_status(
        &self,
        study: StudyId,
        person: PersonId,
    ) -> Result<QualificationStatus> {
        Ok(self.qualification(study, person).await?.status())
    }

    /// The person's answers about the outputs of qualification sources that they handed in, with
    /// the expected ones.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn qualification_answers(
        &self,
        study: StudyId,
        person: PersonId,
    ) -> Result<Vec<QualificationAnswer>> {
        Ok(self.qualification(study, person).await?.answers)
    }

    async fn qualification(&self, study: StudyId, person: PersonId) -> Result<QualificationWork> {
        let mut tx = self.reader().begin().await?;
        let rater = sqlx::query("SELECT id FROM rater WHERE study_id = $1 AND person_id = $2")
            .bind_id(study)
            .bind_id(person)
            .fetch_optional(&mut *tx)
            .await?;
        let rater = match &rater {
            Some(row) => Some(TableRow::named("rater", row, person).parse("id")?),
            None => None,
        };

        let settings = studies::load_settings(&mut tx, study).await?;
        let work = load_qualification_work(&mut tx, study, rater, &settings).await?;
        tx.commit().await?;
        Ok(work)
    }
}

/// Admits the annotator if the study admits by answers, all qualification sources are handed in,
/// and the answers are close enough. The study must be held.
pub(crate) async fn admit_by_answers(
    tx: &mut AnyConnection,
    study: StudyId,
    rater: RaterId,
    person: PersonId,
    settings: &StudySettings,
    now_ms: i64,
) -> Result<()> {
    let QualificationRule::Answers {
        tolerance,
        categories,
    } = settings.qualification
    else {
        return Ok(());
    };

    let work = load_qualification_work(tx, study, Some(rater), settings).await?;
    let standing = work.status();
    let complete = standing.handed_in == standing.sources;
    if complete && standing.nearness.passes(tolerance, categories) {
        membership::admit(tx, study, person, now_ms).await?;
    }
    Ok(())
}

impl QualificationWork {
    fn status(&self) -> QualificationStatus {
        let judgements: Vec<_> = self
            .answers
            .iter()
            .map(|answer| answer.judged.clone())
            .collect();
        QualificationStatus {
            sources: self.sources,
            handed_in: self.handed_in,
            nearness: QualificationResult::from_answers(&judgements),
        }
    }
}

async fn load_qualification_work(
    tx: &mut AnyConnection,
    study: StudyId,
    rater: Option<RaterId>,
    settings: &StudySettings,
) -> Result<QualificationWork> {
    let rows = sqlx::query(
        "SELECT s.id AS source_id, s.text, a.id AS assignment_id, a.group_id AS group_id
         FROM source s
         LEFT JOIN assignment a
             ON a.source_id = s.id AND a.rater_id = $2 AND a.state = 'handed-in'
         WHERE s.study_id = $1 AND s.purpose = 'qualification'
           AND EXISTS (SELECT 1 FROM output o WHERE o.source_id = s.id)
         ORDER BY s.position, s.id",
    )
    .bind_id(study)
    .bind_id(rater)
    .fetch_all(&mut *tx)
    .await?;

    let dimension = settings
        .dimensions
        .first()
        .map_or(OVERALL, |first| &first.name);
    let mut handed_in = 0;
    let mut answered_items = vec![];
    for row in &rows {
        let Some(assignment) = row.try_get::<Option<&str>, _>("assignment_id")? else {
            continue;
        };

        handed_in += 1;
        let rates_first = settings.rates_first(row.try_get("group_id")?);
        let assignment = parse_text("assignment", assignment, "id", assignment)?;
        let source: SourceId = parse_text("source", study, "id", row.try_get("source_id")?)?;
        let answers = task::load_answers(tx, assignment).await?;

        for item in source_items::load(tx, source).await? {
            let Some(expected) = item.expected else {
                continue;
            };
            let mut expected = expected.as_asked(rates_first);
            if !settings.protocol.categorises() {
                expected.category = None;
            }
            // Choices are not compared with expected scores: the lead decides.
            if !settings.protocol.scores() {
                expected.rating = None;
            }

            let mut answer = QualificationJudgement {
                expected,
                category: item.category,
                rating: None,
                others: vec![],
            };

            for stored_answer in &answers {
                match (&stored_answer.slot, &stored_answer.answer) {
                    (
                        AnnotationSlot::Category { output },
                        AnnotationAnswer::Category(Some(category)),
                    ) if *output == item.output => {
                        answer.category = *category;
                    }
                    (
                        AnnotationSlot::Rating {
                            output,
                            dimension: on,
                        },
                        AnnotationAnswer::Rating(rating),
                    ) if *output == item.output && on == dimension => {
                        answer.rating = *rating;
                    }
                    _ => {}
                }
            }

            let of = ExpectedOutput {
                output: item.output,
                expected: answer.expected.clone(),
                automatic: item.category,
                texts: (row.try_get("text")?, item.text.clone()),
                edits: item.edits,
            };
            answer.others = check_other_answers(&settings.protocol, &of, &answers);
            answered_items.push(QualificationAnswer {
                source,
                text: item.text,
                judged: answer,
            });
        }
    }

    Ok(QualificationWork {
        sources: rows.len(),
        handed_in,
        answers: answered_items,
    })
}
