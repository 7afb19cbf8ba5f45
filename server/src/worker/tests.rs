//! Jobs from the queue to their end.

use domain::metrics::TextMetric;
use domain::{
    edit::{Edit, EditKind, validate::validate},
    ids::{JobId, MetricId, ModelId, PersonId, StudyId, UploadId},
    span::Span,
    study::{Role, StudySettings},
    text::edits::EditsVersion,
};
use service::import::{
    ImportChoices, ImportJob, ImportKind, ImportOptions, ImportOutcome, ImportReport, ReadOptions,
};
use store::{
    JobState, NewJob, NewStudy, NewUpload,
    assignments::UpcomingAssignment,
    metrics::{ALIGNER_MODEL, MetricOrigin, NewMetric, NewModel},
};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::*;
use crate::learned_metric::testing;

/// A study on its own database, and what a worker needs.
struct WorkerFixture {
    store: Store,
    study: StudyId,
    job_monitor: JobMonitor,
    folder: TempDir,
}

/// A study on its own database, in a folder that is deleted when the first value is dropped.
pub(super) async fn create_study(settings: &StudySettings) -> (TempDir, Store, StudyId) {
    let folder = tempfile::tempdir().unwrap();
    let url = store::sqlite_url(&folder.path().join("jobs.sqlite"));
    let store = Store::open(&url).await.unwrap();

    let study = StudyId(clock::new_id());
    let new = NewStudy {
        id: study,
        slug: &"river".parse().unwrap(),
        name: "River study",
        settings,
        guidelines: "",
        lead: None,
    };
    store.create_study(&new, clock::now_ms()).await.unwrap();

    (folder, store, study)
}

impl WorkerFixture {
    async fn new() -> Self {
        let (folder, store, study) = create_study(&StudySettings::default()).await;
        Self {
            store,
            study,
            job_monitor: JobMonitor::default(),
            folder,
        }
    }

    async fn upload(&self, text: &str) -> UploadId {
        let id = UploadId(clock::new_id());
        let new = NewUpload {
            id,
            study: self.study,
            name: "rows.csv",
            size: text.len() as i64,
            created_by: None,
        };

        self.store
            .create_upload(&new, clock::now_ms())
            .await
            .unwrap();
        for (number, chunk) in (0..).zip(text.as_bytes().chunks(store::LARGEST_CHUNK)) {
            self.store.append_chunk(id, number, chunk).await.unwrap();
        }
        self.store.seal_upload(id).await.unwrap();

        id
    }

    async fn enqueue(&self, file: UploadId, manner: ImportOptions) -> JobId {
        let input = ImportJob {
            files: vec![file],
            names: vec!["rows.csv".to_owned()],
            raters: None,
            read_options: ReadOptions::default(),
            import_options: manner,
            kind: ImportKind::Sources,
            choices: ImportChoices::default(),
        };

        let id = JobId(clock::new_id());
        let new = NewJob {
            id,
            study: Some(self.study),
            kind: JobKind::Import,
            input: &serde_json::to_value(input).unwrap(),
            created_by: None,
        };

        self.store.enqueue_job(&new, clock::now_ms()).await.unwrap();
        self.job_monitor.wake();
        id
    }

    /// Starts a worker, which ends when the token is cancelled.
    fn worker(&self) -> (CancellationToken, JoinHandle<()>) {
        self.worker_with_resources(MetricResources::new(&testing::empty_settings()))
    }

    /// Like [`Self::worker`], with these resources of metrics.
    fn worker_with_resources(
        &self,
        resources: MetricResources,
    ) -> (CancellationToken, JoinHandle<()>) {
        let stop = CancellationToken::new();
        let aligner = Arc::new(Aligner::strings());
        let work = work(
            self.store.clone(),
            (aligner, Arc::new(resources)),
            self.job_monitor.clone(),
            0,
            stop.clone(),
        );
        (stop, tokio::spawn(work))
    }

    async fn job(&self, id: JobId) -> Job {
        self.store.job(id).await.unwrap().unwrap()
    }

    /// Waits until the job is over.
    async fn finished_job(&self, id: JobId) -> Job {
        self.poll_until(async || Some(self.job(id).await).filter(|job| job.state.is_over()))
            .await
    }

    async fn poll_until<T>(&self, mut look: impl AsyncFnMut() -> Option<T>) -> T {
        for _ in 0..1200 {
            if let Some(outcome) = look().await {
                return outcome;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("it did not come to that within 30 seconds");
    }

    async fn sources(&self) -> usize {
        self.store.sources(self.study).await.unwrap().len()
    }
}

fn report(job: &Job) -> ImportReport {
    match serde_json::from_value(job.result.clone().unwrap()).unwrap() {
        ImportOutcome::Imported(report) => report,
        ImportOutcome::Strict(_) => panic!("it was refused"),
    }
}

const ROWS: &str = "source,system,output\n\
    The old ferry was withdrawn from service.,A,The ferry stopped.\n\
    ,A,A row without its source.\n\
    The harbour was rebuilt after the storm.,A,They rebuilt the harbour.\n";

/// A file whose import takes long enough to be interrupted.
fn many_rows() -> String {
    let row = |number| {
        format!(
            "Number {number} is the source, which was written at some length about ferries.,A,\
             This is output {number} and it says rather less of them.\n"
        )
    };
    "source,system,output\n".to_owned() + &(0..20_000).map(row).collect::<String>()
}

/// A file that is imported quickly, but takes the network a long time to align.
fn rows_to_align() -> String {
    let words = |number: usize, count: usize| {
        let word = |at: usize| format!("word{} ", (number * 7 + at * 13) % 97);
        format!("Text {number}: ") + &(0..count).map(word).collect::<String>()
    };
    let row = |number| format!("{},A,{}\n", words(number, 60), words(number + 1, 50));
    "source,system,output\n".to_owned() + &(0..800).map(row).collect::<String>()
}

#[tokio::test]
async fn an_import_runs_to_its_end_and_again_changes_nothing() {
    let fixture = WorkerFixture::new().await;
    let (stop, worker) = fixture.worker();
    let file = fixture.upload(ROWS).await;
    let first = fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    assert_eq!(first.state, JobState::Done, "{first:?}");

    let import_report = report(&first);
    assert_eq!(
        (
            import_report.rows,
            import_report.new.sources,
            import_report.new.outputs
        ),
        (3, 2, 2)
    );
    assert_eq!((import_report.bad, import_report.bad_rows[0].line), (1, 3));
    assert_eq!(import_report.bad_rows[0].column.as_deref(), Some("source"));

    assert_eq!(fixture.sources().await, 2);

    // The file was imported and can go.
    fixture
        .poll_until(async || match fixture.store.upload(file).await.unwrap() {
            None => Some(()),
            Some(_) => None,
        })
        .await;

    let file = fixture.upload(ROWS).await;
    let second = fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    assert_eq!(report(&second).new, Default::default());
    assert_eq!(fixture.sources().await, 2);

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn strict_keeps_nothing_of_a_file_with_a_bad_row() {
    let fixture = WorkerFixture::new().await;
    let (stop, worker) = fixture.worker();

    let file = fixture.upload(ROWS).await;
    let strict = ImportOptions {
        strict: true,
        ..ImportOptions::default()
    };
    let job = fixture
        .finished_job(fixture.enqueue(file, strict).await)
        .await;

    let outcome = serde_json::from_value(job.result.unwrap()).unwrap();
    let ImportOutcome::Strict(said) = outcome else {
        panic!("it was imported");
    };
    assert_eq!((said.rows, said.bad, said.bad_rows.len()), (3, 1, 1));
    assert_eq!(fixture.sources().await, 0);

    // The file stays, since other settings may do better.
    assert!(fixture.store.upload(file).await.unwrap().is_some());

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn an_import_fails_with_a_sentence() {
    let fixture = WorkerFixture::new().await;
    let (stop, worker) = fixture.worker();

    let file = fixture.upload("text,system\na,b\n").await;
    let wrong = fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    assert_eq!(wrong.state, JobState::Failed);
    let why = wrong.failure.unwrap();
    assert_eq!(why, "Say which column holds the sources.");

    let gone = UploadId(clock::new_id());
    let gone = fixture
        .finished_job(fixture.enqueue(gone, ImportOptions::default()).await)
        .await;
    let why = gone.failure.unwrap();
    assert_eq!(why, "The file is no longer here: send it again.");

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_is_cancelled_under_way() {
    let fixture = WorkerFixture::new().await;
    let (stop, worker) = fixture.worker();
    let file = fixture.upload(&many_rows()).await;
    let job = fixture.enqueue(file, ImportOptions::default()).await;

    let progress = fixture
        .poll_until(async || {
            let progress = fixture.job_monitor.progress(job)?;
            (progress.get().0 > 0).then_some(progress)
        })
        .await;
    let (done, total) = progress.get();
    assert!(done < total, "{done} of {total}");

    progress.request_stop();
    assert_eq!(fixture.finished_job(job).await.state, JobState::Cancelled);
    assert_eq!(fixture.sources().await, 0);

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_shuts_down_gives_its_job_back() {
    let fixture = WorkerFixture::new().await;
    let (stop, worker) = fixture.worker();
    let file = fixture.upload(&many_rows()).await;
    let id = fixture.enqueue(file, ImportOptions::default()).await;
    fixture
        .poll_until(async || (fixture.job_monitor.progress(id)?.get().0 > 0).then_some(()))
        .await;

    stop.cancel();
    worker.await.unwrap();

    let job = fixture.job(id).await;
    assert_eq!((job.state, job.attempts), (JobState::Queued, 0));
    assert_eq!(fixture.sources().await, 0);
}

#[tokio::test]
async fn the_job_of_a_process_that_was_killed_is_done_by_the_next() {
    let fixture = WorkerFixture::new().await;
    let file = fixture.upload(ROWS).await;
    let id = fixture.enqueue(file, ImportOptions::default()).await;
    let past = clock::now_ms() - 2;
    let kinds = JobLane::Import.kinds();
    let killed = fixture.store.claim_job(&kinds, "killed", past, 1).await;
    assert_eq!(killed.unwrap().unwrap().id, id);

    let (stop, worker) = fixture.worker();
    let job = fixture.finished_job(id).await;
    assert_eq!((job.state, job.attempts), (JobState::Done, 2));
    assert_eq!(report(&job).new.sources, 2);
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_server_that_starts_releases_the_jobs_of_the_one_that_died() {
    let fixture = WorkerFixture::new().await;
    let (store, study) = (&fixture.store, fixture.study);
    let file = fixture.upload(ROWS).await;
    let id = fixture.enqueue(file, ImportOptions::default()).await;

    let url = store::sqlite_url(&fixture.folder.path().join("jobs.sqlite"));
    let dead = Store::open(&url).await.unwrap();
    let (kinds, now, lease) = (JobLane::Import.kinds(), clock::now_ms(), 600_000);
    let claimed = dead.claim_job(&kinds, "dead", now, lease).await.unwrap();
    assert_eq!(claimed.unwrap().id, id);

    // The import of the dead server has written rows, with a lease of minutes.
    let import = dead.begin_job_import(study, id, now, clock::new_id);
    let mut import = import.await.unwrap();
    let purpose = domain::study::SourcePurpose::Main;
    import.source(None, "Half of a file.", purpose).unwrap();
    import.flush().await.unwrap();

    release_jobs_of_dead_server(store).await;
    let (stop, worker) = fixture.worker();
    let job = fixture.finished_job(id).await;
    assert_eq!((job.state, job.attempts), (JobState::Done, 2));
    assert_eq!(report(&job).new.sources, 2);
    assert_eq!(fixture.sources().await, 2);

    drop(import);
    dead.close().await;
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_job_whose_database_is_away_is_tried_again_and_given_up_only_after_many_times() {
    let fixture = WorkerFixture::new().await;
    let file = fixture.upload(ROWS).await;
    let id = fixture.enqueue(file, ImportOptions::default()).await;
    let url = store::sqlite_url(&fixture.folder.path().join("jobs.sqlite"));
    let away = Store::open(&url).await.unwrap();
    away.close().await;

    let runner = JobRunner::new(fixture.store.clone(), CancellationToken::new());
    let try_once = async |retries| {
        let claimed = runner.claim(&JobLane::Import.kinds()).await.unwrap()?;
        let job = Job { retries, ..claimed };
        let progress = Arc::new(RunningJobProgress::default());
        let work = import::run(away.clone(), job.clone(), progress.clone());
        runner.run(&job, progress, work).await;
        Some(fixture.job(job.id).await)
    };

    let waiting = try_once(0).await.unwrap();
    let numbers = (waiting.attempts, waiting.retries);
    assert_eq!((waiting.state, numbers), (JobState::Queued, (0, 1)));
    let note = waiting.log;
    assert!(note.starts_with("Waiting for the database"), "{note}");
    assert!(note.ends_with("tried again in 1 second."), "{note}");

    // The database is available again.
    let (stop, worker) = fixture.worker();
    let done = fixture.finished_job(id).await;
    assert_eq!((done.state, done.attempts), (JobState::Done, 1));
    assert_eq!(report(&done).new.sources, 2);
    stop.cancel();
    worker.await.unwrap();

    let file = fixture.upload(ROWS).await;
    fixture.enqueue(file, ImportOptions::default()).await;
    let failed = try_once(job_runner::MAX_RETRIES).await.unwrap();
    assert_eq!(failed.state, JobState::Failed);
    let why = failed.failure.unwrap();
    assert!(why.starts_with("The database could not be used for half an hour."));
    assert_eq!(fixture.sources().await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_does_not_wait_for_an_alignment() {
    let fixture = WorkerFixture::new().await;
    let (stop, worker) = fixture.worker();
    let file = fixture.upload(&rows_to_align()).await;
    fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    stop.cancel();
    worker.await.unwrap();

    let stop = CancellationToken::new();
    let work = work(
        fixture.store.clone(),
        (
            Arc::new(Aligner::grid()),
            Arc::new(MetricResources::new(&testing::empty_settings())),
        ),
        fixture.job_monitor.clone(),
        0,
        stop.clone(),
    );
    let worker = tokio::spawn(work);
    let alignment = fixture
        .poll_until(async || {
            let jobs = fixture.store.jobs(fixture.study, 9).await.unwrap();
            let running = |job: &Job| job.kind == JobKind::Align && job.state == JobState::Running;
            jobs.into_iter().find(running)
        })
        .await;

    let file = fixture.upload(ROWS).await;
    let import = fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    assert_eq!(import.state, JobState::Done, "{import:?}");

    let alignment = fixture.job(alignment.id).await;
    assert_eq!(alignment.state, JobState::Running, "{alignment:?}");

    stop.cancel();
    worker.await.unwrap();
    assert_eq!(fixture.job(alignment.id).await.state, JobState::Queued);
}

#[tokio::test]
async fn what_was_brought_in_is_aligned_by_the_better_aligner() {
    let fixture = WorkerFixture::new().await;
    let file = fixture.upload(ROWS).await;

    let stop = CancellationToken::new();
    let aligner = Arc::new(Aligner::grid());
    let work = work(
        fixture.store.clone(),
        (
            aligner.clone(),
            Arc::new(MetricResources::new(&testing::empty_settings())),
        ),
        fixture.job_monitor.clone(),
        0,
        stop.clone(),
    );
    let worker = tokio::spawn(work);

    fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    let aligned = fixture
        .poll_until(async || {
            let jobs = fixture.store.jobs(fixture.study, 9).await.unwrap();
            jobs.into_iter()
                .find(|job| job.kind == JobKind::Align && job.state.is_over())
        })
        .await;

    assert_eq!(aligned.state, JobState::Done, "{:?}", aligned.failure);
    assert_eq!(aligned.result.unwrap()["outputs"], 2);
    let versions = fixture.store.edits_versions().await.unwrap();
    let made_by = edits_version(&aligner).to_string();
    assert_eq!(versions, [(fixture.study, made_by)]);

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_study_is_aligned_by_its_own_aligner_and_by_the_servers_again() {
    let fixture = WorkerFixture::new().await;
    let (store, study) = (&fixture.store, fixture.study);

    let file = fixture.upload(ROWS).await;
    let (stop, worker) = fixture.worker();
    fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    let strings = edits_version(&Aligner::strings()).to_string();

    let made_by = async |version: &str| {
        let wait = async || {
            let versions = store.edits_versions().await.unwrap();
            (versions == [(study, version.to_owned())]).then_some(())
        };
        fixture.poll_until(wait).await;
    };
    made_by(&strings).await;

    let aligner = Aligner::grid();
    let network = aligner.network().unwrap();
    let (file, id) = (network.write(), ModelId(clock::new_id()));
    let hash = learn::metric::fingerprint(&file);
    let version = study_aligners::model_edits_version(network.card(), &hash).to_string();
    assert!(version.starts_with("grid v1 study "), "{version}");
    let new = NewModel {
        id,
        name: ALIGNER_MODEL,
        hash: &hash,
        file: &file,
        report: &serde_json::json!({ "edits_version": version }),
        adopted: false,
    };
    let now = clock::now_ms();
    store.add_model(study, &new, now).await.unwrap();
    assert!(store.adopt_aligner(study, id, true, now).await.unwrap());
    fixture.job_monitor.request_alignment_check();
    made_by(&version).await;

    // Outputs that are added later get its edits, too.
    let more = "source,system,output\nThe mill by the bridge burned down.,A,The mill burned.\n";
    let file = fixture.upload(more).await;
    fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;
    made_by(&version).await;

    assert!(store.adopt_aligner(study, id, false, now).await.unwrap());
    fixture.job_monitor.request_alignment_check();
    made_by(&strings).await;

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_server_without_the_encoder_leaves_a_study_to_another_server() {
    let fixture = WorkerFixture::new().await;
    let (store, study) = (&fixture.store, fixture.study);
    let file = fixture.upload(ROWS).await;
    let (stop, worker) = fixture.worker();
    fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;

    stop.cancel();
    worker.await.unwrap();

    let (id, now) = (ModelId(clock::new_id()), clock::now_ms());
    let new = NewModel {
        id,
        name: ALIGNER_MODEL,
        hash: "00c0ffee",
        file: include_bytes!("../../../crates/learn/models/encoder.safetensors"),
        report: &serde_json::json!({ "edits_version": "encoder v1 study 00c0ffee edits v2" }),
        adopted: true,
    };
    store.add_model(study, &new, now).await.unwrap();

    let grid = StudyAligners::new(Arc::new(Aligner::grid()));
    let own = grid.load_own(store).await.unwrap();
    assert!(own[&study].is_none());
    align::queue(store, &grid, now, 0).await.unwrap();
    let jobs = store.jobs(study, 9).await.unwrap();
    assert!(
        jobs.iter().all(|job| job.kind != JobKind::Align),
        "{jobs:?}"
    );

    // Once the study no longer uses its own aligner, the server's is better than that of the import.
    assert!(store.adopt_aligner(study, id, false, now).await.unwrap());
    align::queue(store, &grid, now, 0).await.unwrap();
    let jobs = store.jobs(study, 9).await.unwrap();
    assert_eq!(jobs[0].kind, JobKind::Align);
}

#[tokio::test]
async fn an_alignment_that_failed_is_tried_again_by_the_next_server() {
    let fixture = WorkerFixture::new().await;
    let (store, study) = (&fixture.store, fixture.study);
    let file = fixture.upload(ROWS).await;
    let (stop, worker) = fixture.worker();
    fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;

    stop.cancel();
    worker.await.unwrap();

    let (grid, now) = (
        StudyAligners::new(Arc::new(Aligner::grid())),
        clock::now_ms(),
    );
    let newest = async || store.jobs(study, 1).await.unwrap().remove(0);

    align::queue(store, &grid, now, now).await.unwrap();
    let first = newest().await;
    let claimed = store.claim_job(&[JobKind::Align], "a", now, 60_000).await;
    assert_eq!(claimed.unwrap().unwrap().id, first.id);
    let failed = JobOutcome::Failed("The program broke off.".to_owned());
    assert!(
        store
            .end_job(first.id, "a", &failed, now + 1)
            .await
            .unwrap()
    );

    // The server that queued it waits for an hour.
    align::queue(store, &grid, now + 2, now).await.unwrap();
    assert_eq!(newest().await.id, first.id);

    // The next server does not wait.
    align::queue(store, &grid, now + 3, now + 2).await.unwrap();
    let second = newest().await;
    assert_eq!(
        (second.kind, second.state),
        (JobKind::Align, JobState::Queued)
    );
    assert_ne!(second.id, first.id);

    // A cancellation by a person also binds later servers.
    assert!(store.cancel_job(second.id, now + 4).await.unwrap());
    align::queue(store, &grid, now + 6, now + 5).await.unwrap();
    assert_eq!(newest().await.id, second.id);
}

#[tokio::test]
async fn edits_of_an_earlier_version_are_made_again_and_nobody_is_given_them_meanwhile() {
    let fixture = WorkerFixture::new().await;
    let (store, study) = (&fixture.store, fixture.study);
    let (stop, worker) = fixture.worker();

    let rows = "source,system,output\n£5000.,A,\"th\ne\"\n";
    let file = fixture.upload(rows).await;
    fixture
        .finished_job(fixture.enqueue(file, ImportOptions::default()).await)
        .await;

    stop.cancel();
    worker.await.unwrap();

    let aligner = Aligner::strings();
    let version = edits_version(&aligner);
    let before = EditsVersion {
        edits: 1,
        ..version
    };

    let source = store.sources(study).await.unwrap().remove(0).id;
    let output = store.source_outputs(source).await.unwrap().remove(0);
    let invalid = |from: usize, to: usize| Edit {
        kind: EditKind::Split,
        source: vec![],
        output: vec![Span::new(from, to)],
        confidence: None,
    };
    let older = vec![(
        output.id,
        vec![invalid(0, 4), invalid(2, 3)],
        before.to_string(),
    )];

    let put = store.put_automatic_edits(study, &older, clock::now_ms());
    assert_eq!(put.await.unwrap(), 1);

    let person = PersonId(clock::new_id());
    let now = clock::now_ms();
    store
        .create_person(person, "annotator 1", None, false, now)
        .await
        .unwrap();
    store
        .add_member(study, person, Role::Annotator, now)
        .await
        .unwrap();

    let ahead = async || {
        let outlook = store.upcoming_work(study, person, clock::now_ms()).await;
        outlook.unwrap().unwrap().next
    };

    store
        .report_aligner(version, clock::now_ms())
        .await
        .unwrap();
    assert_eq!(ahead().await, UpcomingAssignment::Preparing);

    let (stop, worker) = fixture.worker();
    fixture
        .poll_until(async || (ahead().await != UpcomingAssignment::Preparing).then_some(()))
        .await;

    let edits = store.source_outputs(source).await.unwrap().remove(0).edits;
    assert_eq!(validate(&edits, "£5000.", "th\ne"), Ok(()));
    let splits = edits.iter().filter(|edit| edit.kind == EditKind::Split);
    assert_eq!(splits.count(), 1);

    let versions = store.edits_versions().await.unwrap();
    assert_eq!(versions, [(study, version.to_string())]);

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn outputs_are_scored_by_the_studys_metrics_and_so_are_those_that_come_later() {
    let fixture = WorkerFixture::new().await;
    let (store, study) = (&fixture.store, fixture.study);
    for metric in [TextMetric::Fkgl, TextMetric::Sari] {
        service::metrics::choose(store, study, metric, clock::CONTEXT)
            .await
            .unwrap();
    }

    let (stop, worker) = fixture.worker();
    let wait_for_scores = async |count: usize| {
        fixture
            .poll_until(async || {
                let scores = store.metric_scores(study).await.unwrap();
                (scores.len() == count).then_some(scores)
            })
            .await
    };

    let file = fixture.upload(ROWS).await;
    fixture.enqueue(file, ImportOptions::default()).await;
    // Two scores by fkgl; sari needs references.
    let first = wait_for_scores(2).await;

    let more = "source,system,output,reference\n\
                The mill by the bridge burned down.,A,The mill burned.,A mill burned down.\n";
    let file = fixture.upload(more).await;
    fixture.enqueue(file, ImportOptions::default()).await;
    let all = wait_for_scores(4).await;
    assert_eq!(all[..2], first[..2], "what is scored is not scored again");

    let metrics = store.metrics(study).await.unwrap();
    let metric_id = |name: &str| {
        metrics
            .iter()
            .find(|metric| metric.name == name)
            .unwrap()
            .id
    };
    let by = |name: &str| {
        all.iter()
            .filter(|score| score.metric == metric_id(name))
            .count()
    };

    assert_eq!((by("fkgl"), by("sari")), (3, 1));
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn learned_metrics_score_and_what_lacks_its_means_says_so() {
    let Some(settings) = testing::settings_with_words(&[]) else {
        return;
    };
    let fixture = WorkerFixture::new().await;
    let (store, study) = (&fixture.store, fixture.study);

    let model = tokio::task::spawn_blocking(move || testing::train_model(&settings));
    let model = model.await.unwrap();
    let named = fixture.folder.path().join("metric");
    std::fs::write(&named, model.write()).unwrap();
    let settings =
        testing::settings_with_words(&["--learned-metric", &named.display().to_string()]);
    let resources = MetricResources::new(&settings.unwrap());

    let offers = resources.offers();
    let offer = offers
        .iter()
        .find(|offer| offer.name == "learned-free")
        .unwrap();
    let chosen = service::metrics::choose_offered(store, study, offer, clock::CONTEXT).await;
    let chosen = chosen.unwrap();
    let lacking = offers
        .iter()
        .find(|offer| offer.name == "bertscore-f1")
        .unwrap();
    let refused = service::metrics::choose_offered(store, study, lacking, clock::CONTEXT).await;
    assert!(refused.is_err_and(|why| why.to_string().contains("--encoder")));

    // A version of the study's own, a damaged one, and a metric that needs the missing encoder.
    let own = |name, file: Vec<u8>| async move {
        let id = ModelId(clock::new_id());
        let new = NewModel {
            id,
            name: "learned-free",
            hash: name,
            file: &file,
            report: &serde_json::Value::Null,
            adopted: true,
        };
        store.add_model(study, &new, clock::now_ms()).await.unwrap();
        (name, Some(id))
    };

    let whole = own("whole", model.write()).await;
    let damaged = own("damaged", model.write()[..999].to_vec()).await;
    let mut declared = Vec::new();
    for (name, (signature, model)) in [
        ("learned-free", whole),
        ("learned-free", damaged),
        ("similarity", ("of an encoder", None)),
    ] {
        let new = NewMetric {
            id: MetricId(clock::new_id()),
            name,
            signature,
            origin: if model.is_some() {
                MetricOrigin::Learned
            } else {
                MetricOrigin::Computed
            },
            direction: domain::metrics::ScoreDirection::HigherIsBetter,
            uses_references: false,
            trained_on: &[],
            model,
        };
        let id = store.declare_metric(study, &new, clock::now_ms()).await;
        declared.push(id.unwrap());
    }

    let file = fixture.upload(ROWS).await;
    fixture.enqueue(file, ImportOptions::default()).await;
    let (stop, worker) = fixture.worker_with_resources(resources);
    let scores = fixture
        .poll_until(async || {
            let scores = store.metric_scores(study).await.unwrap();
            (scores.len() == 4).then_some(scores)
        })
        .await;

    let scores_for = |metric| -> Vec<f64> {
        let own = scores.iter().filter(|score| score.metric == metric);
        own.map(|score| score.value).collect()
    };
    assert_eq!(scores_for(chosen).len(), 2);
    assert_eq!(
        scores_for(chosen),
        scores_for(declared[0]),
        "they are the same model"
    );

    let left = fixture
        .poll_until(async || {
            let left = service::metrics::unscored_metrics(store, study)
                .await
                .unwrap();
            (!left.is_empty()).then_some(left)
        })
        .await;

    let why: Vec<&str> = left.iter().map(|metric| &metric.why[..]).collect();
    assert!(
        matches!(why[..], [damaged, similarity] if damaged.contains("safetensors") && similarity.contains("--encoder")),
        "{why:?}"
    );

    stop.cancel();
    worker.await.unwrap();
}
