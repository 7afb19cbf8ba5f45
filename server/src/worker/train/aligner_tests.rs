//! Trainings of aligners from the queue to a stored aligner.

use std::sync::Arc;

use domain::{
    ids::{AnnotationId, AssignmentId, JobId, PersonId, RaterId, StudyId},
    protocol::{ProtocolStep, RateStep, StudyProtocol},
    score::RatingScale,
    study::{Role, SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
};
use service::aligner_training::{AlignerReport, AlignerTrainingSet, MIN_CORRECTED_SOURCES};
use store::{JobState, NewAssignment, assignments::NextAssignment, import::NewOutput};
use tempfile::TempDir;

use super::*;
use crate::worker::tests::create_study;

/// A script whose training succeeds; `$2` is the path of the request. The network is that of the server.
const DONE: &str = r#"
    [ "$1" = train-aligner-worker ] || exit 4
    here=$(dirname "$2")
    cp "$here/from" "$here/model"
    echo '{"event":"prepared","done":10,"of":10}'
    echo '{"event":"step","network":5,"networks":6,"step":2,"steps":2,"loss":0.5}'
    figures='{"precision":0.9,"recall":0.9,"f1":0.9,"exact":0.5,"non_identical_f1":0.8,"edits_f1":0.7,"pairs":10}'
    interval='{"low":0.01,"high":0.2,"confidence":0.95,"replicates":1000,"undefined":0}'
    echo '{"event":"done","model":"'"$here"'/model","too_long":1,"comparison":{"Ok":{"sources":10,
        "new":'"$figures"',"current":'"$figures"',
        "f1":'"$interval"',"exact":'"$interval"',"edits_f1":'"$interval"'}}}' |
        tr -d '\n'
    echo
"#;

/// A script whose training waits until its input is closed.
const WAITS: &str = r#"
    echo '{"event":"step","network":0,"networks":6,"step":1,"steps":2,"loss":0.5}'
    read -r _
    echo '{"event":"stopped"}'
"#;

/// A study whose annotator removed all edits of some sources, and left those of one source unchanged.
struct CheckedStudy {
    store: Store,
    study: StudyId,
    folder: TempDir,
}

impl CheckedStudy {
    async fn new(corrected: usize) -> Self {
        Self::with_systems(corrected, 1).await
    }

    /// The imported file lists outputs by system, so that no two outputs of a source are adjacent.
    async fn with_systems(corrected: usize, systems: usize) -> Self {
        let steps = vec![
            ProtocolStep::CheckEdits,
            ProtocolStep::Rate(RateStep::default()),
        ];
        let settings = StudySettings {
            protocol: StudyProtocol::new(steps).unwrap(),
            overlap: 1,
            ..StudySettings::default()
        };

        let (folder, store, study) = create_study(&settings).await;
        let import = store.begin_import(study, clock::now_ms(), clock::new_id);
        let mut import = import.await.unwrap();
        for row in 0..(corrected + 1) * systems {
            let (number, system) = (row % (corrected + 1), row / (corrected + 1));
            let text = format!("The river {number} is long and wide.");
            let source = import.source(None, &text, SourcePurpose::Main).unwrap();
            let output = format!("River {number} is a long one of {system}.");
            let system = import.system(&format!("system {system}"), None).unwrap();
            let new = NewOutput::new(source, system, &output);
            let automatic = || {
                service::automatic_annotation::annotate_automatically(
                    &settings, &text, new.text, None,
                )
            };
            import.output(&new, automatic).unwrap();
        }

        import.commit().await.unwrap();
        let checked = Self {
            store,
            study,
            folder,
        };

        let person = PersonId(clock::new_id());
        let now = clock::now_ms();
        let created = checked
            .store
            .create_person(person, "a person", None, false, now);
        created.await.unwrap();
        let added = checked
            .store
            .add_member(study, person, Role::Annotator, now);
        added.await.unwrap();

        for number in 0..=corrected {
            checked.judge(person, number < corrected).await;
        }
        checked
    }

    /// Hands in the next source, after removing its edits if it is to be corrected.
    async fn judge(&self, person: PersonId, corrected: bool) {
        let (store, now) = (&self.store, clock::now_ms());
        let new = NewAssignment {
            id: AssignmentId(clock::new_id()),
            rater: RaterId(clock::new_id()),
            seed: 1,
            now_ms: now,
        };
        let next = store
            .next_assignment(self.study, person, new)
            .await
            .unwrap();
        let NextAssignment::Assignment(given) = next else {
            panic!("there is a source to judge, not {next:?}");
        };

        let task = store.task(person, given).await.unwrap().unwrap();
        let change = |slot, answer| AnnotationChange {
            id: AnnotationId(clock::new_id()),
            supersedes: None,
            slot,
            answer,
        };

        let score = RatingScale::PERCENT.score(50).unwrap();
        let mut changes = vec![];
        for output in task.items.iter().map(|item| item.output) {
            changes.push(change(
                AnnotationSlot::Rating {
                    output,
                    dimension: "overall".into(),
                },
                AnnotationAnswer::Rating(Some(score)),
            ));
            if corrected {
                changes.push(change(
                    AnnotationSlot::Edits { output },
                    AnnotationAnswer::Edits(Some(vec![])),
                ));
            }
        }

        let saved = store.save_work(person, given, &changes, &[], now).await;
        assert!(saved.unwrap().is_some());
        let handed_in = store.hand_in(person, given, now).await;
        assert!(handed_in.unwrap().is_some());
    }

    async fn enqueue(&self) -> JobId {
        let queued =
            service::aligner_training::enqueue(&self.store, self.study, None, clock::CONTEXT);
        queued.await.unwrap();

        let jobs = self.store.jobs(self.study, 9).await.unwrap();
        let kind = store::JobKind::TrainAligner;
        jobs.iter().find(|job| job.kind == kind).unwrap().id
    }

    fn worker(&self, script: &str) -> (CancellationToken, tokio::task::JoinHandle<()>) {
        let path = self.folder.path().join("program");
        fs::write(&path, script).unwrap();
        let trainer = TrainerSettings {
            program: "sh".into(),
            arguments: vec![path.into()],
            folder: self.folder.path().join("training"),
            lock: self.folder.path().join("lock"),
            without_encoder: true,
        };

        let (stop, aligner) = (CancellationToken::new(), Arc::new(Aligner::grid()));
        let work = run_worker(self.store.clone(), trainer, aligner, stop.clone());
        (stop, tokio::spawn(work))
    }

    /// Waits until the job is in a certain state.
    async fn reach(&self, id: JobId, is_there: impl Fn(&store::Job) -> bool) -> store::Job {
        for _ in 0..1200 {
            let job = self.store.job(id).await.unwrap().unwrap();
            if is_there(&job) {
                return job;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!("it did not come to that within 30 seconds");
    }
}

#[tokio::test]
async fn a_training_brings_an_aligner_that_waits_for_a_lead() {
    let checked = CheckedStudy::new(MIN_CORRECTED_SOURCES).await;
    let (store, study) = (&checked.store, checked.study);
    let set = AlignerTrainingSet::load(store, study).await.unwrap();
    assert_eq!((set.outputs(), set.corrected_outputs()), (11, 10));
    assert_eq!(set.require_enough(), Ok(()));

    let left = set.sources.iter().filter(|source| !source.is_corrected());
    let left: Vec<_> = left
        .map(|source| source.outputs[0].reviews[0].len())
        .collect();
    assert!(
        left.len() == 1 && left[0] > 0,
        "its edits are the automatic ones"
    );

    let id = checked.enqueue().await;
    assert_eq!(checked.enqueue().await, id, "one at a time");
    let (stop, worker) = checked.worker(DONE);
    let job = checked.reach(id, |job| job.state.is_over()).await;
    assert_eq!(job.state, JobState::Done, "{:?}", job.failure);
    for line in [
        "11 outputs of 11 sources",
        "the aligner of the server",
        "Network 6 of 6",
    ] {
        assert!(job.log.contains(line), "{line}: {}", job.log);
    }

    let models = store.aligners(study).await.unwrap();
    let [model] = &models[..] else {
        panic!("one aligner, not {models:?}")
    };

    assert_eq!((model.version, model.adopted_at), (1, None));
    let report = AlignerReport::from_model(model).unwrap();
    assert_eq!(
        (report.outputs, report.corrected, report.too_long),
        (11, 10, 1)
    );
    assert_eq!(report.learned_from.len(), 11);
    let name = format!("grid v1 study {} edits v2", &model.hash[..8]);
    assert_eq!(report.edits_version, name);
    assert!(report.is_better() && report.is_against(Some("grid v1 edits v2")));

    assert!(store.models(study).await.unwrap().is_empty());

    // Once the study uses this aligner, the next one is compared with it.
    assert!(
        store
            .adopt_aligner(study, model.id, true, clock::now_ms())
            .await
            .unwrap()
    );
    let next = checked.enqueue().await;
    let job = checked.reach(next, |job| job.state.is_over()).await;
    assert_eq!(job.state, JobState::Done, "{:?}", job.failure);
    assert!(job.log.contains("compared with version 1"), "{}", job.log);
    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn outputs_of_one_source_are_learned_together_wherever_the_import_had_them() {
    for systems in [2, 3] {
        let checked = CheckedStudy::with_systems(MIN_CORRECTED_SOURCES, systems).await;
        let set = AlignerTrainingSet::load(&checked.store, checked.study).await;
        let set = set.unwrap();
        assert_eq!(set.sources.len(), 11);
        assert!(
            set.sources
                .iter()
                .all(|source| source.outputs.len() == systems)
        );
        assert_eq!(set.corrected_outputs(), 10 * systems);
    }

    // Twelve corrected outputs, but of only four sources.
    let checked = CheckedStudy::with_systems(4, 3).await;
    let set = AlignerTrainingSet::load(&checked.store, checked.study).await;
    let refused = set.unwrap().require_enough().unwrap_err();
    assert!(refused.ends_with("The study has 4."), "{refused}");
}

#[tokio::test]
async fn too_few_corrections_bring_no_aligner() {
    let checked = CheckedStudy::new(MIN_CORRECTED_SOURCES - 1).await;

    let id = checked.enqueue().await;
    let (stop, worker) = checked.worker(DONE);
    let job = checked.reach(id, |job| job.state.is_over()).await;

    assert_eq!(job.state, JobState::Failed);
    let failure = job.failure.unwrap();
    assert!(
        failure.contains("at least 10 submitted sources. The study has 9."),
        "{failure}"
    );

    stop.cancel();
    worker.await.unwrap();
}

#[tokio::test]
async fn a_training_is_cancelled_and_another_survives_a_restart() {
    let checked = CheckedStudy::new(MIN_CORRECTED_SOURCES).await;
    let store = &checked.store;

    let id = checked.enqueue().await;
    let (stop, worker) = checked.worker(WAITS);
    checked
        .reach(id, |job| job.log.contains("Network 1 of 6"))
        .await;

    assert!(store.cancel_job(id, clock::now_ms()).await.unwrap());
    let job = checked.reach(id, |job| job.state.is_over()).await;
    assert_eq!(job.state, JobState::Cancelled);
    assert!(store.aligners(checked.study).await.unwrap().is_empty());

    let id = checked.enqueue().await;
    checked
        .reach(id, |job| job.log.contains("Network 1 of 6"))
        .await;

    stop.cancel();
    worker.await.unwrap();
    let job = store.job(id).await.unwrap().unwrap();
    assert_eq!(job.state, JobState::Queued);

    let (stop, worker) = checked.worker(DONE);
    let job = checked.reach(id, |job| job.state.is_over()).await;
    assert_eq!(job.state, JobState::Done, "{:?}", job.failure);
    assert_eq!(store.aligners(checked.study).await.unwrap().len(), 1);
    stop.cancel();
    worker.await.unwrap();
}
