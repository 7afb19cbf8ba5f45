//! Notices, sent to a receiver on this machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    sync::Arc,
    time::Duration,
};

use axum::body::Bytes;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::ids::{StudyId, WebhookId};
use http_body_util::Full;
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use service::{
    accounts::digest,
    webhooks::{AllowedAddresses, new_secret},
};
use store::{
    Store,
    webhooks::{
        DeliveryProblem, DeliveryState, NewWebhook, NoticeKind, PAUSED_AFTER, WebhookDelivery,
    },
};
use stories::{TestDatabase, on_both, on_sqlite};
use tokio::{net::TcpListener, task::JoinHandle, time::Instant};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        RootCertStore, ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer},
    },
};
use tokio_util::sync::CancellationToken;

use super::{
    client::{SendLimits, WebhookClient},
    receiver::{ReceivedNotice, ReceiverAnswer, TestReceiver},
    worker::{DeliveryTiming, WebhookWorker},
};
use crate::clock;

const LIMITS: SendLimits = SendLimits {
    connect: Duration::from_secs(2),
    answer: Duration::from_millis(1_500),
};

const QUICK: DeliveryTiming = DeliveryTiming {
    poll: Duration::from_millis(10),
    lease_ms: 10_000,
    pause: |_, _| 20,
};

/// The secret of all webhooks in these tests.
const KEY: [u8; 32] = [9; 32];

fn allow(entry: &str) -> AllowedAddresses {
    AllowedAddresses::new(vec![entry.parse().unwrap()])
}

/// Starts a worker as a server does, but without trusted certificates.
fn start_worker(
    store: &Store,
    allowed: AllowedAddresses,
    timing: DeliveryTiming,
) -> (CancellationToken, JoinHandle<()>) {
    start_trusting_worker(store, allowed, timing, RootCertStore::empty())
}

/// Starts a worker that trusts these certificates.
fn start_trusting_worker(
    store: &Store,
    allowed: AllowedAddresses,
    timing: DeliveryTiming,
    roots: RootCertStore,
) -> (CancellationToken, JoinHandle<()>) {
    let client = WebhookClient::with_roots(roots, LIMITS);
    let worker = WebhookWorker::with_timing(store.clone(), allowed, client, timing);
    let stop = CancellationToken::new();
    (stop.clone(), tokio::spawn(worker.work(stop)))
}

async fn add(story: &TestDatabase, study: StudyId, address: &str) -> WebhookId {
    let id = WebhookId(clock::new_id());
    let new = NewWebhook {
        id,
        address,
        notices: &BTreeSet::from(NoticeKind::CHOICES),
        secret: &new_secret(KEY),
    };
    let added = story.store.add_webhook(study, &new, clock::now_ms()).await;
    added.unwrap();
    id
}

async fn deliveries(story: &TestDatabase, study: StudyId) -> Vec<WebhookDelivery> {
    story.store.webhook_deliveries(study, 100).await.unwrap()
}

/// Waits until no delivery waits, and returns all deliveries.
async fn wait_for_end(story: &TestDatabase, study: StudyId) -> Vec<WebhookDelivery> {
    for _ in 0..2_000 {
        let list = deliveries(story, study).await;
        if list
            .iter()
            .all(|delivery| delivery.state != DeliveryState::Waiting)
        {
            return list;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it has no end: {:?}", deliveries(story, study).await);
}

/// HMAC-SHA256 by its definition in RFC 2104, on SHA-256 alone.
fn hmac(key: [u8; 32], text: &str) -> Vec<u8> {
    let bytes = |hex: String| -> Vec<u8> {
        let pairs = (0..hex.len()).step_by(2);
        pairs
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    let pad = |with: u8| -> Vec<u8> {
        let mut block = [0; 64];
        block[..32].copy_from_slice(&key);
        block.iter().map(|byte| byte ^ with).collect()
    };

    let inner = bytes(digest([pad(0x36), text.as_bytes().to_vec()].concat()));
    bytes(digest([pad(0x5c), inner].concat()))
}

/// Checks a notice as a receiver does, and returns its id.
fn check_notice(notice: &ReceivedNotice) -> String {
    let (id, timestamp) = (
        notice.header("webhook-id"),
        notice.header("webhook-timestamp"),
    );
    let signed = hmac(KEY, &format!("{id}.{timestamp}.{}", notice.body));
    let expected = format!("v1,{}", BASE64_STANDARD.encode(signed));
    assert_eq!(notice.header("webhook-signature"), expected);

    let sent: i64 = timestamp.parse().unwrap();
    assert!((clock::now_ms() / 1_000 - sent).abs() < 60, "{timestamp}");
    assert_eq!(notice.header("content-type"), "application/json");
    assert!(notice.header("user-agent").starts_with("rankrate/"));

    let body: serde_json::Value = serde_json::from_str(&notice.body).unwrap();
    assert_eq!(body["id"], id);
    id.to_owned()
}

#[tokio::test]
async fn a_notice_is_tried_until_it_is_taken_always_with_the_same_id() {
    on_both(async |story| {
        let answers = [ReceiverAnswer::Status(500), ReceiverAnswer::Status(503)];
        let receiver = TestReceiver::start(&answers).await;
        let study = story.add_study("rivers", None).await;
        add(story, study, &receiver.url("/in?key=a%20b")).await;
        let now = clock::now_ms();
        assert!(story.store.close_study(study, now).await.unwrap());

        let (stop, work) = start_worker(&story.store, allow(&receiver.url("/")), QUICK);
        let list = wait_for_end(story, study).await;
        assert_eq!(list.len(), 1);
        assert_eq!(
            (list[0].state, list[0].attempts, list[0].status),
            (DeliveryState::Delivered, 3, Some(204))
        );

        let received = receiver.received();
        assert_eq!(received.len(), 3);
        let ids: BTreeSet<_> = received.iter().map(check_notice).collect();
        assert_eq!(ids.len(), 1);
        for notice in &received {
            assert_eq!(notice.target, "/in?key=a%20b");
            assert_eq!(notice.header("host"), receiver.address.to_string());
            assert_eq!(notice.body, received[0].body);
        }

        let body: serde_json::Value = serde_json::from_str(&received[0].body).unwrap();
        let fields: Vec<_> = body.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["id", "kind", "status", "study", "time"]);
        assert_eq!(body["kind"], "study-finished");
        assert_eq!(body["status"], "closed");
        assert_eq!(body["study"], study.to_string());

        stop.cancel();
        work.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn each_way_to_fail_has_its_words_and_no_redirect_is_followed() {
    let refusals = [
        (
            ReceiverAnswer::Redirect,
            DeliveryProblem::Redirected,
            Some(302),
        ),
        (ReceiverAnswer::Hang, DeliveryProblem::TimedOut, None),
        (
            ReceiverAnswer::Status(404),
            DeliveryProblem::Refused,
            Some(404),
        ),
    ];
    on_sqlite(async |story| {
        for (number, (answer, problem, status)) in refusals.into_iter().enumerate() {
            let receiver = TestReceiver::start(&[answer]).await;
            let study = story.add_study(&format!("study-{number}"), None).await;
            let id = add(story, study, &receiver.url("/")).await;

            let queued = story
                .store
                .queue_test_notice(study, id, clock::now_ms())
                .await;
            queued.unwrap();

            let (stop, work) = start_worker(&story.store, allow(&receiver.url("/")), QUICK);
            // Test notices are tried once.
            let list = wait_for_end(story, study).await;
            assert_eq!(
                (list[0].state, list[0].problem, list[0].status),
                (DeliveryState::Failed, Some(problem), status)
            );

            stop.cancel();
            work.await.unwrap();
            assert_eq!(receiver.received().len(), 1, "{answer:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_receiver_that_is_not_there_and_one_that_hangs_up() {
    on_sqlite(async |story| {
        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();

        let nobody = format!("http://{}/", gone.local_addr().unwrap());
        drop(gone);

        let rude = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let hanging_up = format!("http://{}/", rude.local_addr().unwrap());
        tokio::spawn(async move { while rude.accept().await.is_ok() {} });

        for (name, address, problem) in [
            ("nobody", nobody, DeliveryProblem::Unreachable),
            ("rude", hanging_up.clone(), DeliveryProblem::BrokenOff),
            // The receiver does not use encryption, so a connection with it cannot be established.
            (
                "plain",
                hanging_up.replace("http:", "https:"),
                DeliveryProblem::Tls,
            ),
        ] {
            let study = story.add_study(name, None).await;
            let id = add(story, study, &address).await;

            let queued = story
                .store
                .queue_test_notice(study, id, clock::now_ms())
                .await;
            queued.unwrap();
            let (stop, work) = start_worker(&story.store, allow(&address), QUICK);
            let list = wait_for_end(story, study).await;
            assert_eq!(list[0].problem, Some(problem), "{name}");

            stop.cancel();
            work.await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_body_without_an_end_is_not_read_to_it() {
    on_sqlite(async |story| {
        let receiver = TestReceiver::start(&[ReceiverAnswer::Endless]).await;
        let study = story.add_study("rivers", None).await;
        let id = add(story, study, &receiver.url("/")).await;

        let queued = story
            .store
            .queue_test_notice(study, id, clock::now_ms())
            .await;
        queued.unwrap();

        let began = Instant::now();
        let (stop, work) = start_worker(&story.store, allow(&receiver.url("/")), QUICK);
        let list = wait_for_end(story, study).await;
        assert_eq!(list[0].state, DeliveryState::Delivered);
        assert!(began.elapsed() < Duration::from_secs(5));

        stop.cancel();
        work.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_address_that_is_no_longer_allowed_gets_nothing() {
    on_sqlite(async |story| {
        let receiver = TestReceiver::start(&[]).await;
        let study = story.add_study("rivers", None).await;
        add(story, study, &receiver.url("/others")).await;
        assert!(
            story
                .store
                .close_study(study, clock::now_ms())
                .await
                .unwrap()
        );

        let only = allow(&receiver.url("/ours"));
        let (stop, work) = start_worker(&story.store, only, QUICK);
        let list = wait_for_end(story, study).await;
        assert_eq!(
            (list[0].state, list[0].problem, list[0].attempts),
            (DeliveryState::Failed, Some(DeliveryProblem::NotAllowed), 1)
        );

        stop.cancel();
        work.await.unwrap();
        assert!(receiver.received().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_server_that_dies_before_the_answer_leaves_the_notice_to_another_one() {
    on_both(async |story| {
        let receiver = TestReceiver::start(&[ReceiverAnswer::Hang]).await;
        let study = story.add_study("rivers", None).await;
        add(story, study, &receiver.url("/")).await;
        let now = clock::now_ms();
        assert!(story.store.close_study(study, now).await.unwrap());

        let timing = DeliveryTiming {
            lease_ms: 2_000,
            ..QUICK
        };

        let dying = story.another_store().await;
        let (_stop, work) = start_worker(&dying, allow(&receiver.url("/")), timing);
        receiver.wait_for(1).await;

        // The server is killed.
        work.abort();
        assert!(work.await.unwrap_err().is_cancelled());

        let killed_at = Instant::now();
        let (stop, work) = start_worker(&story.store, allow(&receiver.url("/")), timing);
        let list = wait_for_end(story, study).await;
        assert_eq!(
            (list[0].state, list[0].attempts),
            (DeliveryState::Delivered, 2)
        );
        assert!(
            killed_at.elapsed() > Duration::from_millis(100),
            "its lease was over"
        );

        let received = receiver.received();
        let ids: BTreeSet<_> = received.iter().map(check_notice).collect();
        assert_eq!((received.len(), ids.len()), (2, 1));

        stop.cancel();
        work.await.unwrap();
        dying.close().await;
    })
    .await;
}

#[tokio::test]
async fn two_servers_send_each_notice_once() {
    const NOTICES: usize = 30;
    on_both(async |story| {
        let slow = ReceiverAnswer::Slow(Duration::from_millis(15));
        let receiver = TestReceiver::start(&[slow; NOTICES]).await;
        let study = story.add_study("rivers", None).await;

        let hooks = [
            add(story, study, &receiver.url("/one")).await,
            add(story, study, &receiver.url("/two")).await,
        ];
        for number in 0..NOTICES {
            let queued = story
                .store
                .queue_test_notice(study, hooks[number % 2], clock::now_ms())
                .await;
            queued.unwrap();
        }

        let other = story.another_store().await;
        let (here, there) = (
            start_worker(&story.store, allow(&receiver.url("/")), QUICK),
            start_worker(&other, allow(&receiver.url("/")), QUICK),
        );

        let list = wait_for_end(story, study).await;
        assert_eq!(list.len(), NOTICES);
        for delivery in &list {
            assert_eq!(
                (delivery.state, delivery.attempts),
                (DeliveryState::Delivered, 1)
            );
        }

        let mut times = BTreeMap::new();
        for notice in receiver.received() {
            *times.entry(check_notice(&notice)).or_insert(0) += 1;
        }
        assert_eq!(times.len(), NOTICES);
        assert!(times.values().all(|times| *times == 1), "{times:?}");

        for (stop, work) in [here, there] {
            stop.cancel();
            work.await.unwrap();
        }
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_receiver_that_always_fails_is_left_alone_and_the_log_of_changes_says_so() {
    on_sqlite(async |story| {
        let receiver = TestReceiver::start(&[ReceiverAnswer::Status(500); 100]).await;
        let study = story.add_study("rivers", None).await;
        add(story, study, &receiver.url("/a-secret-path")).await;
        for _ in 0..PAUSED_AFTER {
            let (store, now) = (&story.store, clock::now_ms());
            assert!(store.close_study(study, now).await.unwrap());
            assert!(store.reopen_study(study, now).await.unwrap());
        }

        let (stop, work) = start_worker(&story.store, allow(&receiver.url("/")), QUICK);
        let list = wait_for_end(story, study).await;
        for delivery in &list {
            assert_eq!(
                (delivery.state, delivery.attempts),
                (DeliveryState::Failed, 8)
            );
        }

        let webhooks = story.store.webhooks(study).await.unwrap();
        assert!(webhooks[0].pause.unwrap().by_server);
        let filter = store::audit::AuditFilter::default();
        let entries = story.store.audit_entries(&filter, 10).await.unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(
            (&*entries[0].actor, &*entries[0].subject),
            ("the server", "127.0.0.1")
        );

        stop.cancel();
        work.await.unwrap();
    })
    .await;
}

/// Starts a receiver that accepts every notice and has a certificate for this name; returns its port and certificate.
async fn start_encrypted_receiver(name: &str) -> (u16, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();

    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();

    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                let service = service_fn(|_: Request<Incoming>| async {
                    Ok::<_, Infallible>(Response::new(Full::new(Bytes::from("taken"))))
                });
                let connection = http1::Builder::new();
                let served = connection.serve_connection(TokioIo::new(stream), service);
                drop(served.await);
            }
        }
    });

    (port, certificate)
}

#[tokio::test]
async fn a_receiver_must_have_a_certificate_of_its_name_from_a_known_authority() {
    on_sqlite(async |story| {
        let (port, known) = start_encrypted_receiver("localhost").await;
        let (wrong_port, of_other) = start_encrypted_receiver("hooks.example.org").await;
        for (name, port, trusted, problem) in [
            ("known", port, Some(known), None),
            ("unknown", port, None, Some(DeliveryProblem::Tls)),
            (
                "other",
                wrong_port,
                Some(of_other),
                Some(DeliveryProblem::Tls),
            ),
        ] {
            let address = format!("https://localhost:{port}/");
            let study = story.add_study(name, None).await;
            let id = add(story, study, &address).await;
            let queued = story
                .store
                .queue_test_notice(study, id, clock::now_ms())
                .await;
            queued.unwrap();

            let mut roots = RootCertStore::empty();
            if let Some(certificate) = trusted {
                roots.add(certificate).unwrap();
            }

            let (stop, work) = start_trusting_worker(&story.store, allow(&address), QUICK, roots);
            let list = wait_for_end(story, study).await;
            assert_eq!(list[0].problem, problem, "{name}");
            assert_eq!(list[0].status, problem.is_none().then_some(200), "{name}");

            stop.cancel();
            work.await.unwrap();
        }
    })
    .await;
}
