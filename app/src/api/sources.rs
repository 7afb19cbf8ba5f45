//! Sources and outputs: visibility and the number of annotators.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {super::ssr::*, domain::ids::SourceId};

/// Hides a source or one of its outputs, shows it again, or deletes it permanently.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where the change does not
/// fit its state; [`Refusal::Invalid`] where an annotator has it, or where it was judged and must be kept.
#[server(endpoint = "set-visibility")]
pub async fn set_visibility(
    slug: String,
    source: String,
    /// The output; empty for the whole source.
    #[server(default)]
    output: String,
    /// `hide`, `show` or `remove`. Not called `action`: a field of that name hides the form's address from scripts.
    change: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let source: SourceId = parse::id(&source)?;
    let services = services();
    let (store, study, now) = (&services.store, access.study.id, services.context.now_ms());
    let of_source = output.is_empty();

    let named = store.source(study, source).await.map_err(refuse)?;
    let subject = named.map_or(AuditSubject::Nothing, |source| {
        AuditSubject::Named(source.key)
    });

    let changed = if of_source {
        match change.as_str() {
            "hide" => store.hide_source(study, source, now).await,
            "show" => store.show_source(study, source, now).await,
            "remove" => {
                audited(AuditKind::SourceDeleted, Some(study), subject)
                    .remove_source(study, source, now)
                    .await
            }
            _ => return Err(unknown()),
        }
    } else {
        let output = parse::id(&output)?;
        match change.as_str() {
            "hide" => store.hide_output(study, output, now).await,
            "show" => store.show_output(study, output, now).await,
            "remove" => {
                audited(AuditKind::OutputDeleted, Some(study), subject)
                    .remove_output(study, output, now)
                    .await
            }
            _ => return Err(unknown()),
        }
    };
    require_found(changed.map_err(refuse)?)?;

    let is_gone = of_source && change != "show";
    let page = match is_gone {
        true => StudyPage::Sources,
        false => StudyPage::Source(source),
    };
    redirect_to(page, &slug)
}

#[cfg(feature = "ssr")]
fn unknown() -> Refusal {
    Refusal::invalid("Choose whether to hide, show or delete it.")
}

/// Gives a source its own number of annotators; an empty number restores that of the study's settings.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid number, for
/// a source that isn't judged for the study, and where the study is closed.
#[server(endpoint = "set-own-overlap")]
pub async fn set_own_overlap(slug: String, source: String, overlap: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let source: SourceId = parse::id(&source)?;
    let own_overlap = match overlap.trim() {
        "" => None,
        text => {
            let range = StudySettings::OVERLAP;
            Some(parse::integer(text, "The number of annotators", range)?)
        }
    };

    let (services, study) = (services(), access.study.id);
    let (store, now) = (&services.store, services.context.now_ms());
    let named = store.source(study, source).await.map_err(refuse)?;
    let named = named.ok_or(Refusal::NotFound)?;

    store
        .set_own_overlap(study, &[source], own_overlap, now)
        .await
        .map_err(refuse)?;

    let number = own_overlap.unwrap_or(access.study.settings.overlap);
    let annotators = count_noun(number as usize, "annotator");
    let message = match own_overlap {
        Some(_) => format!("Source {} is now judged by {annotators}.", named.key),
        None => format!(
            "Source {} is now judged by {annotators}, as the settings say.",
            named.key
        ),
    };
    redirect_with(StudyPage::Source(source), &slug, message)
}
