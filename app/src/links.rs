//! Addresses within the site.
//!
//! The platform may live under a path of a larger site (`--base-path /rate`), so no link, form
//! action or asset is written as a bare string: each goes through [`to`] or [`action`].

use std::sync::OnceLock;

use domain::study::{Role, Slug};
use leptos::server_fn::ServerFn;

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

/// The page on which a person of that role enters a study; `None` is an administrator who is no member.
pub fn study_entrance(slug: &Slug, role: Option<Role>) -> String {
    match role {
        Some(Role::Annotator) => format!("/s/{slug}/work"),
        _ => format!("/s/{slug}"),
    }
}

/// The path under which the site lives: empty, or `/like/this`.
pub fn base() -> &'static str {
    BASE.get().map_or("", String::as_str)
}

/// Sets the path under which the site lives, once a process; later calls change nothing.
///
/// The server takes it from its settings, the browser from the page. Expects it normalised:
/// empty, or with a leading and without a trailing slash.
pub fn set_base(path: &str) {
    BASE.get_or_init(|| path.to_owned());
}

/// Where to go on after signing in: `next` where it is a path within the site, else the start
/// page. Another site's address, however written, is none: what a browser reads as one begins
/// with two slashes, a backslash counts as a slash, and blanks and control characters are skipped.
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
