//! The task that an annotator judges.

use domain::{
    ids::{AssignmentId, PersonId, SourceId},
    protocol::WriteStep,
    random::SeededRandom,
    study::{AssignmentState, SourcePurpose},
    work::{
        anchors::ScoreAnchors,
        hidden_ids::HiddenIds,
        task::{AnnotationTask, LeadQuestion, TaskItem},
    },
    writing::WritingStart,
};
use sqlx::AnyConnection;

use crate::{
    Result, Store, answer_columns, begun_consensus,
    columns::{BindId, TableRow},
    comparison_plans, discussions, source_context, source_items,
};

impl Store {
    /// The person's own assignment with everything that the browser needs; `None` if they have no
    /// such assignment. Expected answers are shown in a tutorial, and in training after it was
    /// handed in.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn task(
        &self,
        person: PersonId,
        assignment: AssignmentId,
    ) -> Result<Option<AnnotationTask>> {
        // One transaction, so that answers and state are from the same moment.
        let mut tx = self.reader().begin().await?;
        let task = load_task(&mut tx, person, assignment).await?;
        tx.commit().await?;
        Ok(task)
    }

    /// Replaces the stored ids of outputs in a task by those for its annotator's page, which reveal
    /// nothing about the outputs. Answers may come back with either.
    ///
    /// # Errors
    /// When the database fails, or the assignment has been erased.
    pub async fn hide_outputs(&self, task: &mut AnnotationTask) -> Result<()> {
        let seed: i64 = sqlx::query_scalar("SELECT seed FROM assignment WHERE id = $1")
            .bind_id(task.assignment)
            .fetch_one(self.reader())
            .await?;
        HiddenIds::new(seed.cast_unsigned()).hide_task(task);
        Ok(())
    }
}

async fn load_task(
    tx: &mut AnyConnection,
    person: PersonId,
    assignment: AssignmentId,
) -> Result<Option<AnnotationTask>> {
    let row = sqlx::query(
        "SELECT a.study_id, a.source_id, a.rater_id, a.state, a.group_id, a.seed, s.text, s.purpose, t.slug,
                t.name, t.settings, t.guidelines, t.closed_at,
                (SELECT CAST(COALESCE(SUM(v.active_ms), 0) AS BIGINT) FROM activity v
                 WHERE v.assignment_id = a.id) AS active_ms
         FROM assignment a
         JOIN rater r ON r.id = a.rater_id
         JOIN source s ON s.id = a.source_id
         JOIN study t ON t.id = a.study_id
         WHERE a.id = $1 AND r.person_id = $2",
    )
    .bind_id(assignment)
    .bind_id(person)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(None) };

    let row = TableRow::named("assignment", &row, assignment);
    let state = row.parse("state")?;
    let purpose = row.parse::<SourcePurpose>("purpose")?.as_shown();
    let source = row.parse("source_id")?;

    let settings: domain::study::StudySettings = row.in_table("study").json("settings")?;
    let group = row.get::<Option<&str>>("group_id")?;
    let rates_first = settings.rates_first(group);
    let settings = settings.narrowed_to(group);
    let protocol = settings.protocol;

    let number = number_among(tx, row.get("rater_id")?, (assignment, purpose)).await?;
    let shown = purpose == SourcePurpose::Tutorial
        || (purpose == SourcePurpose::Training && state == AssignmentState::HandedIn);
    let (questions, only_questions) = load_questions(tx, assignment, state).await?;
    let start = match protocol.write_step() {
        Some(step) => load_start(tx, source, row.get("text")?, step).await?,
        None => String::new(),
    };

    let mut items = source_items::load(tx, source).await?;
    items.retain(|item| protocol.judges(item.purpose));
    let answers = load_answers(tx, assignment).await?;
    let seed: i64 = row.get("seed")?;
    let planned = comparison_plans::load(tx, source, &protocol).await?;
    let comparisons =
        source_items::draw_comparisons(source, &items, &protocol, &planned, seed, &answers);

    let mut items: Vec<_> = items
        .into_iter()
        .map(|item| TaskItem {
            output: item.output,
            copies: item.copies,
            text: item.text,
            category: item.category,
            reason: item.reason,
            edits: item.edits,
            unsure: Vec::new(),
            moved: Vec::new(),
            expected: item
                .expected
                .filter(|_| shown)
                .map(|expected| expected.as_asked(rates_first)),
        })
        .collect();

    SeededRandom::new(seed.cast_unsigned()).shuffle(&mut items);

    let mut task = AnnotationTask {
        assignment,
        state: if only_questions {
            AssignmentState::Open
        } else {
            state
        },
        study: row.parse("study_id")?,
        slug: row.in_table("study").parse("slug")?,
        study_name: row.get("name")?,
        purpose,
        number,
        source: row.get("text")?,
        context: source_context::load(tx, source).await?,
        reference: match protocol.shows_reference() {
            true => load_reference(tx, source).await?,
            false => None,
        },
        anchors: ScoreAnchors::for_study(row.get("guidelines")?, &settings.dimensions),
        dimensions: settings.dimensions,
        start,
        protocol,
        layout: settings.layout,
        accepts_unjudged: settings.accepts_unjudged,
        items,
        comparisons,
        answers,
        active_ms: row.get::<i64>("active_ms")?.unsigned_abs(),
        questions,
        only_questions,
        is_study_closed: row.is_set("closed_at")?,
        is_being_agreed: begun_consensus::is_begun(tx, source).await?,
    };

    task.take_out_hidden();
    Ok(Some(task))
}

/// The text with which annotators begin to write; empty if the source has no output of the system.
async fn load_start(
    tx: &mut AnyConnection,
    source: SourceId,
    text: &str,
    step: &WriteStep,
) -> Result<String> {
    match step.start {
        WritingStart::Blank => return Ok(String::new()),
        WritingStart::Source => return Ok(text.to_owned()),
        WritingStart::Output => {}
    }

    let text = sqlx::query_scalar(
        "SELECT o.text FROM output o JOIN system y ON y.id = o.system_id
         WHERE o.source_id = $1 AND y.name = $2 AND o.purpose = 'main'",
    )
    .bind_id(source)
    .bind(&step.start_system)
    .fetch_optional(tx)
    .await?;
    Ok(text.unwrap_or_default())
}

/// The first reference of a source.
async fn load_reference(tx: &mut AnyConnection, source: SourceId) -> Result<Option<String>> {
    let query = "SELECT text FROM reference WHERE source_id = $1 ORDER BY position LIMIT 1";
    Ok(sqlx::query_scalar(query)
        .bind_id(source)
        .fetch_optional(tx)
        .await?)
}

/// The lead's questions to the annotator, and whether only the outputs that they concern were given
/// back.
async fn load_questions(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
    state: AssignmentState,
) -> Result<(Vec<LeadQuestion>, bool)> {
    Ok(match state {
        AssignmentState::HandedIn => {
            let questions = discussions::open_questions(tx, assignment).await?;
            let asked = !questions.is_empty();
            (questions, asked)
        }
        AssignmentState::Open => {
            let question = discussions::source_question(tx, assignment).await?;
            (question.into_iter().collect(), false)
        }
        AssignmentState::Skipped | AssignmentState::Released => (vec![], false),
    })
}

/// The current answers of an assignment, in the order in which they came.
pub(crate) async fn load_answers(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
) -> Result<Vec<domain::work::change::StoredAnswer>> {
    let rows = sqlx::query(
        "SELECT id, output_id, kind, dimension, compared, value, scale, body FROM annotation
         WHERE assignment_id = $1 AND current = 1 ORDER BY event, id",
    )
    .bind_id(assignment)
    .fetch_all(tx)
    .await?;
    rows.iter().map(answer_columns::read).collect()
}

/// The number of the assignment among those that the rater has for the same purpose as they see it,
/// from 1. Assignments that were taken back do not count, except this one.
async fn number_among(
    tx: &mut AnyConnection,
    rater: &str,
    (assignment, purpose): (AssignmentId, SourcePurpose),
) -> Result<u32> {
    let assignments: Vec<String> = sqlx::query_scalar(
        "SELECT a.id FROM assignment a JOIN source s ON s.id = a.source_id
         WHERE a.rater_id = $1
           AND CASE s.purpose WHEN 'attention' THEN 'main' ELSE s.purpose END = $3 AND (a.state <> 'released' OR a.id = $2)
         ORDER BY a.created_at, a.id",
    )
    .bind(rater)
    .bind_id(assignment)
    .bind(purpose.name())
    .fetch_all(tx)
    .await?;

    let own = assignment.to_string();
    let before = assignments.iter().position(|id| *id == own);
    let number = before.map_or(assignments.len(), |before| before + 1);
    Ok(u32::try_from(number).unwrap_or(u32::MAX))
}
