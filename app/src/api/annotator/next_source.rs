//! The next source to judge.

use leptos::prelude::*;

use crate::error::Refusal;

/// Assigns the next source to the annotator and redirects to it, or back where none is available.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person is an annotator; [`Refusal::Invalid`] before consent or where
/// the study is closed.
#[server(endpoint = "next-source")]
pub async fn next_source(slug: String) -> Result<(), Refusal> {
    use crate::{
        api::work::assign_next_source,
        links::StudyPage,
        request::{access, see_other, see_other_with},
    };

    let access = access(&slug).await?;
    access.require_annotator()?;
    if access.must_consent() {
        return Err(Refusal::invalid(
            "Read the information sheet and agree to take part first.",
        ));
    }

    let study = &access.study;
    match assign_next_source(access.person.id, study.id, &study.slug).await? {
        Some(path) => see_other(&path),
        None => {
            see_other_with(
                &StudyPage::Work.path(&study.slug),
                "There is nothing for you to judge at the moment.",
            );
        }
    }
    Ok(())
}
