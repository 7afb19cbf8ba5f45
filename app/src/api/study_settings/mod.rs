//! The settings of a study.

mod archive_study;
mod clone_study;
mod close_study;
mod create_study;
mod describe_study;
mod erase_study;
#[cfg(feature = "ssr")]
mod fields;
mod preview_markdown;
mod reopen_study;
mod set_category_rule;
mod set_dimensions;
mod set_general;
mod set_groups;
mod set_protocol;
mod set_quality_control;
mod set_questions;
mod set_retention;
mod set_span_types;
mod set_systems;
mod unarchive_study;

pub use archive_study::{ArchiveStudy, archive_study};
pub use clone_study::{CloneStudy, clone_study};
pub use close_study::{CloseStudy, close_study};
pub use create_study::{CreateStudy, create_study};
pub use describe_study::{DescribeStudy, describe_study};
pub use erase_study::{EraseStudy, erase_study};
pub use preview_markdown::{PreviewMarkdown, preview_markdown};
pub use reopen_study::{ReopenStudy, reopen_study};
pub use set_category_rule::{SetCategoryRule, set_category_rule};
pub use set_dimensions::{DimensionField, SetDimensions, set_dimensions};
pub use set_general::{SetGeneral, set_general};
pub use set_groups::{RaterGroupField, SetGroups, set_groups};
pub use set_protocol::{SetProtocol, WritingFields, set_protocol};
pub use set_quality_control::{SetQualityControl, set_quality_control};
pub use set_questions::{QuestionField, SetQuestions, set_questions};
pub use set_retention::{SetRetention, set_retention};
pub use set_span_types::{MarkLevelField, SetSpanTypes, SpanTypeField, set_span_types};
pub use set_systems::{SetSystems, SystemField, set_systems};
pub use unarchive_study::{UnarchiveStudy, unarchive_study};

#[cfg(feature = "ssr")]
use server_side::{redirect_to_settings, store_settings};
#[cfg(feature = "ssr")]
pub use server_side::{refuse_study_file, require_study_creator, require_study_creator_as};

#[cfg(feature = "ssr")]
mod server_side {
    use domain::{
        ids::StudyId,
        study::{Role, StudySettings},
    };
    use service::{Context, study_file::StudyFileError};
    use store::Person;

    use crate::{
        Services,
        error::Refusal,
        links::StudyPage,
        request::{refuse, refuse_as, see_other_with},
        services,
    };

    /// Refuses people who may not create studies. Administrators and leads of any study may.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub async fn require_study_creator(person: &Person) -> Result<(), Refusal> {
        require_study_creator_as(&services(), person).await
    }

    /// As [`require_study_creator`], outside a Leptos request.
    ///
    /// # Errors
    /// [`Refusal::NotAllowed`] for others.
    pub async fn require_study_creator_as(
        services: &Services,
        person: &Person,
    ) -> Result<(), Refusal> {
        if person.is_admin {
            return Ok(());
        }

        let studies = services.store.studies_of(person.id).await;
        let studies = studies.map_err(|error| refuse_as(error, services.context))?;
        let leads = studies.iter().any(|entry| entry.role == Some(Role::Lead));

        if leads {
            Ok(())
        } else {
            Err(Refusal::NotAllowed)
        }
    }

    /// The refusal for a file that does not become a study.
    pub fn refuse_study_file(error: StudyFileError, context: Context) -> Refusal {
        match error {
            StudyFileError::Store(error) => refuse_as(error, context),
            StudyFileError::Invalid { .. } => Refusal::invalid(error.to_string()),
        }
    }

    /// Stores the settings of a study.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn store_settings(
        study: StudyId,
        settings: &StudySettings,
    ) -> Result<(), Refusal> {
        let services = services();
        let now = services.context.now_ms();
        let stored = services.store.set_settings(study, settings, now).await;
        stored.map(drop).map_err(refuse)
    }

    /// Redirects to a page of the settings, which then shows `message`.
    pub(super) fn redirect_to_settings(page: StudyPage<'_>, slug: &str, message: &str) {
        see_other_with(&page.path(slug), message);
    }
}
