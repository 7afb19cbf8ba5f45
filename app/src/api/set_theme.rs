//! Light, dark, or as the system has it.

use leptos::prelude::*;

use crate::error::Refusal;

/// Keeps a person's choice of colours in a cookie: `light`, `dark` or `system`.
///
/// # Errors
/// [`Refusal::Invalid`] for anything else.
#[server(endpoint = "theme")]
pub async fn set_theme(
    /// The name of the choice.
    theme: String,
) -> Result<(), Refusal> {
    use crate::theme::{self, Theme};

    let theme = Theme::parse(&theme)
        .ok_or_else(|| Refusal::invalid("Choose light, dark or as the system."))?;
    theme::save(theme);
    Ok(())
}
