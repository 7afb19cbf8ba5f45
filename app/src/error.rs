//! The one way in which a server function says no.

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};

use crate::json::JsonText;

/// Why a request was not carried out, as a person is told it.
///
/// `Display` is the sentence shown. Nothing of the machinery is in it: what failed inside is
/// logged by [`crate::request::internal`] and only its reference id travels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Nobody is signed in, or the session has ended.
    #[error("You are not signed in, or your session has ended. Sign in and try again.")]
    NotSignedIn,
    /// The person's role does not allow it.
    #[error("Your role in this study does not allow this. Ask the study's lead.")]
    NotAllowed,
    /// There is no such thing, or the person may not know of it.
    #[error("This does not exist, or it is not open to you.")]
    NotFound,
    /// What was entered cannot be taken; the sentence says what to change.
    #[error("{0}")]
    Invalid(String),
    /// Somebody or something changed it in between; the sentence says what to do.
    #[error("{0}")]
    Conflict(String),
    /// Too many attempts; the sentence says how long to wait.
    #[error("{0}")]
    TooMany(String),
    /// Too much at once; trying again later helps.
    #[error("The server is busy. Try again in a minute.")]
    Busy,
    /// The server could not be reached.
    #[error("The server cannot be reached. Check the connection and try again.")]
    Unreachable,
    /// Something failed inside; the text is the reference under which it was logged.
    #[error("Something went wrong on the server. Try again, or report the reference {0}.")]
    Internal(String),
}

impl Refusal {
    /// A refusal of what was entered.
    pub fn invalid(sentence: impl Into<String>) -> Self {
        Self::Invalid(sentence.into())
    }

    /// A refusal since something changed in between.
    pub fn conflict(sentence: impl Into<String>) -> Self {
        Self::Conflict(sentence.into())
    }

    /// The HTTP status that says the same.
    pub fn status(&self) -> u16 {
        match self {
            Self::NotSignedIn => 401,
            Self::NotAllowed => 403,
            Self::NotFound => 404,
            Self::Conflict(_) => 409,
            Self::Invalid(_) => 422,
            Self::TooMany(_) => 429,
            Self::Internal(_) => 500,
            Self::Busy | Self::Unreachable => 503,
        }
    }
}

impl FromServerFnError for Refusal {
    type Encoder = JsonText;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Request(_) => Self::Unreachable,
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) => {
                Self::invalid("The form was incomplete. Reload the page and try again.")
            }
            ServerFnErrorErr::Deserialization(_) => Self::invalid(
                "The answer could not be read. The page may be of an older version: reload it.",
            ),
            _ => Self::Internal("none".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_travels_as_json() {
        for refusal in [
            Refusal::NotSignedIn,
            Refusal::invalid("A name is needed."),
            Refusal::conflict("Somebody changed it."),
            Refusal::Internal("r-1".into()),
        ] {
            assert_eq!(Refusal::de(refusal.ser()), refusal);
        }
        let text = String::from_utf8(Refusal::invalid("Why.").ser().to_vec()).expect("utf-8");
        assert_eq!(text, r#"{"invalid":"Why."}"#);
    }
}
