//! Light, dark, or as the system has it: a person's choice, kept in a cookie.

use crate::cookies;

const NAME: &str = "theme";
const YEAR: i64 = 365 * 24 * 60 * 60;

/// The colours of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the browser or the operating system says.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All choices, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The name in forms, cookies and style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The choice of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// What the person of this request has chosen.
pub fn from_cookie() -> Theme {
    cookies::read(NAME)
        .and_then(|name| Theme::parse(&name))
        .unwrap_or_default()
}

/// Keeps a choice for a year.
pub fn save(theme: Theme) {
    cookies::send(NAME, theme.name(), YEAR);
}
