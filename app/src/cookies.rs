//! Cookies of the site: all HttpOnly, SameSite, under the site's path, and Secure where the
//! site is reached by https.

use cookie::{Cookie, SameSite, time::Duration};
use http::{HeaderMap, header};
use leptos::prelude::{expect_context, use_context};
use leptos_axum::ResponseOptions;

use crate::{links, services};

/// A cookie of the site that lives for `seconds`; zero removes it.
pub fn build(name: &'static str, value: &str, seconds: i64, secure: bool) -> Cookie<'static> {
    Cookie::build((name, value.to_owned()))
        .path(links::to(links::HOME))
        .max_age(Duration::seconds(seconds))
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(secure)
        .build()
}

/// The value of a cookie in these headers.
pub fn read_from(headers: &HeaderMap, name: &str) -> Option<String> {
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
    read_from(&use_context::<http::request::Parts>()?.headers, name)
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
