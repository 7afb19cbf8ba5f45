//! Colour theme: light, dark, or the system's.

use leptos::prelude::*;

use crate::error::Refusal;

/// Stores a person's colour theme in a cookie: `light`, `dark` or `system`.
///
/// # Errors
/// [`Refusal::Invalid`] for anything else.
#[server(endpoint = "theme")]
pub async fn set_theme(theme: String) -> Result<(), Refusal> {
    use crate::theme::{self, Theme};

    let theme = Theme::parse(&theme)
        .ok_or_else(|| Refusal::invalid("Choose light, dark or system colours."))?;
    theme::save(theme);
    Ok(())
}
