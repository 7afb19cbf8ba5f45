//! Addresses within the site.
//!
//! The platform may live under a path of a larger site (`--base-path /rate`), so no link, form
//! action or asset is written as a bare string: each goes through [`to`] or [`action`].

use std::sync::OnceLock;

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

fn join(base: &str, path: &str) -> String {
    debug_assert!(
        path.starts_with('/'),
        "a path within the site starts with a slash: {path}"
    );
    format!("{base}{path}")
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn a_site_at_the_root_and_under_a_path() {
        assert_eq!(join("", "/"), "/");
        assert_eq!(join("", "/studies/a"), "/studies/a");
        assert_eq!(join("/rate", "/"), "/rate/");
        assert_eq!(join("/rate", "/studies/a"), "/rate/studies/a");
    }
}
