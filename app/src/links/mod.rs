//! Addresses within the site.
//!
//! The platform may live under a path of a larger site (`--base-path /rate`), so links, form actions and
//! assets are never bare strings: each goes through [`to`] or [`action`].

use std::sync::OnceLock;

use domain::study::Slug;
use leptos::server_fn::ServerFn;

#[cfg(feature = "ssr")]
mod study_page;

#[cfg(feature = "ssr")]
pub use study_page::StudyPage;

/// The start page.
pub const HOME: &str = "/";
/// The page to sign in on.
pub const LOGIN: &str = "/login";
/// The page that asks for the password again.
pub const CONFIRM: &str = "/confirm";
/// The page of one's own account.
pub const ACCOUNT: &str = "/account";
/// The administrators' page of accounts.
pub const PEOPLE: &str = "/people";
/// The administrators' log of changes.
pub const AUDIT: &str = "/audit";
/// The page on which a person erases their own account.
pub const ERASE_ACCOUNT: &str = "/account/erase";
/// The page that creates a study.
pub const NEW_STUDY: &str = "/studies/new";
/// The address to upload a study's file to, to make a new study from it.
pub const STUDY_FILE: &str = "/api/study-file";
/// A participant's current text.
pub const READ: &str = "/read";
/// The page that tells a participant that their answers were erased.
pub const READ_ERASED: &str = "/read?erased=yes";
/// The page that describes the HTTP API.
pub const API: &str = "/api";
/// The HTTP API itself.
pub const API_V1: &str = "/api/v1";
/// The description of the HTTP API for programs.
pub const API_DESCRIPTION: &str = "/api/v1/openapi.json";
/// The address to upload files for an import to.
pub const UPLOAD: &str = "/api/upload";
/// The address to upload files of reading comprehension to.
pub const READING_UPLOAD: &str = "/api/reading-upload";

/// The annotator's home below a study's own path.
const STUDY_WORK: &str = "/work";

static BASE: OnceLock<String> = OnceLock::new();

/// The address of a page or file of the site, from its path within the site.
///
/// ```
/// assert_eq!(app::links::to("/studies"), "/studies");
/// ```
pub fn to(path: &str) -> String {
    join(base(), path)
}

/// The address that a form posts to so that the server function `F` runs.
pub fn action<F: ServerFn>() -> String {
    to(F::url())
}

/// The path of a one-time link for setting a password.
pub fn password_link(token: &str) -> String {
    format!("/welcome/{token}")
}

/// The path of the administrators' page that erases a person's account.
pub fn erase_person(person: impl std::fmt::Display) -> String {
    format!("{PEOPLE}/{person}/erase")
}

/// The anchor of an output on the page of ratings.
#[cfg(feature = "ssr")]
pub fn rated_output(output: impl std::fmt::Display) -> String {
    format!("rated-{output}")
}

/// The path of an invitation to a study.
pub fn invitation(token: &str) -> String {
    format!("/invite/{token}")
}

/// The path of a participant's link.
pub fn participant_link(token: &str) -> String {
    format!("/take/{token}")
}

/// The path of a crowd rater's link.
pub fn crowd_link(token: &str) -> String {
    format!("/rate/{token}")
}

/// The path at which a crowd rater continues in another browser.
#[cfg(feature = "ssr")]
pub fn resume_link(key: impl std::fmt::Display) -> String {
    format!("/resume/{key}")
}

/// The path of one of a participant's texts, from 1.
pub fn read_text(number: usize) -> String {
    format!("{READ}?text={number}")
}

/// The address of the preview of a template.
pub fn template_preview(template: &str) -> String {
    to(&format!("{NEW_STUDY}/{template}"))
}

/// The address of an annotator's home in a study.
pub fn annotator_home(slug: &Slug) -> String {
    to(&format!("/s/{slug}{STUDY_WORK}"))
}

/// The path under which the site lives: empty, or `/like/this`.
pub fn base() -> &'static str {
    BASE.get().map_or("", String::as_str)
}

/// Sets the path under which the site lives, once per process; later calls change nothing.
///
/// The server takes it from its settings, the browser from the page. Expects it normalised:
/// empty, or with a leading and without a trailing slash.
pub fn set_base(path: &str) {
    BASE.get_or_init(|| path.to_owned());
}

/// The page to continue at after signing in: `next` if it is a path within the site, else the start page.
/// Addresses of other sites are rejected, however they are written: a browser reads a path that begins with
/// two slashes as one, treats a backslash as a slash, and skips blanks and control characters.
pub fn next_page(next: &str) -> &str {
    let stays = next.starts_with('/')
        && !next.starts_with("//")
        && next
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');

    if stays { next } else { "/" }
}

fn join(base: &str, path: &str) -> String {
    debug_assert!(
        path.starts_with('/'),
        "a path within the site starts with a slash: {path}"
    );
    format!("{base}{path}")
}

#[cfg(test)]
mod tests {
    use super::{join, next_page};

    #[test]
    fn signing_in_leads_nowhere_else() {
        for inside in ["/", "/s/a/work?x=1&y=%20#z", "/invite/abc_-"] {
            assert_eq!(next_page(inside), inside);
        }
        for outside in [
            "",
            "s/a",
            "//other.example",
            "https://other.example",
            "/\\other.example",
            "\\\\other.example",
            "/\t/other.example",
            "/\n/other.example",
            " //other.example",
            "javascript:alert(1)",
            "/ä",
        ] {
            assert_eq!(next_page(outside), "/", "{outside:?}");
        }
    }

    #[test]
    fn a_site_at_the_root_and_under_a_path() {
        assert_eq!(join("", "/"), "/");
        assert_eq!(join("", "/studies/a"), "/studies/a");
        assert_eq!(join("/rate", "/"), "/rate/");
        assert_eq!(join("/rate", "/studies/a"), "/rate/studies/a");
    }
}
