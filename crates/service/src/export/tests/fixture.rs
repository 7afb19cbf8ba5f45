//! A study to export, in its own database.

use std::{io::Cursor, sync::Arc};

use domain::{
    ids::{AnnotationId, AssignmentId, PersonId, RaterId, StudyId},
    score::RatingScale,
    study::{OVERALL, Role, StudySettings},
    work::{
        activity::ActivityReport,
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep},
    },
};
use formats::{FileReadOptions, FormulaEscaping, simpeval::SlotRaters};
use learn::aligner::Aligner;
use serde_json::Value;
use store::{
    NewStudy, Store, Study,
    annotator_answers::HandInOutcome,
    assignments::{NewAssignment, NextAssignment},
    rating_rows::RatingScope,
};
use tempfile::TempDir;

use super::super::{
    AlignmentEdits, DatasetOptions, ExportFile, ExportFormat, ExportRequest, ExportTools,
    StudyExport, WordAligner,
};
use crate::{
    import::{ImportOptions, ImportOrigin, RunningJobProgress, import_sources},
    live::LiveStudies,
    testing::{self, CONTEXT},
    written_texts::WordRanks,
};

/// The time at which exports begin.
const NOW_MS: i64 = 1_700_000_000_000;

/// A study in its own database.
pub(super) struct ExportFixture {
    pub(super) store: Store,
    pub(super) study: Study,
    _folder: TempDir,
}

impl ExportFixture {
    pub(super) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&store::sqlite_url(&folder.path().join("study.sqlite")))
            .await
            .unwrap();

        let id = StudyId(testing::new_id());
        let new = NewStudy {
            id,
            slug: &"a-study".parse().unwrap(),
            name: "A study",
            settings: &StudySettings::default(),
            guidelines: "",
            lead: None,
        };
        store.create_study(&new, 1).await.unwrap();

        let study = store.study(id).await.unwrap().unwrap();
        Self {
            store,
            study,
            _folder: folder,
        }
    }

    /// Imports a file as the command and the browser do.
    pub(super) async fn import(&self, file: impl Into<Vec<u8>>, raters: Option<&str>) {
        let file: Vec<u8> = file.into();
        let raters = raters.map(|text| SlotRaters::read(text.as_bytes()).unwrap());

        let read_options = FileReadOptions {
            raters,
            ..FileReadOptions::default()
        };
        let options = ImportOptions {
            strict: true,
            ..ImportOptions::default()
        };

        let progress = Arc::new(RunningJobProgress::default());
        let open = move || formats::open(Cursor::new(file.clone()), read_options.clone());
        let (study, origin) = (self.study.clone(), ImportOrigin::default());
        import_sources(&self.store, CONTEXT, study, open, options, origin, progress)
            .await
            .unwrap();
    }

    pub(super) async fn begin(&self, request: ExportRequest) -> StudyExport {
        let study = self.study.clone();
        let tools = ExportTools {
            aligner: word_aligner(Aligner::grid()),
            // A stand-in for the list of words, with figures that tests can predict.
            word_ranks: WordRanks::new(|source, text| {
                Some(text.len() as f64 / source.len() as f64)
            }),
        };

        let live = LiveStudies::new(|| 0);
        StudyExport::begin(&self.store, &live, study, request, tools, NOW_MS)
            .await
            .unwrap()
    }

    /// One file of an export as text.
    pub(super) async fn export(&self, request: ExportRequest, part: ExportFile) -> String {
        let mut exporting = self.begin(request).await;
        let work = move || {
            let mut out = vec![];
            exporting.write(part, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        tokio::task::spawn_blocking(work).await.unwrap()
    }

    pub(super) async fn table(&self, format: ExportFormat) -> String {
        self.export(request_for(format), ExportFile::Table).await
    }

    /// The lines of the JSONL export.
    pub(super) async fn lines(&self, which: RatingScope) -> Vec<Value> {
        let request = ExportRequest {
            which,
            ..request_for(ExportFormat::Jsonl)
        };
        let text = self.export(request, ExportFile::Table).await;

        let line = |line| serde_json::from_str(line).unwrap();
        text.lines().map(line).collect()
    }

    /// A new person.
    pub(super) async fn person(&self, name: &str) -> PersonId {
        let person = PersonId(testing::new_id());
        let created = self.store.create_person(person, name, None, false, 1).await;
        created.unwrap();
        person
    }

    /// A new annotator with an assigned source.
    pub(super) async fn annotator(&self, name: &str) -> (PersonId, AssignmentId) {
        let person = PersonId(testing::new_id());
        let store = &self.store;
        store
            .create_person(person, name, None, false, 1)
            .await
            .unwrap();
        store
            .add_member(self.study.id, person, Role::Annotator, 1)
            .await
            .unwrap();
        let assignment = self.next(person).await;
        (person, assignment.expect("there is something to judge"))
    }

    /// The next source that is assigned to the annotator, if one is left.
    pub(super) async fn next(&self, person: PersonId) -> Option<AssignmentId> {
        let new = NewAssignment {
            id: AssignmentId(testing::new_id()),
            rater: RaterId(testing::new_id()),
            seed: 7,
            now_ms: 1_000,
        };
        match self.store.next_assignment(self.study.id, person, new).await {
            Ok(NextAssignment::Assignment(assignment)) => Some(assignment),
            Ok(_) => None,
            Err(error) => panic!("{error}"),
        }
    }

    pub(super) async fn save(
        &self,
        (person, assignment): (PersonId, AssignmentId),
        slot: AnnotationSlot,
        answer: AnnotationAnswer,
    ) {
        let change = AnnotationChange {
            id: AnnotationId(testing::new_id()),
            supersedes: None,
            slot,
            answer,
        };

        let saved = self
            .store
            .save_work(person, assignment, &[change], &[], 2_000)
            .await;
        assert_eq!(saved.unwrap().unwrap().len(), 1);
    }

    /// Rates each output of the assignment.
    pub(super) async fn rate(&self, work: (PersonId, AssignmentId), score: impl Fn(&str) -> i32) {
        let task = self.store.task(work.0, work.1).await.unwrap().unwrap();
        for item in &task.items {
            let slot = AnnotationSlot::Rating {
                output: item.output,
                dimension: OVERALL.into(),
            };
            let score = RatingScale::PERCENT.score(score(&item.text)).unwrap();
            self.save(work, slot, AnnotationAnswer::Rating(Some(score)))
                .await;
        }
    }

    /// Reports active time on a step.
    pub(super) async fn be_active(
        &self,
        (person, assignment): (PersonId, AssignmentId),
        step: AnnotationStep,
        ms: u64,
    ) {
        let mut report = ActivityReport {
            tab: testing::new_id(),
            ..ActivityReport::default()
        };

        *match step {
            AnnotationStep::Categorise => &mut report.categorise_ms,
            AnnotationStep::Highlight => &mut report.highlight_ms,
            AnnotationStep::Rate => &mut report.rate_ms,
            AnnotationStep::Answer => &mut report.answer_ms,
            AnnotationStep::Write => &mut report.write_ms,
        } = ms;

        let saved = self
            .store
            .save_work(person, assignment, &[], &[report], 100_000)
            .await;
        assert!(saved.unwrap().is_some());
    }

    pub(super) async fn hand_in(&self, (person, assignment): (PersonId, AssignmentId)) {
        let outcome = self.store.hand_in(person, assignment, 3_000).await;
        assert_eq!(outcome.unwrap(), Some(HandInOutcome::Done));
    }
}

/// A request for all answers that were handed in, on the first dimension.
pub(super) fn request_for(format: ExportFormat) -> ExportRequest {
    ExportRequest {
        format,
        which: RatingScope::HandedIn,
        dimension: OVERALL.into(),
        cells: FormulaEscaping::Verbatim,
        edits: AlignmentEdits::Corrected,
        dataset: DatasetOptions::default(),
    }
}

/// The aligner in the form that exports use.
pub(super) fn word_aligner(aligner: Aligner) -> WordAligner {
    WordAligner {
        grade: aligner.grade(),
        version: aligner.version(),
        align: Arc::new(move |source, output, style| {
            Ok(aligner.align(&[(source, output)], style)?.remove(0))
        }),
    }
}
