//! Erasing a study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Erases a closed study with everything in it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it is open, or
/// the typed short name is another one.
#[server(endpoint = "erase-study")]
pub async fn erase_study(
    slug: String,
    /// The short name, typed to confirm.
    #[server(default)]
    short_name: String,
) -> Result<(), Refusal> {
    use crate::{
        links,
        request::{lead_access, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;
    let study = &access.study;
    if short_name.trim() != study.slug.as_str() {
        return Err(Refusal::invalid(format!(
            "Type “{}” to confirm. Nothing has been erased.",
            study.slug
        )));
    }
    let services = services();
    let now = services.context.now_ms();
    services
        .store
        .erase_study(study.id, now)
        .await
        .map_err(refuse)?;
    let message = format!(
        "The study “{}” has been erased. Backups still hold it.",
        study.name
    );
    see_other_with(links::HOME, message);
    Ok(())
}
