use domain::{
    category::Category,
    comparison::ComparisonChoice,
    ids::{AssignmentId, OutputId, PersonId, SourceId},
    protocol::{CompareStep, MarkSpansStep, ProtocolStep, RateStep, StudyProtocol},
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{SpanTaxonomy, SpanType},
    },
    statistics::quality::CheckOutcome,
    study::{OVERALL, OutputPurpose, QualityControl, SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot},
};
use sqlx::{Row, any::AnyRow};
use store::{
    annotator_answers::HandInOutcome,
    rating_rows::{RatingScope, StudyPart},
};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::{
    assignment_fixture::{is_saved, superseding_change, superseding_rating},
    study_fixture::{StoreFixture, add_annotator, automatic_results, create_study_with, hand_in},
};

fn all_kinds(every: u32) -> StudySettings {
    StudySettings {
        quality_control: QualityControl {
            copy_every: every,
            scrambled_every: every,
            repeated_every: every,
            ..QualityControl::default()
        },
        ..StudySettings::default()
    }
}

pub(crate) async fn add(story: &TestDatabase, ground: &StoreFixture, seed: u64) -> u32 {
    let result = story
        .store
        .add_quality_control(ground.study, seed, NOW, fresh_id, |_, _| {
            automatic_results(Category::Paraphrase)
        })
        .await;
    result.unwrap()
}

/// The quality-control items of a source, in the order in which they were made.
async fn items(story: &TestDatabase, source: SourceId) -> Vec<(OutputId, OutputPurpose, String)> {
    let rows = sqlx::query(
        "SELECT id, purpose, text FROM output
         WHERE source_id = $1 AND purpose <> 'main' ORDER BY position",
    )
    .bind(source.to_string())
    .fetch_all(&mut story.connection().await)
    .await
    .unwrap();

    let column = |row: &AnyRow, name: &str| row.get::<String, _>(name);
    rows.iter()
        .map(|row| {
            (
                column(row, "id").parse().unwrap(),
                column(row, "purpose").parse().unwrap(),
                column(row, "text"),
            )
        })
        .collect()
}

/// The kinds of each source's quality-control items.
async fn kinds(story: &TestDatabase, ground: &StoreFixture) -> Vec<Vec<OutputPurpose>> {
    let mut kinds = vec![];
    for source in &ground.sources {
        let items = items(story, *source).await;
        kinds.push(items.into_iter().map(|item| item.1).collect());
    }
    kinds
}

#[tokio::test]
async fn one_source_in_n_gets_an_item_and_only_once() {
    on_both(async |story| {
        let texts = [&["One of them is here.", "Another."][..]; 12];
        let ground = create_study_with(story, &all_kinds(4), SourcePurpose::Main, &texts).await;
        assert_eq!(add(story, &ground, 1).await, 9);

        let source_kinds = kinds(story, &ground).await;
        for block in source_kinds.chunks(4) {
            let mut kinds: Vec<_> = block.concat();
            kinds.sort_unstable();
            let expect = [
                OutputPurpose::Copy,
                OutputPurpose::Scrambled,
                OutputPurpose::Repeated,
            ];
            assert_eq!(kinds, expect);
        }

        let newest = story.store.newest_event(ground.study).await.unwrap();
        assert_eq!(add(story, &ground, 2).await, 0);
        assert_eq!(
            story.store.newest_event(ground.study).await.unwrap(),
            newest
        );
        assert_eq!(kinds(story, &ground).await, source_kinds);
    })
    .await;
}

#[tokio::test]
async fn a_source_that_somebody_was_given_gets_no_item() {
    on_both(async |story| {
        let texts: &[&[&str]] = &[&["One of them is here."]];
        let ground = create_study_with(story, &all_kinds(1), SourcePurpose::Main, texts).await;
        let person = add_annotator(story, ground.study, "one").await;
        ground.expect_assignment(story, person, NOW).await;
        assert_eq!(add(story, &ground, 1).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_source_that_teaches_shows_no_item_that_nothing_is_expected_of() {
    on_both(async |story| {
        let texts = [&["One of them is here."][..]; 4];
        let ground = create_study_with(story, &all_kinds(1), SourcePurpose::Main, &texts).await;
        assert_eq!(add(story, &ground, 1).await, 12);

        let teaching = [
            SourcePurpose::Tutorial,
            SourcePurpose::Training,
            SourcePurpose::Qualification,
        ];
        let set = async |source: usize, purpose| {
            let source = ground.sources[source];
            let set = story.store.set_purpose(ground.study, source, purpose, NOW);
            assert!(set.await.unwrap());
        };
        for (at, purpose) in teaching.into_iter().enumerate() {
            set(at, purpose).await;
        }

        let person = add_annotator(story, ground.study, "one").await;
        for count in [1, 1, 1, 4] {
            let assignment = ground.expect_assignment(story, person, NOW).await;
            let task = story.store.task(person, assignment).await.unwrap().unwrap();
            assert_eq!(task.items.len(), count, "{}", task.purpose);
            // Items that aren't shown needn't be judged.
            hand_in(story, person, assignment, |_| 50).await;
        }
    })
    .await;
}

#[tokio::test]
async fn items_tell_of_annotators_and_enter_no_figure() {
    on_both(async |story| {
        let text = "One of them is here.";
        let texts: &[&[&str]] = &[&[text]];
        let ground = create_study_with(story, &all_kinds(1), SourcePurpose::Main, texts).await;
        assert_eq!(add(story, &ground, 1).await, 3);
        let (study, store) = (ground.study, &story.store);

        let items = items(story, ground.sources[0]).await;
        let [copy, scrambled, repeated] = &items[..] else {
            panic!("an item of each kind");
        };
        assert_eq!(copy.2, "The source number 0.");
        assert_eq!(repeated.2, text);
        let scrambled = (scrambled.0, &scrambled.2);
        let sorted = |text: &str| {
            let mut words: Vec<_> = text
                .trim_end_matches('.')
                .split(' ')
                .map(str::to_owned)
                .collect();
            words.sort_unstable();
            words
        };
        assert_ne!(scrambled.1, text);
        assert_eq!(sorted(scrambled.1), sorted(text));

        let person = add_annotator(story, study, "one").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let task = store.task(person, assignment).await.unwrap().unwrap();
        assert_eq!(task.items.len(), 4);
        let main = ground.outputs[0][0];
        let scrambled = scrambled.0;
        let score = |output| match output {
            o if o == main => 80,
            o if o == scrambled => 5,
            _ => 78,
        };
        hand_in(story, person, assignment, score).await;

        let ratings = store
            .ratings(study, RatingScope::IncludingOpen)
            .await
            .unwrap();
        assert_eq!(ratings.iter().map(|r| r.output).collect::<Vec<_>>(), [main]);
        assert_eq!(store.categories(study).await.unwrap().len(), 1);
        let mut edits = 0;
        let count = |_| edits += 1;
        store
            .each_edits(study, StudyPart::Whole, count)
            .await
            .unwrap();
        assert_eq!(edits, 1);
        let mut export = store
            .begin_export(study, RatingScope::IncludingOpen)
            .await
            .unwrap();
        assert_eq!(export.next_page(10).await.unwrap().len(), 1);

        let overview = store.study_overview(study, 3).await.unwrap();
        assert_eq!((overview.outputs, overview.systems), (1, 1));
        assert_eq!(overview.handed_in_judgements, 1);

        let checks = store.quality_checks(study, StudyPart::Whole).await.unwrap();
        let actual: Vec<_> = checks
            .iter()
            .map(|check| (check.purpose, check.outcome))
            .collect();
        let expect = [
            (OutputPurpose::Copy, CheckOutcome::Score(78.0, None)),
            (
                OutputPurpose::Scrambled,
                CheckOutcome::Score(5.0, Some(80.0)),
            ),
            (
                OutputPurpose::Repeated,
                CheckOutcome::Score(78.0, Some(80.0)),
            ),
        ];
        assert_eq!(actual, expect);
    })
    .await;
}

/// An annotator at work on a source with three outputs and an item of each kind, in a study with some steps.
struct CheckedWork {
    ground: StoreFixture,
    person: PersonId,
    assignment: AssignmentId,
    /// The copy, the scrambled output and the repeated one.
    items: [OutputId; 3],
    /// The outputs from which the latter two were made.
    originals: [OutputId; 2],
}

impl CheckedWork {
    async fn start(story: &TestDatabase, steps: Vec<ProtocolStep>) -> Self {
        let settings = StudySettings {
            protocol: StudyProtocol::new(steps).unwrap(),
            ..all_kinds(1)
        };
        let texts: &[&[&str]] = &[&[
            "One of them is here.",
            "Another one of them is there.",
            "A third one was left at home.",
        ]];

        let ground = create_study_with(story, &settings, SourcePurpose::Main, texts).await;
        assert_eq!(add(story, &ground, 1).await, 3);

        let items = items(story, ground.sources[0]).await;
        let items: Vec<_> = items.iter().map(|item| item.0).collect();
        let rows = story
            .query_rows(
                "SELECT made_from FROM output WHERE made_from IS NOT NULL ORDER BY position",
            )
            .await;
        let originals: Vec<OutputId> = rows.iter().map(|row| row[0].parse().unwrap()).collect();

        let person = add_annotator(story, ground.study, "one").await;
        let assignment = ground.expect_assignment(story, person, NOW).await;
        Self {
            ground,
            person,
            assignment,
            items: items.try_into().unwrap(),
            originals: originals.try_into().unwrap(),
        }
    }

    async fn submit(&self, story: &TestDatabase, changes: &[AnnotationChange]) {
        let saved = story
            .store
            .save_work(self.person, self.assignment, changes, &[], NOW)
            .await;
        assert!(saved.unwrap().unwrap().iter().all(is_saved));
        let hand_in = story.store.hand_in(self.person, self.assignment, NOW);
        assert_eq!(hand_in.await.unwrap(), Some(HandInOutcome::Done));
    }

    async fn checks(&self, story: &TestDatabase) -> Vec<(OutputPurpose, CheckOutcome)> {
        let checks = story
            .store
            .quality_checks(self.ground.study, StudyPart::Whole)
            .await
            .unwrap();
        let part = StudyPart::Source(self.ground.sources[0]);
        let in_source = story.store.quality_checks(self.ground.study, part).await;
        assert_eq!(checks, in_source.unwrap());
        let outcome = checks.iter().map(|check| (check.purpose, check.outcome));
        outcome.collect()
    }
}

#[tokio::test]
async fn comparisons_with_items_tell_of_annotators_and_enter_no_figure() {
    on_both(async |story| {
        let work =
            CheckedWork::start(story, vec![ProtocolStep::Compare(CompareStep::default())]).await;
        let (study, store) = (work.ground.study, &story.store);
        let [copy, scrambled, repeated] = work.items;
        let [scrambled_from, repeated_from] = work.originals;
        let task = store.task(work.person, work.assignment).await;
        let task = task.unwrap().unwrap();
        assert_eq!(task.items.len(), 5, "the copy is no part of it");

        let with = |item| {
            let mut with = task
                .comparisons
                .iter()
                .filter(|shown| shown.contains(&item));
            (with.next().cloned(), with.next())
        };
        assert_eq!(with(copy), (None, None));
        let (scrambled_pair, None) = with(scrambled) else {
            panic!("it is compared once");
        };
        assert!(scrambled_pair.unwrap().contains(&scrambled_from));
        assert_eq!(task.comparisons.len(), 3 + 2);

        // The scrambled output is taken for the better one, and the repeated one loses against the output against which its
        // original won.
        let change = |shown: &Vec<OutputId>| {
            let better = match shown {
                shown if shown.contains(&scrambled) => scrambled,
                shown if shown.contains(&repeated_from) => repeated_from,
                shown if shown.contains(&repeated) => {
                    let others = shown.iter().find(|output| **output != repeated);
                    *others.unwrap()
                }
                shown => shown[0],
            };
            let slot = AnnotationSlot::comparison(shown, OVERALL);
            let choice = ComparisonChoice::Better(better);
            superseding_change(slot, AnnotationAnswer::Comparison(Some(choice)), None)
        };

        let changes: Vec<_> = task.comparisons.iter().map(change).collect();
        let before = store.newest_event(study).await.unwrap().unwrap();
        work.submit(story, &changes).await;
        let outcomes = work.checks(story).await;
        assert_eq!(
            outcomes,
            [
                (OutputPurpose::Scrambled, CheckOutcome::Comparison(false)),
                (OutputPurpose::Repeated, CheckOutcome::Comparison(false)),
            ]
        );

        let submitted = store.study_comparisons(study, RatingScope::HandedIn).await;
        let submitted = submitted.unwrap().comparisons;
        assert_eq!(submitted.len(), 3);
        let mut shown = submitted.iter().flat_map(|record| record.answer.shown());
        assert!(shown.all(|output| ![scrambled, repeated].contains(output)));
        let overview = store.study_overview(study, 3).await.unwrap();
        assert_eq!(overview.handed_in_judgements, 3);
        let news = store.work_since(study, before).await.unwrap();
        assert_eq!(news.judgements, 3);
    })
    .await;
}

#[tokio::test]
async fn marks_of_items_tell_of_annotators_and_enter_no_figure() {
    on_both(async |story| {
        let taxonomy = SpanTaxonomy {
            types: vec![SpanType {
                name: "Error".to_owned(),
                ..SpanType::default()
            }],
            ..SpanTaxonomy::default()
        };
        let step = ProtocolStep::MarkSpans(MarkSpansStep {
            taxonomy,
            prefills: false,
        });
        let steps = vec![step, ProtocolStep::Rate(RateStep::default())];

        let work = CheckedWork::start(story, steps).await;
        let (study, store) = (work.ground.study, &story.store);
        let [copy, scrambled, repeated] = work.items;
        let [_, repeated_from] = work.originals;
        let task = store.task(work.person, work.assignment).await;
        let task = task.unwrap().unwrap();
        assert_eq!(task.items.len(), 6);

        let error = |end| SpanMark {
            kind: "Error".to_owned(),
            output: vec![Span::new(0, end)],
            ..SpanMark::default()
        };
        let change = |output: OutputId| {
            let marks = match output {
                output if output == copy => vec![error(3), error(2)],
                output if output == repeated => vec![error(1)],
                output if output == repeated_from => vec![error(1)],
                _ => vec![],
            };
            let slot = AnnotationSlot::Marks { output };
            superseding_change(slot, AnnotationAnswer::Marks(Some(marks)), None)
        };
        let outputs = task.items.iter().map(|item| item.output);
        let changes = outputs.flat_map(|output| {
            let score = superseding_rating(output, 50, None);
            [change(output), score]
        });
        let changes: Vec<_> = changes.collect();
        work.submit(story, &changes).await;

        let marked = |count, overlap| CheckOutcome::Marks { count, overlap };
        let mut checks = work.checks(story).await;
        checks.retain(|(_, outcome)| matches!(outcome, CheckOutcome::Marks { .. }));
        assert_eq!(
            checks,
            [
                (OutputPurpose::Copy, marked(2, None)),
                (OutputPurpose::Scrambled, marked(0, None)),
                (OutputPurpose::Repeated, marked(1, Some(1.0))),
            ]
        );

        let records = store.study_marks(study, RatingScope::HandedIn).await;
        let records = records.unwrap().judgements;
        assert_eq!(records.len(), 3);
        assert!(records.iter().all(|record| record.output != scrambled));
    })
    .await;
}
