use std::collections::BTreeSet;

use domain::{
    category::Category,
    comparison::{ComparisonAnswer, ComparisonChoice, PairOutcome},
    ids::OutputId,
    protocol::{CompareStep, ProtocolStep, StudyProtocol},
    study::{OVERALL, SourcePurpose, StudySettings},
    work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome},
};
use service::comparison_plans::ComparisonPlanner;
use store::{
    annotator_answers::{HandInOutcome, MissingAnswer},
    import::NewOutput,
    rating_rows::RatingScope,
};
use stories::{NOW, TestDatabase, on_both};

use crate::{
    assignment_fixture::{
        AssignmentFixture, is_saved, start_assignment, superseding_change, superseding_rating,
    },
    study_fixture::{add_annotator, automatic_results, begin_import},
};

/// An annotator at work on a source with five outputs, two of them alike, which are compared.
async fn start_comparing(story: &TestDatabase, step: CompareStep) -> AssignmentFixture {
    let work = start_assignment(story).await;
    let study = work.ground.study;
    let settings = story.store.study(study).await.unwrap().unwrap().settings;
    let settings = StudySettings {
        protocol: StudyProtocol::new(vec![ProtocolStep::Compare(step)]).unwrap(),
        ..settings
    };
    assert!(
        story
            .store
            .set_settings(study, &settings, NOW)
            .await
            .unwrap()
    );
    work
}

fn choice(shown: &[OutputId], choice: ComparisonChoice<OutputId>) -> AnnotationChange {
    let slot = AnnotationSlot::comparison(shown, OVERALL);
    superseding_change(slot, AnnotationAnswer::Comparison(Some(choice)), None)
}

#[tokio::test]
async fn a_source_is_handed_in_once_all_its_pairs_are_compared() {
    on_both(async |story| {
        let work = start_comparing(story, CompareStep::default()).await;
        let store = &story.store;
        let task = work.task(story).await;
        assert_eq!(
            task.comparisons.len(),
            6,
            "all pairs of four different texts"
        );
        assert_eq!(task.comparisons, work.task(story).await.comparisons);
        let (first, others) = task.comparisons.split_first().unwrap();
        let changes: Vec<_> = others
            .iter()
            .map(|shown| choice(shown, ComparisonChoice::Better(shown[0])))
            .collect();

        let counts = async || {
            let overview = store.study_overview(work.ground.study, 1).await.unwrap();
            let by_rater = overview.raters.iter().map(|rater| rater.judgements);
            (
                overview.open_judgements,
                overview.handed_in_judgements,
                by_rater.sum::<u32>(),
            )
        };

        let before = store
            .newest_event(work.ground.study)
            .await
            .unwrap()
            .unwrap();
        assert!(work.save(story, &changes).await.iter().all(is_saved));
        assert_eq!(counts().await, (5, 0, 5));
        let news = store.work_since(work.ground.study, before).await.unwrap();
        assert_eq!((news.judgements, news.raters), (5, 1));

        let missing = MissingAnswer {
            outputs: first.clone(),
            dimension: Some(OVERALL.into()),
        };
        let hand_in = async || {
            store
                .hand_in(work.person, work.assignment, NOW)
                .await
                .unwrap()
        };
        assert_eq!(hand_in().await, Some(HandInOutcome::Missing(vec![missing])));
        let tie = choice(first, ComparisonChoice::Tie);
        assert!(
            work.save(story, std::slice::from_ref(&tie))
                .await
                .iter()
                .all(is_saved)
        );
        // Sent again, it is the same change.
        assert!(work.save(story, &[tie]).await.iter().all(is_saved));

        let study = work.ground.study;
        let submitted = store
            .study_comparisons(study, RatingScope::HandedIn)
            .await
            .unwrap();
        assert_eq!(submitted.comparisons, [], "the source is still in work");
        assert_eq!(hand_in().await, Some(HandInOutcome::Done));
        assert_eq!(counts().await, (0, 6, 6));
        let submitted = store
            .study_comparisons(study, RatingScope::HandedIn)
            .await
            .unwrap();
        assert_eq!(
            (submitted.comparisons.len(), submitted.outputs.len()),
            (6, 5)
        );

        let outcomes = submitted
            .comparisons
            .iter()
            .map(|comparison| match &comparison.answer {
                ComparisonAnswer::Pair(pair) => pair.outcome(),
                ComparisonAnswer::BestWorst(_) => panic!("{comparison:?}"),
            });
        let ties = outcomes
            .filter(|outcome| *outcome == PairOutcome::Tie)
            .count();
        assert_eq!(ties, 1);
        let judged_as: Vec<_> = submitted
            .outputs
            .iter()
            .map(|output| output.judged_as)
            .collect();
        assert_eq!(
            judged_as[1], judged_as[3],
            "an identical text is judged with the first"
        );
    })
    .await;
}

#[tokio::test]
async fn planned_pairs_are_those_of_all_annotators_and_grow_with_the_outputs() {
    on_both(async |story| {
        let step = CompareStep {
            times: Some(1),
            is_adaptive: true,
            ..CompareStep::default()
        };
        let work = start_comparing(story, step).await;
        let (store, study) = (&story.store, work.ground.study);
        let planner = ComparisonPlanner::default();

        let task = work.task(story).await;
        let unplanned = store.unplanned_source(work.assignment).await.unwrap();
        let unplanned = unplanned.expect("nobody has opened the source");
        assert_eq!((unplanned.outputs.len(), unplanned.planned.len()), (4, 0));
        assert!(planner.plan(store, &task, NOW).await.unwrap());
        let planned = work.task(story).await.comparisons;
        assert_eq!(planned.len(), 2, "each output once: {planned:?}");
        assert!(!planner.plan(store, &task, NOW).await.unwrap(), "it stays");

        // Another server, which read the source before, changes nothing.
        let pair = [unplanned.outputs[0].0, unplanned.outputs[1].0];
        store.plan_comparisons(&unplanned, &[pair]).await.unwrap();
        assert_eq!(work.task(story).await.comparisons, planned);

        let changes: Vec<_> = planned
            .iter()
            .map(|shown| choice(shown, ComparisonChoice::Better(shown[0])))
            .collect();
        assert!(work.save(story, &changes).await.iter().all(is_saved));

        let add_output = async |system: &str, text: &str| {
            let mut import = begin_import(story, study).await;
            let source = import
                .source(Some("main 0"), &task.source, SourcePurpose::Main)
                .unwrap();
            let system = import.system(system, None).unwrap();
            let new = NewOutput::new(source, system, text);
            let automatic = || automatic_results(Category::Paraphrase);
            import.output(&new, automatic).unwrap();
            import.commit().await.unwrap();
        };

        add_output("a new system", "A text of its own.").await;
        assert!(planner.plan(store, &task, NOW).await.unwrap());
        let sets = |of: &[Vec<OutputId>]| {
            let slots = of
                .iter()
                .map(|shown| AnnotationSlot::comparison(shown, OVERALL));
            slots.collect::<BTreeSet<_>>()
        };
        let grown = work.task(story).await.comparisons;
        assert_eq!(grown.len(), 3, "one more for the new output");
        assert!(sets(&grown).is_superset(&sets(&planned)));

        let settings = store.study(study).await.unwrap().unwrap().settings;
        let for_two = StudySettings {
            overlap: 2,
            ..settings
        };
        assert!(store.set_settings(study, &for_two, NOW).await.unwrap());
        let other = add_annotator(story, study, "another").await;
        let theirs = work.ground.expect_assignment(story, other, NOW).await;
        let theirs = store.task(other, theirs).await.unwrap().unwrap();
        assert_eq!(sets(&theirs.comparisons), sets(&grown));

        let hand_in = store.hand_in(work.person, work.assignment, NOW).await;
        assert!(
            matches!(hand_in.unwrap(), Some(HandInOutcome::Missing(missing)) if missing.len() == 1)
        );
    })
    .await;
}

#[tokio::test]
async fn the_best_and_the_worst_are_two_of_those_shown() {
    on_both(async |story| {
        let step = CompareStep {
            together: 3,
            times: Some(2),
            ..CompareStep::default()
        };
        let work = start_comparing(story, step).await;
        let shown = work.task(story).await.comparisons[0].clone();
        assert_eq!(shown.len(), 3);

        let best_worst = |best, worst| choice(&shown, ComparisonChoice::BestWorst { best, worst });
        let other = work
            .items
            .iter()
            .find(|item| !shown.contains(item))
            .copied();

        for (change, reason) in [
            (best_worst(other, None), "is none of those shown"),
            (
                best_worst(Some(shown[0]), Some(shown[0])),
                "is also the best",
            ),
            (
                choice(&shown, ComparisonChoice::Better(shown[0])),
                "does not offer this choice",
            ),
            (
                choice(&work.items, ComparisonChoice::Tie),
                "does not ask for this comparison",
            ),
            (superseding_rating(shown[0], 50, None), "changed the steps"),
        ] {
            let outcomes = work.save(story, &[change]).await;
            let [SaveOutcome::Refused { reason: found, .. }] = &outcomes[..] else {
                panic!("{reason}: {outcomes:?}")
            };
            assert!(found.contains(reason), "{found}");
        }

        // Half a choice is kept, and superseded by the whole one.
        let half = best_worst(Some(shown[0]), None);
        let whole = AnnotationChange {
            supersedes: Some(half.id),
            ..best_worst(Some(shown[0]), Some(shown[2]))
        };
        let outcomes = work.save(story, &[half, whole.clone()]).await;
        assert!(outcomes.iter().all(is_saved), "{outcomes:?}");
        let answers = work.task(story).await.answers;
        assert_eq!((answers.len(), &answers[0].answer), (1, &whole.answer));

        // Another tab that does not know of it gets a conflict.
        let late = work.save(story, &[best_worst(Some(shown[1]), None)]).await;
        assert!(
            matches!(late[..], [SaveOutcome::Conflict { .. }]),
            "{late:?}"
        );
    })
    .await;
}

/// An annotator's page has other ids than the database, in another order.
#[tokio::test]
async fn choices_among_outputs_as_pages_name_them_are_those_of_the_stored_outputs() {
    on_both(async |story| {
        let step = CompareStep {
            together: 3,
            times: Some(2),
            ..CompareStep::default()
        };
        let work = start_comparing(story, step).await;
        let stored = work.task(story).await.comparisons[0].clone();
        let hidden = async || {
            let mut task = work.task(story).await;
            story.store.hide_outputs(&mut task).await.unwrap();
            task
        };

        let shown = hidden().await.comparisons[0].clone();
        assert!(shown.iter().all(|output| !work.items.contains(output)));
        let made = choice(
            &shown,
            ComparisonChoice::BestWorst {
                best: Some(shown[2]),
                worst: Some(shown[0]),
            },
        );

        // Sent twice, it is stored once.
        for _ in 0..2 {
            let saved = work.save(story, std::slice::from_ref(&made)).await;
            assert!(saved.iter().all(is_saved), "{saved:?}");
        }

        let answer = AnnotationAnswer::Comparison(Some(ComparisonChoice::BestWorst {
            best: Some(stored[2]),
            worst: Some(stored[0]),
        }));
        let answers = work.task(story).await.answers;
        assert_eq!(answers.len(), 1);
        assert_eq!(
            answers[0].slot,
            AnnotationSlot::comparison(&stored, OVERALL)
        );
        assert_eq!(answers[0].answer, answer);
        let answers = hidden().await.answers;
        assert_eq!(
            (&answers[0].slot, &answers[0].answer),
            (&made.slot, &made.answer)
        );

        // Another tab that does not know of it is told in the page's ids.
        let late = work
            .save(story, &[choice(&shown, ComparisonChoice::Tie)])
            .await;
        assert!(
            matches!(late[..], [SaveOutcome::Refused { .. }]),
            "{late:?}"
        );
        let half = ComparisonChoice::BestWorst {
            best: Some(shown[1]),
            worst: None,
        };
        let late = work.save(story, &[choice(&shown, half)]).await;
        let [
            SaveOutcome::Conflict {
                current: Some(current),
                ..
            },
        ] = &late[..]
        else {
            panic!("{late:?}")
        };
        assert_eq!((&current.slot, &current.answer), (&made.slot, &made.answer));
    })
    .await;
}

#[tokio::test]
async fn ties_are_refused_where_the_lead_wants_none() {
    on_both(async |story| {
        let step = CompareStep {
            allows_ties: false,
            ..CompareStep::default()
        };
        let work = start_comparing(story, step).await;
        let shown = work.task(story).await.comparisons[0].clone();

        let refused = work
            .save(story, &[choice(&shown, ComparisonChoice::Tie)])
            .await;
        let [SaveOutcome::Refused { reason, .. }] = &refused[..] else {
            panic!("{refused:?}")
        };
        assert!(reason.contains("does not offer this choice"), "{reason}");
    })
    .await;
}
