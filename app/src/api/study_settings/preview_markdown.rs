//! Markdown previews.

use leptos::prelude::*;

use crate::error::Refusal;

/// Renders a Markdown text as readers will see it, and stores nothing.
///
/// # Errors
/// [`Refusal::NotSignedIn`]; [`Refusal::NotAllowed`] for a person who leads no study; [`Refusal::Invalid`]
/// for a text that is too long; [`Refusal::TooMany`] while the person's last preview is being rendered.
#[server(endpoint = "preview-markdown")]
pub async fn preview_markdown(#[server(default)] text: String) -> Result<String, Refusal> {
    use super::require_study_creator;
    use crate::{
        markdown,
        request::{parse, signed_in},
    };

    /// Typical guidelines are a few thousand bytes.
    const LONGEST: usize = 20_000;

    let person = signed_in().await?;
    require_study_creator(&person).await?;

    if text.len() > LONGEST {
        return Err(Refusal::invalid(
            "This text is too long for a preview (at most 20,000 bytes). You can still save it and \
             read it on the study's page of guidelines.",
        ));
    }

    markdown::preview(person.id, parse::text(&text, "The text")?).await
}
