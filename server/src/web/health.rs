//! `/health`: whether the site answers and its database takes writes.

use std::{sync::Arc, time::Duration};

use axum::{Router, extract::State, http::StatusCode, routing::get};
use service::Context;
use store::Store;
use tokio::{sync::Mutex, time::timeout};

/// How long an answer is reused, in milliseconds, so that frequent checks cause few writes.
const ANSWER_HOLDS_MS: i64 = 2_000;

/// How long a write may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The database, and the last answer with its time in milliseconds.
#[derive(Clone)]
struct HealthCheck {
    store: Store,
    context: Context,
    last: Arc<Mutex<Option<(i64, HealthAnswer)>>>,
}

type HealthAnswer = (StatusCode, String);

/// The route of `/health`: 200 and `ok`, or 503 and a sentence that says what to look at.
pub(super) fn route<S: Clone + Send + Sync + 'static>(store: Store, context: Context) -> Router<S> {
    let check = HealthCheck {
        store,
        context,
        last: Arc::default(),
    };
    Router::new()
        .route("/health", get(check_health))
        .with_state(check)
}

async fn check_health(State(check): State<HealthCheck>) -> HealthAnswer {
    let mut last = check.last.lock().await;
    let now = check.context.now_ms();
    if let Some((at, answer)) = &*last
        && (*at..*at + ANSWER_HOLDS_MS).contains(&now)
    {
        return answer.clone();
    }

    let answer = match timeout(PATIENCE, check.store.check_writing(now)).await {
        Ok(Ok(())) => (StatusCode::OK, "ok".to_owned()),
        Ok(Err(error)) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
        Err(_) => {
            let sentence = "The database took too long for a write.".to_owned();
            (StatusCode::SERVICE_UNAVAILABLE, sentence)
        }
    };

    *last = Some((now, answer.clone()));
    answer
}

#[cfg(test)]
mod tests {
    use crate::web::testing::TestSite;

    #[tokio::test]
    async fn it_says_whether_the_database_takes_writes() {
        let site = TestSite::new().await;
        let answer = site.open(None, "/health").await;
        assert_eq!((answer.status.as_u16(), answer.body.as_str()), (200, "ok"));

        let site = TestSite::new().await;
        site.store.close().await;
        let answer = site.open(None, "/health").await;
        assert_eq!(answer.status, 503);
        assert!(answer.body.contains("shutting down"), "{}", answer.body);
    }
}
