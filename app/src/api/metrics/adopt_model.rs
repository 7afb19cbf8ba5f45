//! A model is taken into use, or out of it.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a model the one that the study uses: the next training goes on from it, and is compared with it.
/// Or takes it out of use; then the one before it is used, or the one that is shipped.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads or researches the study.
#[server(endpoint = "adopt-model")]
pub async fn adopt_model(
    /// The study's short name.
    slug: String,
    /// The model.
    model: String,
    /// `yes` into use, `no` out of it.
    adopted: String,
) -> Result<(), Refusal> {
    use crate::{
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_panel_access()?;
    let (services, model) = (services(), parse::id(&model)?);
    let (study, now) = (access.study.id, services.context.now_ms());
    let changed = services
        .store
        .adopt_model(study, model, adopted == "yes", now);
    if changed.await.map_err(refuse)? {
        see_other(&format!("/s/{slug}/metrics"));
        Ok(())
    } else {
        Err(Refusal::NotFound)
    }
}
