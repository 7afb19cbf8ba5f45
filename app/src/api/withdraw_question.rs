//! Withdrawing a question to raters.

use leptos::prelude::*;

use crate::error::Refusal;

/// Withdraws a question about one output: its raters' answers to the output count as they are now.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where nobody has the question open.
#[server(endpoint = "withdraw-question")]
pub async fn withdraw_question(slug: String, question: String) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{lead_access, parse, refuse, see_other_with},
        services,
    };

    let access = lead_access(&slug).await?;

    let question = parse::id(&question)?;

    let services = services();
    let now = services.context.now_ms();
    let withdrawn = services
        .store
        .withdraw_question(access.study.id, question, now)
        .await
        .map_err(refuse)?;
    if !withdrawn {
        return Err(Refusal::NotFound);
    }

    let message = "The question has been withdrawn. The answers to the output count again.";
    see_other_with(&StudyPage::Ratings.path(&slug), message);
    Ok(())
}
