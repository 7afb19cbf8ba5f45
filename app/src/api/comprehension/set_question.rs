//! A question is worded anew.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// The words of a question, as fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionFields {
    /// What is asked.
    pub text: String,
    /// The right answer.
    pub a: String,
    /// The one that misreads the critical span.
    pub b: String,
    /// The one from elsewhere in the text.
    pub c: String,
    /// The unsupported one.
    pub d: String,
}

/// Changes the words of a question and of its four answers, until somebody has been asked it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for a question that
/// cannot be, that somebody has been given, or that somebody else has changed meanwhile.
#[server(endpoint = "set-question")]
pub async fn set_question(
    /// The study's short name.
    slug: String,
    /// Which.
    id: String,
    /// The question that the page showed, as JSON.
    was: String,
    /// Its words from now on.
    question: QuestionFields,
) -> Result<(), Refusal> {
    use super::{parse_question, redirect_to_passage};
    use crate::{
        request::{access, parse, refuse},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let (services, id) = (services(), parse::id(&id)?);
    let was = serde_json::from_str(&was)
        .map_err(|_| Refusal::invalid("This page is out of date: load it anew."))?;
    let question = parse_question(&question)?;
    let now = services.context.now_ms();
    let set = services
        .store
        .set_question(access.study.id, id, &was, &question, now);
    let passage = set.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    redirect_to_passage(&slug, passage, "The question is saved.");
    Ok(())
}
