//! An index of the sources and outputs in a study, including hidden ones and those of the running
//! import.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use domain::{
    ids::{OutputId, RaterId, SourceId, StudyId, SystemId},
    source_context::{ContextSide, SourceContext},
    study::{RaterKind, SourcePurpose, SystemKind},
};
use rustc_hash::FxHashMap;
use sqlx::AnyConnection;

use crate::{
    Error, Result,
    answer_columns::SHARED_RATING,
    columns::{BindId, TableRow},
};

/// The data with which an import compares rows.
#[derive(Default)]
pub(super) struct StudyIndex {
    sources: HashMap<String, IndexedSource>,
    keys_by_text: HashMap<(SourcePurpose, Arc<str>), String>,
    references: HashMap<SourceId, Vec<Arc<str>>>,
    contexts: HashMap<(SourceId, ContextSide), Arc<str>>,
    pub(super) systems: HashMap<String, (SystemId, SystemKind)>,
    pub(super) outputs: FxHashMap<OutputKey, (OutputId, Arc<str>)>,
    source_of: FxHashMap<OutputId, SourceId>,
    /// The first output of a source with each text.
    first: HashMap<(SourceId, Arc<str>), OutputId>,
    pub(super) raters: HashMap<String, (RaterId, RaterKind)>,
    dimensions: Vec<Arc<str>>,
    /// Ids are our own, so nobody can choose them to slow down a fast hash.
    ratings: FxHashMap<(RaterId, OutputId, usize), f64>,
    pub(super) answers: HashMap<(RaterId, OutputId, &'static str), String>,
    pub(super) next: NextPositions,
}

struct IndexedSource {
    id: SourceId,
    text: Arc<str>,
    purpose: SourcePurpose,
}

/// A system gives a source one output.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct OutputKey {
    pub(super) source: SourceId,
    pub(super) system: SystemId,
}

/// The positions of the next rows.
#[derive(Default)]
pub(super) struct NextPositions {
    source: i64,
    system: i64,
    output: i64,
    rater: i64,
}

impl StudyIndex {
    pub(super) async fn load(tx: &mut AnyConnection, study: StudyId) -> Result<Self> {
        let mut index = Self::default();
        index.read_sources(tx, study).await?;
        index.read_outputs(tx, study).await?;
        index.read_answers(tx, study).await?;
        Ok(index)
    }

    /// An existing source: its id, its key, and the difference, if there is one.
    pub(super) fn find_source(
        &self,
        key: Option<&str>,
        text: &str,
        purpose: SourcePurpose,
    ) -> Option<(SourceId, &str, Option<String>)> {
        let key = match key {
            Some(key) => key,
            None => self.keys_by_text.get(&(purpose, text.into()))?,
        };

        let (key, there) = self.sources.get_key_value(key)?;
        let differs = if there.purpose != purpose {
            Some(format!("another purpose ({})", there.purpose))
        } else if *there.text != *text {
            Some("another text".to_owned())
        } else {
            None
        };
        Some((there.id, key, differs))
    }

    /// The texts of the sources with this purpose.
    pub(super) fn source_texts(&self, purpose: SourcePurpose) -> impl Iterator<Item = &str> {
        let sources = self.sources.values();
        let wanted = sources.filter(move |source| source.purpose == purpose);
        wanted.map(|source| &*source.text)
    }

    /// The text of the source with this key.
    pub(super) fn source_text(&self, key: &str) -> Option<Arc<str>> {
        self.sources.get(key).map(|source| Arc::clone(&source.text))
    }

    /// Adds a source. Without a key, its number becomes its key, or the next free number.
    pub(super) fn add_source(
        &mut self,
        id: SourceId,
        key: Option<&str>,
        text: &str,
        purpose: SourcePurpose,
    ) -> (i64, String) {
        let position = take_position(&mut self.next.source);
        let free = |n: &i64| !self.sources.contains_key(&n.to_string());
        let key = key.map_or_else(
            || {
                let number = (position + 1..).find(free);
                number.expect("numbers do not run out").to_string()
            },
            str::to_owned,
        );

        self.insert_source(id, key.clone(), text.into(), purpose);
        (position, key)
    }

    fn insert_source(&mut self, id: SourceId, key: String, text: Arc<str>, purpose: SourcePurpose) {
        self.keys_by_text
            .entry((purpose, Arc::clone(&text)))
            .or_insert_with(|| key.clone());
        self.sources
            .insert(key, IndexedSource { id, text, purpose });
    }

    /// Adds the references that the source lacks, and returns them with their positions.
    pub(super) fn add_references(
        &mut self,
        source: SourceId,
        texts: &[&str],
    ) -> Vec<(i64, Arc<str>)> {
        let stored_references = self.references.entry(source).or_default();
        let mut new = vec![];
        for (at, text) in texts.iter().enumerate() {
            let times = texts[..=at].iter().filter(|t| *t == text).count();
            if stored_references.iter().filter(|t| ***t == **text).count() < times {
                let text: Arc<str> = (*text).into();
                new.push((stored_references.len() as i64, Arc::clone(&text)));
                stored_references.push(text);
            }
        }
        new
    }

    /// The sides of a context that the source lacks; the error is a side on which it has another
    /// text.
    pub(super) fn new_context<'a>(
        &self,
        source: SourceId,
        context: &'a SourceContext,
    ) -> Result<Vec<(ContextSide, &'a str)>, ContextSide> {
        let mut new = vec![];
        for (side, text) in context.sides() {
            match self.contexts.get(&(source, side)) {
                None => new.push((side, text)),
                Some(there) if **there == *text => {}
                Some(_) => return Err(side),
            }
        }
        Ok(new)
    }

    pub(super) fn add_context(&mut self, source: SourceId, side: ContextSide, text: Arc<str>) {
        self.contexts.insert((source, side), text);
    }

    /// Adds an output, and returns the first one with the same text, unless it is this one.
    pub(super) fn add_output(
        &mut self,
        id: OutputId,
        key: OutputKey,
        text: &Arc<str>,
    ) -> Option<OutputId> {
        self.outputs.insert(key, (id, Arc::clone(text)));
        self.source_of.insert(id, key.source);
        let first = *self
            .first
            .entry((key.source, Arc::clone(text)))
            .or_insert(id);
        (first != id).then_some(first)
    }

    pub(super) fn find_source_id(&self, output: OutputId) -> Result<SourceId> {
        self.source_of
            .get(&output)
            .copied()
            .ok_or_else(|| Error::Refused(format!("The study has no output {output}.")))
    }

    /// Adds a rating if there is none, and returns the name of its dimension; otherwise the error
    /// is the existing rating.
    pub(super) fn add_rating(
        &mut self,
        rater: RaterId,
        output: OutputId,
        dimension: &str,
        value: f64,
    ) -> Result<Arc<str>, f64> {
        let at = self.dimensions.iter().position(|d| **d == *dimension);
        let dimension = at.unwrap_or_else(|| {
            self.dimensions.push(dimension.into());
            self.dimensions.len() - 1
        });

        match self.ratings.entry((rater, output, dimension)) {
            Entry::Occupied(existing) => Err(*existing.get()),
            Entry::Vacant(free) => {
                free.insert(value);
                Ok(Arc::clone(&self.dimensions[dimension]))
            }
        }
    }

    async fn read_sources(&mut self, tx: &mut AnyConnection, study: StudyId) -> Result<()> {
        let rows = sqlx::query(
            "SELECT id, position, key, text, purpose FROM stored_source WHERE study_id = $1
             ORDER BY position",
        )
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;
        for row in &rows {
            let row = TableRow::keyed("source", row, "key")?;
            let (id, purpose) = (row.parse("id")?, row.parse("purpose")?);
            let text: &str = row.get("text")?;
            self.insert_source(id, row.id().to_owned(), text.into(), purpose);
            self.next.source = row.get::<i64>("position")? + 1;
        }

        let rows = sqlx::query(
            "SELECT r.source_id, r.text FROM stored_reference r JOIN stored_source s ON s.id = r.source_id
             WHERE s.study_id = $1 ORDER BY r.source_id, r.position",
        )
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;
        for row in &rows {
            let row = TableRow::keyed("reference", row, "source_id")?;
            let texts = self.references.entry(row.parse("source_id")?).or_default();
            texts.push(row.get::<&str>("text")?.into());
        }

        let rows = sqlx::query(
            "SELECT c.source_id AS id, c.side, c.text FROM stored_context c
             JOIN stored_source s ON s.id = c.source_id WHERE s.study_id = $1",
        )
        .bind_id(study)
        .fetch_all(tx)
        .await?;
        for row in &rows {
            let row = TableRow::new("context", row)?;
            let text: &str = row.get("text")?;
            self.add_context(row.parse("id")?, row.parse("side")?, text.into());
        }
        Ok(())
    }

    async fn read_outputs(&mut self, tx: &mut AnyConnection, study: StudyId) -> Result<()> {
        let rows =
            sqlx::query("SELECT id, position, name, kind FROM stored_system WHERE study_id = $1")
                .bind_id(study)
                .fetch_all(&mut *tx)
                .await?;
        for row in &rows {
            let row = TableRow::keyed("system", row, "name")?;
            let system = (row.parse("id")?, row.parse("kind")?);
            self.systems.insert(row.id().to_owned(), system);
            self.next.system = self.next.system.max(row.get::<i64>("position")? + 1);
        }

        let rows = sqlx::query(
            "SELECT id, source_id, system_id, position, text, purpose FROM stored_output
             WHERE study_id = $1 ORDER BY position",
        )
        .bind_id(study)
        .fetch_all(tx)
        .await?;
        for row in &rows {
            let row = TableRow::new("output", row)?;
            self.next.output = row.get::<i64>("position")? + 1;
            if row.get::<&str>("purpose")? != "main" {
                continue;
            }
            let key = OutputKey {
                source: row.parse("source_id")?,
                system: row.parse("system_id")?,
            };
            self.add_output(row.parse("id")?, key, &row.get::<&str>("text")?.into());
        }
        Ok(())
    }

    async fn read_answers(&mut self, tx: &mut AnyConnection, study: StudyId) -> Result<()> {
        let rows =
            sqlx::query("SELECT id, position, kind, label FROM stored_rater WHERE study_id = $1")
                .bind_id(study)
                .fetch_all(&mut *tx)
                .await?;
        for row in &rows {
            let row = TableRow::keyed("rater", row, "label")?;
            let rater = (row.parse("id")?, row.parse("kind")?);
            self.raters.insert(row.id().to_owned(), rater);
            self.next.rater = self.next.rater.max(row.get::<i64>("position")? + 1);
        }

        let rows = sqlx::query(
            "SELECT id, rater_id, output_id, kind, dimension, value, body FROM stored_annotation
             WHERE study_id = $1 AND current = 1 AND assignment_id IS NULL",
        )
        .bind_id(study)
        .fetch_all(tx)
        .await?;
        for row in &rows {
            let row = TableRow::new("annotation", row)?;
            let rater = row.parse("rater_id")?;
            let output = row.parse("output_id")?;
            let kind: &str = row.get("kind")?;
            if ["rating", SHARED_RATING].contains(&kind) {
                let value = row.get("value")?;
                // There is one current rating per rater, output and dimension.
                let _ = self.add_rating(rater, output, row.get("dimension")?, value);
            } else if let Some(kind) = crate::answer_columns::KINDS
                .into_iter()
                .find(|k| *k == kind)
            {
                self.answers.insert((rater, output, kind), row.get("body")?);
            }
        }
        Ok(())
    }
}

impl NextPositions {
    pub(super) const fn system(&mut self) -> i64 {
        take_position(&mut self.system)
    }

    pub(super) const fn output(&mut self) -> i64 {
        take_position(&mut self.output)
    }

    pub(super) const fn rater(&mut self) -> i64 {
        take_position(&mut self.rater)
    }
}

const fn take_position(next: &mut i64) -> i64 {
    *next += 1;
    *next - 1
}
