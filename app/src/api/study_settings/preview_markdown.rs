//! How a text in Markdown will look.

use leptos::prelude::*;

use crate::error::Refusal;

/// Lays a text in Markdown out as readers will see it. Nothing is kept.
///
/// # Errors
/// [`Refusal::NotSignedIn`]; [`Refusal::NotAllowed`] for a person who leads no study;
/// [`Refusal::Invalid`] for a text that is too long; [`Refusal::TooMany`] while their last preview is
/// still being made.
#[server(endpoint = "preview-markdown")]
pub async fn preview_markdown(
    /// The text.
    #[server(default)]
    text: String,
) -> Result<String, Refusal> {
    use super::require_study_creator;
    use crate::{
        markdown,
        request::{parse, signed_in},
    };

    /// Guidelines are some thousands of bytes.
    const LONGEST: usize = 20_000;

    let person = signed_in().await?;
    require_study_creator(&person).await?;
    if text.len() > LONGEST {
        return Err(Refusal::invalid(
            "This text is too long for a preview, which takes at most 20,000 bytes. It can still be \
             saved; the study's page of guidelines then shows it.",
        ));
    }
    markdown::preview(person.id, parse::text(&text, "The text")?).await
}
