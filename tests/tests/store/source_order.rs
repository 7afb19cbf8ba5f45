//! Sources that come first because they narrow the ranking of systems most.

use std::collections::BTreeSet;

use domain::{
    ids::{MetricId, OutputId, PersonId, SourceId},
    metrics::ScoreDirection,
    rater_groups::RaterGroup,
    study::{SourceOrder, SourcePurpose, StudySettings, SystemKind},
};
use service::{live::LiveStudies, source_order::SourcePlanner};
use store::{
    assignments::NextAssignment,
    import::NewOutput,
    metrics::{MetricOrigin, NewMetric, OutputScore},
};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{
    StoreFixture, add_annotator, automatic_results, begin_import, create_study, create_study_with,
    hand_in,
};

fn settings(source_order: SourceOrder, overlap: u32) -> StudySettings {
    StudySettings {
        overlap,
        source_order,
        ..StudySettings::default()
    }
}

async fn set(story: &TestDatabase, ground: &StoreFixture, settings: &StudySettings) {
    let set = story.store.set_settings(ground.study, settings, NOW);
    assert!(set.await.unwrap());
}

/// The number of the source that the person is given next.
async fn next_source(story: &TestDatabase, ground: &StoreFixture, person: PersonId) -> usize {
    let assignment = ground.expect_assignment(story, person, NOW).await;
    let given = story.store.assignment(assignment).await.unwrap().unwrap();
    let is_it = |source: &SourceId| *source == given.source;
    ground.sources.iter().position(is_it).unwrap()
}

/// The next sources of a new annotator, who submits each.
async fn judge_all(story: &TestDatabase, ground: &StoreFixture, name: &str) -> Vec<usize> {
    let person = add_annotator(story, ground.study, name).await;
    let mut sources = vec![];
    while let NextAssignment::Assignment(assignment) =
        ground.next_assignment(story, person, NOW).await
    {
        sources.push(next_source(story, ground, person).await);
        hand_in(story, person, assignment, |_| 40).await;
    }
    sources
}

#[tokio::test]
async fn first_sources_come_first_of_those_with_equally_many_raters() {
    on_both(async |story| {
        let mut with_group = settings(SourceOrder::WhereUncertain, 2);
        with_group.groups = vec![RaterGroup {
            id: "experts".into(),
            name: "Experts".into(),
            overlap: Some(1),
            ..RaterGroup::default()
        }];
        let texts = &[&["A.", "B."][..]; 5];
        let ground = create_study_with(story, &with_group, SourcePurpose::Main, texts).await;
        set(story, &ground, &with_group).await;
        let first = [3, 1].map(|number| ground.sources[number]);
        let put = story.store.set_first_sources(ground.study, &first);
        assert!(put.await.unwrap());
        let ahead = [ground.sources[1]];
        let own = story
            .store
            .set_own_overlap(ground.study, &ahead, Some(3), NOW);
        own.await.unwrap();

        let one = add_annotator(story, ground.study, "one").await;
        assert_eq!(next_source(story, &ground, one).await, 3);
        // It has one rater already, so it stays first.
        let expect = [3, 1, 0, 2, 4];
        assert_eq!(judge_all(story, &ground, "two").await, expect);
        let expert = add_annotator(story, ground.study, "expert").await;
        let put = story
            .store
            .set_member_group(ground.study, expert, Some("experts"), NOW);
        assert!(put.await.unwrap());
        assert_eq!(next_source(story, &ground, expert).await, 3);

        let rest = story.store.sources_without_raters(ground.study);
        assert_eq!(rest.await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn sources_keep_their_order_unless_the_settings_ask_for_another() {
    on_both(async |story| {
        let as_imported = settings(SourceOrder::AsImported, 1);
        let texts = &[&["A."][..]; 3];
        let ground = create_study_with(story, &as_imported, SourcePurpose::Main, texts).await;

        let first = [ground.sources[2]];
        let put = async || {
            story
                .store
                .set_first_sources(ground.study, &first)
                .await
                .unwrap()
        };
        let count = async || {
            let query = "SELECT COUNT(*) FROM stored_source WHERE priority > 0";
            story.query_rows(query).await[0][0].clone()
        };

        assert!(!put().await);
        assert_eq!(count().await, "0");

        set(story, &ground, &settings(SourceOrder::WhereUncertain, 1)).await;
        let studies = async || story.store.studies_with_chosen_sources().await.unwrap();
        assert_eq!(studies().await.len(), 1);
        assert!(put().await);
        assert_eq!(count().await, "1");
        set(story, &ground, &as_imported).await;
        assert_eq!((count().await, studies().await.len()), ("0".to_owned(), 0));

        // All arms of an experiment give out sources in the same order.
        set(story, &ground, &settings(SourceOrder::WhereUncertain, 1)).await;
        story
            .execute_sql(format!(
                "INSERT INTO protocol_experiment (id, arms, created_at) VALUES ('e', 1, 0);
                 INSERT INTO experiment_arm (study_id, experiment_id, arm) VALUES ('{}', 'e', 0);",
                ground.study
            ))
            .await;
        assert!(!put().await);
        assert_eq!(studies().await.len(), 0);
    })
    .await;
}

/// Adds a source with outputs of these systems, each with the number of its source in its text.
async fn add_source(story: &TestDatabase, ground: &mut StoreFixture, systems: &[&str]) {
    let mut import = begin_import(story, ground.study).await;
    let number = ground.sources.len();
    let text = format!("The source number {number}.");
    let source = import.source(Some(&number.to_string()), &text, SourcePurpose::Main);
    let source = source.unwrap();
    let mut outputs = vec![];
    for name in systems {
        let system = import.system(name, Some(SystemKind::Machine)).unwrap();
        let text = format!("The output of {name} to {number}.");
        let new = NewOutput::new(source, system, &text);
        let automatic = || automatic_results(domain::category::Category::Paraphrase);
        outputs.push(import.output(&new, automatic).unwrap().0);
    }
    import.commit().await.unwrap();
    ground.sources.push(source);
    ground.outputs.push(outputs);
}

async fn empty_ground(story: &TestDatabase, settings: &StudySettings) -> StoreFixture {
    StoreFixture {
        study: create_study(story, settings).await,
        sources: vec![],
        outputs: vec![],
    }
}

/// Rates the first `count` sources as they are given out. `score` takes the number of the output in its source and
/// that of the source.
async fn rate_first(
    story: &TestDatabase,
    ground: &StoreFixture,
    count: usize,
    score: impl Fn(usize, usize) -> i32,
) {
    let person = add_annotator(story, ground.study, "a rater").await;
    let place = |output: OutputId| {
        let sources = ground.outputs.iter().enumerate();
        let mut places = sources.filter_map(|(source, outputs)| {
            let number = outputs.iter().position(|own| *own == output)?;
            Some((number, source))
        });
        places.next().unwrap()
    };

    for _ in 0..count {
        let assignment = ground.expect_assignment(story, person, NOW).await;
        let rate = |output| {
            let (number, source) = place(output);
            score(number, source)
        };
        hand_in(story, person, assignment, rate).await;
    }
}

async fn plan(story: &TestDatabase) {
    let live = LiveStudies::new(|| NOW);
    let mut planner = SourcePlanner::new(story.store.clone(), live, || NOW);
    planner.plan_due_studies().await.unwrap();
}

#[tokio::test]
async fn a_source_of_systems_that_cannot_be_told_apart_is_given_first() {
    on_both(async |story| {
        let mut ground = empty_ground(story, &settings(SourceOrder::WhereUncertain, 1)).await;
        for _ in 0..12 {
            add_source(story, &mut ground, &["A", "B", "C"]).await;
        }

        // A and B are as good as each other, and C is worse.
        rate_first(story, &ground, 12, |output, source| {
            let swing = i32::try_from(source % 3).unwrap() - 1;
            [60 + swing, 60 - swing, 10][output]
        })
        .await;

        for systems in [["A", "C"], ["B", "C"], ["A", "B"], ["B", "C"], ["A", "B"]] {
            add_source(story, &mut ground, &systems).await;
        }

        plan(story).await;
        assert_eq!(
            judge_all(story, &ground, "next").await,
            [14, 16, 12, 13, 15]
        );
    })
    .await;
}

/// Adds a metric with these scores for the first output of each source and 0 for the others.
async fn add_metric(
    story: &TestDatabase,
    ground: &StoreFixture,
    name: &str,
    trained_on: &[String],
    of_first: &[f64],
) {
    let new = NewMetric {
        id: MetricId(fresh_id()),
        name,
        signature: name,
        origin: MetricOrigin::Learned,
        direction: ScoreDirection::HigherIsBetter,
        uses_references: false,
        trained_on,
        model: None,
    };
    let metric = story.store.declare_metric(ground.study, &new, NOW).await;

    let of_source = |(outputs, first): (&Vec<OutputId>, &f64)| {
        let values = [*first].into_iter().chain(std::iter::repeat(0.0));
        let scores = outputs
            .iter()
            .zip(values)
            .map(|(output, value)| OutputScore {
                output: *output,
                value: Ok(value),
                references: 0,
            });
        scores.collect::<Vec<_>>()
    };
    let scores: Vec<_> = ground
        .outputs
        .iter()
        .zip(of_first)
        .flat_map(of_source)
        .collect();

    let put = story
        .store
        .put_scores(ground.study, metric.unwrap(), &scores, NOW);
    assert_eq!(put.await.unwrap(), scores.len() as u64);
}

#[tokio::test]
async fn a_metric_that_explains_the_ratings_has_rated_sources_be_like_all() {
    on_both(async |story| {
        let mut ground = empty_ground(story, &settings(SourceOrder::WhereUncertain, 1)).await;
        for _ in 0..60 {
            add_source(story, &mut ground, &["A", "B"]).await;
        }

        // According to the metric, A is better on average in the 30 rated sources than in the rest.
        let difference = |source: usize| match source {
            0..30 => (source % 10) as f64 - 4.0,
            _ => (source % 10) as f64 - 5.0,
        };
        rate_first(story, &ground, 30, |output, source| match output {
            0 => 50 + difference(source) as i32 + i32::try_from(source % 2).unwrap(),
            _ => 50,
        })
        .await;

        let listed = |sources: &[usize]| sources.windows(2).all(|pair| pair[0] < pair[1]);
        let first = async || {
            let query = "SELECT id FROM stored_source WHERE priority > 0";
            let rows = story.query_rows(query).await;
            let ids: BTreeSet<_> = rows.into_iter().flatten().collect();
            ids.len()
        };

        plan(story).await;
        assert_eq!(first().await, 0, "each source tells as much as any other");

        // A metric that learned from ratings of these sources knows too much about them.
        let learned = service::figures::metrics::text_hash("The source number 5.");
        let all = (0..60).map(difference).collect::<Vec<_>>();
        add_metric(story, &ground, "learned", &[learned], &all).await;
        plan(story).await;
        assert_eq!(first().await, 0);
        add_metric(story, &ground, "of others", &[], &all).await;
        plan(story).await;
        assert_eq!(first().await, 30);

        let given = judge_all(story, &ground, "next").await;
        assert!(!listed(&given), "{given:?}");
        let sum: f64 = (0..30)
            .chain(given[..10].iter().copied())
            .map(difference)
            .sum();
        assert!(sum.abs() < 5.0, "{sum}");
    })
    .await;
}
