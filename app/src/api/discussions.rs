//! Questions to raters about an output that they submitted.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::ids::{DiscussionId, OutputId},
    store::discussions::{NewDiscussion, QuestionScope},
};

/// Returns an output, or its whole source, with the lead's question to everyone who submitted it.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] without a question, or
/// where nobody has submitted the source.
#[server(endpoint = "discuss")]
pub async fn discuss(
    slug: String,
    output: String,
    /// The lead's question to the raters.
    note: String,
    /// `source` to return the whole source; otherwise the output alone.
    #[server(default)]
    scope: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let output: OutputId = parse::id(&output)?;
    let note = parse::line(&note, "The question", 300)?;

    let services = services();
    let new = NewDiscussion {
        id: DiscussionId(services.context.new_id()),
        output,
        scope: match scope.as_str() {
            "source" => QuestionScope::Source,
            _ => QuestionScope::Output,
        },
        note: &note,
        asked_by: access.person.id,
    };

    let now = services.context.now_ms();
    let raters = services.store.discuss(access.study.id, new, now).await;
    let raters = raters.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    let what = match new.scope {
        QuestionScope::Output => "output",
        QuestionScope::Source => "source",
    };
    let message = match raters {
        1 => format!("The {what} has been returned to one rater."),
        many => format!("The {what} has been returned to {many} raters."),
    };
    redirect_with(StudyPage::Ratings, &slug, message)
}

/// Withdraws a question about one output: its raters' answers to the output count as they are now.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::NotFound`] where nobody has the question open.
#[server(endpoint = "withdraw-question")]
pub async fn withdraw_question(slug: String, question: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let question = parse::id(&question)?;

    let (store, now) = store_and_now();
    let withdrawn = store
        .withdraw_question(access.study.id, question, now)
        .await
        .map_err(refuse)?;
    require_found(withdrawn)?;

    let message = "The question has been withdrawn. The answers to the output count again.";
    redirect_with(StudyPage::Ratings, &slug, message)
}
