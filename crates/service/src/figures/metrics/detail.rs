//! One metric against the raters, output by output.

use std::sync::Arc;

use domain::{
    ids::{MetricId, OutputId, SourceId},
    statistics::{
        ranks::{average_ranks, competition_ranks},
        ratings::UnitRatings,
    },
};

use super::{
    MetricEvaluationOptions, StudyMetricScores, WriterGroup, evaluation_data::MetricEvaluationData,
};
use crate::live::StudySnapshot;

/// The most disagreements that are listed.
const MAX_DISAGREEMENTS: usize = 12;

/// A metric's scores and the ratings of people, output by output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MetricDetail {
    /// The rated outputs that it scores, in the order of the study.
    pub points: Vec<MetricDetailPoint>,
    /// The outputs on which the metric and people differ most, the largest difference first.
    pub disagreements: Vec<MetricDisagreement>,
}

/// A rated output with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricDetailPoint {
    /// The output.
    pub output: OutputId,
    /// Its source.
    pub source: SourceId,
    /// The source's name in the imported files.
    pub source_key: Arc<str>,
    /// The source's text.
    pub source_text: Arc<str>,
    /// The system that wrote the output.
    pub system: String,
    /// Whether the system is a human writer.
    pub by_people: bool,
    /// The output's text.
    pub text: String,
    /// The metric's score, negated if lower scores are better, so that a larger score is always better.
    pub score: f64,
    /// The mean of the output's ratings by people.
    pub rating: f64,
    /// The mean of their z-scores.
    pub z: f64,
}

/// An output on which a metric and people differ.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricDisagreement {
    /// The index of the output in [`MetricDetail::points`].
    pub point: usize,
    /// Its rank by the metric, from 1 for the largest score; equal scores share the smallest rank.
    pub by_metric: usize,
    /// Its rank by people's ratings.
    pub by_people: usize,
}

impl MetricDetail {
    /// Compares a metric with the ratings. Sources that the metric learned from are left out.
    #[must_use]
    pub fn compute(
        snapshot: &StudySnapshot,
        scores: &StudyMetricScores,
        options: &MetricEvaluationOptions,
        metric: MetricId,
    ) -> Self {
        let data = MetricEvaluationData::new(snapshot, scores, options);
        let Some(metric) = scores.metrics.iter().find(|own| own.id == metric) else {
            return Self::default();
        };

        let (ratings, _) = data.human_ratings(&[metric], WriterGroup::All);
        let (z_means, scores) = (data.z_means(), data.scores(metric, &ratings));

        let point = |((output, ratings), score): ((&OutputId, UnitRatings<'_>), f64)| {
            let values = ratings.values;
            let entry = data.entries[output];
            Some(MetricDetailPoint {
                output: *output,
                source: entry.source,
                source_key: entry.source_key.clone(),
                source_text: entry.source_text.clone(),
                system: entry.system_name.clone(),
                by_people: data.is_included(output, WriterGroup::People),
                text: entry.text.clone(),
                score,
                rating: values.iter().sum::<f64>() / values.len() as f64,
                z: *z_means.get(output)?,
            })
        };

        let points: Vec<_> = ratings.by_unit().zip(scores).filter_map(point).collect();
        Self {
            disagreements: disagreements(&points),
            points,
        }
    }
}

/// The outputs whose average rank by the metric is farthest from their average rank by people.
fn disagreements(points: &[MetricDetailPoint]) -> Vec<MetricDisagreement> {
    let scores: Vec<f64> = points.iter().map(|point| point.score).collect();
    let ratings: Vec<f64> = points.iter().map(|point| point.z).collect();
    let (by_metric, by_people) = (average_ranks(&scores), average_ranks(&ratings));

    let apart = |point: usize| (by_metric[point] - by_people[point]).abs();
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| apart(*b).total_cmp(&apart(*a)));
    order.truncate(MAX_DISAGREEMENTS);

    let (by_metric, by_people) = (competition_ranks(&scores), competition_ranks(&ratings));
    let disagreement = |point: usize| MetricDisagreement {
        point,
        by_metric: by_metric[point],
        by_people: by_people[point],
    };
    order.into_iter().map(disagreement).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_largest_difference_of_ranks_comes_first() {
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

        let largest = disagreements(&points);
        assert_eq!(largest[0].point, 3);
        assert_eq!((largest[0].by_metric, largest[0].by_people), (1, 4));
        assert_eq!(largest.len(), 4);
        assert!(disagreements(&[]).is_empty());
    }
}
