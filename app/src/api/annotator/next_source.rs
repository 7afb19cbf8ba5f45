//! The next source to judge.

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives the annotator the next source and leads to it, or back where there is none now.
///
/// # Errors
/// [`Refusal::NotAllowed`] for others than annotators, [`Refusal::Invalid`] before consent or where
/// the study is closed.
#[server(endpoint = "next-source")]
pub async fn next_source(
    /// The study's short name.
    slug: String,
) -> Result<(), Refusal> {
    use crate::{
        api::work::assign_next_source,
        flash::{self, Flash},
        request::{access, see_other},
    };

    let access = access(&slug).await?;
    access.require_annotator()?;
    if access.must_consent() {
        return Err(Refusal::invalid(
            "Read the information sheet first, and say that you agree.",
        ));
    }
    let study = &access.study;
    match assign_next_source(access.person.id, study.id, &study.slug).await? {
        Some(path) => see_other(&path),
        None => {
            flash::set(&Flash::Done(
                "There is nothing for you to judge at the moment.".into(),
            ));
            see_other(&format!("/s/{}/work", study.slug));
        }
    }
    Ok(())
}
