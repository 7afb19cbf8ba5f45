//! Importing a file's rows into a study: all or none, and importing twice changes nothing.
//!
//! Rows are written in short transactions under the id of the import, so that saving an answer
//! never waits for long. Views leave rows of an import out that is not done (`migrations/0010_imports.sql`), so
//! nobody sees any of them before one last short transaction says that it is. What a process leaves behind
//! that dies on the way is deleted by the next import, or by a server.

mod cleanup;
mod dimensions;
mod pending;
mod quality_items;
mod record;
mod rows;
mod study_index;
mod undo;

use std::sync::Arc;

use domain::{
    dimensions::RatedRange,
    ids::{AnnotationId, ImportId, OutputId, PersonId, RaterId, SourceId, StudyId, SystemId},
    study::{OutputPurpose, QualityControl, RaterKind, SourcePurpose, SystemKind},
    work::change::AnnotationAnswer,
};
use uuid::Uuid;

pub(crate) use self::record::{LiveImports, refuse_concurrent_import};
use self::{
    pending::PendingRows,
    record::ImportRecord,
    study_index::{OutputKey, StudyIndex},
};
pub use self::{
    record::ImportEntry,
    rows::{AutomaticAnswers, ImportCounts, NewOutput, NewRating, VerbatimRating},
};
use crate::{Error, Result, Store, answer_columns, columns};

/// An import under way. One at a time is under way in a study.
///
/// Its methods, one a kind of thing, wait for nothing: they check a row against what is there and
/// keep it. [`StudyImport::flush`] sends what was kept; without it all of it is kept until the end.
/// A [`Error::Refused`] concerns the row alone: nothing of it was kept, and the import can continue.
/// Dropping it is as good as [`StudyImport::rollback`], except that other processes learn of it later.
pub struct StudyImport {
    record: ImportRecord,
    ids: Box<dyn FnMut() -> Uuid + Send>,
    /// The quality-control items that the study asks for, and how many were added.
    quality_control: QualityControl,
    /// The dimensions of the file, and whether the study lacked one of them.
    dimensions: Vec<RatedRange>,
    dimensions_lacked: bool,
    added: u32,
    index: StudyIndex,
    pending: PendingRows,
    counts: ImportCounts,
}

impl Store {
    /// Begins an import at `now_ms`, with new ids from `ids`.
    ///
    /// # Errors
    /// [`Error::ImportUnderWay`] where another one is under way in the study, refused where the study is
    /// gone or closed, or when the database fails.
    pub async fn begin_import(
        &self,
        study: StudyId,
        now_ms: i64,
        mut ids: impl FnMut() -> Uuid + Send + 'static,
    ) -> Result<StudyImport> {
        let id = ImportId(ids());
        let (record, asked) = ImportRecord::begin(self, study, id, now_ms).await?;
        let mut reader = self.reader().acquire().await?;
        let index = StudyIndex::load(&mut reader, study).await?;
        Ok(StudyImport {
            record,
            ids: Box::new(ids),
            quality_control: asked,
            dimensions: vec![],
            dimensions_lacked: false,
            added: 0,
            index,
            pending: PendingRows::default(),
            counts: ImportCounts::default(),
        })
    }
}

impl StudyImport {
    /// Says whose import it is, and of which files; without it, it is one of the command line.
    pub fn describe(&mut self, person: Option<PersonId>, names: &[String]) {
        self.record.person = person;
        self.record.names = names.to_vec();
    }

    /// Says that it is alive at `now_ms`, which the next [`Self::flush`] stores. One that says nothing for
    /// two minutes is taken for dead.
    pub const fn renew(&mut self, now_ms: i64) {
        self.record.renew(now_ms);
    }

    /// The source with this key, or without a key the one with this text.
    ///
    /// # Errors
    /// Refused where the key belongs to another text or another purpose.
    pub fn source(
        &mut self,
        key: Option<&str>,
        text: &str,
        purpose: SourcePurpose,
    ) -> Result<SourceId> {
        check_storable(&[key.unwrap_or_default(), text])?;
        if let Some((id, key, there)) = self.index.find_source(key, text, purpose) {
            return match there {
                None => Ok(id),
                Some(difference) => {
                    refuse(format!("The source “{key}” is there with {difference}."))
                }
            };
        }
        let id = SourceId((self.ids)());
        let (position, key) = self.index.add_source(id, key, text, purpose);
        self.counts.sources += 1;
        self.pending.sources.push(pending::PendingSource {
            id,
            position,
            key,
            text: text.to_owned(),
            purpose,
        });
        Ok(id)
    }

    /// Sees to it that the source has these references, each as often as it is listed here.
    ///
    /// # Errors
    /// Refused where a text cannot be stored.
    pub fn references<T: AsRef<str>>(&mut self, source: SourceId, texts: &[T]) -> Result<()> {
        let texts: Vec<_> = texts.iter().map(AsRef::as_ref).collect();
        check_storable(&texts)?;
        for (position, text) in self.index.add_references(source, &texts) {
            self.counts.references += 1;
            self.pending.references.push(pending::PendingReference {
                source,
                position,
                text,
            });
        }
        Ok(())
    }

    /// The system of this name. `kind` says what a new one is, a machine where nothing is known; one
    /// that is there stays what it is.
    ///
    /// # Errors
    /// Refused where the name cannot be stored.
    pub fn system(&mut self, name: &str, kind: Option<SystemKind>) -> Result<SystemId> {
        check_storable(&[name])?;
        if let Some((id, _)) = self.index.systems.get(name) {
            return Ok(*id);
        }
        let id = SystemId((self.ids)());
        let kind = kind.unwrap_or(SystemKind::Machine);
        self.index.systems.insert(name.to_owned(), (id, kind));
        self.counts.systems += 1;
        self.pending.systems.push(pending::PendingSystem {
            id,
            position: self.index.next.system(),
            name: name.to_owned(),
            kind,
        });
        Ok(id)
    }

    /// The kind of the system of this name, where the study has one.
    #[must_use]
    pub fn system_kind(&self, name: &str) -> Option<SystemKind> {
        self.index.systems.get(name).map(|(_, kind)| *kind)
    }

    /// The output of this system for this source, and whether it is new; only then `automatic` is
    /// asked for.
    ///
    /// # Errors
    /// Refused where the system has another output for the source.
    pub fn output(
        &mut self,
        new: &NewOutput<'_>,
        automatic: impl FnOnce() -> AutomaticAnswers,
    ) -> Result<(OutputId, bool)> {
        check_storable(&[new.text, new.verbatim.unwrap_or_default()])?;
        let key = OutputKey {
            source: new.source,
            system: new.system,
        };
        if let Some((id, text)) = self.index.outputs.get(&key) {
            if **text == *new.text {
                return Ok((*id, false));
            }
            return refuse(
                "This system has another output for this source already; a system gives one output a \
                 source."
                    .into(),
            );
        }
        let id = OutputId((self.ids)());
        let text: Arc<str> = new.text.into();
        let twin_of = self.index.add_output(id, key, &text);
        self.counts.outputs += 1;
        self.pending.outputs.push(pending::PendingOutput {
            id,
            source: new.source,
            system: new.system,
            position: self.index.next.output(),
            text,
            purpose: OutputPurpose::Main,
            made_from: None,
            twin_of,
            automatic: automatic(),
            verbatim: new.verbatim.map(str::to_owned),
            expected: new.expected.map(columns::to_json),
        });
        Ok((id, true))
    }

    /// The rater of this label: a column or a worker of the file, or a simulated annotator.
    ///
    /// # Errors
    /// Refused where the label is that of a person, or of a rater of the other kind.
    pub fn rater(&mut self, label: &str, kind: RaterKind) -> Result<RaterId> {
        check_storable(&[label])?;
        if kind == RaterKind::Person {
            return refuse("A person becomes a rater by joining the study.".into());
        }
        if let Some((id, there)) = self.index.raters.get(label) {
            if *there == kind {
                return Ok(*id);
            }
            return refuse(format!(
                "“{label}” is a rater of this study of another kind ({there}): give the rater of \
                 the file another name."
            ));
        }
        let id = RaterId((self.ids)());
        self.index.raters.insert(label.to_owned(), (id, kind));
        self.counts.raters += 1;
        self.pending.raters.push(pending::PendingRater {
            id,
            position: self.index.next.rater(),
            kind,
            label: label.to_owned(),
        });
        Ok(id)
    }

    /// Keeps a rating, and tells whether it is new.
    ///
    /// # Errors
    /// Refused where it is no number on its scale, or the rater gave the output another one.
    pub fn rating(&mut self, new: NewRating<'_>) -> Result<bool> {
        check_storable(&[
            new.dimension,
            &new.verbatim.value,
            new.verbatim.z.as_deref().unwrap_or_default(),
            new.verbatim.column.as_deref().unwrap_or_default(),
        ])?;
        if !new.scale.contains(new.value) {
            return refuse(format!(
                "The rating {} is outside the scale from {}.",
                new.verbatim.value, new.scale
            ));
        }
        if let Some(existing) = self.index.find_rating(new.rater, new.output, new.dimension) {
            if existing.to_bits() == new.value.to_bits() {
                return Ok(false);
            }
            return refuse(format!(
                "This rater gave this output {existing} before, and here {}; one rater gives one \
                 rating.",
                new.verbatim.value
            ));
        }
        let source = self.index.find_source_id(new.output)?;
        self.index
            .add_rating(new.rater, new.output, new.dimension, new.value);
        self.counts.answers += 1;
        self.pending.ratings.push(pending::PendingRating {
            id: AnnotationId((self.ids)()),
            source,
            output: new.output,
            rater: new.rater,
            dimension: new.dimension.to_owned(),
            value: new.value,
            scale: answer_columns::scale_text(new.scale),
            body: columns::to_json(&new.verbatim),
        });
        Ok(true)
    }

    /// Keeps what a rater says of an output beside ratings: its category, its edits, a note. Tells
    /// whether it is new.
    ///
    /// # Errors
    /// Refused where it is none of these, or the rater said something else before.
    pub fn answer(
        &mut self,
        rater: RaterId,
        output: OutputId,
        given: &AnnotationAnswer,
    ) -> Result<bool> {
        let kind = answer_columns::kind(given);
        if !matches!(
            given,
            AnnotationAnswer::Category(Some(_))
                | AnnotationAnswer::Edits(Some(_))
                | AnnotationAnswer::Note(_)
        ) {
            return refuse(format!("An answer of the kind {kind} cannot be imported."));
        }
        let body = answer_columns::body(given).expect("these kinds have a body");
        check_storable(&[&body])?;
        let source = self.index.find_source_id(output)?;
        match self.index.answers.entry((rater, output, kind)) {
            std::collections::hash_map::Entry::Occupied(there) if *there.get() == body => {
                return Ok(false);
            }
            std::collections::hash_map::Entry::Occupied(_) => {
                return refuse(format!(
                    "This rater gave this output another {kind} before."
                ));
            }
            std::collections::hash_map::Entry::Vacant(free) => free.insert(body.clone()),
        };
        self.counts.answers += 1;
        self.pending.answers.push(pending::PendingAnswer {
            id: AnnotationId((self.ids)()),
            source,
            output,
            rater,
            kind,
            body,
        });
        Ok(true)
    }

    /// How much is new so far.
    #[must_use]
    pub const fn counts(&self) -> ImportCounts {
        self.counts
    }

    /// Sends what was kept to the database, in short transactions with pauses between them. Nobody sees it
    /// before [`StudyImport::commit`].
    ///
    /// # Errors
    /// When the database fails, or the import was taken for dead; it cannot continue then.
    pub async fn flush(&mut self) -> Result<()> {
        while let Some(batch) = self.pending.next_batch() {
            self.record.write(&batch).await?;
        }
        Ok(())
    }

    /// Adds the quality-control items that the study lacks with what was brought in, as
    /// [`Store::add_quality_control`] does, and tells how many. It is the last thing before
    /// [`StudyImport::commit`]: outputs brought in afterwards would take their places.
    ///
    /// # Errors
    /// When the database fails; the import cannot continue then.
    pub async fn add_quality_control(
        &mut self,
        automatic: impl Fn(&str, &str) -> AutomaticAnswers + Send + Sync,
    ) -> Result<u32> {
        self.flush().await?;
        let seed = (self.ids)().as_u64_pair().1;
        let planned_items = self.record.plan_items(self.quality_control, seed).await?;
        self.added = u32::try_from(planned_items.len()).unwrap_or(u32::MAX);
        // Baselines of quality control are no systems of the file.
        let counts = self.counts;
        for item in planned_items {
            let name = quality_items::system_name(item.purpose);
            let system = self.system(&name, Some(SystemKind::Baseline))?;
            let (id, position) = (OutputId((self.ids)()), self.index.next.output());
            let output = item.into_output(id, system, position, &automatic);
            self.pending.outputs.push(output);
        }
        self.counts = counts;
        Ok(self.added)
    }

    /// Ends the import: all of it is seen, and announced by an event, unless nothing was new.
    ///
    /// # Errors
    /// When the database fails, or the study was closed meanwhile; then nothing is there.
    pub async fn commit(mut self) -> Result<ImportCounts> {
        let published = async {
            self.flush().await?;
            if self.counts == ImportCounts::default() && self.added == 0 && !self.dimensions_lacked
            {
                return self.record.delete().await;
            }
            self.record
                .publish(self.counts, self.added, &self.dimensions)
                .await
        };
        match published.await {
            Ok(()) => Ok(self.counts),
            Err(error) => {
                if let Err(error) = self.rollback().await {
                    tracing::debug!(%error, "the rows of an import are left to the next one");
                }
                Err(error)
            }
        }
    }

    /// Ends the import: its rows never become visible. What was sent is deleted by
    /// [`Store::clear_imports`], at the latest when the study's next import begins.
    ///
    /// # Errors
    /// When the database fails; nothing of it is seen then, either.
    pub async fn rollback(self) -> Result<()> {
        self.record.abandon().await
    }
}

/// PostgreSQL stores no NUL characters.
fn check_storable(texts: &[&str]) -> Result<()> {
    if texts.iter().any(|text| text.contains('\0')) {
        return refuse("The row holds a NUL character, which no text has.".into());
    }
    Ok(())
}

fn refuse<T>(sentence: String) -> Result<T> {
    Err(Error::Refused(sentence))
}
