//! One metric, output by output.

use std::sync::Arc;

use domain::{
    ids::{MetricId, OutputId, SourceId},
    statistics::{ranks::average_ranks, ratings::UnitRatings},
};

use super::{
    MetricEvaluationOptions, StudyMetricScores, WriterGroup, evaluation_data::MetricEvaluationData,
};
use crate::live::StudySnapshot;

/// How many disagreements are listed.
const LISTED: usize = 12;

/// A metric beside people, output by output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricDetail {
    /// The rated outputs that it scores, in the order of the study.
    pub points: Vec<MetricDetailPoint>,
    /// Those on which it and people differ most, from the largest difference on.
    pub disagreements: Vec<MetricDisagreement>,
}

/// A rated output with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricDetailPoint {
    /// Which.
    pub output: OutputId,
    /// What was simplified.
    pub source: SourceId,
    /// Its name in the files it came from.
    pub source_key: Arc<str>,
    /// The source's text.
    pub source_text: Arc<str>,
    /// Who wrote the output.
    pub system: String,
    /// Whether that is a person.
    pub by_people: bool,
    /// What it says.
    pub text: String,
    /// What the metric gives it, so that a larger score is better: negated where smaller ones are.
    pub score: f64,
    /// The mean of the ratings that people gave it.
    pub rating: f64,
    /// The mean of their z-scores.
    pub z: f64,
}

/// An output on which a metric and people differ.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricDisagreement {
    /// The place of the output in [`Detail::points`].
    pub point: usize,
    /// The share of outputs that the metric puts below it, in percent.
    pub by_metric: f64,
    /// The share that people put below it.
    pub by_people: f64,
}

impl MetricDetail {
    /// The metric of a study beside its ratings; sources that it learned from are left out.
    #[must_use]
    pub fn compute(
        held: &StudySnapshot,
        scored: &StudyMetricScores,
        asked: &MetricEvaluationOptions,
        metric: MetricId,
    ) -> Self {
        let ground = MetricEvaluationData::new(held, scored, asked);
        let Some(metric) = scored.metrics.iter().find(|it| it.id == metric) else {
            return Self::default();
        };
        let (ratings, _) = ground.human_ratings(&[metric], WriterGroup::All);
        let (z, scores) = (ground.z_means(), ground.scores(metric, &ratings));
        let point = |((output, of), score): ((&OutputId, UnitRatings<'_>), f64)| {
            let values = of.values;
            let entry = ground.entries[output];
            Some(MetricDetailPoint {
                output: *output,
                source: entry.source,
                source_key: entry.source_key.clone(),
                source_text: entry.source_text.clone(),
                system: entry.system_name.clone(),
                by_people: ground.is_included(output, WriterGroup::People),
                text: entry.text.clone(),
                score,
                rating: values.iter().sum::<f64>() / values.len() as f64,
                z: *z.get(output)?,
            })
        };
        let points: Vec<_> = ratings.by_unit().zip(scores).filter_map(point).collect();
        Self {
            disagreements: disagreements(&points),
            points,
        }
    }
}

/// The outputs whose place by the metric is farthest from their place by people, each above by one and
/// below by the other.
fn disagreements(points: &[MetricDetailPoint]) -> Vec<MetricDisagreement> {
    let percent = |of: fn(&MetricDetailPoint) -> f64| {
        let values: Vec<f64> = points.iter().map(of).collect();
        let most = (points.len() as f64 - 1.0).max(1.0);
        let ranks = average_ranks(&values).into_iter();
        ranks
            .map(|rank| 100.0 * (rank - 1.0) / most)
            .collect::<Vec<_>>()
    };
    let (by_metric, by_people) = (percent(|it| it.score), percent(|it| it.z));
    let pairs = by_metric.into_iter().zip(by_people).enumerate();
    let mut all: Vec<_> = pairs
        .map(|(point, (by_metric, by_people))| MetricDisagreement {
            point,
            by_metric,
            by_people,
        })
        .collect();
    let size = |it: &MetricDisagreement| (it.by_metric - it.by_people).abs();
    all.sort_by(|a, b| size(b).total_cmp(&size(a)));
    all.truncate(LISTED);
    all
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_largest_difference_of_places_comes_first() {
        let point = |score: f64, z: f64| MetricDetailPoint {
            output: OutputId(Uuid::nil()),
            source: SourceId(Uuid::nil()),
            source_key: "".into(),
            source_text: "".into(),
            system: String::new(),
            by_people: false,
            text: String::new(),
            score,
            rating: 0.0,
            z,
        };
        let points = [
            point(0.1, 0.0),
            point(0.2, -1.0),
            point(0.3, 2.0),
            point(0.4, -2.0),
        ];
        let found = disagreements(&points);
        assert_eq!(found[0].point, 3);
        assert_eq!((found[0].by_metric, found[0].by_people), (100.0, 0.0));
        assert_eq!(found.len(), 4);
        assert!(disagreements(&[]).is_empty());
    }
}
