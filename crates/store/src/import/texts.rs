//! Texts of an import: sources, references, and outputs with their systems.

use std::sync::Arc;

use domain::{
    ids::{OutputId, SourceId, SystemId},
    source_context::SourceContext,
    study::{OutputPurpose, SourcePurpose, SystemKind},
};

use super::{
    AutomaticAnswers, ImportRows, NewOutput, check_storable, pending, refuse,
    study_index::OutputKey,
};
use crate::{Result, columns};

impl ImportRows {
    /// The source with this key or, without a key, with this text.
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

    /// The texts of the existing sources with this purpose.
    pub fn source_texts(&self, purpose: SourcePurpose) -> impl Iterator<Item = &str> {
        self.index.source_texts(purpose)
    }

    /// The text of the existing source with this key.
    #[must_use]
    pub fn source_text(&self, key: &str) -> Option<Arc<str>> {
        self.index.source_text(key)
    }

    /// Whether there is a source with this text and purpose.
    #[must_use]
    pub fn has_source_text(&self, purpose: SourcePurpose, text: &str) -> bool {
        self.index.find_source(None, text, purpose).is_some()
    }

    /// The text of this system's existing output for this source.
    #[must_use]
    pub fn output_text(&self, source: SourceId, system: SystemId) -> Option<Arc<str>> {
        let (_, text) = self.index.outputs.get(&OutputKey { source, system })?;
        Some(Arc::clone(text))
    }

    /// Makes sure that the source has these references, each as often as it is listed here.
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

    /// Makes sure that the source has this context. An empty side leaves the source's as it is.
    ///
    /// # Errors
    /// Refused where the source has another text there, or a text cannot be stored.
    pub fn context(&mut self, source: SourceId, context: &SourceContext) -> Result<()> {
        check_storable(&[&context.before, &context.after])?;
        let new: Vec<_> = match self.index.new_context(source, context) {
            Ok(new) => new,
            Err(side) => {
                return refuse(format!(
                    "The source is there with another text {side} it: use the text that is there, leave it out, or \
                     give this source a name of its own."
                ));
            }
        };

        for (side, text) in new {
            let text: Arc<str> = text.into();
            self.index.add_context(source, side, Arc::clone(&text));
            self.counts.contexts += 1;
            self.pending
                .contexts
                .push(pending::PendingContext { source, side, text });
        }
        Ok(())
    }

    /// The system of this name. `kind` is the kind of a new system, a machine if it is unknown; an
    /// existing system keeps its kind.
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
            is_hidden: false,
        });
        Ok(id)
    }

    /// Hides a new system without outputs from figures of systems; an existing one stays as it is.
    pub fn hide_system(&mut self, system: SystemId) {
        let mut new = self.pending.systems.iter_mut();
        if let Some(system) = new.find(|new| new.id == system) {
            system.is_hidden = true;
        }
    }

    /// The kind of the system of this name, if the study has it.
    #[must_use]
    pub fn system_kind(&self, name: &str) -> Option<SystemKind> {
        self.index.systems.get(name).map(|(_, kind)| *kind)
    }

    /// The output of this system for this source, and whether it is new. `automatic` is called only
    /// for a new one.
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
}
