//! A study as a file: all that its lead sets up, to share it, keep it, or begin another study with it.
//!
//! The file is JSON. It holds the study's settings and texts, the items that teach and test annotators with the
//! expected answers, and the set-up of reading comprehension, but no ratings, no people, and no sources that are rated.
//! It leaves out completion codes and the link back to a platform, and closes the study to crowd raters, because these
//! belong to one run of the study.

mod check;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use domain::{
    comprehension::ComprehensionSettings,
    ids::{PersonId, StudyId},
    score::RatingScale,
    source_context::SourceContext,
    study::{OutputPurpose, QualificationRule, Slug, SourcePurpose, StudySettings, SystemKind},
    work::task::ExpectedAnswer,
};
use serde::{Deserialize, Serialize};
use store::{
    NewStudy, Store, Study, StudyParts,
    import::{ImportRows, NewOutput},
};
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::{Context, automatic_annotation::annotate_automatically};

/// The version of the format that this program writes and reads.
const SCHEMA: u32 = 1;

/// The largest file that is read, in bytes.
pub const LARGEST_STUDY_FILE: usize = 16 * 1024 * 1024;

/// Lets one study at a time be made of a file, because aligning long training items takes seconds of a processor.
static CREATING: Semaphore = Semaphore::const_new(1);

/// A study without its ratings, people and rated sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyFile {
    schema: u32,
    /// The short name.
    pub slug: Slug,
    /// The name for people.
    pub title: String,
    #[serde(default)]
    guidelines: String,
    /// The information sheet that annotators consent to; empty for none.
    #[serde(default)]
    information: String,
    settings: StudySettings,
    #[serde(default)]
    training_items: Vec<TrainingItem>,
    /// The set-up of reading comprehension; absent for a study without it.
    #[serde(default)]
    comprehension: Option<ComprehensionSettings>,
}

/// A source that teaches or tests annotators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TrainingItem {
    key: String,
    purpose: SourcePurpose,
    text: String,
    /// The text around the source.
    #[serde(default, skip_serializing_if = "SourceContext::is_empty")]
    context: SourceContext,
    #[serde(default)]
    references: Vec<String>,
    outputs: Vec<TrainingItemOutput>,
}

/// An output of such a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct TrainingItemOutput {
    system: String,
    kind: SystemKind,
    /// Whether figures of systems leave the system out.
    #[serde(default)]
    hidden: bool,
    text: String,
    /// The answer that the lead expects; absent for none.
    expected: Option<ExpectedAnswer>,
}

/// The reason why a file does not become a study; then nothing is stored.
#[derive(Debug, thiserror::Error)]
pub enum StudyFileError {
    /// The file holds something that no study can have.
    #[error("{place}: {fault}. Nothing was stored: correct this and try again.")]
    Invalid {
        /// The place in the file, such as `settings.dimensions[0].name`.
        place: String,
        /// The fault, and what is right instead.
        fault: String,
    },
    /// The short name is taken, or the database fails.
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl StudyFile {
    /// Reads the study as it is stored now.
    ///
    /// # Errors
    /// When the database fails or a row cannot be read.
    pub async fn load(store: &Store, study: &Study) -> store::Result<Self> {
        let systems = store.systems(study.id).await?;
        let hidden: HashSet<_> = systems
            .iter()
            .filter(|system| system.is_hidden)
            .map(|system| &*system.name)
            .collect();

        let scale = study.settings.dimensions.first();
        let scale = scale.map(|first| first.scale).unwrap_or_default();

        let mut training_items = vec![];
        for source in store.training_sources(study.id).await? {
            let outputs = store.source_outputs(source.id).await?.into_iter();
            let outputs = outputs.filter(|output| output.purpose == OutputPurpose::Main);

            training_items.push(TrainingItem {
                context: store.source_context(source.id).await?,
                references: store.references(source.id).await?,
                outputs: outputs
                    .map(|output| TrainingItemOutput {
                        hidden: hidden.contains(&*output.system),
                        system: output.system,
                        kind: output.kind,
                        text: output.text,
                        expected: output.expected.map(|answer| on_scale(answer, scale)),
                    })
                    .collect(),
                key: source.key,
                purpose: source.purpose,
                text: source.text,
            });
        }

        let comprehension = store.comprehension_settings(study.id).await?;

        Ok(Self {
            schema: SCHEMA,
            slug: study.slug.clone(),
            title: study.name.clone(),
            guidelines: study.guidelines.clone(),
            information: study.information.clone(),
            settings: round_fractions(StudySettings {
                crowd: study.settings.crowd.clone().without_run(),
                ..study.settings.clone()
            }),
            training_items,
            comprehension: comprehension.map(|settings| ComprehensionSettings {
                completion_code: String::new(),
                screened_out_code: String::new(),
                return_link: String::new(),
                ..settings
            }),
        })
    }

    /// The text of the file. The same study always gives the same bytes.
    #[must_use]
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string_pretty(self);
        json.expect("our own types have string keys and no failing serializer") + "\n"
    }

    /// Creates the study, with all of its parts or not at all.
    ///
    /// # Errors
    /// [`StudyFileError`] says what is invalid, or that the short name is taken.
    pub async fn create(
        self,
        store: &Store,
        id: StudyId,
        lead: Option<PersonId>,
        context: Context,
    ) -> Result<(), StudyFileError> {
        let _turn = CREATING.acquire().await.expect("it is never closed");
        let mut rows = store.rehearse_import(None, context.ids).await?;

        let prepare = move || {
            self.check()?;
            self.add_training_items(&mut rows)?;
            Ok::<_, StudyFileError>((self, rows))
        };
        let prepared = spawn_blocking(prepare).await;
        let (file, rows) = prepared.expect("checking a file does not panic")?;

        let new = NewStudy {
            id,
            slug: &file.slug,
            name: &file.title,
            settings: &file.settings,
            guidelines: &file.guidelines,
            lead,
        };
        let parts = StudyParts {
            information: &file.information,
            comprehension: file.comprehension.as_ref(),
            rows,
        };

        let created = store.create_study_with(&new, parts, context.now_ms());
        Ok(created.await?)
    }

    /// Adds the sources that teach and test annotators.
    pub(crate) fn add_training_items(&self, rows: &mut ImportRows) -> store::Result<()> {
        for item in &self.training_items {
            let source = rows.source(Some(&item.key), &item.text, item.purpose)?;
            rows.context(source, &item.context)?;
            rows.references(source, &item.references)?;

            for output in &item.outputs {
                let system = rows.system(&output.system, Some(output.kind))?;
                if output.hidden {
                    rows.hide_system(system);
                }

                let new = NewOutput {
                    expected: output.expected.as_ref(),
                    ..NewOutput::new(source, system, &output.text)
                };
                rows.output(&new, || {
                    annotate_automatically(&self.settings, &item.text, &output.text, None)
                })?;
            }
        }
        Ok(())
    }
}

/// Removes an expected score that is not on the first dimension's scale, which a lead may have changed.
fn on_scale(answer: ExpectedAnswer, scale: RatingScale) -> ExpectedAnswer {
    let is_off = |rating: i32| scale.score(rating).is_err();

    if answer.rating.is_some_and(is_off) {
        return ExpectedAnswer {
            rating: None,
            tolerance: 0,
            ..answer
        };
    }
    answer
}

/// Rounds the fractions in the settings to nine decimals. JSON reads these back as they were written; with more
/// digits, the last one may change.
fn round_fractions(mut settings: StudySettings) -> StudySettings {
    let round = |number: &mut f64| *number = (*number * 1e9).round() / 1e9;
    round(&mut settings.category_threshold);
    if let QualificationRule::Answers {
        tolerance,
        categories,
    } = &mut settings.qualification
    {
        round(tolerance);
        round(categories);
    }
    settings
}
