//! Metrics compared with the people of a study.

use domain::{
    ids::{MetricId, OutputId, StudyId},
    metrics::ScoreDirection,
    score::RatingScale,
    statistics::{bootstrap::ResamplingOptions, tau_like::TieThreshold},
    study::{RaterKind, SourcePurpose, StudySettings, SystemKind},
};
use service::{
    figures::metrics::{
        MetricDetail, MetricEvaluationOptions, StudyMetricScores, StudyMetrics, WriterGroup,
        compare, text_hash,
    },
    live::LiveStudies,
};
use store::{
    SystemFacts,
    import::{NewOutput, NewRating},
    metrics::{MetricOrigin, NewMetric, OutputScore},
    rating_rows::RatingScope,
};
use stories::{NOW, TestDatabase, fresh_id, on_both};

use crate::study_fixture::{automatic_results, begin_import, create_study};

const SOURCES: usize = 6;

/// The ratings of a source's outputs, which are by a person and three machines.
const GIVEN: [f64; 4] = [95.0, 70.0, 40.0, 10.0];

fn source_text(number: usize) -> String {
    format!("The source number {number}.")
}

/// Six sources of four outputs, rated alike by two raters; the best output of the first is its
/// reference. The outputs are listed source by source, the best first.
async fn rated(story: &TestDatabase) -> (StudyId, Vec<OutputId>) {
    let rating_value = |place: usize, number: usize| GIVEN[place] - number as f64;
    rated_on(story, RatingScale::PERCENT, rating_value).await
}

/// The same, with the ratings that `given` returns for an output's place and its source, on any scale.
async fn rated_on(
    story: &TestDatabase,
    scale: RatingScale,
    given: impl Fn(usize, usize) -> f64,
) -> (StudyId, Vec<OutputId>) {
    let study = create_study(story, &StudySettings::default()).await;
    let mut import = begin_import(story, study).await;
    let mut outputs = vec![];
    let raters = ["one", "two"].map(|name| import.rater(name, RaterKind::Imported).unwrap());

    for number in 0..SOURCES {
        let source = import
            .source(None, &source_text(number), SourcePurpose::Main)
            .unwrap();
        for place in 0..GIVEN.len() {
            let kind = [SystemKind::Human, SystemKind::Machine][usize::from(place > 0)];
            let system = import
                .system(&format!("system {place}"), Some(kind))
                .unwrap();
            let text = format!("Output {place} of {number}.");
            let new = NewOutput::new(source, system, &text);
            let automatic_answers = || automatic_results(domain::category::Category::Paraphrase);
            let (output, _) = import.output(&new, automatic_answers).unwrap();
            outputs.push(output);
            for rater in raters {
                let value = given(place, number);
                let rating = NewRating {
                    scale,
                    ..NewRating::overall(rater, output, value)
                };
                import.rating(rating).unwrap();
            }
        }
        if number == 0 {
            import.references(source, &["Output 0 of 0."]).unwrap();
        }
    }

    import.commit().await.unwrap();
    (study, outputs)
}

/// A metric with the scores that `score` returns for source and place.
async fn metric(
    story: &TestDatabase,
    (study, outputs): (StudyId, &[OutputId]),
    (name, trained_on): (&str, &[String]),
    score: impl Fn(usize, usize) -> Option<f64>,
) -> MetricId {
    let new = NewMetric {
        id: MetricId(fresh_id()),
        name,
        signature: &format!("{name}|story"),
        origin: if trained_on.is_empty() {
            MetricOrigin::Imported
        } else {
            MetricOrigin::Learned
        },
        direction: ScoreDirection::guess(name),
        uses_references: false,
        trained_on,
        model: None,
    };

    let id = story.store.declare_metric(study, &new, NOW).await.unwrap();
    let scores = outputs.iter().enumerate().filter_map(|(at, output)| {
        Some(OutputScore {
            output: *output,
            value: Ok(score(at / GIVEN.len(), at % GIVEN.len())?),
            references: 0,
        })
    });
    let scores: Vec<_> = scores.collect();

    let put = story.store.put_scores(study, id, &scores, NOW).await;
    put.unwrap();
    id
}

/// Reads the study with `look`.
async fn look<T: Send + 'static>(
    story: &TestDatabase,
    study: StudyId,
    (without_references, scale): (bool, RatingScale),
    look: impl FnOnce(&service::live::StudySnapshot, &StudyMetricScores, &MetricEvaluationOptions) -> T
    + Send
    + 'static,
) -> T {
    let store = &story.store;
    let scores = StudyMetricScores::new(
        store.metrics(study).await.unwrap(),
        store.output_entries(study).await.unwrap(),
        &store.metric_scores(study).await.unwrap(),
    );

    let options = MetricEvaluationOptions {
        dimension: "overall".to_owned(),
        scale,
        tie: TieThreshold::default(),
        without_references,
        resampling: ResamplingOptions::default(),
    };

    let live = LiveStudies::new(|| NOW);
    let scope = RatingScope::HandedIn;
    let result = live.read(store, study, scope, move |snapshot| {
        look(snapshot, &scores, &options)
    });
    result.await.unwrap()
}

async fn figures(story: &TestDatabase, study: StudyId, without_references: bool) -> StudyMetrics {
    let options = (without_references, RatingScale::PERCENT);
    look(story, study, options, StudyMetrics::compute).await
}

fn tau(of: &StudyMetrics, label: &str, written: WriterGroup) -> Option<f64> {
    let entry = of
        .entries
        .iter()
        .find(|entry| entry.label == label)
        .unwrap();
    let (_, found) = entry.parts.iter().find(|(group, _)| *group == written)?;
    found.tau.tau().ok()
}

#[tokio::test]
async fn metrics_are_not_judged_on_hidden_systems() {
    on_both(async |story| {
        let (study, outputs) = rated(story).await;
        let scored = metric(story, (study, &outputs), ("place", &[]), |_, place| {
            Some(place as f64)
        });
        scored.await;

        let systems = story.store.systems(study).await.unwrap();
        let hidden = SystemFacts {
            is_hidden: true,
            ..SystemFacts::from(&systems[1])
        };
        let changed = story.store.update_systems(study, &[hidden], NOW).await;
        assert_eq!(changed.unwrap(), 1);

        let found = figures(story, study, false).await;
        let outputs = (GIVEN.len() - 1) * SOURCES;
        assert_eq!((found.rated, found.systems), (outputs, GIVEN.len() - 1));
        let (_, all) = &found.entries[0].parts[0];
        assert_eq!(all.tau.discordant, 3 * SOURCES);
    })
    .await;
}

/// Earlier versions accepted any finite number from files.
#[tokio::test]
async fn numbers_that_are_stored_and_too_large_leave_the_figures_of_the_others() {
    on_both(async |story| {
        let (study, outputs) = rated(story).await;
        let study_outputs = (study, &outputs[..]);
        let knows = metric(story, study_outputs, ("knows", &[]), |_, place| {
            Some(GIVEN[place])
        });
        let knows = knows.await;

        let [first, second, third] = [outputs[0], outputs[1], outputs[2]];
        story
            .execute_sql(format!(
                "UPDATE metric_score SET value = 1e308 WHERE output_id IN ('{first}', '{second}');
                 UPDATE metric_score SET value = -1e308 WHERE output_id = '{third}';
                 UPDATE stored_annotation SET value = 1e308 WHERE output_id = '{second}';
                 UPDATE stored_annotation SET value = -1e308 WHERE output_id = '{third}';"
            ))
            .await;

        let found = figures(story, study, false).await;
        // The ratings of two outputs are left out and named. Of the others one has no score.
        assert_eq!(found.rated, 4 * SOURCES - 2);
        assert_eq!(found.entries[0].unscored, 1);
        assert_eq!(tau(&found, "knows", WriterGroup::All), Some(1.0));
        let (_, all) = &found.entries[0].parts[0];
        assert!(all.segment.pearson.value.is_ok_and(|r| r > 0.99));
        let named = story.store.unreadable_rows(study).join(" ");
        assert!(named.contains("is beyond 1e15"), "{named}");
        assert_eq!(
            story.store.metric_scores(study).await.unwrap().len(),
            4 * SOURCES - 3
        );

        let options = (false, RatingScale::PERCENT);
        let detail = look(story, study, options, move |snapshot, scores, options| {
            MetricDetail::compute(snapshot, scores, options, knows)
        });
        assert_eq!(detail.await.points.len(), 4 * SOURCES - 3);
    })
    .await;
}

#[tokio::test]
async fn a_metric_that_knows_reaches_one_and_its_opposite_minus_one() {
    on_both(async |story| {
        let (study, outputs) = rated(story).await;
        let study_outputs = (study, &outputs[..]);
        let knows = metric(story, study_outputs, ("knows", &[]), |source, place| {
            Some(GIVEN[place] - source as f64)
        });
        let knows = knows.await;
        let opposite = metric(story, study_outputs, ("opposite", &[]), |_, place| {
            Some(place as f64)
        });
        let opposite = opposite.await;

        let study_metrics = figures(story, study, false).await;
        assert_eq!((study_metrics.rated, study_metrics.references), (24, 1));
        assert_eq!(tau(&study_metrics, "knows", WriterGroup::All), Some(1.0));
        assert_eq!(
            tau(&study_metrics, "knows", WriterGroup::Machines),
            Some(1.0)
        );
        assert_eq!(
            tau(&study_metrics, "opposite", WriterGroup::All),
            Some(-1.0)
        );
        // One output per source is by a person: there is nothing to order.
        assert_eq!(tau(&study_metrics, "knows", WriterGroup::People), None);
        let limit = study_metrics.human_ceiling.unwrap();
        assert_eq!((limit.tau.raters, limit.tau.mean), (2, 1.0));
        let (_, all) = &study_metrics.entries[0].parts[0];
        // Three systems of machines and one person: six pairs a source.
        assert_eq!((all.tau.concordant, all.tau.skipped), (6 * SOURCES, 0));
        assert!(all.segment.pearson.value.is_ok_and(|r| r > 0.999));

        let compared = look(
            story,
            study,
            (false, RatingScale::PERCENT),
            move |snapshot, scores, options| {
                compare(snapshot, scores, options, knows, opposite).unwrap()
            },
        );
        let (count, difference) = compared.await;
        assert_eq!((count, difference.tau.value), (24, Ok(2.0)));
        assert!(
            difference
                .tau
                .interval
                .is_ok_and(|interval| interval.low > 0.0)
        );

        let detail = look(
            story,
            study,
            (false, RatingScale::PERCENT),
            move |snapshot, scores, options| {
                MetricDetail::compute(snapshot, scores, options, opposite)
            },
        );
        let detail = detail.await;
        assert_eq!((detail.points.len(), detail.disagreements.len()), (24, 12));
        let worst = &detail.disagreements[0];
        assert!(worst.by_metric.abs_diff(worst.by_people) > 15);
    })
    .await;
}

#[tokio::test]
async fn what_a_model_learned_from_and_what_is_a_reference_is_left_out() {
    on_both(async |story| {
        let (study, outputs) = rated(story).await;
        let study_outputs = (study, &outputs[..]);
        let hashes = [text_hash(&source_text(1)), text_hash(&source_text(4))];
        // It knows the sources that it learned from, and nothing else.
        let learned = metric(
            story,
            study_outputs,
            ("learned", &hashes),
            |source, place| {
                let sign = if [1, 4].contains(&source) { 1.0 } else { -1.0 };
                Some(sign * GIVEN[place])
            },
        );
        learned.await;
        // It has no score of the last source.
        let partly = metric(story, study_outputs, ("partly", &[]), |source, place| {
            (source + 1 < SOURCES).then_some(GIVEN[place])
        });
        partly.await;

        let study_metrics = figures(story, study, false).await;
        let entry = |label: &str| {
            study_metrics
                .entries
                .iter()
                .find(|entry| entry.label == label)
                .unwrap()
        };
        assert_eq!(
            (entry("learned").learned_from, entry("learned").unscored),
            (2, 0)
        );
        assert_eq!(tau(&study_metrics, "learned", WriterGroup::All), Some(-1.0));
        assert_eq!(
            (entry("partly").learned_from, entry("partly").unscored),
            (0, 4)
        );
        assert_eq!(tau(&study_metrics, "partly", WriterGroup::All), Some(1.0));
        assert_eq!(entry("partly").parts[0].1.outputs, 20);

        let without = figures(story, study, true).await;
        assert_eq!((without.rated, without.references), (23, 0));
        let (_, all) = &without.entries[1].parts[0];
        assert_eq!(all.outputs, 19);
    })
    .await;
}

#[tokio::test]
async fn a_metric_where_lower_is_better_is_turned_before_it_meets_people() {
    on_both(async |story| {
        let (study, outputs) = rated(story).await;
        let study_outputs = (study, &outputs[..]);
        // The better an output, the lower its grade.
        let grade = |source: usize, place: usize| Some(place as f64 + source as f64 / 100.0);
        let fkgl = metric(story, study_outputs, ("fkgl", &[]), grade).await;
        let same = metric(story, study_outputs, ("knows", &[]), |source, place| {
            Some(GIVEN[place] - source as f64)
        });
        let same = same.await;
        let none = metric(story, study_outputs, ("nothing", &[]), |_, _| None).await;

        let study_metrics = figures(story, study, false).await;
        assert_eq!(
            tau(&study_metrics, "fkgl (reversed)", WriterGroup::All),
            Some(1.0)
        );
        let (_, all) = &study_metrics.entries[0].parts[0];
        for r in [all.segment.pearson, all.segment.spearman] {
            assert!(r.value.is_ok_and(|r| r > 0.9));
        }
        assert!(
            all.kendall
                .is_ok_and(|correlation| correlation.coefficient > 0.9)
        );
        // A metric without scores is named, and is in no panel.
        let missing: Vec<_> = study_metrics
            .missing
            .iter()
            .map(|entry| entry.metric.id)
            .collect();
        assert_eq!((missing, study_metrics.entries.len()), (vec![none], 2));

        let percent = (false, RatingScale::PERCENT);
        let compared = look(story, study, percent, move |snapshot, scores, options| {
            compare(snapshot, scores, options, fkgl, same).unwrap()
        });
        assert_eq!(compared.await.1.tau.value, Ok(0.0));
        let detail = look(story, study, percent, move |snapshot, scores, options| {
            MetricDetail::compute(snapshot, scores, options, fkgl)
        });
        let detail = detail.await;
        let largest = &detail.disagreements[0];
        // Six outputs with the same ratings share a rank.
        assert!(largest.by_metric.abs_diff(largest.by_people) < 7);
        assert!(detail.points.iter().all(|point| point.score <= 0.0));
        // What is stored is what the metric gave.
        let metric_scores = story.store.metric_scores(study).await.unwrap();
        assert!(
            metric_scores
                .iter()
                .all(|metric_score| metric_score.value >= 0.0)
        );

        // Its direction is reversed, and figures follow.
        let set =
            story
                .store
                .set_metric_direction(study, fkgl, ScoreDirection::HigherIsBetter, NOW);
        assert!(set.await.unwrap());
        let study_metrics = figures(story, study, false).await;
        assert_eq!(tau(&study_metrics, "fkgl", WriterGroup::All), Some(-1.0));
    })
    .await;
}

#[tokio::test]
async fn ratings_from_one_to_five_are_preferences_too() {
    on_both(async |story| {
        let scale = RatingScale { low: 1, high: 5 };
        let rating_value = |place: usize, _: usize| [5.0, 4.0, 2.0, 1.0][place];
        let (study, outputs) = rated_on(story, scale, rating_value).await;
        let knows = |_: usize, place: usize| Some(GIVEN[place]);
        metric(story, (study, &outputs), ("knows", &[]), knows).await;
        let study_metrics = look(story, study, (false, scale), StudyMetrics::compute).await;
        let (_, all) = &study_metrics.entries[0].parts[0];
        assert_eq!((all.tau.concordant, all.tau.skipped), (6 * SOURCES, 0));
        assert_eq!(
            study_metrics.human_ceiling.map(|limit| limit.tau.mean),
            Some(1.0)
        );
    })
    .await;
}
