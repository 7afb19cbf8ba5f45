//! Annotators' answers to questions.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    category::Category,
    ids::{OutputId, SourceId, StudyId},
    protocol::AnswerStep,
    questions::{QuestionAnswer, QuestionSubject},
    study::StudySettings,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_json, read_rows},
    comparisons::{ComparedOutput, load_output_rows, read_output},
    consensus::load_agreed_answers,
    export::ExportSnapshot,
    rating_rows::RatingScope,
};

/// The answers to the questions of a study, and the systems of its outputs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyAnswers {
    /// The answers, in the order in which they were given.
    pub answers: Vec<AnswerRecord>,
    /// The main outputs of all sources with their systems, in the order of the file.
    pub outputs: Vec<ComparedOutput>,
}

/// An annotator's current answer to a question that is shown given their other answers, or that the
/// study no longer asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRecord {
    /// The rater's pseudonym.
    pub rater: String,
    /// The source.
    pub source: SourceId,
    /// The name of the source.
    pub source_key: String,
    /// The output, which represents all outputs of its source with the same text; `None` for a
    /// question about the source.
    pub output: Option<OutputId>,
    /// The key of the question.
    pub question: String,
    /// The answer.
    pub answer: QuestionAnswer,
    /// When it was stored, in milliseconds since 1970.
    pub recorded_at: i64,
}

impl Store {
    /// The answers about the study's main sources and outputs, except from raters who withdrew or
    /// could not judge the output. The answers of a consensus are those of one rater.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn study_answers(&self, study: StudyId, which: RatingScope) -> Result<StudyAnswers> {
        let mut connection = self.reader().acquire().await?;
        let rows = load_rows(&mut connection, study, None, which).await?;
        let rows = self.readable_rows("annotation", study, &rows, read_answer_row)?;
        let step = load_step(&mut connection, study).await?;
        let outputs = load_output_rows(&mut connection, study).await?;
        Ok(StudyAnswers {
            answers: keep_shown(rows, &step),
            outputs: self.readable_rows("output", study, &outputs, read_output)?,
        })
    }
}

impl Store {
    /// The answers about a main source and its outputs in submitted sources, as in
    /// [`Store::study_answers`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn answers_about_source(
        &self,
        study: StudyId,
        source: SourceId,
    ) -> Result<Vec<AnswerRecord>> {
        let mut connection = self.reader().acquire().await?;
        let which = RatingScope::HandedIn;
        let rows = load_rows(&mut connection, study, Some(source), which).await?;
        let rows = self.readable_rows("annotation", study, &rows, read_answer_row)?;
        let step = load_step(&mut connection, study).await?;
        Ok(keep_shown(rows, &step))
    }
}

impl ExportSnapshot {
    /// The answers about the study's main sources and outputs, as in [`Store::study_answers`].
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn answers(&mut self) -> Result<StudyAnswers> {
        let (study, which) = (self.study, self.which);
        let rows = load_rows(&mut self.connection, study, None, which).await?;
        let rows: Vec<_> = read_rows("annotation", &rows, read_answer_row)?;
        let step = load_step(&mut self.connection, study).await?;
        let outputs = load_output_rows(&mut self.connection, study).await?;
        Ok(StudyAnswers {
            answers: keep_shown(rows, &step),
            outputs: read_rows("output", &outputs, read_output)?,
        })
    }
}

/// The questions of the study; none if its protocol asks none.
async fn load_step(connection: &mut AnyConnection, study: StudyId) -> Result<AnswerStep> {
    let row = sqlx::query("SELECT settings FROM study WHERE id = $1")
        .bind_id(study)
        .fetch_one(connection)
        .await?;
    let settings: StudySettings = parse_json("study", study, "settings", row.try_get("settings")?)?;
    Ok(settings.protocol.answer_step().cloned().unwrap_or_default())
}

/// Current answers to questions, and the categories on which conditions depend.
async fn load_rows(
    connection: &mut AnyConnection,
    study: StudyId,
    source: Option<SourceId>,
    which: RatingScope,
) -> Result<Vec<AnyRow>> {
    if which == RatingScope::Consensus {
        return load_agreed_answers(connection, study).await;
    }

    let rows = sqlx::query(
        "SELECT a.id, r.label, a.source_id, s.key, a.output_id, o.category, a.kind, a.dimension, a.body,
                a.recorded_at
         FROM annotation a
         JOIN assignment x ON x.id = a.assignment_id
         JOIN source s ON s.id = a.source_id
         LEFT JOIN output o ON o.id = a.output_id
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE a.study_id = $1 AND a.kind IN ('answer', 'category') AND a.current = 1 AND a.body <> 'null'
           AND (x.state = 'handed-in' OR (x.state = 'open' AND $2 = 1))
           AND s.purpose = 'main' AND (a.output_id IS NULL OR o.purpose = 'main') AND m.withdrawn_at IS NULL
           AND ($2 = 1 OR NOT EXISTS (
                SELECT 1 FROM open_question q
                WHERE q.assignment_id = a.assignment_id AND q.output_id = a.output_id))
           AND ($3 = '' OR a.source_id = $3)
           AND NOT EXISTS (
                SELECT 1 FROM annotation u
                WHERE u.assignment_id = a.assignment_id AND u.output_id = a.output_id
                  AND u.kind = 'unjudged' AND u.current = 1 AND u.body <> 'null')
         ORDER BY a.event, a.id",
    )
    .bind_id(study)
    .bind(i64::from(which == RatingScope::IncludingOpen))
    .bind(source.map_or_else(String::new, |source| source.to_string()))
    .fetch_all(connection)
    .await?;
    Ok(rows)
}

/// A row of the answers that count.
enum ReadRow {
    /// An answer, and the automatic category of its output.
    Answer(AnswerRecord, Option<Category>),
    /// A rater's category of an output.
    Category {
        rater: String,
        output: OutputId,
        category: Category,
    },
    /// An answer that was taken back.
    Nothing,
}

fn read_answer_row(row: &TableRow<'_>) -> Result<ReadRow> {
    let rater = row.get("label")?;
    let output = row.parse_optional("output_id")?;
    if row.get::<&str>("kind")? == "category" {
        let category: Option<Category> = row.json("body")?;
        return Ok(match (output, category) {
            (Some(output), Some(category)) => ReadRow::Category {
                rater,
                output,
                category,
            },
            _ => ReadRow::Nothing,
        });
    }

    let Some(answer) = row.json("body")? else {
        return Ok(ReadRow::Nothing);
    };
    let record = AnswerRecord {
        rater,
        source: row.parse("source_id")?,
        source_key: row.get("key")?,
        output,
        question: row.get("dimension")?,
        answer,
        recorded_at: row.get("recorded_at")?,
    };
    Ok(ReadRow::Answer(record, row.parse_optional("category")?))
}

/// The answers, without those to questions whose conditions do not hold.
fn keep_shown(rows: Vec<ReadRow>, step: &AnswerStep) -> Vec<AnswerRecord> {
    type Judgement = (String, SourceId);

    let mut own = BTreeMap::<(String, OutputId), Category>::new();
    let mut automatic = BTreeMap::<OutputId, Category>::new();
    let mut records = vec![];
    for row in rows {
        match row {
            ReadRow::Answer(record, category) => {
                automatic.extend(record.output.zip(category));
                records.push(record);
            }
            ReadRow::Category {
                rater,
                output,
                category,
            } => {
                own.insert((rater, output), category);
            }
            ReadRow::Nothing => {}
        }
    }

    let mut given =
        BTreeMap::<Judgement, BTreeMap<(Option<OutputId>, &str), &QuestionAnswer>>::new();
    for record in &records {
        let judgement = (record.rater.clone(), record.source);
        let key = (record.output, record.question.as_str());
        given
            .entry(judgement)
            .or_default()
            .insert(key, &record.answer);
    }

    let mut shown = BTreeSet::new();
    for ((rater, source), answers) in &given {
        let subjects: BTreeSet<_> = answers.keys().map(|(output, _)| *output).collect();
        for output in subjects {
            let subject = match output {
                None => QuestionSubject::Source,
                Some(output) => {
                    let category = own.get(&(rater.clone(), output));
                    let category = category.or_else(|| automatic.get(&output));
                    let category = category.copied().unwrap_or(Category::Paraphrase);
                    QuestionSubject::Output(output, category)
                }
            };
            let answer = |output, key: &str| answers.get(&(output, key)).map(|own| (*own).clone());
            let keys = step.shown(subject, answer).into_iter();
            shown.extend(keys.map(|asked| (rater.clone(), *source, output, asked.key.clone())));
        }
    }

    let is_kept: Vec<_> = records
        .iter()
        .map(|record| {
            let (rater, question) = (record.rater.clone(), record.question.clone());
            let place = (rater, record.source, record.output, question);
            step.find(&record.question).is_none() || shown.contains(&place)
        })
        .collect();

    let mut is_kept = is_kept.into_iter();
    records.retain(|_| is_kept.next().unwrap_or_default());
    records
}
