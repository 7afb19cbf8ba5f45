//! Bringing the arms of an experiment up to date.

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives every open arm the sources and annotators of the other open arms, and every source its place in the plan.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads every open arm; [`Refusal::NotFound`] where the study is
/// in no experiment.
#[server(endpoint = "update-experiment")]
pub async fn update_experiment(slug: String) -> Result<(), Refusal> {
    use super::update;
    use crate::{
        links::StudyPage,
        request::{lead_access, see_other_with},
    };

    let access = lead_access(&slug).await?;
    let done = update(access.person.id, access.study.id).await?;
    see_other_with(&StudyPage::Protocols.path(&access.study.slug), done);
    Ok(())
}
