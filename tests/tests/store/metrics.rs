//! Metrics, their scores and models.

use domain::{
    ids::{MetricId, ModelId, OutputId, StudyId},
    metrics::ScoreDirection,
    study::{SourcePurpose, StudySettings},
};
use serde_json::json;
use store::{
    LARGEST_CHUNK,
    metrics::{MetricOrigin, NewMetric, NewModel, OutputScore},
};
use stories::{NOW, TestDatabase, fresh_id, on_both, refusal};

use crate::study_fixture::{StoreFixture, begin_import, create_study_with};

const TEXTS: &[&[&str]] = &[
    &["One a.", "One b."],
    &["Two a."],
    &["Three a.", "Three b."],
];

async fn texts(story: &TestDatabase) -> StoreFixture {
    create_study_with(story, &StudySettings::default(), SourcePurpose::Main, TEXTS).await
}

/// A metric of that name, which depends on references or not.
async fn metric(
    story: &TestDatabase,
    study: StudyId,
    name: &str,
    uses_references: bool,
) -> MetricId {
    let new = NewMetric {
        id: MetricId(fresh_id()),
        name,
        signature: &format!("{name}|story"),
        origin: MetricOrigin::Computed,
        direction: ScoreDirection::HigherIsBetter,
        uses_references,
        trained_on: &[],
        model: None,
    };
    let declared = story.store.declare_metric(study, &new, NOW).await;
    declared.unwrap()
}

fn score(output: OutputId, value: f64, references: i64) -> OutputScore {
    OutputScore {
        output,
        value: Ok(value),
        references,
    }
}

async fn put(
    story: &TestDatabase,
    study: StudyId,
    metric: MetricId,
    scores: &[OutputScore],
) -> u64 {
    let put = story.store.put_scores(study, metric, scores, NOW).await;
    put.unwrap()
}

/// The outputs that lack a score of the metric.
async fn lacking(story: &TestDatabase, study: StudyId, metric: MetricId) -> Vec<OutputId> {
    let outputs = story.store.outputs_to_score(study, metric, 9).await;
    let outputs: Vec<_> = outputs
        .unwrap()
        .iter()
        .map(|output| output.output)
        .collect();
    let count = story.store.count_to_score(study, metric).await;
    assert_eq!(count.unwrap(), outputs.len() as u64);
    outputs
}

#[tokio::test]
async fn a_metric_keeps_the_direction_that_was_said_last() {
    on_both(async |story| {
        let StoreFixture { study, .. } = texts(story).await;
        let store = &story.store;
        let declare = async |direction, origin| {
            let new = NewMetric {
                id: MetricId(fresh_id()),
                name: "ter",
                signature: "ter|story",
                origin,
                direction,
                uses_references: false,
                trained_on: &[],
                model: None,
            };
            store.declare_metric(study, &new, NOW).await.unwrap()
        };
        let stored_direction = async || store.metrics(study).await.unwrap()[0].direction;
        let ter = declare(ScoreDirection::LowerIsBetter, MetricOrigin::Imported).await;
        assert_eq!(stored_direction().await, ScoreDirection::LowerIsBetter);

        let before = store.newest_event(study).await.unwrap();
        // Imported again, with another answer.
        assert_eq!(
            declare(ScoreDirection::Neither, MetricOrigin::Imported).await,
            ter
        );
        assert_eq!(stored_direction().await, ScoreDirection::Neither);
        assert!(store.newest_event(study).await.unwrap() > before);

        let higher = ScoreDirection::HigherIsBetter;
        let set = async |study, id| {
            let set = store.set_metric_direction(study, id, higher, NOW);
            set.await.unwrap()
        };
        assert!(set(study, ter).await);
        assert_eq!(stored_direction().await, higher);

        // The direction of metrics that are computed here is known, and another study cannot set it.
        let fkgl = metric(story, study, "fkgl", false).await;
        assert!(!set(study, fkgl).await);
        let elsewhere = story.add_study("elsewhere", None).await;
        assert!(!set(elsewhere, ter).await);
    })
    .await;
}

#[tokio::test]
async fn what_is_scored_is_not_scored_again_under_the_same_signature() {
    on_both(async |story| {
        let StoreFixture { study, outputs, .. } = texts(story).await;
        let all = outputs.concat();
        let fkgl = metric(story, study, "fkgl", false).await;
        assert_eq!(fkgl, metric(story, study, "fkgl", false).await);
        assert_eq!(lacking(story, study, fkgl).await, all);

        let undefined = OutputScore {
            output: all[1],
            value: Err("no words".to_owned()),
            references: 0,
        };
        let scores = [score(all[0], 7.25, 0), undefined, score(all[0], 7.5, 0)];
        assert_eq!(put(story, study, fkgl, &scores).await, 2);
        assert_eq!(lacking(story, study, fkgl).await, all[2..]);
        put(story, study, fkgl, &[score(all[2], -0.1, 0)]).await;

        let metric_scores = story.store.metric_scores(study).await.unwrap();
        let metric_scores: Vec<_> = metric_scores
            .iter()
            .map(|metric_score| (metric_score.output, metric_score.value))
            .collect();
        assert_eq!(metric_scores, [(all[0], 7.5), (all[2], -0.1)]);
        let newest = story.store.newest_event(study).await.unwrap();
        let metrics = story.store.metrics(study).await.unwrap();
        assert_eq!(metrics.len(), 1);
        assert_eq!(Some(metrics[0].event), newest);
    })
    .await;
}

#[tokio::test]
async fn a_score_by_references_is_old_once_there_are_more() {
    on_both(async |story| {
        let StoreFixture {
            study,
            sources,
            outputs,
        } = texts(story).await;
        let sari = metric(story, study, "sari", true).await;
        assert_eq!(lacking(story, study, sari).await, []);

        let refer = async |texts: &[&str]| {
            let mut import = begin_import(story, study).await;
            import.references(sources[0], texts).unwrap();
            import.commit().await.unwrap();
        };
        let before = story.store.newest_event(study).await.unwrap().unwrap();
        refer(&["It is one."]).await;
        assert!(story.store.may_lack_scores(study, before).await.unwrap());
        assert_eq!(lacking(story, study, sari).await, outputs[0]);
        let scores: Vec<_> = outputs[0].iter().map(|id| score(*id, 40.0, 1)).collect();
        put(story, study, sari, &scores).await;
        assert_eq!(lacking(story, study, sari).await, []);
        let now = story.store.newest_event(study).await.unwrap().unwrap();
        assert!(!story.store.may_lack_scores(study, now - 1).await.unwrap());

        refer(&["It is one.", "One, it is."]).await;
        let outputs_to_score = story.store.outputs_to_score(study, sari, 1).await.unwrap();
        assert_eq!(outputs_to_score[0].source_text, "The source number 0.");
        assert_eq!(outputs_to_score[0].text, "One a.");
        assert_eq!(
            outputs_to_score[0].references,
            ["It is one.", "One, it is."]
        );
    })
    .await;
}

#[tokio::test]
async fn a_study_takes_no_scores_of_others_and_none_that_are_no_numbers() {
    on_both(async |story| {
        let StoreFixture { study, outputs, .. } = texts(story).await;
        let other = texts(story).await;
        let fkgl = metric(story, study, "fkgl", false).await;
        let store = &story.store;
        for (study, metric, output, value) in [
            (study, fkgl, other.outputs[0][0], 1.0),
            (other.study, fkgl, other.outputs[0][0], 1.0),
            (study, fkgl, outputs[0][0], f64::NAN),
            (study, fkgl, outputs[0][0], f64::NEG_INFINITY),
            (study, fkgl, outputs[0][0], 1e308),
            (study, fkgl, outputs[0][0], -1.1e15),
            (study, MetricId(fresh_id()), outputs[0][0], 1.0),
        ] {
            let scores = [score(output, value, 0)];
            refusal(store.put_scores(study, metric, &scores, NOW).await);
        }
        assert_eq!(store.metric_scores(study).await.unwrap(), []);

        put(story, study, fkgl, &[score(outputs[0][0], 1.0, 0)]).await;
        assert!(!store.remove_metric(other.study, fkgl, NOW).await.unwrap());
        assert!(store.remove_metric(study, fkgl, NOW).await.unwrap());
        assert_eq!(store.metrics(study).await.unwrap(), []);
        assert_eq!(store.metric_scores(study).await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_model_comes_back_byte_for_byte_and_counts_its_versions() {
    on_both(async |story| {
        let (store, study) = (&story.store, story.add_study("models", None).await);
        let file: Vec<u8> = (0..=255).cycle().take(LARGEST_CHUNK + 777).collect();
        let report = json!({"from": "shipped"});
        let new = |id: ModelId| NewModel {
            id,
            name: "learned-free",
            hash: "abc",
            file: &file,
            report: &report,
            adopted: false,
        };
        let [first, second] = [(); 2].map(|()| ModelId(fresh_id()));
        for (id, version) in [(first, 1), (second, 2), (first, 1)] {
            assert_eq!(
                store.add_model(study, &new(id), NOW).await.unwrap(),
                version
            );
        }

        let bytes = store.model_file(study, first).await.unwrap().unwrap();
        assert!(bytes == file);
        let elsewhere = story.add_study("elsewhere", None).await;
        assert_eq!(store.model_file(elsewhere, first).await.unwrap(), None);

        assert!(store.adopt_model(study, second, true, NOW).await.unwrap());
        assert!(
            !store
                .adopt_model(elsewhere, first, true, NOW)
                .await
                .unwrap()
        );
        let models = store.models(study).await.unwrap();
        let adopted: Vec<_> = models
            .iter()
            .map(|model| (model.version, model.adopted_at))
            .collect();
        assert_eq!(adopted, [(2, Some(NOW)), (1, None)]);
        assert_eq!(models[0].report, report);
    })
    .await;
}
