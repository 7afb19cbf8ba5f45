//! The current request: the person and their rights, the server's services, and answers that server functions
//! and pages share.

mod audit;
pub mod parse;
mod session;

use std::error::Error;

pub use audit::{audit_entry, audit_entry_of, audited, audited_as, check_password};
use leptos::prelude::{WithUntracked as _, use_context};
use leptos_router::hooks::use_params_map;
use service::{
    Context, FigureError,
    accounts::{attempts::LoginError, password},
    wording::{error_chain, sentence},
};
pub use session::{
    RequestAccess, access, access_as, access_of, admin, check_own_password, lead_access,
    lead_access_to_any, require_confirmed, signed_in, signed_in_rater, visitor,
};

use crate::{
    error::Refusal,
    flash::{self, Flash},
    links, services,
};

/// Sends the browser to `path` of the site after the server function, with JavaScript or without.
pub fn see_other(path: &str) {
    leptos_axum::redirect(&links::to(path));
}

/// [`see_other`] to a page that then shows `message`.
pub fn see_other_with(path: &str, message: impl Into<String>) {
    flash::set(&Flash::Done(message.into()));
    see_other(path);
}

/// The part of the page's address that its route calls `name`; empty if there is none.
pub fn path_parameter(name: &str) -> String {
    use_params_map()
        .with_untracked(|parameters| parameters.get(name))
        .unwrap_or_default()
}

/// The full address of a page, to send to others, from its path within the site.
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

/// Hashes a new password after checking it against the person's name.
pub async fn hash_password(name: &str, password: &str) -> Result<String, Refusal> {
    let hash = password::hash(name, password, services().context.random_bytes()).await;
    hash.map_err(|error| match error {
        error if error.is_user_error() => Refusal::invalid(error.to_string()),
        error => internal(error),
    })
}

/// The refusal for a failed database, or for a figure that cannot be computed; internal details are hidden.
pub fn refuse(error: impl Into<FigureError>) -> Refusal {
    refuse_as(error, services().context)
}

/// [`refuse`] outside a Leptos request.
pub fn refuse_as(error: impl Into<FigureError>, context: Context) -> Refusal {
    let error = match error.into() {
        FigureError::Database(error) => error,
        error @ FigureError::Panicked(_) => return internal_as(&error, context),
    };
    match error {
        store::Error::Refused(words) | store::Error::Taken(words) => {
            Refusal::Invalid(sentence(&words))
        }
        store::Error::TooMany(words) => Refusal::TooMany(words),
        error @ store::Error::ImportUnderWay => Refusal::Invalid(error.to_string()),
        store::Error::Unusable { ref sentence, .. } => {
            tracing::error!(error = error_chain(&error), "the database cannot be used");
            Refusal::Unavailable(sentence.clone())
        }
        error => internal_as(&error, context),
    }
}

/// The refusal for a failed sign-in; internal details are hidden.
pub fn refuse_login(error: LoginError) -> Refusal {
    match error {
        LoginError::Wrong | LoginError::Closed => Refusal::invalid(error.to_string()),
        LoginError::TooMany(_) => Refusal::TooMany(error.to_string()),
        LoginError::Store(error) => refuse(error),
        LoginError::Password(error) => internal(error),
    }
}

/// Logs an error once, with all of its causes, and returns a refusal with its reference only.
pub fn internal(error: impl Error) -> Refusal {
    internal_as(&error, services().context)
}

fn internal_as(error: &dyn Error, context: Context) -> Refusal {
    Refusal::Internal(log_defect(error, context))
}

/// Logs an error with all of its causes, and returns the reference under which it is found.
pub(crate) fn log_defect(error: &dyn Error, context: Context) -> String {
    let reference = context.new_id().simple().to_string();
    tracing::error!(
        reference,
        error = error_chain(error),
        "a request failed with an internal error"
    );
    reference
}
