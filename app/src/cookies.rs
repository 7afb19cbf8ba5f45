//! Cookies of the site: all HttpOnly, SameSite, under the site's path, and Secure if the site is reached by
//! https. On an https site at the root of its host, their names have a prefix that binds them to this host,
//! so that no other host of the same domain can set them.

use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, header};
use leptos::prelude::{expect_context, use_context};
use leptos_axum::ResponseOptions;

use crate::{links, services};

/// The prefix of names that a browser binds to one host (RFC 6265bis, section 4.1.3.2).
const ONE_HOST: &str = "__Host-";

/// A cookie of the site that lives for `seconds`; zero removes it.
pub fn build(name: &'static str, value: &str, seconds: i64, secure: bool) -> Cookie<'static> {
    Cookie::build((sent_name(name, secure, links::base()), value.to_owned()))
        .path(links::to(links::HOME))
        .max_age(Duration::seconds(seconds))
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(secure)
        .build()
}

/// Whether a name in a header is that of this cookie, with or without the prefix.
pub fn is_named(sent: &str, name: &str) -> bool {
    sent.strip_prefix(ONE_HOST).unwrap_or(sent) == name
}

/// The name under which the browser keeps a cookie.
fn sent_name(name: &str, secure: bool, base: &str) -> String {
    let prefix = if secure && base.is_empty() {
        ONE_HOST
    } else {
        ""
    };
    format!("{prefix}{name}")
}

/// The value of a cookie in these headers; `secure` says whether the site's cookies are Secure.
pub fn read_from(headers: &HeaderMap, name: &str, secure: bool) -> Option<String> {
    let name = sent_name(name, secure, links::base());
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| Cookie::split_parse_encoded(line.to_owned()))
        .filter_map(Result::ok)
        .find(|cookie| cookie.name() == name)
        .map(|cookie| cookie.value().to_owned())
}

/// The value of a cookie of the current request.
pub fn read(name: &str) -> Option<String> {
    let request = use_context::<http::request::Parts>()?;
    read_from(&request.headers, name, services().secure_cookies)
}

/// Sends a cookie with the current response, to live for `seconds`; zero removes it.
pub fn send(name: &'static str, value: &str, seconds: i64) {
    let cookie = build(name, value, seconds, services().secure_cookies);
    let header = cookie
        .encoded()
        .to_string()
        .try_into()
        .expect("a percent-encoded cookie is a valid header");
    expect_context::<ResponseOptions>().append_header(header::SET_COOKIE, header);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_hosts_own_where_a_browser_can_hold_them_so() {
        for (secure, base, expect) in [
            (true, "", "__Host-session"),
            // The cookie's path would be another than the prefix demands.
            (true, "/rate", "session"),
            (false, "", "session"),
        ] {
            let sent = sent_name("session", secure, base);
            assert_eq!(sent, expect);
            assert!(is_named(&sent, "session") && !is_named(&sent, "reader"));
        }
    }
}
