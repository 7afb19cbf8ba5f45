//! Metrics held against the people of a study.

use app::{
    figures::metrics::{Asked, Detail, MetricFigures, Scored, Written, compare, text_hash},
    live::Live,
};
use domain::{
    ids::{MetricId, OutputId, StudyId},
    score::Scale,
    statistics::bootstrap::Resampling,
    study::{RaterKind, Settings, SourcePurpose, SystemKind},
};
use store::{
    import::{NewOutput, NewRating, Verbatim},
    metrics::{NewMetric, Origin, OutputScore},
    ratings::Which,
};
use stories::{NOW, Story, both, fresh};

use crate::ground::{automatic, import, study};

const SOURCES: usize = 6;

/// What people give the outputs of a source, by a person and three machines.
const GIVEN: [f64; 4] = [95.0, 70.0, 40.0, 10.0];

fn source_text(number: usize) -> String {
    format!("The source number {number}.")
}

/// Six sources of four outputs, rated alike by two raters; the best output of the first is its
/// reference. The outputs are listed source by source, the best first.
async fn rated(story: &Story) -> (StudyId, Vec<OutputId>) {
    let study = study(story, &Settings::default()).await;
    let mut import = import(story, study).await;
    let mut outputs = vec![];
    let raters = ["one", "two"].map(|name| import.rater(name, RaterKind::Imported).unwrap());
    for number in 0..SOURCES {
        let source = import
            .source(None, &source_text(number), SourcePurpose::Main)
            .unwrap();
        for (place, given) in GIVEN.into_iter().enumerate() {
            let kind = [SystemKind::Human, SystemKind::Machine][usize::from(place > 0)];
            let system = import
                .system(&format!("system {place}"), Some(kind))
                .unwrap();
            let text = format!("Output {place} of {number}.");
            let new = NewOutput {
                source,
                system,
                text: &text,
                verbatim: None,
                expected: None,
            };
            let made = || automatic(domain::category::Category::Paraphrase);
            let (output, _) = import.output(&new, made).unwrap();
            outputs.push(output);
            for rater in raters {
                let value = given - number as f64;
                let rating = NewRating {
                    rater,
                    output,
                    dimension: "overall",
                    scale: Scale::PERCENT,
                    value,
                    verbatim: Verbatim {
                        value: value.to_string(),
                        z: None,
                        column: None,
                    },
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

/// A metric that gives the outputs what `score` says of source and place.
async fn metric(
    story: &Story,
    (study, outputs): (StudyId, &[OutputId]),
    (name, trained_on): (&str, &[String]),
    score: impl Fn(usize, usize) -> Option<f64>,
) -> MetricId {
    let new = NewMetric {
        id: MetricId(fresh()),
        name,
        signature: &format!("{name}|story"),
        origin: if trained_on.is_empty() {
            Origin::Imported
        } else {
            Origin::Learned
        },
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

/// What `look` sees of the study.
async fn look<T: Send + 'static>(
    story: &Story,
    study: StudyId,
    without_references: bool,
    look: impl FnOnce(&app::live::Held, &Scored, &Asked) -> T + Send + 'static,
) -> T {
    let store = &story.store;
    let scored = Scored::new(
        store.metrics(study).await.unwrap(),
        store.output_entries(study).await.unwrap(),
        &store.metric_scores(study).await.unwrap(),
    );
    let asked = Asked {
        dimension: "overall".to_owned(),
        without_references,
        resampling: Resampling::default(),
    };
    let live = Live::new(|| NOW);
    let of = (study, Which::HandedIn);
    let looked = live.read(store, of, move |held| look(held, &scored, &asked));
    looked.await.unwrap()
}

async fn figures(story: &Story, study: StudyId, without_references: bool) -> MetricFigures {
    look(story, study, without_references, MetricFigures::of).await
}

fn tau(of: &MetricFigures, label: &str, written: Written) -> Option<f64> {
    let entry = of.entries.iter().find(|it| it.label == label).unwrap();
    let (_, found) = entry.parts.iter().find(|(it, _)| *it == written)?;
    found.tau.tau().ok()
}

#[tokio::test]
async fn a_metric_that_knows_reaches_one_and_its_opposite_minus_one() {
    both(async |story| {
        let (study, outputs) = rated(story).await;
        let of = (study, &outputs[..]);
        let knows = metric(story, of, ("knows", &[]), |source, place| {
            Some(GIVEN[place] - source as f64)
        });
        let knows = knows.await;
        let opposite = metric(story, of, ("opposite", &[]), |_, place| Some(place as f64));
        let opposite = opposite.await;

        let found = figures(story, study, false).await;
        assert_eq!((found.rated, found.references), (24, 1));
        assert_eq!(tau(&found, "knows", Written::ByAll), Some(1.0));
        assert_eq!(tau(&found, "knows", Written::ByMachines), Some(1.0));
        assert_eq!(tau(&found, "opposite", Written::ByAll), Some(-1.0));
        // One output a source is by a person: there is nothing to order.
        assert_eq!(tau(&found, "knows", Written::ByPeople), None);
        let limit = found.limit.unwrap();
        assert_eq!((limit.raters, limit.mean_tau), (2, 1.0));
        let (_, all) = &found.entries[0].parts[0];
        // Three systems of machines and one person: six pairs a source.
        assert_eq!((all.tau.concordant, all.tau.skipped), (6 * SOURCES, 0));
        assert!(all.segment.pearson.value.is_ok_and(|r| r > 0.999));

        let compared = look(story, study, false, move |held, scored, asked| {
            compare(held, scored, asked, (knows, opposite)).unwrap()
        });
        let (count, difference) = compared.await;
        assert_eq!((count, difference.tau.value), (24, Ok(2.0)));
        assert!(difference.tau.interval.is_ok_and(|it| it.low > 0.0));

        let detail = look(story, study, false, move |held, scored, asked| {
            Detail::of(held, scored, asked, opposite)
        });
        let detail = detail.await;
        assert_eq!((detail.points.len(), detail.disagreements.len()), (24, 12));
        let worst = &detail.disagreements[0];
        assert!((worst.by_metric - worst.by_people).abs() > 80.0);
    })
    .await;
}

#[tokio::test]
async fn what_a_model_learned_from_and_what_is_a_reference_is_left_out() {
    both(async |story| {
        let (study, outputs) = rated(story).await;
        let of = (study, &outputs[..]);
        let known = [text_hash(&source_text(1)), text_hash(&source_text(4))];
        // It knows the sources that it learned from, and nothing else.
        let learned = metric(story, of, ("learned", &known), |source, place| {
            let sign = if [1, 4].contains(&source) { 1.0 } else { -1.0 };
            Some(sign * GIVEN[place])
        });
        learned.await;
        // It has no score of the last source.
        let partly = metric(story, of, ("partly", &[]), |source, place| {
            (source + 1 < SOURCES).then_some(GIVEN[place])
        });
        partly.await;

        let found = figures(story, study, false).await;
        let entry = |label: &str| found.entries.iter().find(|it| it.label == label).unwrap();
        assert_eq!(
            (entry("learned").learned_from, entry("learned").unscored),
            (2, 0)
        );
        assert_eq!(tau(&found, "learned", Written::ByAll), Some(-1.0));
        assert_eq!(
            (entry("partly").learned_from, entry("partly").unscored),
            (0, 4)
        );
        assert_eq!(tau(&found, "partly", Written::ByAll), Some(1.0));
        assert_eq!(entry("partly").parts[0].1.outputs, 20);

        let without = figures(story, study, true).await;
        assert_eq!((without.rated, without.references), (23, 0));
        let (_, all) = &without.entries[1].parts[0];
        assert_eq!(all.outputs, 19);
    })
    .await;
}
