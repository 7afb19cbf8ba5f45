//! Studies: created, closed, archived and erased.
#![expect(clippy::too_many_arguments, reason = "the fields of one form")]

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::settings::fields,
    super::ssr::*,
    crate::{Services, markdown},
    domain::{
        ids::StudyId,
        study::{QualityControl, Role},
    },
    service::{
        Context,
        study_file::{StudyFile, StudyFileError},
        templates::{StudyTemplate, add_tutorial},
    },
    store::{NewStudy, Person},
};

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

    redirect_to(StudyPage::Overview, &slug)
}

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

    redirect_to(StudyPage::Overview, &new_slug)
}

/// Closes a study: annotators get no more sources, and answers can no longer change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "close-study")]
pub async fn close_study(slug: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (store, study, now) = change_study(&access, AuditKind::StudyClosed);
    store.close_study(study, now).await.map_err(refuse)?;

    redirect_with(StudyPage::Overview, &slug, "The study has been closed.")
}

/// Opens a closed study again.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "reopen-study")]
pub async fn reopen_study(slug: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let (store, study, now) = change_study(&access, AuditKind::StudyReopened);
    store.reopen_study(study, now).await.map_err(refuse)?;

    redirect_with(StudyPage::Overview, &slug, "The study is open again.")
}

/// Archives a study: it is closed, leaves the list of studies, and nothing in it can be changed.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "archive-study")]
pub async fn archive_study(slug: String) -> Result<(), Refusal> {
    let access = lead_access_to_any(&slug).await?;

    let (store, study, now) = change_study(&access, AuditKind::StudyArchived);
    store.archive_study(study, now).await.map_err(refuse)?;

    redirect_with(
        StudyPage::Overview,
        &slug,
        "The study has been archived. You find it below your other studies.",
    )
}

/// Takes a study out of the archive. It stays closed.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study.
#[server(endpoint = "unarchive-study")]
pub async fn unarchive_study(slug: String) -> Result<(), Refusal> {
    let access = lead_access_to_any(&slug).await?;

    let (store, study, now) = change_study(&access, AuditKind::StudyUnarchived);
    store.unarchive_study(study, now).await.map_err(refuse)?;

    redirect_with(
        StudyPage::Overview,
        &slug,
        "The study is no longer archived. It is closed: open it again to collect more ratings.",
    )
}

/// Erases a closed study with everything in it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it is open, or where
/// the typed short name differs; [`Refusal::ConfirmPassword`] where the password was typed too long ago.
#[server(endpoint = "erase-study")]
pub async fn erase_study(
    slug: String,
    /// The short name, typed to confirm.
    #[server(default)]
    short_name: String,
) -> Result<(), Refusal> {
    let access = lead_access_to_any(&slug).await?;
    require_confirmed()?;

    let (slug, name) = (&access.study.slug, &access.study.name);
    if short_name.trim() != slug.as_str() {
        return Err(Refusal::invalid(format!(
            "Type “{slug}” to confirm. Nothing has been erased."
        )));
    }

    let (store, study, now) = change_study(&access, AuditKind::StudyErased);
    store.erase_study(study, now).await.map_err(refuse)?;

    let message = format!("The study “{name}” has been erased. Backups still hold it.");
    see_other_with(links::HOME, message);
    Ok(())
}

/// Renders a Markdown text as readers will see it, and stores nothing.
///
/// # Errors
/// [`Refusal::NotSignedIn`]; [`Refusal::NotAllowed`] for a person who leads no study; [`Refusal::Invalid`]
/// for a text that is too long; [`Refusal::TooMany`] while the person's last preview is being rendered.
#[server(endpoint = "preview-markdown")]
pub async fn preview_markdown(#[server(default)] text: String) -> Result<String, Refusal> {
    /// Typical guidelines are a few thousand bytes.
    const LONGEST: usize = 20_000;

    let person = signed_in().await?;
    require_study_creator(&person).await?;

    if text.len() > LONGEST {
        return Err(Refusal::invalid(
            "This text is too long for a preview (at most 20,000 bytes). You can still save it and \
             read it on the study's page of guidelines.",
        ));
    }

    markdown::preview(person.id, parse::text(&text, "The text")?).await
}

/// The store with an audit entry for a change of the whole study, the study's id, and the time.
#[cfg(feature = "ssr")]
fn change_study(access: &RequestAccess, kind: AuditKind) -> (Store, StudyId, i64) {
    let study = &access.study;
    let subject = AuditSubject::Named(study.name.clone());

    let store = audited(kind, Some(study.id), subject);
    (store, study.id, services().context.now_ms())
}

/// Refuses people who may not create studies. Administrators and leads of any study may.
///
/// # Errors
/// [`Refusal::NotAllowed`] for others.
#[cfg(feature = "ssr")]
pub async fn require_study_creator(person: &Person) -> Result<(), Refusal> {
    require_study_creator_as(&services(), person).await
}

/// As [`require_study_creator`], outside a Leptos request.
///
/// # Errors
/// [`Refusal::NotAllowed`] for others.
#[cfg(feature = "ssr")]
pub async fn require_study_creator_as(services: &Services, person: &Person) -> Result<(), Refusal> {
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
#[cfg(feature = "ssr")]
pub fn refuse_study_file(error: StudyFileError, context: Context) -> Refusal {
    match error {
        StudyFileError::Store(error) => refuse_as(error, context),
        StudyFileError::Invalid { .. } => Refusal::invalid(error.to_string()),
    }
}
