//! Annotators' results on quality-control items among the outputs of sources.

use std::collections::HashMap;

use domain::{
    comparison::ComparisonChoice,
    ids::{OutputId, RaterId, SourceId, StudyId},
    span_marks::SpanMark,
    statistics::quality::CheckOutcome,
    study::{OutputPurpose, StudySettings},
    work::output_checks::{CheckOutput, GivenChoice, judge_marks},
};
use sqlx::AnyConnection;

use crate::{
    Result, Store, answer_columns,
    columns::{BindId, TableRow, read_rows},
    rating_rows::{StudyPart, part},
    studies,
};

/// An annotator's answer about a quality-control item.
#[derive(Debug, Clone, PartialEq)]
pub struct QualityCheck {
    /// The rater.
    pub rater: RaterId,
    /// The rater's pseudonym.
    pub label: String,
    /// The item.
    pub output: OutputId,
    /// The kind of item.
    pub purpose: OutputPurpose,
    /// Its source.
    pub source: SourceId,
    /// The group of raters for which the rater was given the source.
    pub group: Option<String>,
    /// The dimension of a score or a comparison; empty for marks.
    pub dimension: String,
    /// The meaning of the answer, given the same annotator's answers about the output from which
    /// the item was made.
    pub outcome: CheckOutcome,
}

/// The columns of a score of the item `o`, with the score of the output from which it was made; the
/// joins of the answer `a` in the assignment `x` follow.
macro_rules! scores {
    () => {
        "SELECT a.id, a.rater_id, r.label, a.output_id, o.purpose, a.source_id, x.group_id, a.dimension,
                a.value, b.value AS original "
    };
}

/// The join with the same rater's answer of the kind about the output from which the item `o` was
/// made. An output has few answers. COALESCE keeps SQLite from looking them up by the rater, among
/// all of their answers to the source for each item.
macro_rules! original {
    ($kind:literal) => {
        concat!(
            " LEFT JOIN annotation b ON b.output_id = o.made_from AND COALESCE(b.rater_id, '') = a.rater_id
                AND b.kind = '",
            $kind,
            "' AND b.dimension = a.dimension AND b.current = 1
                AND NOT EXISTS (SELECT 1 FROM open_question q
                    WHERE q.assignment_id = b.assignment_id AND q.output_id = b.output_id) "
        )
    };
}

/// The columns of marks of the item `o` of the source `s`, with the marks of the output from which
/// it was made.
macro_rules! marks {
    () => {
        "SELECT a.id, a.rater_id, r.label, a.output_id, o.purpose, a.source_id, x.group_id, a.dimension,
                a.body, b.body AS original, o.text, s.text AS source_text "
    };
}

/// The columns of a comparison in a source that has items.
macro_rules! choices {
    () => {
        "SELECT a.id, a.rater_id, r.label, a.source_id, x.group_id, a.dimension, a.compared, a.body "
    };
}

/// The columns of an item.
macro_rules! items {
    () => {
        "SELECT o.id, o.source_id, o.purpose, o.made_from "
    };
}

/// The joins that begin with the items. SQLite joins in the order of CROSS JOIN: few outputs are
/// quality-control items, and there are many answers.
macro_rules! items_first {
    ($original:expr) => {
        concat!(
            "FROM source s
             CROSS JOIN output o
             CROSS JOIN annotation a
             JOIN rater r ON r.id = a.rater_id
             JOIN assignment x ON x.id = a.assignment_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id",
            $original
        )
    };
}

/// The joins for a rater's answers in sources that were submitted after a time.
macro_rules! of_rater {
    ($original:expr) => {
        concat!(
            "FROM assignment x
             JOIN rater r ON r.id = x.rater_id
             JOIN source s ON s.id = x.source_id
             JOIN annotation a ON a.assignment_id = x.id AND a.current = 1
             JOIN output o ON o.id = a.output_id AND o.purpose <> 'main'",
            $original,
            "WHERE x.rater_id = $1 AND x.state = 'handed-in' AND x.ended_at > $2 "
        )
    };
}

impl Store {
    /// The answers about quality-control items in sources of a part of the study that were handed
    /// in, rater by rater. Leaves out raters who withdrew.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn quality_checks(
        &self,
        study: StudyId,
        part: StudyPart,
    ) -> Result<Vec<QualityCheck>> {
        let settings = {
            let mut reader = self.reader().acquire().await?;
            studies::load_settings(&mut reader, study).await?
        };

        let mut checks = vec![];
        if settings.protocol.scores() {
            let statement = part!(
                part,
                concat!(scores!(), items_first!(original!("rating"))),
                whole: "WHERE s.study_id = $1 AND $2 = ''",
                source: "WHERE s.study_id = $1 AND s.id = $2",
                "AND o.source_id = s.id AND a.output_id = o.id AND a.kind = 'rating' AND a.current = 1
                   AND a.value IS NOT NULL AND o.purpose <> 'main' AND x.state = 'handed-in'
                   AND m.withdrawn_at IS NULL
                 ORDER BY r.position, o.position"
            );
            let rows = self.part_rows(statement, study, part).await?;
            checks.extend(self.readable_rows("annotation", study, &rows, read_score)?);
        }

        if settings.protocol.mark_spans_step().is_some() {
            let statement = part!(
                part,
                concat!(marks!(), items_first!(original!("marks"))),
                whole: "WHERE s.study_id = $1 AND $2 = ''",
                source: "WHERE s.study_id = $1 AND s.id = $2",
                "AND o.source_id = s.id AND a.output_id = o.id AND a.kind = 'marks' AND a.current = 1
                   AND a.body <> 'null' AND o.purpose <> 'main' AND x.state = 'handed-in'
                   AND m.withdrawn_at IS NULL
                 ORDER BY r.position, o.position"
            );
            let rows = self.part_rows(statement, study, part).await?;
            checks.extend(self.readable_rows("annotation", study, &rows, read_marks)?);
        }

        if settings.protocol.compares() {
            let statement = part!(
                part,
                concat!(items!(), "FROM source s JOIN output o ON o.source_id = s.id"),
                whole: "WHERE s.study_id = $1 AND $2 = ''",
                source: "WHERE s.study_id = $1 AND s.id = $2",
                "AND o.purpose <> 'main' AND o.made_from IS NOT NULL"
            );
            let rows = self.part_rows(statement, study, part).await?;
            let items = self.readable_rows("output", study, &rows, read_item)?;

            let statement = part!(
                part,
                concat!(
                    choices!(),
                    "FROM source s
                     CROSS JOIN annotation a
                     JOIN rater r ON r.id = a.rater_id
                     JOIN assignment x ON x.id = a.assignment_id
                     LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id"
                ),
                whole: "WHERE s.study_id = $1 AND $2 = ''",
                source: "WHERE s.study_id = $1 AND s.id = $2",
                "AND EXISTS (SELECT 1 FROM output o WHERE o.source_id = s.id AND o.purpose <> 'main')
                   AND a.source_id = s.id AND a.kind = 'comparison' AND a.current = 1
                   AND a.body <> 'null' AND x.state = 'handed-in' AND m.withdrawn_at IS NULL
                 ORDER BY r.position, a.source_id, a.id"
            );
            let rows = self.part_rows(statement, study, part).await?;
            let choices = self.readable_rows("annotation", study, &rows, read_choice)?;
            checks.extend(judge_choices(&items, &choices));
        }

        Ok(checks)
    }
}

/// A rater's answers about quality-control items in sources that were submitted after a time.
pub(crate) async fn load_rater_checks(
    tx: &mut AnyConnection,
    rater: RaterId,
    settings: &StudySettings,
    after_ms: i64,
) -> Result<Vec<QualityCheck>> {
    let mut load = async |statement: &'static str| {
        let rows = sqlx::query(statement).bind_id(rater).bind(after_ms);
        rows.fetch_all(&mut *tx).await
    };

    let mut checks = vec![];
    if settings.protocol.scores() {
        let rows = load(concat!(
            scores!(),
            of_rater!(original!("rating")),
            "AND a.kind = 'rating' AND a.value IS NOT NULL"
        ))
        .await?;
        checks.extend(read_rows::<_, Vec<_>>("annotation", &rows, read_score)?);
    }

    if settings.protocol.mark_spans_step().is_some() {
        let rows = load(concat!(
            marks!(),
            of_rater!(original!("marks")),
            "AND a.kind = 'marks' AND a.body <> 'null'"
        ))
        .await?;
        checks.extend(read_rows::<_, Vec<_>>("annotation", &rows, read_marks)?);
    }

    if settings.protocol.compares() {
        let rows = load(concat!(
            items!(),
            "FROM assignment x
             JOIN output o ON o.source_id = x.source_id AND o.purpose <> 'main'
             WHERE x.rater_id = $1 AND x.state = 'handed-in' AND x.ended_at > $2
               AND o.made_from IS NOT NULL"
        ))
        .await?;
        let items: Vec<_> = read_rows("output", &rows, read_item)?;

        let rows = load(concat!(
            choices!(),
            "FROM assignment x
             JOIN rater r ON r.id = x.rater_id
             JOIN annotation a ON a.assignment_id = x.id AND a.current = 1
             WHERE x.rater_id = $1 AND x.state = 'handed-in' AND x.ended_at > $2
               AND a.kind = 'comparison' AND a.body <> 'null'
             ORDER BY a.source_id, a.id"
        ))
        .await?;
        let choices: Vec<_> = read_rows("annotation", &rows, read_choice)?;
        checks.extend(judge_choices(&items, &choices));
    }

    Ok(checks)
}

/// A rater's choice among outputs of a source.
struct ChoiceOnSource {
    rater: RaterId,
    label: String,
    source: SourceId,
    group: Option<String>,
    given: GivenChoice,
}

/// Judges the choices that items are in; a rater's choices on a source are consecutive.
fn judge_choices(
    items: &[(SourceId, CheckOutput)],
    choices: &[ChoiceOnSource],
) -> Vec<QualityCheck> {
    let mut by_source = HashMap::<SourceId, Vec<CheckOutput>>::new();
    for (source, item) in items {
        by_source.entry(*source).or_default().push(*item);
    }

    let mut checks = vec![];
    let works = choices.chunk_by(|one, next| (one.rater, one.source) == (next.rater, next.source));
    for work in works {
        let all: Vec<_> = work.iter().map(|choice| choice.given.clone()).collect();
        for item in by_source.get(&work[0].source).into_iter().flatten() {
            let judged = all
                .iter()
                .filter_map(|given| Some((given, item.judge(given, &all)?)));
            checks.extend(judged.map(|(given, outcome)| QualityCheck {
                rater: work[0].rater,
                label: work[0].label.clone(),
                output: item.item,
                purpose: item.purpose,
                source: work[0].source,
                group: work[0].group.clone(),
                dimension: given.dimension.clone(),
                outcome,
            }));
        }
    }
    checks
}

fn read_item(row: &TableRow<'_>) -> Result<(SourceId, CheckOutput)> {
    let item = CheckOutput {
        item: row.parse("id")?,
        purpose: row.parse("purpose")?,
        made_from: row.parse("made_from")?,
    };
    Ok((row.parse("source_id")?, item))
}

fn read_choice(row: &TableRow<'_>) -> Result<ChoiceOnSource> {
    let id: &str = row.get("id")?;
    let choice: ComparisonChoice<OutputId> = row.json("body")?;
    Ok(ChoiceOnSource {
        rater: row.parse("rater_id")?,
        label: row.get("label")?,
        source: row.parse("source_id")?,
        group: row.get("group_id")?,
        given: GivenChoice {
            outputs: answer_columns::parse_compared(id, row.get("compared")?)?,
            dimension: row.get("dimension")?,
            choice,
        },
    })
}

fn read_score(row: &TableRow<'_>) -> Result<QualityCheck> {
    let outcome = CheckOutcome::Score(row.get("value")?, row.get("original")?);
    read_check(row, outcome)
}

fn read_marks(row: &TableRow<'_>) -> Result<QualityCheck> {
    let marks: Option<Vec<SpanMark>> = row.json("body")?;
    let original: Option<Option<Vec<SpanMark>>> = row.json_optional("original")?;
    let texts = (row.get("source_text")?, row.get("text")?);
    let outcome = judge_marks(
        row.parse("purpose")?,
        &marks.unwrap_or_default(),
        original.flatten().as_deref(),
        texts,
    );
    read_check(row, outcome)
}

fn read_check(row: &TableRow<'_>, outcome: CheckOutcome) -> Result<QualityCheck> {
    Ok(QualityCheck {
        rater: row.parse("rater_id")?,
        label: row.get("label")?,
        output: row.parse("output_id")?,
        purpose: row.parse("purpose")?,
        source: row.parse("source_id")?,
        group: row.get("group_id")?,
        dimension: row.get("dimension")?,
        outcome,
    })
}
