//! Making a study like another one.

use leptos::prelude::*;

use crate::error::Refusal;

/// Creates a study with the settings, texts and training items of another one, led by the person who creates it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the other study; [`Refusal::Invalid`] where a name is not
/// valid or the short name is taken.
#[server(endpoint = "clone-study")]
pub async fn clone_study(
    /// The short name of the other study.
    slug: String,
    /// The displayed name of the new study.
    name: String,
    /// Its short name; empty to derive it from the name.
    #[server(default)]
    short_name: String,
) -> Result<(), Refusal> {
    use domain::ids::StudyId;
    use service::study_file::StudyFile;
    use store::audit::{AuditKind, AuditSubject};

    use super::{fields, refuse_study_file};
    use crate::{
        links::StudyPage,
        request::{audited, lead_access_to_any, parse, refuse, see_other},
        services,
    };

    let access = lead_access_to_any(&slug).await?;

    let name = parse::line(&name, "The name", 120)?;
    let new_slug = fields::slug(&short_name, &name)?;

    let services = services();
    let copied = StudyFile::load(&services.store, &access.study).await;
    let mut file = copied.map_err(refuse)?;
    (file.slug, file.title) = (new_slug.clone(), name.clone());

    let id = StudyId(services.context.new_id());
    let store = audited(AuditKind::StudyCreated, Some(id), AuditSubject::Named(name));
    let created = file.create(&store, id, Some(access.person.id), services.context);
    created
        .await
        .map_err(|error| refuse_study_file(error, services.context))?;

    see_other(&StudyPage::Overview.path(&new_slug));
    Ok(())
}
