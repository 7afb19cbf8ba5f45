//! The rows of the database, and the fault that is planted into them.

use std::{
    collections::{HashMap, HashSet},
    str::FromStr,
    time::Duration,
};

use domain::{
    ids::{AnnotationId, OutputId},
    random::SeededRandom,
    score::RatingScale,
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
        hidden_ids::HiddenIds,
    },
};
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use super::history::{AnswerRow, EventRow, SentHistory, StepKey, StoredRows, StudyEvents};
use crate::TestDatabase;

/// The text of a column that has no value, as [`TestDatabase::query_rows`] gives it.
const NULL: &str = "NULL";

/// Waits until PostgreSQL has ended the connections of killed servers: a commit in progress may still
/// be carried out. SQLite's end with the process.
pub(super) async fn await_quiet(database: &TestDatabase) {
    const OTHERS: &str = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    const ATTEMPTS: usize = 600;

    if database.file().is_some() {
        return;
    }
    for _ in 0..ATTEMPTS {
        if database.query_rows(OTHERS).await == [["0"]] {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("PostgreSQL keeps connections of servers that were killed");
}

/// Reads all that concerns the annotators' work.
///
/// # Panics
/// Where a row is not one that an annotator of this test could have caused.
pub(super) async fn read_rows(database: &TestDatabase) -> StoredRows {
    let answers = database
        .query_rows(
            "SELECT a.id, a.assignment_id, a.kind, a.output_id, a.dimension, CAST(a.value AS TEXT), a.body,
                    a.supersedes, CAST(a.current AS BIGINT), s.slug, a.event, x.seed
             FROM stored_annotation a JOIN study s ON s.id = a.study_id JOIN assignment x ON x.id = a.assignment_id
             ORDER BY a.event, a.id",
        )
        .await;

    let assignments = database
        .query_rows("SELECT id, state FROM assignment")
        .await;
    let assignments = assignments
        .iter()
        .map(|row| (parse(&row[0]), parse(&row[1])));

    StoredRows {
        answers: answers.iter().map(|row| read_answer(row)).collect(),
        assignments: assignments.collect(),
        times: read_times(database).await,
        events: read_events(database).await,
        damage: find_damage(database).await,
    }
}

fn read_answer(row: &[String]) -> AnswerRow {
    let [
        id,
        assignment,
        kind,
        output,
        dimension,
        value,
        body,
        parent,
        current,
        study,
        event,
        seed,
    ] = row
    else {
        panic!("twelve columns were asked for");
    };

    let output = || parse::<OutputId>(output);
    let (mut slot, mut answer) = match &kind[..] {
        "category" => (
            AnnotationSlot::Category { output: output() },
            AnnotationAnswer::Category(parse_json(body)),
        ),
        "rating" => {
            let slot = AnnotationSlot::Rating {
                output: output(),
                dimension: dimension.clone(),
            };
            // SQLite writes a whole number with “.0”. Any other fraction fails to parse, as it should.
            let number = value.strip_suffix(".0").unwrap_or(value);
            let score = (value != NULL).then(|| RatingScale::PERCENT.score(parse(number)));
            let score = score.map(|score| score.expect("it is on the scale"));
            (slot, AnnotationAnswer::Rating(score))
        }
        "edits" => (
            AnnotationSlot::Edits { output: output() },
            AnnotationAnswer::Edits(parse_json(body)),
        ),
        "unjudged" => (
            AnnotationSlot::Unjudged { output: output() },
            AnnotationAnswer::Unjudged(parse_json(body)),
        ),
        "note" => (
            AnnotationSlot::Note { output: output() },
            AnnotationAnswer::Note(parse_json(body)),
        ),
        "order" => (
            AnnotationSlot::Order,
            AnnotationAnswer::Order(parse_json(body)),
        ),
        other => panic!("no annotator of this test gives an answer of the kind {other}"),
    };

    // Annotators know outputs by other ids.
    let ids = HiddenIds::new(parse::<i64>(seed).cast_unsigned());
    ids.hide_answer(&mut slot, &mut answer);
    let change = AnnotationChange {
        id: parse(id),
        supersedes: (parent != NULL).then(|| parse(parent)),
        slot,
        answer,
    };

    AnswerRow {
        assignment: parse(assignment),
        change,
        current: current == "1",
        study: study.clone(),
        event: parse(event),
    }
}

async fn read_times(database: &TestDatabase) -> HashMap<StepKey, u64> {
    let rows = database
        .query_rows("SELECT assignment_id, tab, step, active_ms FROM activity")
        .await;

    let read = |row: &Vec<String>| {
        let step: AnnotationStep = parse_json(&format!("\"{}\"", row[2]));
        ((parse(&row[0]), parse(&row[1]), step), parse(&row[3]))
    };
    rows.iter().map(read).collect()
}

async fn read_events(database: &TestDatabase) -> Vec<StudyEvents> {
    let studies = database
        .query_rows("SELECT id, slug, events FROM study")
        .await;
    let events = database
        .query_rows("SELECT study_id, number, kind, subject FROM event ORDER BY study_id, number")
        .await;

    let mut by_study: HashMap<&str, Vec<EventRow>> = HashMap::new();
    for row in &events {
        by_study.entry(&row[0]).or_default().push(EventRow {
            number: parse(&row[1]),
            kind: parse(&row[2]),
            subject: row[3].clone(),
        });
    }

    let of_study = |row: &Vec<String>| StudyEvents {
        study: row[1].clone(),
        counter: parse(&row[2]),
        events: by_study.get(&row[0][..]).cloned().unwrap_or_default(),
    };
    studies.iter().map(of_study).collect()
}

/// The faults that SQLite finds in its file, and a setting of the database with which a power cut could lose
/// acknowledged work, which no kill shows.
///
/// PostgreSQL has no such check of its files. Servers do not change the settings of their connections, so a
/// connection from this test to the same address has the same settings. SQLite's `synchronous` belongs to the connection
/// that writes: `only_transactions_that_say_so_are_not_durable` in `store` tests it. Its journal is the file's.
async fn find_damage(database: &TestDatabase) -> Vec<String> {
    if database.file().is_none() {
        let commit = database.query_rows("SHOW synchronous_commit").await;
        let is_durable = commit != [["off"]];
        let sentence =
            "PostgreSQL acknowledges commits before they are on disk: synchronous_commit is off";
        return (!is_durable)
            .then(|| sentence.to_owned())
            .into_iter()
            .collect();
    }

    let journal = database.query_rows("PRAGMA journal_mode").await;
    if journal != [["wal"]] {
        return vec![format!(
            "SQLite’s journal is {journal:?}, and its file was set to “wal”"
        )];
    }

    let rows = database.query_rows("PRAGMA integrity_check").await;
    let lines = rows.into_iter().flatten();
    lines.filter(|line| line != "ok").collect()
}

/// Deletes an acknowledged answer that counts, as if it had never been stored, and returns its id; `None`
/// where there is none.
pub(super) async fn plant_lost_write(
    database: &TestDatabase,
    history: &SentHistory,
    random: &mut SeededRandom,
) -> Option<AnnotationId> {
    let rows = read_rows(database).await;
    let current = rows.answers.iter().filter(|row| row.current);
    let current: HashSet<_> = current.map(|row| row.change.id).collect();
    let acknowledged = history.acknowledged_changes();
    let candidates: Vec<_> = acknowledged.filter(|id| current.contains(id)).collect();
    if candidates.is_empty() {
        return None;
    }

    let id = candidates[random.below(candidates.len())];
    let sql = format!("DELETE FROM stored_annotation WHERE id = '{id}'");
    database.execute_sql(sql).await;
    Some(id)
}

fn parse<T: FromStr>(text: &str) -> T {
    let Ok(value) = text.parse() else {
        panic!("a row holds “{text}”");
    };
    value
}

fn parse_json<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("a row holds “{text}”: {error}"))
}
