//! Hiding, showing and deleting sources and outputs.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::ids::SourceId;
    use store::audit::{AuditKind, AuditSubject};

    use crate::{
        links::StudyPage,
        request::{audited, lead_access, parse, refuse, see_other},
        services,
    };

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
    if !changed.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }

    let is_gone = of_source && change != "show";
    let page = match is_gone {
        true => StudyPage::Sources,
        false => StudyPage::Source(source),
    };
    see_other(&page.path(&slug));
    Ok(())
}

#[cfg(feature = "ssr")]
fn unknown() -> Refusal {
    Refusal::invalid("Choose whether to hide, show or delete it.")
}
