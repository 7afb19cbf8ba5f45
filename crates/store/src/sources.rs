//! Sources with their outputs and the answers about them, as a lead reads them.

use domain::{
    category::Category,
    edit::Edit,
    ids::{OutputId, RaterId, SourceId, StudyId, SystemId},
    span_marks::SpanMark,
    study::{OutputPurpose, SourcePurpose, SystemKind, WantedRaters},
    work::{task::ExpectedAnswer, unjudged::UnjudgedReason},
};

use crate::{
    Result, Store,
    columns::{BindId, TableRow, read_row, read_rows},
    own_overlap::read_own_overlap,
};

/// A source in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceEntry {
    /// Its id.
    pub id: SourceId,
    /// Its name in the files it came from.
    pub key: String,
    /// The source text.
    pub text: String,
    /// Its purpose.
    pub purpose: SourcePurpose,
    /// The number of its references.
    pub references: i64,
    /// The number of its outputs, without quality-control items.
    pub outputs: i64,
    /// The number of annotators who have handed it in, except those who withdrew.
    pub handed_in: i64,
    /// The group ids of those of them who were in a group.
    pub handed_in_groups: Vec<String>,
    /// The number of its raters who came with a file.
    pub imported_raters: i64,
    /// The number of annotators who have it now.
    pub open: i64,
    /// Whether an annotator has it or handed it in, or it has answers. Then its purpose can no
    /// longer change, even if those annotators skipped it or withdrew.
    pub is_in_use: bool,
    /// Its own number of annotators, if it has one.
    pub own_overlap: Option<u32>,
}

/// The SQL for whether the source of an id is in use, as 1 or 0.
macro_rules! source_in_use {
    ($source:literal) => {
        concat!(
            "CASE WHEN EXISTS (SELECT 1 FROM assignment i
                               WHERE i.source_id = ",
            $source,
            "                    AND i.state IN ('open', 'handed-in'))
                  OR EXISTS (SELECT 1 FROM annotation i WHERE i.source_id = ",
            $source,
            ") THEN 1 ELSE 0 END"
        )
    };
}
pub(crate) use source_in_use;

/// The progress of a source, by which the overview counts sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceProgress {
    /// As many annotators handed it in as it asks for.
    Done,
    /// An annotator has it or handed it in.
    InProgress,
    /// Nobody has begun.
    NotStarted,
}

impl SourceEntry {
    /// The progress of the source in a study that asks for these numbers of annotators.
    #[must_use]
    pub fn progress(&self, wanted: &WantedRaters) -> SourceProgress {
        if self.filled(wanted) >= wanted.for_source(self.own_overlap) {
            SourceProgress::Done
        } else if self.handed_in + self.open > 0 {
            SourceProgress::InProgress
        } else {
            SourceProgress::NotStarted
        }
    }

    /// The number of the annotators it asks for who have handed it in.
    #[must_use]
    pub fn filled(&self, wanted: &WantedRaters) -> u32 {
        let handed_in = u32::try_from(self.handed_in).unwrap_or(u32::MAX);
        let in_groups = self.handed_in_groups.iter().map(String::as_str);
        wanted.count_filled(self.own_overlap, handed_in, in_groups)
    }
}

/// The output of a system for a source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceOutput {
    /// Its id.
    pub id: OutputId,
    /// The system's name.
    pub system: String,
    /// The kind of that system.
    pub kind: SystemKind,
    /// Its text.
    pub text: String,
    /// Whether it is judged, or is a quality-control item.
    pub purpose: OutputPurpose,
    /// The first output of the source with the same text, unless it is this one.
    pub twin_of: Option<OutputId>,
    /// Its automatic category.
    pub category: Category,
    /// The reason for the category, in words for people.
    pub reason: String,
    /// Its automatic edits.
    pub edits: Vec<Edit>,
    /// The answers that the lead expects about it.
    pub expected: Option<ExpectedAnswer>,
}

/// An output to read, with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputText {
    /// The source.
    pub source_id: SourceId,
    /// The source's name in the files it came from.
    pub source_key: String,
    /// The source text.
    pub source: String,
    /// The system's name.
    pub system: String,
    /// Its text.
    pub text: String,
}

/// An answer about an output, by a rater who counts.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceAnswer {
    /// The rater.
    pub rater: RaterId,
    /// Their pseudonym.
    pub label: String,
    /// The output.
    pub output: OutputId,
    /// The answer.
    pub value: AnswerValue,
}

/// An answer that a lead reads.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerValue {
    /// A rating on the dimension of that name.
    Rating(String, f64),
    /// The category of the output.
    Category(Category),
    /// All spans that the rater marked in the output and its source.
    Marks(Vec<SpanMark>),
    /// The reason why the rater could not judge the output, and their note, which may be empty.
    Unjudged(UnjudgedReason, String),
}

/// A person or a program that wrote outputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StudySystem {
    /// Its id.
    pub id: SystemId,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: SystemKind,
    /// Whether figures of systems leave it out.
    pub is_hidden: bool,
    /// The number of outputs that it wrote.
    pub outputs: i64,
}

/// One row per source.
macro_rules! entry {
    ($which:literal) => {
        concat!(
            "SELECT s.id, s.key, s.text, s.purpose, s.own_overlap,
                    (SELECT COUNT(*) FROM reference f WHERE f.source_id = s.id) AS refs,
                    (SELECT COUNT(*) FROM output o
                     WHERE o.source_id = s.id AND o.purpose = 'main') AS outputs,
                    COALESCE(x.handed_in, 0) AS handed_in, COALESCE(x.open, 0) AS open,
                    x.handed_in_groups,
                    (SELECT COUNT(DISTINCT n.rater_id) FROM annotation n
                     WHERE n.source_id = s.id AND n.current = 1 AND n.assignment_id IS NULL)
                      AS imported_raters,
                    ",
            source_in_use!("s.id"),
            " AS is_in_use
             FROM source s
             LEFT JOIN (
                SELECT a.source_id, COUNT(CASE WHEN a.state = 'handed-in' THEN 1 END) AS handed_in,
                       COUNT(CASE WHEN a.state = 'open' THEN 1 END) AS open,
                       string_agg(CASE WHEN a.state = 'handed-in' THEN a.group_id END, ' ') AS handed_in_groups
                FROM assignment a
                JOIN rater r ON r.id = a.rater_id
                LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                WHERE a.study_id = $1 AND m.withdrawn_at IS NULL
                GROUP BY a.source_id
             ) x ON x.source_id = s.id ",
            $which,
            " ORDER BY s.position, s.id"
        )
    };
}

impl Store {
    /// An output of the study with its source.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn output_text(
        &self,
        study: StudyId,
        output: OutputId,
    ) -> Result<Option<OutputText>> {
        let row = sqlx::query(
            "SELECT s.id AS source_id, s.key, s.text AS source, y.name AS system, o.text
             FROM output o
             JOIN source s ON s.id = o.source_id
             JOIN system y ON y.id = o.system_id
             WHERE o.id = $1 AND o.study_id = $2",
        )
        .bind_id(output)
        .bind_id(study)
        .fetch_optional(self.reader())
        .await?;

        row.map(|row| {
            let row = TableRow::named("output", &row, output);
            Ok(OutputText {
                source_id: row.parse("source_id")?,
                source_key: row.get("key")?,
                source: row.get("source")?,
                system: row.get("system")?,
                text: row.get("text")?,
            })
        })
        .transpose()
    }

    /// The sources of the study, in the order in which they came.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn sources(&self, study: StudyId) -> Result<Vec<SourceEntry>> {
        let rows = sqlx::query(entry!("WHERE s.study_id = $1"))
            .bind_id(study)
            .fetch_all(self.reader())
            .await?;
        self.readable_rows("source", study, &rows, read_entry)
    }

    /// The sources of the study that teach and test annotators, in their order. Unlike in a list
    /// for a page, a row that cannot be read is an error.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn training_sources(&self, study: StudyId) -> Result<Vec<SourceEntry>> {
        let rows = sqlx::query(entry!("WHERE s.study_id = $1 AND s.purpose <> 'main'"))
            .bind_id(study)
            .fetch_all(self.reader())
            .await?;
        read_rows("source", &rows, read_entry)
    }

    /// The source of that id, if it belongs to the study.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn source(&self, study: StudyId, source: SourceId) -> Result<Option<SourceEntry>> {
        let row = sqlx::query(entry!("WHERE s.study_id = $1 AND s.id = $2"))
            .bind_id(study)
            .bind_id(source)
            .fetch_optional(self.reader())
            .await?;
        read_row("source", row, read_entry)
    }

    /// The references of a source, in the order of their files.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn references(&self, source: SourceId) -> Result<Vec<String>> {
        Ok(
            sqlx::query_scalar("SELECT text FROM reference WHERE source_id = $1 ORDER BY position")
                .bind_id(source)
                .fetch_all(self.reader())
                .await?,
        )
    }

    /// Whether a source of the study has a reference.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_references(&self, study: StudyId) -> Result<bool> {
        let row = sqlx::query(
            "SELECT r.position FROM source s JOIN reference r ON r.source_id = s.id
             WHERE s.study_id = $1 LIMIT 1",
        )
        .bind_id(study)
        .fetch_optional(self.reader())
        .await?;
        Ok(row.is_some())
    }

    /// The outputs of a source, quality-control items included, in the order of their files.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn source_outputs(&self, source: SourceId) -> Result<Vec<SourceOutput>> {
        let rows = sqlx::query(
            "SELECT o.id, y.name AS system, y.kind, o.text, o.purpose, o.twin_of, o.category,
                    o.category_reason, o.edits, o.expected
             FROM output o JOIN system y ON y.id = o.system_id
             WHERE o.source_id = $1 ORDER BY o.position, o.id",
        )
        .bind_id(source)
        .fetch_all(self.reader())
        .await?;
        read_rows("output", &rows, read_output)
    }

    /// The answers about a source's outputs by the raters who count, rater by rater: annotators who
    /// handed it in and have not withdrawn, and raters who came with a file.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn source_answers(&self, source: SourceId) -> Result<Vec<SourceAnswer>> {
        let rows = sqlx::query(
            "SELECT n.id, n.output_id, n.kind, n.dimension, n.value, n.body, n.rater_id, r.label,
                    CASE WHEN n.kind = 'unjudged' THEN
                        (SELECT t.body FROM annotation t
                         WHERE t.rater_id = n.rater_id AND t.source_id = n.source_id
                           AND t.output_id = n.output_id AND t.kind = 'note' AND t.current = 1)
                    END AS note
             FROM annotation n
             JOIN rater r ON r.id = n.rater_id
             LEFT JOIN assignment a ON a.id = n.assignment_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
             WHERE n.source_id = $1 AND n.current = 1 AND n.output_id IS NOT NULL
               AND ((n.kind = 'rating' AND n.value IS NOT NULL) OR n.kind IN ('category', 'unjudged', 'marks'))
               AND (n.assignment_id IS NULL OR a.state = 'handed-in')
               AND NOT EXISTS (SELECT 1 FROM open_question q
                    WHERE q.assignment_id = n.assignment_id AND q.output_id = n.output_id)
               AND m.withdrawn_at IS NULL
             ORDER BY r.position, n.rater_id, n.id",
        )
        .bind_id(source)
        .fetch_all(self.reader())
        .await?;

        let answers: Vec<_> = read_rows("annotation", &rows, read_answer)?;
        Ok(answers.into_iter().flatten().collect())
    }

    /// The systems of the study, hidden ones included, in the order in which they came.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn systems(&self, study: StudyId) -> Result<Vec<StudySystem>> {
        let rows = sqlx::query(
            "SELECT y.id, y.name, y.kind, y.hidden,
                    (SELECT COUNT(*) FROM output o
                     WHERE o.system_id = y.id AND o.purpose = 'main') AS outputs
             FROM system y WHERE y.study_id = $1 ORDER BY y.position, y.id",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;

        self.readable_rows("system", study, &rows, |row| {
            Ok(StudySystem {
                id: row.parse("id")?,
                name: row.get("name")?,
                kind: row.parse("kind")?,
                is_hidden: row.flag("hidden")?,
                outputs: row.get("outputs")?,
            })
        })
    }
}

fn read_entry(row: &TableRow<'_>) -> Result<SourceEntry> {
    Ok(SourceEntry {
        id: row.parse("id")?,
        key: row.get("key")?,
        text: row.get("text")?,
        purpose: row.parse("purpose")?,
        references: row.get("refs")?,
        outputs: row.get("outputs")?,
        handed_in: row.get("handed_in")?,
        handed_in_groups: row
            .get::<Option<&str>>("handed_in_groups")?
            .into_iter()
            .flat_map(|ids| ids.split(' '))
            .map(str::to_owned)
            .collect(),
        imported_raters: row.get("imported_raters")?,
        open: row.get("open")?,
        is_in_use: row.flag("is_in_use")?,
        own_overlap: read_own_overlap(row)?,
    })
}

fn read_output(row: &TableRow<'_>) -> Result<SourceOutput> {
    Ok(SourceOutput {
        id: row.parse("id")?,
        system: row.get("system")?,
        kind: row.in_table("system").parse("kind")?,
        text: row.get("text")?,
        purpose: row.parse("purpose")?,
        twin_of: row.parse_optional("twin_of")?,
        category: row.parse("category")?,
        reason: row.get("category_reason")?,
        edits: row.json("edits")?,
        expected: row.json_optional("expected")?,
    })
}

/// Reads an answer; `None` if it was taken back.
fn read_answer(row: &TableRow<'_>) -> Result<Option<SourceAnswer>> {
    let value = match row.get("kind")? {
        "rating" => AnswerValue::Rating(row.get("dimension")?, row.get("value")?),
        "unjudged" => match row.json("body")? {
            Some(reason) => {
                let note: Option<&str> = row.get("note")?;
                let note = note.map(|_| row.json("note")).transpose()?;
                AnswerValue::Unjudged(reason, note.unwrap_or_default())
            }
            None => return Ok(None),
        },
        "marks" => match row.json("body")? {
            Some(marks) => AnswerValue::Marks(marks),
            None => return Ok(None),
        },
        _ => match row.json("body")? {
            Some(category) => AnswerValue::Category(category),
            None => return Ok(None),
        },
    };

    Ok(Some(SourceAnswer {
        rater: row.parse("rater_id")?,
        label: row.get("label")?,
        output: row.parse("output_id")?,
        value,
    }))
}
