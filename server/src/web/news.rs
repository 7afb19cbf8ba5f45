//! A study's news as a stream (Server-Sent Events): the number of its newest event, as it changes.

use std::{convert::Infallible, pin::Pin, sync::Arc, time::Duration};

use app::{Services, accounts::Visitor, error::Refusal};
use axum::{
    Extension, Router,
    extract::{Path, Query, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
    routing::get,
};
use domain::ids::StudyId;
use futures::stream;
use serde::Deserialize;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Sleep, sleep},
};
use tokio_util::sync::CancellationToken;

use super::study::{authorised, refused};
use crate::news::{News, Waiting};

/// Streams that are open at once.
const AT_ONCE: usize = 2_000;

/// The shortest time between two events of a stream.
const APART: Duration = Duration::from_millis(500);

/// How long a stream lasts: then the browser asks for it again, and is asked again who it is.
const LASTS: Duration = Duration::from_secs(10 * 60);

/// How often a stream without news shows that it is there.
const HEARTBEAT: Duration = Duration::from_secs(15);

#[derive(Clone)]
struct Streams {
    services: Services,
    news: News,
    stop: CancellationToken,
    places: Arc<Semaphore>,
}

/// The route of streams, `/s/STUDY/news`.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(
    services: Services,
    news: News,
    stop: CancellationToken,
) -> Router<S> {
    let streams = Streams {
        services,
        news,
        stop,
        places: Arc::new(Semaphore::new(AT_ONCE)),
    };
    Router::new()
        .route("/s/{slug}/news", get(follow))
        .with_state(streams)
}

/// Tells whoever waits for news that something may have been written.
pub(super) async fn ring(State(news): State<News>, request: Request, next: Next) -> Response {
    let writes = request.method() == Method::POST;
    let response = next.run(request).await;
    if writes {
        news.ring();
    }
    response
}

#[derive(Deserialize)]
struct Since {
    /// The number of the event that the page tells of.
    after: Option<i64>,
}

async fn follow(
    State(streams): State<Streams>,
    Extension(visitor): Extension<Visitor>,
    Path(slug): Path<String>,
    Query(since): Query<Since>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let study = match authorised(&streams.services, visitor, &slug).await {
        Ok(study) => study.id,
        // Not the way to sign in: nobody would see it.
        Err(Refusal::NotSignedIn) => return StatusCode::UNAUTHORIZED.into_response(),
        Err(refusal) => return refused(&refusal, &uri),
    };
    let Ok(place) = Arc::clone(&streams.places).try_acquire_owned() else {
        return refused(&Refusal::Busy, &uri);
    };
    let following = Following {
        study,
        told: last_event(&headers).or(since.after).unwrap_or(0),
        waiting: streams.news.wait(),
        stop: streams.stop,
        end: Box::pin(sleep(LASTS)),
        apart: false,
        _place: place,
    };
    let events = stream::unfold(following, |mut following| async move {
        let number = following.next().await?;
        let event = Event::default()
            .id(number.to_string())
            .data(number.to_string());
        Some((Ok::<_, Infallible>(event), following))
    });
    let kept = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Proxies that gather answers would hold it back.
        (
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ),
    ];
    (headers, kept).into_response()
}

/// The event that a browser saw last, when it comes back.
fn last_event(headers: &HeaderMap) -> Option<i64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}

/// One stream.
struct Following {
    study: StudyId,
    /// The number of the event that was told of last.
    told: i64,
    waiting: Waiting,
    stop: CancellationToken,
    end: Pin<Box<Sleep>>,
    /// Whether one was told just now.
    apart: bool,
    _place: OwnedSemaphorePermit,
}

impl Following {
    /// The newest event, once there is a newer one than was told of; nothing at the end.
    async fn next(&mut self) -> Option<i64> {
        if self.apart {
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = &mut self.end => return None,
                () = sleep(APART) => {}
            }
        }
        loop {
            let newest = self.waiting.borrow_and_update().get(&self.study).copied();
            if let Some(number) = newest.filter(|number| *number > self.told) {
                (self.told, self.apart) = (number, true);
                return Some(number);
            }
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = &mut self.end => return None,
                changed = self.waiting.changed() => changed.ok()?,
            }
        }
    }
}
