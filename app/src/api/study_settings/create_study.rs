//! Creating a study.
#![expect(clippy::too_many_arguments, reason = "the fields of one form")]

use leptos::prelude::*;

use crate::error::Refusal;

/// Creates a study, led by the person who creates it, and leads to it.
///
/// # Errors
/// [`Refusal::NotAllowed`] for a person who neither leads a study nor administers the platform;
/// [`Refusal::Invalid`] where a field is not valid or the short name is taken.
#[server(endpoint = "create-study")]
pub async fn create_study(
    /// The displayed name.
    name: String,
    /// The short name, as in addresses; empty to derive it from the name.
    #[server(default)]
    short_name: String,
    /// The template that the study begins with.
    template: String,
    /// Whether the study begins with the template's tutorial; empty for no.
    #[server(default)]
    tutorial: String,
    /// The number of raters for each source; empty for the template's number.
    #[server(default)]
    overlap: String,
    /// The category rule of step 1.
    category_rule: String,
    /// The rule's threshold; empty for its default.
    #[server(default)]
    category_threshold: String,
    /// Whether sources get quality-control items; empty for no.
    #[server(default)]
    quality_control: String,
) -> Result<(), Refusal> {
    use domain::{
        ids::StudyId,
        study::{QualityControl, StudySettings},
    };
    use service::templates::{StudyTemplate, add_tutorial};
    use store::{
        NewStudy,
        audit::{AuditKind, AuditSubject},
    };

    use super::{fields, require_study_creator};
    use crate::{
        links::StudyPage,
        request::{audited, parse, refuse, see_other, signed_in},
        services,
    };

    let person = signed_in().await?;
    require_study_creator(&person).await?;

    let name = parse::line(&name, "The name", 120)?;
    let slug = fields::slug(&short_name, &name)?;
    let (category_rule, category_threshold) = fields::rule(&category_rule, &category_threshold)?;

    let template: StudyTemplate = parse::choice(&template)?;
    let suggested = template.settings();
    let overlap = match overlap.trim() {
        "" => suggested.overlap,
        overlap => fields::overlap(overlap, &suggested)?,
    };
    let settings = StudySettings {
        overlap,
        category_rule,
        category_threshold,
        quality_control: match quality_control.as_str() {
            "" => QualityControl::default(),
            _ => QualityControl::SUGGESTED,
        },
        ..suggested
    };

    let services = services();
    let id = StudyId(services.context.new_id());
    let new = NewStudy {
        id,
        slug: &slug,
        name: &name,
        settings: &settings,
        guidelines: template.guidelines(),
        lead: Some(person.id),
    };
    let subject = AuditSubject::Named(name.clone());
    audited(AuditKind::StudyCreated, Some(id), subject)
        .create_study(&new, services.context.now_ms())
        .await
        .map_err(refuse)?;

    if !tutorial.is_empty() {
        let person = Some(person.id);
        add_tutorial(&services.store, services.context, id, template, person)
            .await
            .map_err(refuse)?;
    }

    see_other(&StudyPage::Overview.path(&slug));
    Ok(())
}
