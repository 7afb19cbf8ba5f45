use domain::{
    category::Category::{Deletion, Paraphrase},
    ids::{OutputId, RaterId, SourceId, SystemId},
    statistics::{DeviationKind, standardise::RaterScale},
    study::{RaterKind, SystemKind},
};
use store::{Rater, StudySystem, judgements::OutputCategory, rating_rows::RatingRow};
use uuid::Uuid;

use super::*;
use crate::live::SourceJudgements;

fn id(number: usize) -> Uuid {
    Uuid::from_u128(number as u128)
}

/// Output `10 · source + system`; with `twin` it has the text of the previous system's output.
fn category(source: usize, system: usize, twin: bool, majority: Category) -> OutputCategory {
    let output = OutputId(id(10 * source + system));
    OutputCategory {
        output,
        source: SourceId(id(source)),
        system: SystemId(id(system)),
        judged_as: if twin {
            OutputId(id(10 * source + system - 1))
        } else {
            output
        },
        automatic: majority,
        given: vec![],
        majority,
    }
}

fn rating(rater: usize, source: usize, system: usize, value: f64, shared: bool) -> RatingRow {
    RatingRow {
        rater: RaterId(id(rater)),
        output: OutputId(id(10 * source + system)),
        source: SourceId(id(source)),
        system: SystemId(id(system)),
        dimension: "overall".into(),
        value,
        recorded_at: 0,
        shared,
    }
}

/// Two sources and three systems. On the second source, system 2 wrote the same as system 1.
fn judged(rows: &[RatingRow]) -> SystemScores {
    let categories = [
        category(1, 1, false, Paraphrase),
        category(1, 2, false, Deletion),
        category(1, 3, false, Deletion),
        category(2, 1, false, Paraphrase),
        category(2, 2, true, Paraphrase),
        category(2, 3, false, Paraphrase),
    ];
    let judgements = |source: usize| {
        let is_source = |other: SourceId| other == SourceId(id(source));
        let ratings = rows.iter().filter(|row| is_source(row.source));
        let mut ratings: Vec<_> = ratings.cloned().collect();
        ratings.sort_by_key(|row| row.output);

        let categories = categories
            .iter()
            .filter(|category| is_source(category.source));

        SourceJudgements {
            ratings,
            categories: categories.cloned().collect(),
            ..SourceJudgements::default()
        }
    };

    let kinds = [SystemKind::Human, SystemKind::Machine, SystemKind::Machine];
    let systems = (1..).zip(kinds).map(|(number, kind)| StudySystem {
        id: SystemId(id(number)),
        name: format!("system {number}"),
        kind,
        is_hidden: false,
        outputs: 2,
    });
    let raters = [1, 2].map(|number| Rater {
        id: RaterId(id(number)),
        position: number as i64,
        kind: RaterKind::Person,
        label: format!("annotator {number}"),
        person: None,
        withdrawn: false,
        group: None,
    });

    let scale = |rater: &Rater| {
        let own = rows
            .iter()
            .filter(|row| !row.shared && row.rater == rater.id);

        let values: Vec<f64> = own.map(|row| row.value).collect();
        Some((
            rater.id,
            RaterScale::from_values(&values, DeviationKind::Population).ok()?,
        ))
    };

    let scales = raters.iter().filter_map(scale).collect();
    let systems: Vec<_> = systems.collect();
    SystemScores::from_sources(
        &[judgements(1), judgements(2)],
        "overall",
        &scales,
        &systems,
        &raters,
        None,
    )
}

fn rows() -> Vec<RatingRow> {
    vec![
        rating(1, 1, 1, 90.0, false),
        rating(1, 1, 2, 50.0, false),
        rating(1, 1, 3, 10.0, false),
        rating(1, 2, 1, 90.0, false),
        rating(1, 2, 2, 90.0, true),
        rating(1, 2, 3, 10.0, false),
        rating(2, 1, 3, 70.0, false),
    ]
}

#[test]
fn a_copied_rating_counts_for_its_system_and_moves_no_mean() {
    let scores = judged(&rows());
    let ranking = scores.ranking(None);
    let names: Vec<_> = ranking.iter().map(|entry| &entry.system.name[..]).collect();
    assert_eq!(names, ["system 1", "system 2", "system 3"]);

    assert_eq!(ranking[1].raw.outputs, 2);
    assert!((ranking[1].raw.mean - 70.0).abs() < 1e-12);

    // 90, 50, 10, 90, 10 have the mean 50 and the deviation √1280. With the copy the mean would be higher.
    let z = ranking[1].z.as_ref().unwrap();
    assert!((z.mean - 20.0 / 1280_f64.sqrt()).abs() < 1e-12);
    assert_eq!(
        ranking
            .iter()
            .map(|entry| entry.place_in_kind)
            .collect::<Vec<_>>(),
        [1, 1, 2]
    );

    // A single rating has no z-score; its raw value still counts.
    assert_eq!(scores.warnings.len(), 1);
    assert!((ranking[2].raw.mean - 25.0).abs() < 1e-12);
}

#[test]
fn pairs_meet_by_source_and_identical_outputs_tie() {
    let scores = judged(&rows());
    let ranking = scores.ranking(None);
    let pairs = scores.pairs(&ranking, None);

    assert_eq!(pairs.len(), 3);
    let counts = pairs[0].of.counts;
    assert_eq!((counts.wins, counts.ties, counts.losses), (1, 1, 0));

    let comparison = scores.compare(0, 1, None);
    assert_eq!(comparison.z, pairs[0].of);
    assert!((comparison.raw.difference - 20.0).abs() < 1e-12);
}

#[test]
fn a_category_restricts_the_outputs_but_not_the_scales() {
    let scores = judged(&rows());
    let ranking = scores.ranking(Some(Deletion));
    let names: Vec<_> = ranking.iter().map(|entry| &entry.system.name[..]).collect();
    assert_eq!(names, ["system 2", "system 3"]);

    // 50 is the mean over the whole study.
    assert_eq!(ranking[0].z.as_ref().unwrap().mean, 0.0);

    let figures = StudySystems::from_scores(&scores, Some(Deletion));
    assert_eq!(
        (figures.pairs.len(), figures.raters, figures.ratings),
        (1, 2, 7)
    );
    let sizes: Vec<_> = figures
        .by_category
        .iter()
        .map(|(_, entries)| entries.len())
        .collect();
    assert_eq!(sizes, [0, 2, 3]);
}

#[test]
fn nothing_rated_is_an_empty_ranking() {
    let figures = StudySystems::from_scores(&judged(&[]), None);
    assert!(figures.ranking.is_empty() && figures.pairs.is_empty());
}
