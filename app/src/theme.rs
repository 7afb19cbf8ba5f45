//! Colour theme: light, dark, or the system's, kept in a cookie.

use crate::cookies;

const NAME: &str = "theme";
const YEAR: i64 = 365 * 24 * 60 * 60;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the browser or the operating system is set.
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// All themes, in display order.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The name in forms, cookies and style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// The theme of this request.
pub fn from_cookie() -> Theme {
    cookies::read(NAME)
        .and_then(|name| Theme::parse(&name))
        .unwrap_or_default()
}

/// Stores a theme for a year.
pub fn save(theme: Theme) {
    cookies::send(NAME, theme.name(), YEAR);
}
