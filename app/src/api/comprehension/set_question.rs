//! Rewording a question.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// The words of a question, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionFields {
    /// The question itself.
    pub text: String,
    /// The right answer.
    pub a: String,
    /// The answer that misreads the critical span.
    pub b: String,
    /// The answer that rests on another part of the text.
    pub c: String,
    /// The unsupported answer.
    pub d: String,
}

/// Changes the wording of a question and its four answers, unless a participant has been asked it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for an invalid question,
/// or one that a participant was given or that another lead has changed meanwhile.
#[server(endpoint = "set-question")]
pub async fn set_question(
    slug: String,
    id: String,
    /// The question that the page showed, as JSON.
    was: String,
    /// The new wording.
    question: QuestionFields,
) -> Result<(), Refusal> {
    use super::{parse_question, redirect_to_passage};
    use crate::{
        request::{lead_access, parse, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let (services, id) = (services(), parse::id(&id)?);
    let was = serde_json::from_str(&was)
        .map_err(|_| Refusal::invalid("This page is out of date. Reload it and try again."))?;
    let question = parse_question(&question)?;

    let now = services.context.now_ms();
    let set = services
        .store
        .set_question(access.study.id, id, &was, &question, now);
    let passage = set.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    redirect_to_passage(&slug, passage, "The question has been saved.");
    Ok(())
}
