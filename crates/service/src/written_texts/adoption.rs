use std::collections::BTreeMap;

use domain::{
    ids::SourceId,
    study::SystemKind,
    writing::{WriteStep, WrittenUse},
};
use serde::Serialize;
use store::{
    Store, Study,
    rating_rows::RatingScope,
    written_texts::{SourceSimplifications, WrittenText},
};

/// A row of the file by which written texts are imported into their study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AdoptedRow {
    source_id: String,
    source: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    references: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
}

/// The written texts that a study does not yet have as references or outputs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdoptionPlan {
    /// A row for each source that gets references, or for each output.
    pub rows: Vec<AdoptedRow>,
    /// The number of new texts.
    pub new: usize,
    /// The number of texts that the study already has.
    pub already_present: usize,
}

impl AdoptionPlan {
    /// The plan for the submitted texts of a study; empty if its annotators do not write.
    ///
    /// # Errors
    /// Refused if the texts would become outputs of a system that is not human; also when the database fails.
    pub async fn load(store: &Store, study: &Study) -> store::Result<Self> {
        let Some(step) = study.settings.protocol.write_step() else {
            return Ok(Self::default());
        };

        if step.becomes == WrittenUse::Outputs {
            let systems = store.systems(study.id).await?;
            let other = systems.iter().find(|system| {
                system.kind != SystemKind::Human && is_writer(&system.name, &step.system)
            });
            if let Some(other) = other {
                return Err(store::Error::Refused(format!(
                    "The texts cannot become outputs of “{}”, which is not a human system: choose another name under \
                     Protocol, or set its kind under Systems.",
                    other.name
                )));
            }
        }

        let texts = store.written_texts(study.id, RatingScope::HandedIn).await?;
        let present = store.source_simplifications(study.id, &step.system).await?;
        Ok(Self::new(&texts, &present, step))
    }

    /// The plan for written texts, given what their sources have. A text that the source already has, as a reference
    /// or as an output of the human system, adds nothing. A system has one output for a source, so the second text of
    /// a source goes to a system “NAME 2”, and so on.
    #[must_use]
    pub fn new(
        texts: &[WrittenText],
        present: &BTreeMap<SourceId, SourceSimplifications>,
        step: &WriteStep,
    ) -> Self {
        let mut plan = Self::default();
        for texts in texts.chunk_by(|one, other| one.source == other.source) {
            let Some(first) = texts.first() else { continue };
            let known = present.get(&first.source).cloned().unwrap_or_default();

            let row = || AdoptedRow {
                source_id: first.source_key.clone(),
                source: first.source_text.clone(),
                references: vec![],
                output: None,
                system: None,
                kind: None,
            };

            match step.becomes {
                WrittenUse::References => {
                    let new = plan.keep_new(texts, &known.references);

                    // The import makes sure that a source has each reference as often as a row lists it, so the new
                    // ones suffice.
                    if !new.is_empty() {
                        plan.rows.push(AdoptedRow {
                            references: new,
                            ..row()
                        });
                    }
                }
                WrittenUse::Outputs => {
                    let own: Vec<_> = known
                        .outputs
                        .into_iter()
                        .filter(|(name, _)| is_writer(name, &step.system))
                        .collect();
                    let own_texts: Vec<_> = own.iter().map(|(_, text)| text.clone()).collect();

                    let is_free = |number: &usize| {
                        let name = writer_name(&step.system, *number);
                        !own.iter().any(|(taken, _)| *taken == name)
                    };
                    let mut free = (1..).filter(is_free);
                    for text in plan.keep_new(texts, &own_texts) {
                        let number = free.next().expect("numbers do not run out");
                        plan.rows.push(AdoptedRow {
                            output: Some(text),
                            system: Some(writer_name(&step.system, number)),
                            kind: Some(SystemKind::Human.name()),
                            ..row()
                        });
                    }
                }
            }
        }

        plan
    }

    /// The texts that are not among `present`, each once.
    fn keep_new(&mut self, texts: &[WrittenText], present: &[String]) -> Vec<String> {
        let mut new: Vec<String> = vec![];
        for WrittenText { text, .. } in texts {
            if present.contains(text) || new.contains(text) {
                self.already_present += 1;
            } else {
                self.new += 1;
                new.push(text.clone());
            }
        }
        new
    }
}

/// The name of the system with the text of this number, from 1, for a source.
fn writer_name(system: &str, number: usize) -> String {
    match number {
        1 => system.to_owned(),
        _ => format!("{system} {number}"),
    }
}

/// Whether a name is one that [`writer_name`] makes.
fn is_writer(name: &str, system: &str) -> bool {
    match name.strip_prefix(system) {
        Some("") => true,
        Some(rest) => {
            let number = rest.strip_prefix(' ').and_then(|rest| rest.parse().ok());
            number.is_some_and(|number: usize| number > 1 && writer_name(system, number) == name)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn text(source: u128, text: &str) -> WrittenText {
        WrittenText {
            rater: "Ada".to_owned(),
            source: SourceId(Uuid::from_u128(source)),
            source_key: source.to_string(),
            source_text: format!("Source {source}."),
            text: text.to_owned(),
            recorded_at: 0,
        }
    }

    fn step(becomes: WrittenUse) -> WriteStep {
        WriteStep {
            becomes,
            system: "Writers".to_owned(),
            ..WriteStep::default()
        }
    }

    /// Adds the rows to what the sources have, as an import would.
    fn import(present: &mut BTreeMap<SourceId, SourceSimplifications>, plan: &AdoptionPlan) {
        for row in &plan.rows {
            let source = SourceId(Uuid::from_u128(row.source_id.parse().expect("a number")));
            let simplifications = present.entry(source).or_default();
            simplifications.references.extend(row.references.clone());
            simplifications
                .outputs
                .extend(row.system.clone().zip(row.output.clone()));
        }
    }

    #[test]
    fn a_second_plan_adds_nothing() {
        let texts = [text(1, "A."), text(1, "B."), text(1, "A."), text(2, "A.")];
        for becomes in WrittenUse::ALL {
            let (step, mut present) = (step(*becomes), BTreeMap::new());
            let first = AdoptionPlan::new(&texts, &present, &step);
            assert_eq!((first.new, first.already_present), (3, 1));

            import(&mut present, &first);
            let again = AdoptionPlan::new(&texts, &present, &step);
            assert_eq!(
                (again.rows.len(), again.new, again.already_present),
                (0, 0, 4)
            );
        }
    }

    #[test]
    fn further_texts_of_a_source_are_of_numbered_systems() {
        let mut present = BTreeMap::new();
        let other = ("Writers of old".to_owned(), "Else.".to_owned());
        let second = ("Writers 2".to_owned(), "B.".to_owned());
        let simplifications = SourceSimplifications {
            references: vec![],
            outputs: vec![other, second],
        };
        present.insert(SourceId(Uuid::from_u128(1)), simplifications);

        let texts = [text(1, "A."), text(1, "B."), text(1, "C.")];
        let plan = AdoptionPlan::new(&texts, &present, &step(WrittenUse::Outputs));

        let systems: Vec<_> = plan.rows.iter().map(|row| row.system.as_deref()).collect();
        assert_eq!(systems, [Some("Writers"), Some("Writers 3")]);
        assert_eq!((plan.new, plan.already_present), (2, 1));
        assert_eq!(
            serde_json::to_string(&plan.rows[1]).expect("text"),
            r#"{"source_id":"1","source":"Source 1.","output":"C.","system":"Writers 3","kind":"human"}"#
        );
    }
}
