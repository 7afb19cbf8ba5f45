//! Adding quality-control items to sources.

use std::collections::HashSet;

use domain::{
    ids::{OutputId, SourceId, StudyId, SystemId},
    random::SeededRandom,
    study::{OutputPurpose, QualityControl, SystemKind},
    text::perturb::{Perturbation, perturb},
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::{AutomaticAnswers, pending, record};
use crate::{
    EventKind, Result, Store, bulk,
    columns::{BindId, parse_text, read_rows},
    event, lock,
    studies::load_settings,
};

impl Store {
    /// Adds the quality-control items that the study's settings ask for, and returns their number.
    /// Each block of n main sources in a row gets one item, chosen by `seed`; sources that were
    /// given out stay as they are. Another call adds what is lacking. `automatic` gives the
    /// automatic answers for a source and an output.
    ///
    /// # Errors
    /// Refused where the study no longer exists or is closed.
    pub async fn add_quality_control(
        &self,
        study: StudyId,
        seed: u64,
        now_ms: i64,
        mut ids: impl FnMut() -> Uuid + Send,
        automatic: impl Fn(&str, &str) -> AutomaticAnswers + Send + Sync,
    ) -> Result<u32> {
        let mut reader = self.reader().acquire().await?;
        let asked = load_settings(&mut reader, study).await?.quality_control;
        drop(reader);
        let planned_items = plan_items(self, study, NO_IMPORT, asked, seed).await?;

        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            record::refuse_concurrent_import(&mut tx, study).await?;
            let new_items = leave_out_changed(&mut tx, &planned_items).await?;
            let added = u32::try_from(new_items.len()).unwrap_or(u32::MAX);
            insert_item(&mut tx, (study, now_ms), new_items, &mut ids, &automatic).await?;
            announce(&mut tx, study, added, now_ms).await?;
            added
        })
    }
}

/// No import has this id.
const NO_IMPORT: &str = "";

/// The SQL condition that a row is visible, or will be once import `$1` is done.
macro_rules! seen {
    ($row:literal) => {
        concat!(
            $row,
            ".hidden_at IS NULL AND (",
            $row,
            ".import_id IS NULL OR ",
            $row,
            ".import_id = $1 OR ",
            $row,
            ".import_id NOT IN (SELECT id FROM import WHERE state <> 'done'))"
        )
    };
}

/// Chooses the items that [`Store::add_quality_control`] adds, as if the import were done, without
/// adding them. It goes through the whole study without a lock: what changes meanwhile is checked
/// when they are added.
pub(super) async fn plan_items(
    store: &Store,
    study: StudyId,
    import: &str,
    asked: QualityControl,
    seed: u64,
) -> Result<Vec<NewQualityItem>> {
    let mut random = SeededRandom::new(seed);
    let mut planned_items = vec![];
    let reader = &mut *store.reader().acquire().await?;

    for (purpose, every) in [
        (OutputPurpose::Copy, asked.copy_every),
        (OutputPurpose::Scrambled, asked.scrambled_every),
        (OutputPurpose::Repeated, asked.repeated_every),
    ] {
        if every > 0 {
            let sources = load_candidates(reader, study, import, purpose).await?;
            for block in sources.chunks(usize::try_from(every).unwrap_or(usize::MAX)) {
                let new_item = choose_item(reader, import, block, (purpose, every), &mut random);
                let new_item = new_item.await?;
                planned_items.extend(new_item);
            }
        }
    }
    Ok(planned_items)
}

/// The items whose sources were neither given out nor got such an item since they were planned.
async fn leave_out_changed<'p>(
    tx: &mut AnyConnection,
    planned: &'p [NewQualityItem],
) -> Result<Vec<&'p NewQualityItem>> {
    let query = "SELECT k.source AS id, k.purpose FROM keys k
                 WHERE EXISTS (SELECT 1 FROM assignment a WHERE a.source_id = k.source)
                    OR EXISTS (SELECT 1 FROM output o
                               WHERE o.source_id = k.source AND o.purpose = k.purpose)";
    let changed = bulk::select(tx, "source, purpose", query, planned, |query, item| {
        query.bind_id(item.source).bind(item.purpose.name())
    });

    let changed: HashSet<(SourceId, OutputPurpose)> =
        read_rows("source", &changed.await?, |row| {
            Ok((row.parse("id")?, row.parse("purpose")?))
        })?;

    let unchanged = planned.iter();
    Ok(unchanged
        .filter(|item| !changed.contains(&(item.source, item.purpose)))
        .collect())
}

/// Records the event of `added` new items, if there are any.
pub(super) async fn announce(
    tx: &mut AnyConnection,
    study: StudyId,
    added: u32,
    now_ms: i64,
) -> Result<()> {
    if added > 0 {
        event::record(tx, study, EventKind::QualityControl, study, now_ms).await?;
    }
    Ok(())
}

/// A main source that may get an item.
struct QualityCandidate {
    source: SourceId,
    text: String,
    /// Whether it was given to an annotator.
    is_assigned: bool,
    /// Whether it has an item of the kind.
    has_item: bool,
}

/// A quality item to be created.
pub(super) struct NewQualityItem {
    pub(super) purpose: OutputPurpose,
    pub(super) source: SourceId,
    pub(super) source_text: String,
    pub(super) text: String,
    pub(super) made_from: Option<OutputId>,
}

impl NewQualityItem {
    /// The item as an output of a system.
    pub(super) fn to_output(
        &self,
        id: OutputId,
        system: SystemId,
        position: i64,
        automatic: &(impl Fn(&str, &str) -> AutomaticAnswers + Send + Sync),
    ) -> pending::PendingOutput {
        pending::PendingOutput {
            id,
            source: self.source,
            system,
            position,
            text: self.text.as_str().into(),
            purpose: self.purpose,
            made_from: self.made_from,
            twin_of: None,
            automatic: automatic(&self.source_text, &self.text),
            verbatim: None,
            expected: None,
        }
    }
}

/// The prefix of the names of the baselines to which quality-control items belong.
pub(crate) const BASELINE_PREFIX: &str = "quality control: ";

/// The name of the baseline to which items of the kind belong.
pub(super) fn system_name(purpose: OutputPurpose) -> String {
    format!("{BASELINE_PREFIX}{purpose}")
}

async fn load_candidates(
    reader: &mut AnyConnection,
    study: StudyId,
    import: &str,
    purpose: OutputPurpose,
) -> Result<Vec<QualityCandidate>> {
    let rows = sqlx::query(concat!(
        "SELECT s.id, s.text,
                CASE WHEN EXISTS (SELECT 1 FROM assignment a WHERE a.source_id = s.id)
                     THEN 1 ELSE 0 END AS given,
                CASE WHEN EXISTS (SELECT 1 FROM stored_output o
                                  WHERE o.source_id = s.id AND o.purpose = $3 AND ",
        seen!("o"),
        ") THEN 1 ELSE 0 END AS items
         FROM stored_source s WHERE s.study_id = $2 AND s.purpose = 'main' AND ",
        seen!("s"),
        " ORDER BY s.position, s.id"
    ))
    .bind(import)
    .bind_id(study)
    .bind(purpose.name())
    .fetch_all(reader)
    .await?;

    read_rows("source", &rows, |row| {
        Ok(QualityCandidate {
            source: row.parse("id")?,
            text: row.get("text")?,
            is_assigned: row.get::<i64>("given")? > 0,
            has_item: row.get::<i64>("items")? > 0,
        })
    })
}

/// The item of a block of sources, unless the block has one. A last block that is not full gets one
/// only as often as its share.
async fn choose_item(
    reader: &mut AnyConnection,
    import: &str,
    block: &[QualityCandidate],
    (purpose, every): (OutputPurpose, u32),
    random: &mut SeededRandom,
) -> Result<Option<NewQualityItem>> {
    let draw = random.below(usize::try_from(every).unwrap_or(usize::MAX));
    if draw >= block.len() || block.iter().any(|candidate| candidate.has_item) {
        return Ok(None);
    }

    let mut open: Vec<_> = block
        .iter()
        .filter(|candidate| !candidate.is_assigned)
        .collect();
    random.shuffle(&mut open);

    for candidate in open {
        let outputs = load_outputs(reader, import, candidate.source).await?;
        if let Some((text, made_from)) = make_item(&candidate.text, outputs, purpose, random) {
            return Ok(Some(NewQualityItem {
                purpose,
                source: candidate.source,
                source_text: candidate.text.clone(),
                text,
                made_from,
            }));
        }
    }
    Ok(None)
}

/// An output from which an item may be made.
struct MainOutput {
    output: OutputId,
    text: String,
}

/// The main outputs of a source in the order of the file, one of each text, without empty ones.
async fn load_outputs(
    reader: &mut AnyConnection,
    import: &str,
    source: SourceId,
) -> Result<Vec<MainOutput>> {
    let rows = sqlx::query(concat!(
        "SELECT o.id, o.text FROM stored_output o
         WHERE o.source_id = $2 AND o.purpose = 'main' AND o.twin_of IS NULL AND o.text <> '' AND ",
        seen!("o"),
        " ORDER BY o.position, o.id"
    ))
    .bind(import)
    .bind_id(source)
    .fetch_all(reader)
    .await?;

    read_rows("output", &rows, |row| {
        Ok(MainOutput {
            output: row.parse("id")?,
            text: row.get("text")?,
        })
    })
}

/// The item's text and the output from which it is made; `None` if it could not be told apart from
/// the outputs.
fn make_item(
    source: &str,
    mut main: Vec<MainOutput>,
    purpose: OutputPurpose,
    random: &mut SeededRandom,
) -> Option<(String, Option<OutputId>)> {
    random.shuffle(&mut main);

    match purpose {
        OutputPurpose::Main => None,
        OutputPurpose::Copy => {
            let copied = main.iter().any(|output| output.text == source);
            (!copied && !main.is_empty()).then(|| (source.to_owned(), None))
        }
        OutputPurpose::Scrambled => main.iter().find_map(|output| {
            let seed = random.below(usize::MAX) as u64;
            let text = perturb(Perturbation::Scramble, source, &output.text, seed);
            let new = main.iter().all(|other| other.text != text);
            new.then_some((text, Some(output.output)))
        }),
        OutputPurpose::Repeated => main
            .first()
            .map(|output| (output.text.clone(), Some(output.output))),
    }
}

async fn insert_item(
    tx: &mut AnyConnection,
    (study, now_ms): (StudyId, i64),
    planned: Vec<&NewQualityItem>,
    ids: &mut (impl FnMut() -> Uuid + Send),
    automatic: &(impl Fn(&str, &str) -> AutomaticAnswers + Send + Sync),
) -> Result<()> {
    let last: i64 = sqlx::query_scalar(
        "SELECT COALESCE(MAX(position), -1) AS position FROM stored_output WHERE study_id = $1",
    )
    .bind_id(study)
    .fetch_one(&mut *tx)
    .await?;

    let mut rows = Vec::with_capacity(planned.len());
    for (position, made) in (last + 1..).zip(planned) {
        let id = OutputId(ids());
        let system = ensure_system(tx, study, made.purpose, SystemId(ids())).await?;
        rows.push(made.to_output(id, system, position, automatic));
    }

    pending::insert_outputs(tx, &study.to_string(), None, now_ms, &rows).await
}

/// The baseline to which items of the kind belong, added with the id `new` if there is none.
async fn ensure_system(
    tx: &mut AnyConnection,
    study: StudyId,
    purpose: OutputPurpose,
    new: SystemId,
) -> Result<SystemId> {
    let name = system_name(purpose);
    sqlx::query(
        "INSERT INTO stored_system (id, study_id, position, name, kind)
         SELECT $1, $2, COALESCE(MAX(position), -1) + 1, $3, $4 FROM stored_system WHERE study_id = $2
         ON CONFLICT (study_id, name) DO NOTHING",
    )
    .bind_id(new)
    .bind_id(study)
    .bind(&name)
    .bind(SystemKind::Baseline.name())
    .execute(&mut *tx)
    .await?;

    let row = sqlx::query("SELECT id FROM system WHERE study_id = $1 AND name = $2")
        .bind_id(study)
        .bind(&name)
        .fetch_one(tx)
        .await?;
    parse_text("system", name, "id", row.try_get("id")?)
}
