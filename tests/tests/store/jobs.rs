use std::collections::BTreeSet;

use domain::ids::{JobId, StudyId};
use serde_json::json;
use store::{Job, JobKind, JobLeaseState, JobOutcome, JobReport, JobState, NewJob};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both};

async fn enqueue(story: &TestDatabase, study: Option<StudyId>, kind: JobKind, now: i64) -> JobId {
    let new = NewJob {
        id: JobId(fresh_id()),
        study,
        kind,
        input: &json!({ "file": "a.csv", "rows": [1, 2] }),
        created_by: None,
    };
    story.store.enqueue_job(&new, now).await.expect("it queues");
    new.id
}

fn at(done: i64, total: i64) -> JobReport<'static> {
    JobReport {
        done,
        total,
        log: "one line\nanother",
    }
}

async fn job(story: &TestDatabase, id: JobId) -> Job {
    let job = story.store.job(id).await.expect("the row reads");
    job.expect("it is there")
}

#[tokio::test]
async fn the_job_that_waits_longest_is_claimed_by_one_worker() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let second = enqueue(story, Some(study), JobKind::Import, NOW + 1).await;
        let first = enqueue(story, None, JobKind::Import, NOW).await;
        let other = enqueue(story, Some(study), JobKind::Train, NOW).await;
        let claim = async |kinds: &[JobKind], worker| {
            let claimed = store.claim_job(kinds, worker, NOW, MINUTE).await.unwrap();
            claimed.map(|job| job.id)
        };

        assert_eq!(claim(&[JobKind::Score], "a").await, None);
        assert_eq!(
            claim(&[JobKind::Import, JobKind::Score], "a").await,
            Some(first)
        );
        assert_eq!(
            claim(&[JobKind::Import, JobKind::Score], "b").await,
            Some(second)
        );
        assert_eq!(claim(&[JobKind::Import], "b").await, None);
        assert_eq!(
            claim(&[JobKind::Import, JobKind::Train], "b").await,
            Some(other)
        );

        let claimed = job(story, second).await;
        assert_eq!(
            (claimed.study, claimed.kind),
            (Some(study), JobKind::Import)
        );
        assert_eq!(claimed.input, json!({ "file": "a.csv", "rows": [1, 2] }));
        assert_eq!((claimed.state, claimed.attempts), (JobState::Running, 1));
        assert_eq!((claimed.created_at, claimed.ended_at), (NOW + 1, None));
        assert_eq!(store.job(JobId(fresh_id())).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_job_ends_with_what_its_worker_says() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let (good, bad) = (
            enqueue(story, Some(study), JobKind::Import, NOW).await,
            enqueue(story, Some(study), JobKind::Import, NOW + 1).await,
        );
        for id in [good, bad] {
            let claimed = store
                .claim_job(&[JobKind::Import], "a", NOW, MINUTE)
                .await
                .unwrap();
            assert_eq!(claimed.unwrap().id, id);
        }
        let report = async |worker| {
            let until = NOW + 2 * MINUTE;
            store
                .report_job(good, worker, at(3, 10), until)
                .await
                .unwrap()
        };
        assert_eq!(report("a").await, JobLeaseState::Held);
        assert_eq!(report("b").await, JobLeaseState::Lost);
        let running = job(story, good).await;
        assert_eq!((running.done, running.total), (3, 10));
        assert_eq!(running.log, "one line\nanother");

        let end = async |id, worker, ending: JobOutcome| {
            store.end_job(id, worker, &ending, NOW + 5).await.unwrap()
        };
        assert!(!end(good, "b", JobOutcome::Failed("no".into())).await);
        assert!(end(good, "a", JobOutcome::Done(json!({ "rows": 10 }))).await);
        assert!(!end(good, "a", JobOutcome::Cancelled).await);
        assert_eq!(report("a").await, JobLeaseState::Lost);
        assert!(end(bad, "a", JobOutcome::Failed("The file is empty.".into())).await);

        let finished = job(story, good).await;
        assert_eq!(
            (finished.state, finished.ended_at),
            (JobState::Done, Some(NOW + 5))
        );
        assert_eq!(
            (finished.result, finished.failure),
            (Some(json!({ "rows": 10 })), None)
        );
        assert!(finished.state.is_over());
        let failed = job(story, bad).await;
        assert_eq!((failed.state, failed.result), (JobState::Failed, None));
        assert_eq!(failed.failure.as_deref(), Some("The file is empty."));

        // Made, made, ended, ended: a panel that shows jobs hears of each.
        let events = story.events_after(study, 1).await;
        let actual: Vec<_> = events
            .iter()
            .map(|e| (e.kind.name(), e.subject.clone()))
            .collect();
        assert_eq!(
            actual,
            [good, bad, good, bad].map(|id| ("job", id.to_string()))
        );
    })
    .await;
}

#[tokio::test]
async fn a_job_is_cancelled() {
    on_both(async |story| {
        let store = &story.store;
        let running = enqueue(story, None, JobKind::Import, NOW).await;
        let waiting = enqueue(story, None, JobKind::Import, NOW + 1).await;
        store
            .claim_job(&[JobKind::Import], "a", NOW, MINUTE)
            .await
            .unwrap();

        assert!(store.cancel_job(waiting, NOW + 2).await.unwrap());
        assert!(!store.cancel_job(waiting, NOW + 2).await.unwrap());
        let over = job(story, waiting).await;
        assert_eq!(
            (over.state, over.ended_at),
            (JobState::Cancelled, Some(NOW + 2))
        );

        assert!(store.cancel_job(running, NOW + 2).await.unwrap());
        assert!(!store.cancel_job(running, NOW + 2).await.unwrap());
        let cancelled_job = job(story, running).await;
        assert_eq!(
            (cancelled_job.state, cancelled_job.cancelled),
            (JobState::Running, true)
        );
        let standing = store.report_job(running, "a", at(1, 2), NOW + MINUTE).await;
        assert_eq!(standing.unwrap(), JobLeaseState::Cancelled);
        let ended = store
            .end_job(running, "a", &JobOutcome::Cancelled, NOW + 3)
            .await;
        assert!(ended.unwrap());
        assert_eq!(job(story, running).await.state, JobState::Cancelled);

        assert_eq!(
            store
                .claim_job(&[JobKind::Import], "b", NOW, 0)
                .await
                .unwrap(),
            None
        );
        assert!(!store.cancel_job(JobId(fresh_id()), NOW).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_job_whose_worker_died_is_done_by_another() {
    on_both(async |story| {
        let store = &story.store;
        let id = enqueue(story, None, JobKind::Import, NOW).await;
        store
            .claim_job(&[JobKind::Import], "a", NOW, MINUTE)
            .await
            .unwrap();
        assert_eq!(store.sweep_jobs(NOW + MINUTE).await.unwrap(), 0);
        assert_eq!(store.sweep_jobs(NOW + MINUTE + 1).await.unwrap(), 1);
        assert_eq!(job(story, id).await.state, JobState::Queued);

        let until = NOW + 2 * MINUTE;
        let claimed = store
            .claim_job(&[JobKind::Import], "b", NOW, until - NOW)
            .await
            .unwrap();
        assert_eq!(claimed.unwrap().attempts, 2);

        // The first was only slow: it is told, and its reports are not accepted.
        let standing = store.report_job(id, "a", at(9, 10), NOW + 9 * MINUTE).await;
        assert_eq!(standing.unwrap(), JobLeaseState::Lost);
        let ending = JobOutcome::Done(json!("by a"));
        assert!(!store.end_job(id, "a", &ending, NOW).await.unwrap());
        assert!(!store.return_job(id, "a").await.unwrap());

        // A worker that reports keeps it.
        let standing = store.report_job(id, "b", at(1, 10), NOW + 9 * MINUTE).await;
        assert_eq!(standing.unwrap(), JobLeaseState::Held);
        assert_eq!(store.sweep_jobs(until + 1).await.unwrap(), 0);
    })
    .await;
}

/// An alignment of a large study takes longer than servers live that are killed now and then.
#[tokio::test]
async fn a_job_that_gets_on_between_kills_is_tried_on() {
    on_both(async |story| {
        let store = &story.store;
        for kind in [JobKind::Align, JobKind::Score] {
            let id = enqueue(story, None, kind, NOW).await;
            for _ in 0..5 {
                let claimed = store.claim_job(&[kind], "a", NOW, 0).await.unwrap();
                assert_eq!(claimed.unwrap().attempts, 1);
                store.report_job(id, "a", at(64, 1_000), NOW).await.unwrap();
                assert_eq!(store.sweep_jobs(NOW + 1).await.unwrap(), 1);
                assert_eq!(job(story, id).await.state, JobState::Queued);
            }
            // A job that takes the program down each time ends, however much was done before.
            for _ in 0..3 {
                assert_eq!(job(story, id).await.state, JobState::Queued);
                store
                    .claim_job(&[kind], "a", NOW, 0)
                    .await
                    .unwrap()
                    .unwrap();
                store.report_job(id, "a", at(0, 1_000), NOW).await.unwrap();
                assert_eq!(store.sweep_jobs(NOW + 1).await.unwrap(), 1);
            }
            assert_eq!(job(story, id).await.state, JobState::Failed);
        }

        // An import begins from its start, however far it came.
        let id = enqueue(story, None, JobKind::Import, NOW).await;
        for _ in 0..3 {
            let claimed = store.claim_job(&[JobKind::Import], "a", NOW, 0).await;
            claimed.unwrap().unwrap();
            store.report_job(id, "a", at(64, 1_000), NOW).await.unwrap();
            assert_eq!(store.sweep_jobs(NOW + 1).await.unwrap(), 1);
        }
        assert_eq!(job(story, id).await.state, JobState::Failed);
    })
    .await;
}

#[tokio::test]
async fn a_job_that_breaks_the_program_off_is_not_tried_for_ever() {
    on_both(async |story| {
        let store = &story.store;
        let id = enqueue(story, None, JobKind::Import, NOW).await;
        let gone = enqueue(story, None, JobKind::Train, NOW).await;
        for attempt in 1..=3 {
            let claimed = store
                .claim_job(&[JobKind::Import], "a", NOW, 0)
                .await
                .unwrap();
            assert_eq!(claimed.unwrap().attempts, attempt);
            assert_eq!(store.sweep_jobs(NOW + 1).await.unwrap(), 1);
        }
        let failed = job(story, id).await;
        assert_eq!(
            (failed.state, failed.ended_at),
            (JobState::Failed, Some(NOW + 1))
        );
        assert!(failed.failure.unwrap().contains("broke off"));

        // A job whose rows are in the study gets one more try, to report them.
        let study = story.add_study("lakes", None).await;
        let imported = enqueue(story, Some(study), JobKind::Import, NOW).await;
        story
            .execute_sql(format!(
                "INSERT INTO import (id, study_id, state, began_at, leased_until, job_id)
                 VALUES ('done', '{study}', 'done', 1, 2, '{imported}')"
            ))
            .await;
        for _ in 0..4 {
            assert_eq!(job(story, imported).await.state, JobState::Queued);
            let claimed = store.claim_job(&[JobKind::Import], "a", NOW, 0).await;
            claimed.unwrap().unwrap();
            assert_eq!(store.sweep_jobs(NOW + 1).await.unwrap(), 1);
        }
        let failed = job(story, imported).await;
        assert!(failed.failure.unwrap().contains("Everything was imported"));

        // A job that was cancelled before its worker died is over as well.
        store
            .claim_job(&[JobKind::Train], "a", NOW, 0)
            .await
            .unwrap();
        assert!(store.cancel_job(gone, NOW).await.unwrap());
        assert_eq!(store.sweep_jobs(NOW + 1).await.unwrap(), 1);
        let over = job(story, gone).await;
        assert_eq!(
            (over.state, over.ended_at),
            (JobState::Cancelled, Some(NOW + 1))
        );
        assert_eq!(over.failure, None);
    })
    .await;
}

#[tokio::test]
async fn a_returned_job_is_claimed_again() {
    on_both(async |story| {
        let store = &story.store;
        enqueue(story, None, JobKind::Import, NOW).await;
        for _ in 0..5 {
            let claimed = store
                .claim_job(&[JobKind::Import], "a", NOW, MINUTE)
                .await
                .unwrap();
            let claimed = claimed.unwrap();
            assert_eq!(claimed.attempts, 1);
            assert!(store.return_job(claimed.id, "a").await.unwrap());
        }
    })
    .await;
}

#[tokio::test]
async fn a_postponed_job_waits_tells_why_and_is_claimed_again() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let id = enqueue(story, Some(study), JobKind::Import, NOW).await;
        let claim = async |now| {
            let claimed = store.claim_job(&[JobKind::Import], "a", now, MINUTE).await;
            claimed.unwrap()
        };
        assert_eq!(claim(NOW).await.unwrap().retries, 0);
        let state = store.report_job(id, "a", at(3, 10), NOW + MINUTE).await;
        assert_eq!(state.unwrap(), JobLeaseState::Held);
        let postpone = async |worker, now| {
            let postponed = store.postpone_job(id, worker, "Waiting.", now, now + 2_000);
            postponed.await.unwrap()
        };
        assert!(!postpone("b", NOW).await);
        assert!(postpone("a", NOW).await);
        let waiting = job(story, id).await;
        assert_eq!(
            (waiting.state, waiting.log.as_str()),
            (JobState::Queued, "Waiting.")
        );
        assert_eq!((waiting.attempts, waiting.retries, waiting.done), (0, 1, 0));

        assert_eq!(claim(NOW + 1_999).await, None);
        let claimed = claim(NOW + 2_000).await.unwrap();
        assert_eq!((claimed.attempts, claimed.retries), (1, 1));

        // A job that was cancelled meanwhile does not wait.
        assert!(store.cancel_job(id, NOW + 2_001).await.unwrap());
        assert!(postpone("a", NOW + 2_002).await);
        let over = job(story, id).await;
        assert_eq!(
            (over.state, over.ended_at),
            (JobState::Cancelled, Some(NOW + 2_002))
        );
        assert_eq!(claim(NOW + MINUTE).await, None);
    })
    .await;
}

#[tokio::test]
async fn the_jobs_of_a_dead_server_are_released_before_their_leases_end() {
    on_both(async |story| {
        let store = &story.store;
        let kinds = [JobKind::Import, JobKind::Align, JobKind::Train];
        let mut ids = vec![];
        for kind in kinds {
            ids.push(enqueue(story, None, kind, NOW).await);
            let claimed = store.claim_job(&[kind], "killed", NOW, MINUTE).await;
            assert!(claimed.unwrap().is_some());
        }

        assert!(store.cancel_job(ids[1], NOW + 1).await.unwrap());
        assert_eq!(store.sweep_jobs(NOW + 2).await.unwrap(), 0);
        let released = store.release_jobs(&kinds[..2], NOW + 2).await.unwrap();
        assert_eq!(released, 2);

        let import = job(story, ids[0]).await;
        assert_eq!((import.state, import.attempts), (JobState::Queued, 1));
        let alignment = job(story, ids[1]).await;
        let cancelled = (JobState::Cancelled, Some(NOW + 2));
        assert_eq!((alignment.state, alignment.ended_at), cancelled);
        assert_eq!(job(story, ids[2]).await.state, JobState::Running);

        let standing = store
            .report_job(ids[0], "killed", at(1, 2), NOW + MINUTE)
            .await;
        assert_eq!(standing.unwrap(), JobLeaseState::Lost);
    })
    .await;
}

#[tokio::test]
async fn a_study_lists_its_newest_jobs() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        let other = story.add_study("wiki", None).await;
        let mut ids = vec![];
        for minute in 0..3 {
            ids.push(enqueue(story, Some(study), JobKind::Import, NOW + minute * MINUTE).await);
            enqueue(story, Some(other), JobKind::Import, NOW).await;
        }
        let jobs = story.store.jobs(study, 2).await.unwrap();
        let listed: Vec<_> = jobs.iter().map(|job| job.id).collect();
        assert_eq!(listed, [ids[2], ids[1]]);
    })
    .await;
}

#[tokio::test]
async fn a_long_job_stays_in_sight_behind_jobs_of_other_kinds() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let kind = JobKind::TrainAligner;
        let newest = async |is_over| {
            let job = store.newest_job(study, kind, is_over).await.unwrap();
            job.map(|job| job.id)
        };

        assert_eq!((newest(false).await, newest(true).await), (None, None));
        let over = enqueue(story, Some(study), kind, NOW).await;
        assert_eq!(
            (newest(false).await, newest(true).await),
            (Some(over), None)
        );

        assert!(store.cancel_job(over, NOW).await.unwrap());
        let running = enqueue(story, Some(study), kind, NOW + 1).await;
        let claimed = store.claim_job(&[kind], "a", NOW + 2, MINUTE).await;
        assert_eq!(claimed.unwrap().map(|job| job.id), Some(running));

        for minute in 1..30 {
            enqueue(story, Some(study), JobKind::Score, NOW + minute * MINUTE).await;
        }
        let other = story.add_study("wiki", None).await;
        enqueue(story, Some(other), kind, NOW + MINUTE).await;
        assert_eq!(
            (newest(false).await, newest(true).await),
            (Some(running), Some(over))
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_do_each_job_once() {
    on_both(async |story| {
        let mut queued = BTreeSet::new();
        for number in 0..12 {
            queued.insert(enqueue(story, None, JobKind::Import, NOW + number).await);
        }

        let processes = [story.store.clone(), story.another_store().await];
        let mut workers = tokio::task::JoinSet::new();
        for number in 0..4_usize {
            let store = processes[number % 2].clone();
            workers.spawn(async move {
                let worker = format!("worker {number}");
                let mut job_ids = vec![];
                let claim = async || {
                    store
                        .claim_job(&[JobKind::Import], &worker, NOW, MINUTE)
                        .await
                };
                while let Some(job) = claim().await.unwrap() {
                    let ending = JobOutcome::Done(json!(worker));
                    assert!(store.end_job(job.id, &worker, &ending, NOW).await.unwrap());
                    job_ids.push(job.id);
                }
                job_ids
            });
        }

        let job_ids = workers.join_all().await.concat();
        assert_eq!(job_ids.len(), 12);
        assert_eq!(BTreeSet::from_iter(job_ids), queued);
        processes[1].close().await;
    })
    .await;
}

#[tokio::test]
async fn a_job_of_an_unknown_kind_is_named_and_never_done_as_another_kind() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let known = enqueue(story, Some(study), JobKind::Import, NOW + 1).await;
        let unknown = enqueue(story, Some(study), JobKind::Import, NOW).await;
        story
            .execute_sql(format!(
                "UPDATE job SET kind = 'bake' WHERE id = '{unknown}'"
            ))
            .await;

        let claimed = store.claim_job(JobKind::ALL, "a", NOW, MINUTE).await;
        assert_eq!(claimed.unwrap().unwrap().id, known);
        let claimed = store.claim_job(JobKind::ALL, "a", NOW, MINUTE).await;
        assert_eq!(claimed.unwrap(), None);
        let error = store.job(unknown).await.unwrap_err().to_string();
        assert!(error.contains("“bake” is not a kind of job"), "{error}");

        let jobs = store.jobs(study, 9).await.unwrap();
        assert_eq!(jobs.iter().map(|job| job.id).collect::<Vec<_>>(), [known]);
        assert_eq!(store.unreadable_rows(study), [error]);
    })
    .await;
}

#[tokio::test]
async fn people_queue_so_many_jobs_of_a_study() {
    on_both(async |story| {
        let store = &story.store;
        let (study, other) = (
            story.add_study("news", None).await,
            story.add_study("river", None).await,
        );
        let person = story.add_person("lea").await;
        let queue_as = async |id, study: StudyId, created_by| {
            let new = NewJob {
                id,
                study: Some(study),
                kind: JobKind::Import,
                input: &json!({}),
                created_by,
            };
            store
                .enqueue_job(&new, NOW)
                .await
                .err()
                .map(|error| error.to_string())
        };
        let queue = async |study, created_by| queue_as(JobId(fresh_id()), study, created_by).await;

        let first = JobId(fresh_id());
        assert_eq!(queue_as(first, study, Some(person)).await, None);
        for _ in 1..20 {
            assert_eq!(queue(study, Some(person)).await, None);
        }

        let sentence = queue(study, Some(person)).await.expect("many wait");
        assert!(
            sentence.starts_with("20 imports and other jobs"),
            "{sentence}"
        );

        // The server's own jobs, and those of other studies, do not count.
        assert_eq!(queue(study, None).await, None);
        assert_eq!(queue(other, Some(person)).await, None);
        assert!(store.cancel_job(first, NOW).await.unwrap());
        assert_eq!(queue(study, Some(person)).await, None);
    })
    .await;
}
