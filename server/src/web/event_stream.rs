//! A study's events as a stream (Server-Sent Events): the number of its newest event, as it changes.

use std::{convert::Infallible, pin::Pin, time::Duration};

use app::{Services, error::Refusal, visitor::Visitor};
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
use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;

use super::{
    places::{PlacePermit, RequestPlaces},
    study_access::{authorise_reader, refusal_response},
};
use crate::event_feed::{EventFeed, EventReceiver};

/// The most streams open at the same time.
const MAX_STREAMS: usize = 2_000;

/// The most open streams of one person: pages in tabs, on all of their machines.
const MAX_STREAMS_PER_PERSON: usize = 20;

/// The shortest time between two events of a stream.
const MIN_INTERVAL: Duration = Duration::from_millis(500);

/// The longest duration of a stream. The browser then reconnects and is authorised again.
const MAX_DURATION: Duration = Duration::from_secs(10 * 60);

/// The interval of messages that keep an idle stream alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

#[derive(Clone)]
struct EventStreamState {
    services: Services,
    feed: EventFeed,
    stop: CancellationToken,
    places: RequestPlaces,
}

/// The route of event streams, `/s/STUDY/news`.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(
    services: Services,
    feed: EventFeed,
    stop: CancellationToken,
) -> Router<S> {
    let streams = EventStreamState {
        services,
        feed,
        stop,
        places: RequestPlaces::new((MAX_STREAMS, MAX_STREAMS_PER_PERSON), "live page"),
    };

    Router::new()
        .route("/s/{slug}/news", get(stream_events))
        .with_state(streams)
}

/// Wakes the event feed after every request that may have written something.
pub(super) async fn notify_feed(
    State(feed): State<EventFeed>,
    request: Request,
    next: Next,
) -> Response {
    let writes = request.method() == Method::POST;

    let response = next.run(request).await;
    if writes {
        feed.notify();
    }
    response
}

#[derive(Deserialize)]
struct EventStreamQuery {
    /// The number of the newest event that the page shows.
    after: Option<i64>,
}

async fn stream_events(
    State(streams): State<EventStreamState>,
    Extension(visitor): Extension<Visitor>,
    Path(slug): Path<String>,
    Query(since): Query<EventStreamQuery>,
    headers: HeaderMap,
    uri: Uri,
) -> Response {
    let study = match authorise_reader(&streams.services, &visitor, &slug).await {
        Ok(study) => study.id,
        // No redirect to the sign-in page: nobody would see it.
        Err(Refusal::NotSignedIn) => return StatusCode::UNAUTHORIZED.into_response(),
        Err(refusal) => return refusal_response(&refusal, &uri),
    };
    let place = match streams.places.take(&visitor) {
        Ok(place) => place,
        Err(refusal) => return refusal_response(&refusal, &uri),
    };

    let following = EventStream {
        study,
        last_sent: last_event(&headers).or(since.after).unwrap_or(0),
        receiver: streams.feed.subscribe(),
        stop: streams.stop,
        deadline: Box::pin(sleep(MAX_DURATION)),
        must_pause: false,
        was_there: false,
        is_over: false,
        _place: place,
    };

    let events = stream::unfold(following, |mut following| async move {
        let number = following.next().await?;
        let event = Event::default()
            .id(number.to_string())
            .data(number.to_string());
        Some((Ok::<_, Infallible>(event), following))
    });

    let sse = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT));
    let headers = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Buffering proxies would hold events back.
        (
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        ),
    ];
    (headers, sse).into_response()
}

/// The last event that a reconnecting browser saw.
fn last_event(headers: &HeaderMap) -> Option<i64> {
    headers.get("last-event-id")?.to_str().ok()?.parse().ok()
}

/// An open stream of one study's events.
struct EventStream {
    study: StudyId,
    /// The number of the last event sent.
    last_sent: i64,
    receiver: EventReceiver,
    stop: CancellationToken,
    deadline: Pin<Box<Sleep>>,
    /// Whether an event was just sent, so that the next one has to wait.
    must_pause: bool,
    /// Whether the feed has ever listed the study.
    was_there: bool,
    /// Whether the study's erasure was announced.
    is_over: bool,
    _place: PlacePermit,
}

impl EventStream {
    /// Waits for an event newer than the last one sent and returns its number; `None` at the end of the stream.
    /// Erasing the study counts as one more event: its pages then fetch themselves again and find it gone.
    async fn next(&mut self) -> Option<i64> {
        if self.is_over {
            return None;
        }
        // Events in quick succession are sent as one.
        if self.must_pause {
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = &mut self.deadline => return None,
                () = sleep(MIN_INTERVAL) => {}
            }
        }

        loop {
            let newest = self.receiver.borrow_and_update().get(&self.study).copied();
            if let Some(number) = newest.filter(|number| *number > self.last_sent) {
                (self.last_sent, self.must_pause, self.was_there) = (number, true, true);
                return Some(number);
            }

            if newest.is_some() {
                self.was_there = true;
            } else if self.was_there {
                // The feed no longer lists the study, so it was erased.
                (self.last_sent, self.is_over) = (self.last_sent + 1, true);
                return Some(self.last_sent);
            }

            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = &mut self.deadline => return None,
                changed = self.receiver.changed() => changed.ok()?,
            }
        }
    }
}
