//! The refusals of server functions.

use leptos::prelude::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};

use crate::json::JsonText;

/// The reason why a request was refused, in words for the user.
///
/// `Display` is the sentence shown. It contains no internal details: [`crate::request::internal`] logs them,
/// and only the reference id travels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The user is not signed in, or the session has ended.
    #[error("You are not signed in, or your session has ended. Sign in and try again.")]
    NotSignedIn,
    /// The password has to be typed again first, on the page that the server redirects to.
    #[error("Enter your password first.")]
    ConfirmPassword,
    /// The person's role does not allow it.
    #[error("Your role in this study does not allow this. Ask the study's lead.")]
    NotAllowed,
    /// It does not exist, or the person must not know of it.
    #[error("This does not exist, or you do not have access to it.")]
    NotFound,
    /// The input is not valid; the sentence says what to change.
    #[error("{0}")]
    Invalid(String),
    /// Another change came in between; the sentence says what to do.
    #[error("{0}")]
    Conflict(String),
    /// Too many attempts; the sentence says how long to wait.
    #[error("{0}")]
    TooMany(String),
    /// The server is overloaded; trying again later helps.
    #[error("The server is busy. Try again in a minute.")]
    Busy,
    /// The server cannot do it now, for example because its disk is full; the sentence says what to look at.
    #[error("{0}")]
    Unavailable(String),
    /// The server could not be reached.
    #[error("The server cannot be reached. Check the connection and try again.")]
    Unreachable,
    /// An internal error; the text is the reference under which it was logged.
    #[error("Something went wrong on the server. Try again, or report the reference {0}.")]
    Internal(String),
}

impl Refusal {
    /// A refusal of invalid input.
    pub fn invalid(sentence: impl Into<String>) -> Self {
        Self::Invalid(sentence.into())
    }

    /// A refusal because of a change in between.
    pub fn conflict(sentence: impl Into<String>) -> Self {
        Self::Conflict(sentence.into())
    }

    /// The matching HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::NotSignedIn | Self::ConfirmPassword => 401,
            Self::NotAllowed => 403,
            Self::NotFound => 404,
            Self::Conflict(_) => 409,
            Self::Invalid(_) => 422,
            Self::TooMany(_) => 429,
            Self::Internal(_) => 500,
            Self::Busy | Self::Unavailable(_) | Self::Unreachable => 503,
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
                "The answer could not be read. The page may be out of date: reload it.",
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
            Refusal::conflict("Another lead changed it."),
            Refusal::Internal("r-1".into()),
        ] {
            assert_eq!(Refusal::de(refusal.ser()), refusal);
        }
        let text = String::from_utf8(Refusal::invalid("Why.").ser().to_vec()).expect("utf-8");
        assert_eq!(text, r#"{"invalid":"Why."}"#);
    }
}
