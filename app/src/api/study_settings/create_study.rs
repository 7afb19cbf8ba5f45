//! Making a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a study, led by whoever made it, and leads on to it.
///
/// # Errors
/// [`Refusal::NotAllowed`] for whoever neither leads a study nor administers the platform;
/// [`Refusal::Invalid`] where a field does not fit or the short name is taken.
#[server(endpoint = "create-study")]
pub async fn create_study(
    /// Its name for people.
    name: String,
    /// Its short name, as in addresses; empty to take it from the name.
    #[server(default)]
    short_name: String,
    /// How many raters each source gets.
    overlap: String,
    /// The rule of step 1.
    category_rule: String,
    /// The rule's threshold; empty for the one that belongs to it.
    #[server(default)]
    category_threshold: String,
) -> Result<(), Refusal> {
    use domain::{
        ids::StudyId,
        study::{Slug, StudySettings},
    };
    use store::NewStudy;

    use super::{fields, require_study_creator};
    use crate::{
        request::{parse, refuse, see_other, signed_in},
        services,
    };

    let person = signed_in().await?;
    require_study_creator(&person).await?;
    let name = parse::line(&name, "The name", 120)?;
    let slug = match short_name.trim() {
        "" => Slug::suggest(&name).ok_or_else(|| {
            Refusal::invalid("The name has no letters from a to z: enter a short name too.")
        })?,
        given => parse::choice(given)?,
    };
    let (category_rule, category_threshold) = fields::rule(&category_rule, &category_threshold)?;
    let overlap = fields::overlap(&overlap)?;
    let settings = StudySettings {
        overlap,
        category_rule,
        category_threshold,
        ..StudySettings::default()
    };
    let services = services();
    let id = StudyId(services.context.new_id());
    let new = NewStudy {
        id,
        slug: &slug,
        name: &name,
        settings: &settings,
        lead: Some(person.id),
    };
    services
        .store
        .create_study(&new, services.context.now_ms())
        .await
        .map_err(refuse)?;
    see_other(&format!("/s/{slug}"));
    Ok(())
}
