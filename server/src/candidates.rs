//! Scores of candidates, for picking the best one.

use std::path::Path;

use anyhow::{bail, ensure};
use domain::metrics::{ReferenceCount, ScoreDirection};
use learn::training::ModelFile;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    learned_metric,
    metrics::{MetricError, MetricKind, MetricResources, MetricScorer, ScoringBatch},
    settings::EncoderSettings,
};

/// Which texts a candidate is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ScoringRule {
    /// Each other candidate in turn, of which the mean is taken: minimum Bayes risk.
    MeanOverOthers,
    /// None: the metric needs no references.
    Alone,
    /// References that people wrote.
    References,
}

/// A metric that scores candidates.
pub(crate) struct CandidateScorer {
    pub(crate) scorer: MetricScorer,
    pub(crate) direction: ScoreDirection,
    pub(crate) rule: ScoringRule,
}

/// The named model, or else that of the settings.
pub(crate) fn choose_model<'a>(
    named: Option<&'a Path>,
    settings: &'a EncoderSettings,
) -> anyhow::Result<&'a Path> {
    match (named, settings.learned_metrics()) {
        (Some(model), _) => Ok(model),
        (None, [model]) => Ok(model),
        (None, []) => Ok(Path::new("shipped")),
        (None, several) => bail!(
            "--learned-metric names {} files: name the one to pick by with --model",
            several.len()
        ),
    }
}

impl CandidateScorer {
    /// A scorer with a learned metric: `shipped`, or its file.
    ///
    /// # Errors
    /// Those of [`Self::new`]; also if the metric cannot be opened.
    pub(crate) fn open(
        resources: &MetricResources,
        model: &Path,
        is_oracle: bool,
    ) -> anyhow::Result<Self> {
        let model = match learned_metric::is_shipped(model) {
            true => resources.open_shipped_model()?,
            false => ModelFile::open(model)?,
        };

        let direction = MetricKind::Learned(model.kind()).direction();
        let scorer = resources.open_model(model)?;
        Self::new(MetricScorer::Learned(scorer.into()), direction, is_oracle)
    }

    /// A scorer with a metric. An oracle's compares candidates with references that people wrote.
    ///
    /// # Errors
    /// If an oracle's metric needs no references.
    pub(crate) fn new(
        scorer: MetricScorer,
        direction: ScoreDirection,
        is_oracle: bool,
    ) -> anyhow::Result<Self> {
        let rule = match (is_oracle, scorer.kind().needs_references()) {
            (true, true) => ScoringRule::References,
            (true, false) => bail!(
                "{} needs no references, so --oracle changes nothing: name a metric that does with --metrics or \
                 --model",
                scorer.kind().name()
            ),
            (false, true) => ScoringRule::MeanOverOthers,
            (false, false) => ScoringRule::Alone,
        };

        Ok(Self {
            scorer,
            direction,
            rule,
        })
    }

    /// The score of each candidate, in the metric's own direction; `None` if it gives none.
    ///
    /// # Errors
    /// If the encoder fails, or references are needed and missing.
    pub(crate) fn score(
        &self,
        source: &str,
        candidates: &[String],
        references: &[String],
    ) -> anyhow::Result<Vec<Option<f64>>> {
        if self.rule == ScoringRule::References {
            ensure!(
                !references.is_empty(),
                "the source “{source}” has no references: give some under \"references\" of its line, or with \
                 --references"
            );
        }

        Ok(match self.rule {
            ScoringRule::MeanOverOthers => self.mean_utilities(source, candidates)?,
            ScoringRule::Alone => self.score_beside(source, candidates, &[])?,
            ScoringRule::References => self.score_beside(source, candidates, references)?,
        })
    }

    /// The place of the best candidate: the first among equals, and the first if none has a score.
    pub(crate) fn best(&self, scores: &[Option<f64>]) -> usize {
        let worth = |at: usize| {
            let score = scores[at].filter(|score| !score.is_nan());
            score.map_or(f64::NEG_INFINITY, |score| self.direction.orient(score))
        };
        let better = |best: usize, at: usize| if worth(at) > worth(best) { at } else { best };
        (0..scores.len()).fold(0, better)
    }

    /// The signature of the scores of a source that has this number of references.
    pub(crate) fn signature(&self, references: usize) -> String {
        let references = match self.rule {
            ScoringRule::MeanOverOthers => 1,
            ScoringRule::Alone => 0,
            ScoringRule::References => references,
        };
        self.scorer.signature(ReferenceCount::Each(references))
    }

    fn score_beside(
        &self,
        source: &str,
        candidates: &[String],
        references: &[String],
    ) -> Result<Vec<Option<f64>>, MetricError> {
        let mut batch = ScoringBatch::default();
        for candidate in candidates {
            batch.add(source, candidate, || references);
        }
        self.scorer.scores(&batch)
    }

    /// For each candidate, the mean over all others of its score with that other one as the only reference; `None` if
    /// none of these scores is defined.
    fn mean_utilities(
        &self,
        source: &str,
        candidates: &[String],
    ) -> Result<Vec<Option<f64>>, MetricError> {
        let mut batch = ScoringBatch::default();
        let mut scored = Vec::new();
        for (at, reference) in candidates.iter().enumerate() {
            let others = candidates.iter().enumerate();
            for (own, candidate) in others.filter(|(own, _)| *own != at) {
                let reference = std::slice::from_ref(reference);
                batch.add_with_key(&at.to_string(), source, candidate, || reference);
                scored.push(own);
            }
        }

        let mut sums = vec![(0.0, 0_u32); candidates.len()];
        for (own, score) in scored.into_iter().zip(self.scorer.scores(&batch)?) {
            if let Some(score) = score {
                sums[own].0 += score;
                sums[own].1 += 1;
            }
        }

        let mean = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count));
        Ok(sums.into_iter().map(mean).collect())
    }
}

#[cfg(test)]
mod tests {
    use domain::metrics::{PreparedSource, TextMetric};

    use super::*;

    fn scorer(metric: TextMetric, rule: ScoringRule) -> CandidateScorer {
        CandidateScorer {
            direction: metric.direction(),
            scorer: MetricScorer::Text(metric),
            rule,
        }
    }

    #[test]
    fn of_equally_good_candidates_the_first_is_chosen() {
        let higher = scorer(TextMetric::BLEU, ScoringRule::MeanOverOthers);
        let some = |scores: &[f64]| scores.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(higher.best(&some(&[0.1, 0.7, 0.7, 0.2])), 1);
        assert_eq!(higher.best(&some(&[-1.0])), 0);
        assert_eq!(higher.best(&[None, Some(f64::NAN), Some(-3.0)]), 2);
        assert_eq!(higher.best(&[None, None]), 0);

        let lower = scorer(TextMetric::Fkgl, ScoringRule::Alone);
        assert_eq!(lower.best(&some(&[4.0, 2.0, 9.0])), 1);
    }

    /// Equation 5 of Maddela et al. (2023), written out.
    #[test]
    fn utilities_are_means_over_all_other_candidates() {
        let source = "The old vessel foundered near the rocky coast last night.";
        let candidates = [
            "The old boat sank near the coast last night.",
            "The old boat sank near the rocky coast.",
            "The old boat sank near the coast last night.",
            "A dog ran.",
        ];
        let candidates = candidates.map(str::to_owned);

        for metric in [TextMetric::Sari, TextMetric::BLEU] {
            let scorer = scorer(metric, ScoringRule::MeanOverOthers);
            let scores = scorer.score(source, &candidates, &[]).expect("scored");
            for (own, score) in scores.iter().enumerate() {
                let others = (0..candidates.len()).filter(|at| *at != own);
                let utilities = others.map(|at| {
                    let side = PreparedSource::new(source, std::slice::from_ref(&candidates[at]));
                    metric.score(&side, &candidates[own]).expect("a score")
                });
                let mean = utilities.sum::<f64>() / 3.0;
                let score = score.expect("a score");
                assert!((score - mean).abs() < 1e-9, "{score} {mean}");
            }

            // A duplicated candidate is supported by its double.
            assert_eq!((scores[0], scorer.best(&scores)), (scores[2], 0));
        }
    }

    #[test]
    fn one_candidate_alone_has_no_utility_and_is_chosen() {
        let scorer = scorer(TextMetric::Sari, ScoringRule::MeanOverOthers);
        let scores = scorer.score("A source.", &["An output.".to_owned()], &[]);
        let scores = scores.expect("scored");
        assert_eq!((scores[0], scorer.best(&scores)), (None, 0));
    }

    #[test]
    fn an_oracle_needs_references() {
        let scorer = scorer(TextMetric::BLEU, ScoringRule::References);
        let candidates = ["The boat sank.", "It sank."].map(str::to_owned);
        let references = ["It sank.".to_owned()];
        let scores = scorer.score("The vessel foundered.", &candidates, &references);
        assert_eq!(scorer.best(&scores.expect("scored")), 1);

        let error = scorer.score("The vessel foundered.", &candidates, &[]);
        let error = error.expect_err("none").to_string();
        assert!(error.contains("“The vessel foundered.”"), "{error}");
    }
}
