//! How a text in Markdown will look.

use leptos::prelude::*;

use crate::error::Refusal;

/// Lays a text in Markdown out as readers will see it. Nothing is kept.
///
/// # Errors
/// [`Refusal::NotSignedIn`]; [`Refusal::Invalid`] for a text that is too long.
#[server(endpoint = "preview-markdown")]
pub async fn preview_markdown(
    /// The text.
    #[server(default)]
    text: String,
) -> Result<String, Refusal> {
    use crate::{
        api::{parse, signed_in},
        markdown,
    };

    signed_in().await?;
    Ok(markdown::html(&parse::text(&text, "The text")?))
}
