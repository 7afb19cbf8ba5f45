//! Adding a question to a passage.

use leptos::prelude::*;

use super::QuestionFields;
use crate::error::Refusal;

/// Adds a question to a passage that no participant has been given yet.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid
/// question, or where a participant has been given the passage.
#[server(endpoint = "add-question")]
pub async fn add_question(
    slug: String,
    passage: String,
    /// The question and its answers.
    question: QuestionFields,
) -> Result<(), Refusal> {
    use super::{parse_question, redirect_to_passage};
    use crate::{
        request::{lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let (services, id) = (services(), parse::id(&passage)?);
    let question = parse_question(&question)?;

    let (now, new) = (services.context.now_ms(), services.context.new_id());
    let added = services
        .store
        .add_question(access.study.id, id, new, &question, now)
        .await;
    if !added.map_err(refuse)? {
        return Err(Refusal::NotFound);
    }

    redirect_to_passage(&slug, id, "The question has been added.");
    Ok(())
}
