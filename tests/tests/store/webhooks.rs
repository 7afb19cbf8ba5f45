//! Webhooks and their outbox.

use std::collections::BTreeSet;

use domain::ids::{AuditEntryId, DiscussionId, JobId, StudyId, WebhookId};
use serde_json::json;
use store::{
    JobKind, JobOutcome, NewJob, Store,
    annotator_answers::HandInOutcome,
    audit::{AuditActor, AuditFilter, AuditKind, AuditSubject, NewAuditEntry},
    discussions::{NewDiscussion, QuestionScope},
    webhooks::{
        ClaimedDelivery, DeliveryOutcome, DeliveryProblem, DeliveryState, FinishedStatus,
        MOST_ATTEMPTS, MOST_WEBHOOKS, NewWebhook, NoticeKind, PAUSED_AFTER, Webhook,
        WebhookDelivery, WebhookNotice, WebhookSecret,
    },
};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both, refusal};

use crate::assignment_fixture::start_assignment;

const DAY: i64 = 24 * 60 * MINUTE;

const ALL: [NoticeKind; 3] = NoticeKind::CHOICES;

const FAILED: DeliveryOutcome = DeliveryOutcome::Failed {
    problem: DeliveryProblem::Refused,
    status: Some(500),
    retry_at: None,
};

fn secret() -> WebhookSecret {
    WebhookSecret("whsec_the-secret".into())
}

async fn add(story: &TestDatabase, study: StudyId, notices: &[NoticeKind]) -> WebhookId {
    let id = WebhookId(fresh_id());
    let new = NewWebhook {
        id,
        address: "https://hooks.example.org/a",
        notices: &notices.iter().copied().collect(),
        secret: &secret(),
    };
    story.store.add_webhook(study, &new, NOW).await.unwrap();
    id
}

async fn webhook(story: &TestDatabase, study: StudyId) -> Webhook {
    let webhooks = story.store.webhooks(study).await.unwrap();
    webhooks.into_iter().next().unwrap()
}

async fn deliveries(story: &TestDatabase, study: StudyId) -> Vec<WebhookDelivery> {
    story.store.webhook_deliveries(study, 100).await.unwrap()
}

async fn claim(store: &Store, worker: &str, now: i64) -> Option<ClaimedDelivery> {
    let claimed = store.claim_delivery(worker, &[], now, MINUTE).await;
    claimed.unwrap()
}

/// Claims and ends all due deliveries with this outcome; returns their notices in order.
async fn send_all(store: &Store, now: i64, outcome: DeliveryOutcome) -> Vec<WebhookNotice> {
    let mut notices = vec![];
    while let Some(claimed) = claim(store, "a worker", now).await {
        let finished = store.finish_delivery(&claimed, "a worker", outcome, now);
        assert!(finished.await.unwrap().0);
        notices.push(claimed.notice);
    }
    notices
}

async fn queue_job(story: &TestDatabase, study: StudyId, kind: JobKind) -> JobId {
    let id = JobId(fresh_id());
    let new = NewJob {
        id,
        study: Some(study),
        kind,
        input: &json!({}),
        created_by: None,
    };
    story.store.enqueue_job(&new, NOW).await.unwrap();
    id
}

#[tokio::test]
async fn each_webhook_is_told_of_what_it_is_for_in_the_transaction_of_the_change() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, study) = (&story.store, work.ground.study);
        add(story, study, &ALL).await;
        let other = story.add_study("another", None).await;
        add(story, other, &ALL).await;
        let jobs_only = add(story, study, &[NoticeKind::JobEnded]).await;

        // Incomplete: nothing is handed in, and nobody is told.
        let handed_in = store.hand_in(work.person, work.assignment, NOW).await;
        handed_in.unwrap();
        assert_eq!(deliveries(story, study).await, []);

        work.rate_all(story).await;
        for _ in 0..2 {
            let handed_in = store.hand_in(work.person, work.assignment, NOW).await;
            handed_in.unwrap();
        }

        let done = queue_job(story, study, JobKind::Import).await;
        let cancelled = queue_job(story, study, JobKind::Score).await;
        let job = store.claim_job(&[JobKind::Import], "w", NOW, MINUTE).await;
        assert_eq!(job.unwrap().unwrap().id, done);
        let outcome = JobOutcome::Done(json!({}));
        assert!(store.end_job(done, "w", &outcome, NOW).await.unwrap());
        assert!(store.cancel_job(cancelled, NOW).await.unwrap());

        assert!(store.close_study(study, NOW).await.unwrap());
        assert!(!store.close_study(study, NOW).await.unwrap());
        assert!(store.archive_study(study, NOW).await.unwrap());

        assert!(deliveries(story, other).await.is_empty());
        let (first, second): (Vec<_>, Vec<_>) = deliveries(story, study)
            .await
            .into_iter()
            .partition(|delivery| delivery.webhook != jobs_only);
        assert_eq!((first.len(), second.len()), (5, 2));

        let sent = send_all(store, NOW, DeliveryOutcome::Delivered { status: 204 }).await;
        let job_ended = |job, kind: &str, status: &str| WebhookNotice::JobEnded {
            job,
            job_kind: kind.into(),
            status: status.into(),
        };
        let jobs = [
            job_ended(done, "import", "done"),
            job_ended(cancelled, "score", "cancelled"),
        ];
        let all = [
            WebhookNotice::SourceHandedIn {
                source: work.ground.sources[0],
                assignment: work.assignment,
            },
            jobs[0].clone(),
            jobs[1].clone(),
            WebhookNotice::StudyFinished {
                status: FinishedStatus::Closed,
            },
            WebhookNotice::StudyFinished {
                status: FinishedStatus::Archived,
            },
        ];

        // The order among webhooks isn't fixed, so only the numbers are compared.
        assert_eq!(sent.len(), 7);
        for notice in &all {
            let times = sent.iter().filter(|sent| *sent == notice).count();
            assert_eq!(times, 1 + usize::from(jobs.contains(notice)), "{notice:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_source_that_is_handed_in_again_is_told_again() {
    on_both(async |story| {
        let work = start_assignment(story).await;
        let (store, study) = (&story.store, work.ground.study);
        let lead = story.add_person("the lead").await;
        work.rate_all(story).await;

        let hand_in = async || {
            let outcome = store.hand_in(work.person, work.assignment, NOW).await;
            assert_eq!(outcome.unwrap(), Some(HandInOutcome::Done));
        };

        hand_in().await;
        add(story, study, &ALL).await;
        for (scope, notices) in [(QuestionScope::Source, 1), (QuestionScope::Output, 2)] {
            let question = NewDiscussion {
                id: DiscussionId(fresh_id()),
                output: work.items[0],
                scope,
                note: "Is the cause still told?",
                asked_by: lead,
            };
            let asked = store.discuss(study, question, NOW).await.unwrap();
            assert_eq!(asked, Some(1));
            // Handing in twice counts once.
            hand_in().await;
            hand_in().await;
            assert_eq!(deliveries(story, study).await.len(), notices, "{scope:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_change_that_is_refused_announces_nothing() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        add(story, study, &ALL).await;
        // The entry of the log of changes cannot be stored: neither is the end of the study.
        let subject = AuditSubject::Nothing;
        let entry = entry(AuditKind::StudyClosed, study, subject);
        story
            .execute_sql("ALTER TABLE audit_entry RENAME TO away".into())
            .await;
        let store = story.store.audited(entry);
        assert!(store.close_study(study, NOW).await.is_err());
        assert_eq!(deliveries(story, study).await, []);
    })
    .await;
}

fn entry(kind: AuditKind, study: StudyId, subject: AuditSubject) -> NewAuditEntry {
    NewAuditEntry {
        id: AuditEntryId(fresh_id()),
        at: NOW,
        actor: AuditActor::Server,
        address: String::new(),
        kind,
        study: Some(study),
        subject,
    }
}

#[tokio::test]
async fn one_worker_holds_a_delivery_until_its_lease_is_over() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        let id = add(story, study, &ALL).await;
        let (here, there) = (&story.store, story.another_store().await);
        here.queue_test_notice(study, id, NOW)
            .await
            .unwrap()
            .unwrap();

        // At the same time: one of them gets it.
        let (one, two) = tokio::join!(claim(here, "here", NOW), claim(&there, "there", NOW));
        assert_eq!(usize::from(one.is_some()) + usize::from(two.is_some()), 1);
        let (first, name) = match one {
            Some(claimed) => (claimed, "here"),
            None => (two.unwrap(), "there"),
        };

        assert_eq!(
            (first.attempt, &*first.address),
            (1, "https://hooks.example.org/a")
        );
        assert_eq!(first.secret, secret());
        assert_eq!(claim(here, "here", NOW + MINUTE).await, None);

        // That server died. Another one sends it again, under the same id.
        let second = claim(&there, "another", NOW + MINUTE + 1).await.unwrap();
        assert_eq!((second.attempt, second.id()), (2, first.id()));
        let delivered = DeliveryOutcome::Delivered { status: 200 };
        let late = here.finish_delivery(&first, name, delivered, NOW).await;
        assert_eq!(late.unwrap(), (false, false));

        let list = deliveries(story, study).await;
        assert_eq!(list[0].state, DeliveryState::Waiting);
        let ended = there.finish_delivery(&second, "another", delivered, NOW);
        assert_eq!(ended.await.unwrap(), (true, false));
        let list = deliveries(story, study).await;
        assert_eq!(
            (list[0].state, list[0].attempts, list[0].status),
            (DeliveryState::Delivered, 2, Some(200))
        );
        assert_eq!(claim(here, "here", NOW + DAY).await, None);
        there.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_failed_try_waits_for_the_next_one_and_the_last_one_ends_it() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        let (store, id) = (&story.store, add(story, study, &ALL).await);
        store.close_study(study, NOW).await.unwrap();
        let mut now = NOW;
        for attempt in 1..=MOST_ATTEMPTS {
            let claimed = claim(store, "w", now).await.unwrap();
            assert_eq!(claimed.attempt, attempt);
            let outcome = DeliveryOutcome::Failed {
                problem: DeliveryProblem::TimedOut,
                status: None,
                retry_at: Some(now + MINUTE),
            };
            let ended = store.finish_delivery(&claimed, "w", outcome, now).await;
            assert_eq!(ended.unwrap(), (true, false));
            assert_eq!(claim(store, "w", now + MINUTE - 1).await, None);
            now += MINUTE;
        }

        let list = deliveries(story, study).await;
        assert_eq!(
            (list[0].state, list[0].problem, list[0].next_try_at),
            (DeliveryState::Failed, Some(DeliveryProblem::TimedOut), None)
        );
        assert_eq!(webhook(story, study).await.failures, 1);

        // Sent again, with all of its tries.
        let number = list[0].number;
        let again = || store.queue_delivery_again(study, id, number, now);
        assert!(again().await.unwrap());
        assert!(!again().await.unwrap(), "it waits already");
        let other = story.add_study("another", None).await;
        let elsewhere = store.queue_delivery_again(other, id, number, now).await;
        assert!(!elsewhere.unwrap());

        let claimed = claim(store, "w", now).await.unwrap();
        assert_eq!((claimed.attempt, claimed.number), (1, number));
        let taken = DeliveryOutcome::Delivered { status: 204 };
        store
            .finish_delivery(&claimed, "w", taken, now)
            .await
            .unwrap();
        assert_eq!(webhook(story, study).await.failures, 0);
    })
    .await;
}

#[tokio::test]
async fn deliveries_that_all_failed_pause_their_webhook_and_tests_do_not_count() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        let (store, id) = (&story.store, add(story, study, &ALL).await);

        let fail = async |times: i64| {
            let mut paused = vec![];
            for _ in 0..times {
                let claimed = claim(store, "w", NOW).await.unwrap();
                let subject = AuditSubject::Named("hooks.example.org".into());
                let entry = entry(AuditKind::WebhookPaused, study, subject);
                let store = store.audited(entry);
                let ended = store.finish_delivery(&claimed, "w", FAILED, NOW + 7).await;
                paused.push(ended.unwrap().1);
            }
            paused
        };

        for _ in 0..PAUSED_AFTER {
            store.queue_test_notice(study, id, NOW).await.unwrap();
            fail(1).await;
        }
        assert_eq!(webhook(story, study).await.pause, None);

        for _ in 0..=PAUSED_AFTER {
            store.close_study(study, NOW).await.unwrap();
            store.reopen_study(study, NOW).await.unwrap();
        }
        let mut expected = vec![false; 4];
        expected.push(true);
        assert_eq!(fail(PAUSED_AFTER).await, expected);

        let pause = webhook(story, study).await.pause.unwrap();
        assert_eq!((pause.since, pause.by_server), (NOW + 7, true));
        let entries = store.audit_entries(&AuditFilter::default(), 10).await;
        let entries = entries.unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(
            (entries[0].kind, &*entries[0].subject),
            (AuditKind::WebhookPaused, "hooks.example.org")
        );

        // While it is paused, waiting deliveries are kept, nothing new is queued, and a test is sent.
        assert_eq!(claim(store, "w", NOW + DAY).await, None);
        store.close_study(study, NOW).await.unwrap();
        let waiting = deliveries(story, study).await;
        let waiting = waiting
            .iter()
            .filter(|delivery| delivery.state == DeliveryState::Waiting);
        assert_eq!(waiting.count(), 1);

        store.queue_test_notice(study, id, NOW).await.unwrap();
        let test = claim(store, "w", NOW).await.unwrap();
        assert_eq!(test.notice, WebhookNotice::Test);
        store
            .finish_delivery(&test, "w", FAILED, NOW)
            .await
            .unwrap();

        assert!(store.resume_webhook(study, id).await.unwrap());
        assert!(!store.resume_webhook(study, id).await.unwrap());
        let resumed = webhook(story, study).await;
        assert_eq!((resumed.pause, resumed.failures), (None, 0));
        assert!(claim(store, "w", NOW).await.is_some());
    })
    .await;
}

#[tokio::test]
async fn webhooks_are_changed_paused_and_removed() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        let other = story.add_study("another", None).await;
        let (store, id) = (&story.store, add(story, study, &ALL).await);
        let jobs = BTreeSet::from([NoticeKind::JobEnded]);
        let renewed = WebhookSecret("whsec_new".into());

        // Nothing changes through another study.
        assert!(!store.change_webhook(other, id, "x", &jobs).await.unwrap());
        assert!(!store.pause_webhook(other, id, NOW).await.unwrap());
        assert!(!store.resume_webhook(other, id).await.unwrap());
        let foreign = store.renew_webhook_secret(other, id, &renewed).await;
        assert!(!foreign.unwrap());
        assert!(!store.remove_webhook(other, id).await.unwrap());
        let test = store.queue_test_notice(other, id, NOW).await.unwrap();
        assert_eq!(test, None);

        let changed = store.change_webhook(study, id, "https://b.example/", &jobs);
        assert!(changed.await.unwrap());
        let now = webhook(story, study).await;
        assert_eq!(
            (now.address.as_str(), &now.notices),
            ("https://b.example/", &jobs)
        );

        assert!(store.pause_webhook(study, id, NOW).await.unwrap());
        assert!(!store.pause_webhook(study, id, NOW).await.unwrap());
        let pause = webhook(story, study).await.pause.unwrap();
        assert!(!pause.by_server);
        assert!(store.resume_webhook(study, id).await.unwrap());

        let new = store.renew_webhook_secret(study, id, &renewed).await;
        assert!(new.unwrap());
        store.queue_test_notice(study, id, NOW).await.unwrap();
        let claimed = claim(store, "w", NOW).await.unwrap();
        assert_eq!(claimed.secret, renewed);
        assert!(!format!("{claimed:?}").contains("whsec"));

        for _ in 1..MOST_WEBHOOKS {
            add(story, study, &ALL).await;
        }
        let one_more = NewWebhook {
            id: WebhookId(fresh_id()),
            address: "https://c.example/",
            notices: &jobs,
            secret: &secret(),
        };
        let refused = refusal(store.add_webhook(study, &one_more, NOW).await);
        assert!(refused.contains("remove one first"), "{refused}");

        // Removal works while a delivery is being sent.
        assert!(store.remove_webhook(study, id).await.unwrap());
        let late = store.finish_delivery(&claimed, "w", FAILED, NOW).await;
        assert_eq!(late.unwrap(), (false, false));
        assert!(deliveries(story, study).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_archived_study_keeps_its_webhooks_as_they_are_and_an_erased_one_sends_nothing() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        let (store, id) = (&story.store, add(story, study, &ALL).await);
        store.archive_study(study, NOW).await.unwrap();

        let new = NewWebhook {
            id: WebhookId(fresh_id()),
            address: "https://c.example/",
            notices: &BTreeSet::from(ALL),
            secret: &secret(),
        };
        let jobs = BTreeSet::from([NoticeKind::JobEnded]);

        for refused in [
            refusal(store.add_webhook(study, &new, NOW).await),
            refusal(store.change_webhook(study, id, "x", &jobs).await),
            refusal(store.pause_webhook(study, id, NOW).await),
            refusal(store.resume_webhook(study, id).await),
            refusal(store.renew_webhook_secret(study, id, &secret()).await),
            refusal(store.remove_webhook(study, id).await),
            refusal(store.queue_test_notice(study, id, NOW).await),
            refusal(store.queue_delivery_again(study, id, 1, NOW).await),
        ] {
            assert!(refused.contains("archived"), "{refused}");
        }

        // The notice of the archiving itself is sent.
        let archived = claim(store, "w", NOW).await.unwrap();
        assert_eq!(
            archived.notice,
            WebhookNotice::StudyFinished {
                status: FinishedStatus::Archived
            }
        );

        let retry = DeliveryOutcome::Failed {
            problem: DeliveryProblem::Unreachable,
            status: None,
            retry_at: Some(NOW),
        };
        store
            .finish_delivery(&archived, "w", retry, NOW)
            .await
            .unwrap();
        store.erase_study(study, NOW).await.unwrap();
        assert_eq!(claim(store, "w", NOW + DAY).await, None);
    })
    .await;
}

#[tokio::test]
async fn deliveries_are_kept_for_thirty_days_and_a_busy_webhook_waits() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        let (store, id) = (&story.store, add(story, study, &ALL).await);
        let second = add(story, study, &ALL).await;
        store.close_study(study, NOW).await.unwrap();

        let claimed = store.claim_delivery("w", &[id], NOW, MINUTE).await.unwrap();
        assert_eq!(claimed.unwrap().webhook, second);
        let both = store.claim_delivery("w", &[id, second], NOW, MINUTE).await;
        assert_eq!(both.unwrap(), None);

        // A server that dies in the last try leaves a delivery that nobody tries again.
        let sql = format!("UPDATE webhook_delivery SET attempts = {MOST_ATTEMPTS}");
        story.execute_sql(sql).await;
        let later = NOW + 2 * MINUTE;
        assert_eq!(claim(store, "w", later).await, None);
        assert_eq!(store.sweep_deliveries(later).await.unwrap(), 0);

        let list = deliveries(story, study).await;
        let interrupted = list.iter().find(|delivery| delivery.webhook == second);
        assert_eq!(
            interrupted.unwrap().problem,
            Some(DeliveryProblem::Interrupted)
        );

        assert_eq!(store.sweep_deliveries(NOW + 30 * DAY).await.unwrap(), 0);
        assert_eq!(store.sweep_deliveries(NOW + 30 * DAY + 1).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_webhook_has_so_many_tests_within_ten_minutes() {
    on_both(async |story| {
        let study = story.add_study("rivers", None).await;
        let (id, other) = (add(story, study, &ALL).await, add(story, study, &ALL).await);
        let test = async |id, now| story.store.queue_test_notice(study, id, now).await;
        for _ in 0..20 {
            test(id, NOW).await.unwrap().unwrap();
        }
        let sentence = test(id, NOW + MINUTE).await.unwrap_err().to_string();
        assert!(
            sentence.starts_with("20 test notices were sent"),
            "{sentence}"
        );
        test(other, NOW).await.unwrap().unwrap();
        test(id, NOW + 10 * MINUTE).await.unwrap().unwrap();
    })
    .await;
}
