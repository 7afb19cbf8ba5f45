//! Pages that scripts fetch in the background. They take turns, so that people at work are answered first.

use std::{num::NonZero, sync::Arc, thread};

use app::flash::IN_BACKGROUND;
use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use tokio::sync::Semaphore;

use super::panics::error_page;

/// Limits how many pages are drawn in the background at the same time.
#[derive(Debug, Clone)]
pub(super) struct BackgroundTurns(Arc<Semaphore>);

impl BackgroundTurns {
    /// Allows half as many as there are processors, at least two: one may be the first page of a large study, which
    /// takes seconds.
    pub(super) fn new() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        Self(Arc::new(Semaphore::new((processors / 2).max(2))))
    }
}

/// Makes a background page wait for its turn. The turn lasts until the whole page is drawn and compressed, since
/// that is what keeps the processors busy.
pub(super) async fn take_turns(
    State(turns): State<BackgroundTurns>,
    request: Request,
    next: Next,
) -> Response {
    if !request.headers().contains_key(IN_BACKGROUND) {
        return next.run(request).await;
    }

    let _turn = turns.0.acquire().await.expect("it is never closed");
    let (head, body) = next.run(request).await.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(bytes) => Response::from_parts(head, Body::from(bytes)),
        Err(error) => error_page("a page broke off", &error),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        time::Duration,
    };

    use axum::{Router, middleware, routing::get};
    use tokio::time::sleep;
    use tower::ServiceExt as _;

    use super::*;

    /// The most of `count` requests that were answered at the same time.
    async fn most_at_once(count: usize, header: &'static str) -> usize {
        static NOW: AtomicUsize = AtomicUsize::new(0);
        static MOST: AtomicUsize = AtomicUsize::new(0);
        async fn page() -> &'static str {
            let now = NOW.fetch_add(1, Ordering::SeqCst) + 1;
            MOST.fetch_max(now, Ordering::SeqCst);
            sleep(Duration::from_millis(20)).await;
            NOW.fetch_sub(1, Ordering::SeqCst);
            "a page"
        }

        MOST.store(0, Ordering::SeqCst);
        let turns = BackgroundTurns(Arc::new(Semaphore::new(2)));
        let site = Router::new()
            .route("/", get(page))
            .layer(middleware::from_fn_with_state(turns, take_turns));

        let ask = |site: Router| async move {
            let request = Request::get("/").header(header, "1").body(Body::empty());
            let answer = site.oneshot(request.expect("a request")).await;
            let body = to_bytes(answer.expect("infallible").into_body(), 100).await;
            assert_eq!(&*body.expect("it is short"), b"a page");
        };

        let asked = (0..count).map(|_| tokio::spawn(ask(site.clone())));
        for answered in asked.collect::<Vec<_>>() {
            answered.await.expect("it is answered");
        }
        MOST.load(Ordering::SeqCst)
    }

    #[tokio::test]
    async fn pages_for_the_background_take_turns_and_others_do_not_wait() {
        assert_eq!(most_at_once(6, IN_BACKGROUND).await, 2);
        assert_eq!(most_at_once(6, "x-other").await, 6);
    }
}
