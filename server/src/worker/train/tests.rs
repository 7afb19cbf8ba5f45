use std::{fs, path::PathBuf, sync::Arc};

use domain::{
    ids::{JobId, StudyId},
    metrics::LearnedMetricKind,
    study::{RaterKind, SourcePurpose, StudySettings},
};
use learn::aligner::Aligner;
use service::{
    metric_training::{
        self, ModelReport, TrainJob, TrainingStart, last_training, training_dimensions,
    },
    metrics,
    training_settings::ChosenSettings,
};
use store::{
    Job, JobKind, JobState, Store,
    import::{NewOutput, NewRating},
    rating_rows::RatingScope,
};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{TrainerSettings, run_worker, training_set::TrainingSet};
use crate::{clock, worker::tests::create_study};

/// A study with ratings, on its own database.
struct TrainingFixture {
    store: Store,
    study: StudyId,
    folder: TempDir,
}

/// A script whose training succeeds; `$2` is the path of the request.
const DONE: &str = r#"
    here=$(dirname "$2")
    printf 'a model' > "$here/model"
    echo '{"event":"features","done":5,"of":5}'
    echo '{"event":"tree","tree":9,"of":9,"loss":0.25}'
    echo '{"event":"curve","outputs":6,"figures":{"r":0.5,"tau":0.25,"outputs":4,"sources":2}}'
    echo '{"event":"done","model":"'"$here"'/model","signature":"learned-free|x","trained_on":["abc"],
        "held_out":{"r":0.5,"tau":0.25,"outputs":4,"sources":2},"curve":[],
        "scale":[{"score":0.5,"percent":60.0,"interval":[20.0,90.0]}],
        "comparison":{"Ok":{"tau":0.25,"other":0.5,"sources":2,
            "interval":{"low":-0.5,"high":0.1,"confidence":0.95,"replicates":9,"undefined":0}}}}' |
        tr -d '\n'
    echo
"#;

/// A script whose training waits after its first tree until its input is closed.
const WAITS: &str = r#"
    echo '{"event":"tree","tree":1,"of":2,"loss":0.5}'
    read -r _
    echo '{"event":"stopped"}'
"#;

impl TrainingFixture {
    async fn new(settings: StudySettings) -> Self {
        let (folder, store, study) = create_study(&settings).await;
        let import = store.begin_import(study, clock::now_ms(), clock::new_id);
        let mut import = import.await.unwrap();

        let raters = ["one", "two"].map(|name| import.rater(name, RaterKind::Imported).unwrap());
        for number in 0..3 {
            let text = format!("The river {number} is long.");
            let source = import.source(None, &text, SourcePurpose::Main).unwrap();
            for output in 0..2 {
                let system = import.system(&format!("system {output}"), None).unwrap();
                let output_text = format!("River {number}, {output}.");
                let new = NewOutput::new(source, system, &output_text);
                let automatic = || {
                    service::automatic_annotation::annotate_automatically(
                        &settings, &text, new.text, None,
                    )
                };
                let (output_id, _) = import.output(&new, automatic).unwrap();
                for (at, rater) in raters.into_iter().enumerate() {
                    let value = (10 * number + 40 * output + at) as f64;
                    let rating = NewRating::overall(rater, output_id, value);
                    import.rating(rating).unwrap();
                }
            }
        }

        import.commit().await.unwrap();
        Self {
            store,
            study,
            folder,
        }
    }

    async fn enqueue(&self) -> JobId {
        self.enqueue_kind(LearnedMetricKind::LearnedFree, TrainingStart::Shipped)
            .await
    }

    async fn enqueue_kind(&self, kind: LearnedMetricKind, start: TrainingStart) -> JobId {
        let job = TrainJob {
            kind,
            start,
            dimensions: vec![],
            settings: ChosenSettings::default(),
        };

        let queued = metric_training::enqueue(&self.store, self.study, job, None, clock::CONTEXT);
        queued.await.unwrap();
        let job = metrics::running_job(&self.store, self.study, JobKind::Train).await;
        job.unwrap().unwrap().id
    }

    /// Starts a worker whose program is this script.
    fn worker(&self, script: &str) -> (CancellationToken, JoinHandle<()>) {
        let path = self.folder.path().join("program");
        fs::write(&path, script).unwrap();
        let trainer = TrainerSettings {
            program: "sh".into(),
            arguments: vec![path.into()],
            folder: self.files(),
            lock: self.folder.path().join("lock"),
            without_encoder: true,
        };

        let stop = CancellationToken::new();
        let aligner = Arc::new(Aligner::grid());
        let work = run_worker(self.store.clone(), trainer, aligner, stop.clone());
        (stop, tokio::spawn(work))
    }

    fn files(&self) -> PathBuf {
        self.folder.path().join("training")
    }

    async fn until<T>(&self, mut look: impl AsyncFnMut() -> Option<T>) -> T {
        for _ in 0..1200 {
            if let Some(value) = look().await {
                return value;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!("it did not come to that within 30 seconds");
    }

    async fn over(&self, id: JobId) -> Job {
        let look = async || {
            self.store
                .job(id)
                .await
                .unwrap()
                .filter(|job| job.state.is_over())
        };
        self.until(look).await
    }
}

#[tokio::test]
async fn a_training_brings_a_model_that_is_taken_only_if_it_is_better() {
    let fixture = TrainingFixture::new(StudySettings::default()).await;
    let id = fixture.enqueue().await;
    let (stop, worker) = fixture.worker(DONE);
    let job = fixture.over(id).await;
    assert_eq!(job.state, JobState::Done, "{:?}", job.failure);

    let models = fixture.store.models(fixture.study).await.unwrap();
    let [model] = &models[..] else {
        panic!("one model, not {models:?}")
    };
    assert_eq!((model.version, model.adopted_at), (1, None));
    let report = ModelReport::from_model(model).unwrap();
    assert_eq!((report.sources, report.outputs, report.ratings), (3, 6, 12));
    assert_eq!(report.dimensions, ["overall"]);
    let meaning = report.scale.find(0.6).expect("the training told it");
    assert_eq!((meaning.percent, meaning.interval), (60.0, (20.0, 90.0)));
    assert_eq!(report.against.as_deref(), Some("the built-in metric"));
    assert!(!report.is_adopted());

    let on_twenty = |low, degenerate| {
        let mut better = report.clone();
        better.held_out.degenerate = degenerate;
        if let Some(Ok(comparison)) = &mut better.comparison {
            (comparison.sources, comparison.interval.low) = (20, low);
        }
        better.is_adopted()
    };
    assert!(on_twenty(0.01, None) && on_twenty(0.01, Some(0.9)));
    assert!(!on_twenty(0.0, Some(0.9)) && !on_twenty(0.01, Some(0.8)));

    let file = fixture
        .store
        .model_file(fixture.study, model.id)
        .await
        .unwrap();
    assert_eq!(file.unwrap(), b"a model");

    let metrics = fixture.store.metrics(fixture.study).await.unwrap();
    assert_eq!(metrics[0].model, Some(model.id));
    assert_eq!(metrics[0].trained_on, ["abc"]);

    assert!(!fixture.files().join(id.to_string()).exists());
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn of_several_dimensions_each_counts_the_same() {
    let fixture = TrainingFixture::new(StudySettings::default()).await;
    let store = &fixture.store;

    // One rater rates a second dimension, opposite to the first.
    let import = store.begin_import(fixture.study, clock::now_ms(), clock::new_id);
    let mut import = import.await.unwrap();
    let rater = import.rater("one", RaterKind::Imported).unwrap();
    for entry in store.output_entries(fixture.study).await.unwrap() {
        let ratings = store.ratings(fixture.study, RatingScope::HandedIn).await;
        let ratings = ratings.unwrap();
        let overall = ratings.iter().find(|row| row.output == entry.output);
        import
            .rating(NewRating {
                dimension: "fluency",
                ..NewRating::overall(rater, entry.output, 100.0 - overall.unwrap().value)
            })
            .unwrap();
    }
    import.commit().await.unwrap();

    let study = store.study(fixture.study).await.unwrap().unwrap();
    let load = async |dimensions: &[&str]| {
        let kind = LearnedMetricKind::LearnedFree;
        let set = TrainingSet::load(store, &study, kind, dimensions).await;
        let set = set.unwrap();
        let outputs = set.sources.iter().flat_map(|source| &source.outputs);
        (
            set.ratings,
            outputs.map(|output| output.z).collect::<Vec<_>>(),
        )
    };

    let (count, overall) = load(&["overall"]).await;
    assert_eq!(count, 12);
    let (count, fluency) = load(&["fluency"]).await;
    assert_eq!(count, 6);
    let (count, both) = load(&["overall", "fluency"]).await;
    assert_eq!(count, 18);
    for ((overall, fluency), both) in overall.iter().zip(&fluency).zip(&both) {
        assert!((overall + fluency).abs() < 1e-9, "{overall} and {fluency}");
        assert!(both.abs() < 1e-9, "{both}");
    }
    assert!(overall.iter().any(|z| z.abs() > 0.5), "{overall:?}");

    let settings = &study.settings;
    let chosen = |names: &[&str]| {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        training_dimensions(settings, &names).join(" ")
    };
    assert_eq!(chosen(&[]), "overall");
    assert_eq!(
        chosen(&["gone"]),
        "overall",
        "a dimension that the study no longer has"
    );
}

#[tokio::test]
async fn chosen_settings_go_to_the_training_and_into_the_report() {
    let fixture = TrainingFixture::new(StudySettings::default()).await;

    let kind = LearnedMetricKind::CrossEncoder;
    let written = [("encoder-lr", "0.001"), ("split", "The river 1 is long.")];
    let written = written.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings = ChosenSettings::parse(kind.trainer(), &written.into()).unwrap();

    let job = TrainJob {
        kind,
        start: TrainingStart::Nothing,
        dimensions: vec![],
        settings: settings.clone(),
    };

    let queued = metric_training::enqueue(&fixture.store, fixture.study, job, None, clock::CONTEXT);
    queued.await.unwrap();
    let job = metrics::running_job(&fixture.store, fixture.study, JobKind::Train).await;
    let id = job.unwrap().unwrap().id;

    let hash = learn::metric::fingerprint("The river 1 is long.");
    let script = format!(
        r#"grep '"rate":0.001' "$2" | grep -q '"validation_sources":\["{hash}"\]' || exit 3
        {DONE}"#
    );

    let (stop, worker) = fixture.worker(&script);
    let job = fixture.over(id).await;
    assert_eq!(job.state, JobState::Done, "{:?}", job.failure);
    assert!(
        job.log.contains("Sources named under “split”: 1;"),
        "{}",
        job.log
    );

    let models = fixture.store.models(fixture.study).await.unwrap();
    let report = ModelReport::from_model(&models[0]).unwrap();
    assert_eq!(report.settings, settings);
    assert_eq!(
        report.settings.describe(),
        "encoder-lr 0.001, split of 1 source"
    );

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_metric_whose_encoder_learns_begins_with_the_encoder() {
    let fixture = TrainingFixture::new(StudySettings::default()).await;

    let id = fixture
        .enqueue_kind(LearnedMetricKind::CrossEncoder, TrainingStart::Nothing)
        .await;
    let script = format!(
        r#"grep '"from":null' "$2" | grep -q '"kind":"cross"' || exit 3
        echo '{{"event":"epoch","epoch":0,"of":2,"step":1,"steps":1,"tuned":true,"loss":0.5,"ended":true}}'
        {DONE}"#
    );

    let (stop, worker) = fixture.worker(&script);
    let job = fixture.over(id).await;
    assert_eq!(job.state, JobState::Done, "{:?}", job.failure);
    for line in [
        "Training continues from the encoder",
        "Epoch 1 of 2, the encoder learns",
    ] {
        assert!(job.log.contains(line), "{line}: {}", job.log);
    }

    let models = fixture.store.models(fixture.study).await.unwrap();
    let report = ModelReport::from_model(&models[0]).unwrap();
    assert_eq!(models[0].name, "cross-encoder");
    assert!(
        report.against.is_none(),
        "another kind is no version of this one"
    );

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_training_that_is_cancelled_leaves_nothing() {
    let fixture = TrainingFixture::new(StudySettings::default()).await;
    let id = fixture.enqueue().await;
    let (stop, worker) = fixture.worker(WAITS);

    let store = &fixture.store;
    let grown = async || {
        store
            .job(id)
            .await
            .unwrap()
            .filter(|job| job.log.contains("tree 1 of 2"))
    };
    let job = fixture.until(grown).await;
    assert!(
        job.log.contains("6 rated outputs of 3 sources"),
        "{}",
        job.log
    );

    assert!(store.cancel_job(id, clock::now_ms()).await.unwrap());
    assert_eq!(fixture.over(id).await.state, JobState::Cancelled);
    assert!(store.models(fixture.study).await.unwrap().is_empty());
    assert!(!fixture.files().join(id.to_string()).exists());

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_server_that_shuts_down_leaves_a_training_to_the_next_one() {
    let fixture = TrainingFixture::new(StudySettings::default()).await;
    let id = fixture.enqueue().await;
    let (stop, worker) = fixture.worker(WAITS);

    let store = &fixture.store;
    let runs = async || {
        let job = store.job(id).await.unwrap()?;
        job.log.contains("tree 1").then_some(())
    };
    fixture.until(runs).await;

    stop.cancel();
    worker.await.unwrap();
    let job = store.job(id).await.unwrap().unwrap();
    assert_eq!(job.state, JobState::Queued);
    assert!(
        fixture
            .files()
            .join(id.to_string())
            .join("order.json")
            .exists()
    );

    let gone = fixture.files().join(clock::new_id().to_string());
    fs::create_dir(&gone).unwrap();
    let (stop, worker) = fixture.worker(DONE);
    assert_eq!(fixture.over(id).await.state, JobState::Done);
    assert!(!gone.exists());

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_training_whose_process_dies_says_so() {
    let fixture = TrainingFixture::new(StudySettings::default()).await;
    let id = fixture.enqueue().await;
    let (stop, worker) = fixture.worker("exit 3");

    let job = fixture.over(id).await;
    assert_eq!(job.state, JobState::Failed);
    assert!(
        job.failure
            .unwrap()
            .contains("ended early (exit status: 3)")
    );

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_rule_trains_by_itself_once_there_are_enough_new_ratings() {
    let settings = |retrain_every| StudySettings {
        retrain_every,
        ..StudySettings::default()
    };
    let fixture = TrainingFixture::new(settings(13)).await;

    let (stop, worker) = fixture.worker(DONE);
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;

    let store = &fixture.store;
    let none = metrics::running_job(store, fixture.study, JobKind::Train)
        .await
        .unwrap();
    assert!(
        none.is_none()
            && last_training(store, fixture.study, JobKind::Train)
                .await
                .unwrap()
                .is_none()
    );

    stop.cancel();
    worker.await.unwrap();

    let now = clock::now_ms();
    store
        .set_settings(fixture.study, &settings(12), now)
        .await
        .unwrap();

    let (stop, worker) = fixture.worker(DONE);
    let latest_training = async || {
        last_training(store, fixture.study, JobKind::Train)
            .await
            .unwrap()
    };
    let job = fixture.until(latest_training).await;
    assert_eq!((job.state, job.created_by), (JobState::Done, None));

    // The same ratings do not cause another training.
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    assert_eq!(store.models(fixture.study).await.unwrap().len(), 1);

    stop.cancel();
    worker.await.unwrap();
}
