//! Servers as processes of their own, and requests to them.

pub(crate) mod connection;
pub(crate) mod event_stream;
pub(crate) mod http;
pub(crate) mod process;
pub(crate) mod usage;

use std::time::{SystemTime, UNIX_EPOCH};

use domain::{category::Category, ids::PersonId};
use service::accounts::SecretToken;
use store::{NewSession, import::AutomaticAnswers};

use crate::{TestDatabase, fresh_id};

/// The automatic answers of outputs that a test imports before its servers start.
pub(crate) fn automatic_answers() -> AutomaticAnswers {
    AutomaticAnswers {
        category: Category::Paraphrase,
        reason: "for the test".to_owned(),
        category_version: "test 1".to_owned(),
        edits: vec![],
        edits_version: "test 1".to_owned(),
    }
}

/// Begins a session and returns its cookie. No password is checked, since the hashing of passwords is not measured.
pub(crate) async fn sign_in(database: &TestDatabase, person: PersonId, now_ms: i64) -> String {
    let mut random = [0; 32];
    random[..16].copy_from_slice(fresh_id().as_bytes());
    random[16..].copy_from_slice(fresh_id().as_bytes());
    let token = SecretToken::new(random);

    let session = NewSession {
        token_hash: &token.hash(),
        person,
        password_hash: None,
        user_agent: "a test",
        now_ms,
        expires_ms: now_ms + 86_400_000,
    };

    let created = database.store.create_session(&session).await;
    assert!(created.expect("it is stored"), "the person is there");
    format!("session={}", token.secret())
}

/// The time of the server, which ends sessions and leases by it.
#[expect(
    clippy::disallowed_methods,
    reason = "the servers are processes of their own"
)]
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.expect("the clock is right");
    i64::try_from(since.as_millis()).expect("not that late")
}
