//! Server functions, one a file: authorise, parse, call, answer.
//!
//! Each names its endpoint (`#[server(endpoint = "…")]`, posted to `/api/…`), answers
//! `Result<_, Refusal>` and works for a plain form as for an island. Arguments are plain text and
//! numbers, parsed in the body, so that a bad one is answered with a sentence. A server function
//! that changes something and belongs to a form ends with [`see_other`].

mod set_theme;

#[cfg(feature = "ssr")]
pub use server_side::{internal, see_other, services};
pub use set_theme::{SetTheme, set_theme};

#[cfg(feature = "ssr")]
mod server_side {
    use std::error::Error;

    use leptos::prelude::expect_context;

    use crate::{Services, error::Refusal, links};

    /// What the server gave to this request.
    pub fn services() -> Services {
        expect_context()
    }

    /// After the server function the browser is at `path` of the site, with JavaScript or without.
    pub fn see_other(path: &str) {
        leptos_axum::redirect(&links::to(path));
    }

    /// Logs an error with everything that led to it, once, and answers with its reference only.
    pub fn internal(error: impl Error) -> Refusal {
        let reference = (services().new_id)().simple().to_string();
        let mut chain = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            chain.push_str(": ");
            chain.push_str(&cause.to_string());
            source = cause.source();
        }
        tracing::error!(reference, error = chain, "a request failed inside");
        Refusal::Internal(reference)
    }
}
