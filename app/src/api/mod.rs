//! Server functions, one a file: authorise, parse, call, answer.
//!
//! Each begins with `signed_in`, `admin` or `access`, which refuse whoever must not go on. Each
//! names its endpoint (`#[server(endpoint = "…")]`, posted to `/api/…`), answers
//! `Result<_, Refusal>` and works for a plain form as for an island. Arguments are plain text and
//! numbers, parsed in the body, so that a bad one is answered with a sentence. A server function
//! that changes something and belongs to a form ends with [`see_other`].

mod add_person;
mod annotator;
mod become_admin;
mod change_password;
mod comprehension;
mod discuss;
mod imports;
mod join;
mod log_in;
mod log_out;
mod members;
mod metrics;
#[cfg(feature = "ssr")]
pub mod parse;
mod password_link;
mod register;
#[cfg(feature = "ssr")]
mod session;
mod set_admin;
mod set_disabled;
mod set_password;
mod set_theme;
mod set_visibility;
mod study_settings;
mod training;
pub mod work;

pub use add_person::{AddPerson, add_person};
pub use annotator::*;
pub use become_admin::{BecomeAdmin, become_admin};
pub use change_password::{ChangePassword, change_password};
pub use comprehension::*;
pub use discuss::{Discuss, discuss};
pub use imports::*;
pub use join::{Join, join};
pub use log_in::{LogIn, log_in};
pub use log_out::{LogOut, log_out};
pub use members::*;
pub use metrics::*;
pub use password_link::{MakePasswordLink, make_password_link};
pub use register::{Register, register};
#[cfg(feature = "ssr")]
pub use server_side::{
    absolute, hash_password, internal, refuse, refuse_as, see_other, sentence, services,
};
#[cfg(feature = "ssr")]
pub use session::{RequestAccess, access, admin, signed_in, visitor};
pub use set_admin::{SetAdmin, set_admin};
pub use set_disabled::{SetDisabled, set_disabled};
pub use set_password::{SetPassword, set_password};
pub use set_theme::{SetTheme, set_theme};
pub use set_visibility::{SetVisibility, set_visibility};
pub use study_settings::*;
pub use training::*;

#[cfg(feature = "ssr")]
mod server_side {
    use std::error::Error;

    use leptos::prelude::{expect_context, use_context};
    use uuid::Uuid;

    use crate::{Services, accounts::password, error::Refusal, links};

    /// What the server gave to this request.
    pub fn services() -> Services {
        expect_context()
    }

    /// After the server function the browser is at `path` of the site, with JavaScript or without.
    pub fn see_other(path: &str) {
        leptos_axum::redirect(&links::to(path));
    }

    /// The address of a page of the site as others can open it, from its path within the site.
    pub fn absolute(path: &str) -> String {
        let address = services().public_url.unwrap_or_else(|| {
            let parts = use_context::<http::request::Parts>();
            let host = parts
                .as_ref()
                .and_then(|parts| parts.headers.get(http::header::HOST));
            let host = host
                .and_then(|host| host.to_str().ok())
                .unwrap_or("localhost");
            format!("http://{host}{}", links::base())
        });
        format!("{address}{path}")
    }

    /// The hash of a new password of the person of that name.
    pub async fn hash_password(name: &str, password: &str) -> Result<String, Refusal> {
        let hash = password::hash(name, password, (services().random)()).await;
        hash.map_err(|error| match error {
            error if error.is_user_error() => Refusal::invalid(error.to_string()),
            error => internal(error),
        })
    }

    /// Says what the store refused, and hides what failed in it.
    pub fn refuse(error: store::Error) -> Refusal {
        refuse_as(error, services().new_id)
    }

    /// What [`refuse`] does, where there is no request of leptos'.
    pub fn refuse_as(error: store::Error, new_id: fn() -> Uuid) -> Refusal {
        match error {
            store::Error::Refused(words) | store::Error::Taken(words) => {
                Refusal::Invalid(sentence(&words))
            }
            error @ store::Error::ImportUnderWay => Refusal::Invalid(error.to_string()),
            error => internal_as(error, new_id),
        }
    }

    /// The words with a capital at the beginning and a full stop at the end.
    pub fn sentence(words: &str) -> String {
        let mut letters = words.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        let stop = if words.ends_with(['.', '?', '!']) {
            ""
        } else {
            "."
        };
        first.chain(letters).chain(stop.chars()).collect()
    }

    /// Logs an error with everything that led to it, once, and answers with its reference only.
    pub fn internal(error: impl Error) -> Refusal {
        internal_as(error, services().new_id)
    }

    fn internal_as(error: impl Error, new_id: fn() -> Uuid) -> Refusal {
        let reference = new_id().simple().to_string();
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
