//! The content security policy of pages.

use http::{HeaderValue, header};
use leptos::{nonce::Nonce, prelude::expect_context};
use leptos_axum::ResponseOptions;

/// Sends the page's content security policy: its own files, and the scripts with its nonce.
pub fn send(nonce: &Nonce) {
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic' 'wasm-unsafe-eval'; \
         style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; \
         worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'"
    );

    let policy = HeaderValue::from_str(&policy).expect("a nonce is base64");
    expect_context::<ResponseOptions>().insert_header(header::CONTENT_SECURITY_POLICY, policy);
}
