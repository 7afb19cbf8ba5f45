//! The agreement of a study's metrics with its comparisons of outputs.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
    sync::Arc,
};

use domain::{
    comparison::ComparisonAnswer,
    ids::{OutputId, SourceId, StudyId},
    metrics::meta::{
        ComparisonEvaluation, CorrelationEstimates, OutputComparisons, ResampledStrengths,
    },
    statistics::{bootstrap::ResamplingOptions, pairwise::ComparisonTable, tau_like::TauLike},
};
use store::{
    Store,
    comparisons::StudyComparisons,
    metrics::{OutputEntry, StudyMetric},
    rating_rows::RatingScope,
};

use super::{MissingMetric, StudyMetricScores, labels, text_hash};
use crate::{
    computation::{FigureError, compute},
    figures::comparisons::{ComparedSystems, VisibleComparisons, compared_systems},
    live::ScopedEventCache,
};

/// The agreement of metrics with the comparisons on one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMetrics {
    /// The dimension.
    pub dimension: String,
    /// The number of compared outputs; identical outputs of a source count once.
    pub outputs: usize,
    /// The number of sources with comparisons.
    pub sources: usize,
    /// The number of compared systems.
    pub systems: usize,
    /// The metrics with a score of at least one compared output.
    pub entries: Vec<ComparedMetricEntry>,
    /// The metrics without such a score.
    pub missing: Vec<MissingMetric>,
    /// The agreement of each rater with the majority of the others, if they decided the same pairs.
    pub held_out_raters: Vec<TauLike>,
}

/// The evaluation of one metric against comparisons.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedMetricEntry {
    /// A name that is unique among the study's metrics and says whether scores are reversed.
    pub label: String,
    /// The number of sources with comparisons that are left out because the metric learned from them.
    pub learned_from: usize,
    /// The agreement on pairs of outputs.
    pub pairs: ComparisonEvaluation,
    /// The correlations of mean scores and log strengths over systems.
    pub systems: CorrelationEstimates,
}

/// The rater, the name of the source, and the rater's answer about outputs.
type ComparedOutputs = (String, String, ComparisonAnswer<OutputId>);

impl ComparedMetrics {
    /// Evaluates all metrics of the study against its comparisons, one dimension after the other.
    #[must_use]
    pub fn compute(
        of: &StudyComparisons,
        scores: &StudyMetricScores,
        resampling: ResamplingOptions,
    ) -> Vec<Self> {
        let outputs = VisibleComparisons::new(of).by_dimension();
        let mut systems = compared_systems(of);

        let dimensions = outputs.into_iter().map(|(dimension, outputs)| {
            let systems = systems.remove(&dimension).unwrap_or_default();
            let systems = systems.given.into_iter().chain(systems.shared).collect();
            DimensionAnswers {
                outputs,
                systems,
                scores,
                resampling,
            }
            .evaluate(dimension)
        });

        dimensions.collect()
    }
}

/// The answers on a dimension, about outputs and about systems.
struct DimensionAnswers<'a> {
    outputs: Vec<ComparedOutputs>,
    systems: Vec<ComparedSystems>,
    scores: &'a StudyMetricScores,
    resampling: ResamplingOptions,
}

/// The answers against which metrics are evaluated, on sources that they did not learn from.
struct JudgedComparisons {
    outputs: OutputComparisons<OutputId>,
    sources: Vec<String>,
    systems: Vec<String>,
    strengths: ResampledStrengths,
}

impl DimensionAnswers<'_> {
    fn evaluate(&self, dimension: String) -> ComparedMetrics {
        let all = self.without(&HashSet::new());

        let entries: HashMap<OutputId, &OutputEntry> = self
            .scores
            .outputs
            .iter()
            .map(|entry| (entry.output, entry))
            .collect();
        let by_place: HashMap<(&str, &str), OutputId> = self
            .scores
            .outputs
            .iter()
            .map(|entry| ((&*entry.source_key, &*entry.system_name), entry.output))
            .collect();

        let sources: BTreeMap<SourceId, (&str, &str)> = all
            .outputs
            .outputs()
            .iter()
            .filter_map(|output| entries.get(output))
            .map(|entry| (entry.source, (&*entry.source_key, &*entry.source_text)))
            .collect();

        let is_scored = |metric: &StudyMetric| {
            let mut compared = all.outputs.outputs().iter();
            compared.any(|output| self.scores.score(metric.id, *output).is_some())
        };
        let labelled = self.scores.metrics.iter().zip(labels(&self.scores.metrics));
        let (scored, unscored): (Vec<_>, Vec<_>) =
            labelled.partition(|(metric, _)| is_scored(metric));

        let evaluate = |(metric, label): (&StudyMetric, String)| {
            let hashes: HashSet<&str> = metric.trained_on.iter().map(String::as_str).collect();
            let learned: HashSet<&str> = sources
                .values()
                .filter(|(_, text)| !hashes.is_empty() && hashes.contains(&text_hash(text)[..]))
                .map(|(key, _)| *key)
                .collect();
            let rest = (!learned.is_empty()).then(|| self.without(&learned));
            let judged = rest.as_ref().unwrap_or(&all);

            let oriented = |output: Option<&OutputId>| {
                let score = output.and_then(|output| self.scores.score(metric.id, *output));
                metric.direction.orient(score.unwrap_or(f64::NAN))
            };
            let of_outputs: Vec<f64> = judged
                .outputs
                .outputs()
                .iter()
                .map(|output| oriented(Some(output)))
                .collect();

            let of_source = |source: &String| {
                let systems = judged.systems.iter();
                systems
                    .map(|system| oriented(by_place.get(&(&source[..], &system[..]))))
                    .collect::<Vec<_>>()
            };
            let of_systems: Vec<_> = judged.sources.iter().map(of_source).collect();

            ComparedMetricEntry {
                label,
                learned_from: learned.len(),
                pairs: judged.outputs.evaluate(&of_outputs, self.resampling),
                systems: judged.strengths.correlate(&of_systems),
            }
        };

        ComparedMetrics {
            outputs: all.outputs.outputs().len(),
            sources: all.sources.len(),
            systems: all.systems.len(),
            entries: scored.into_iter().map(evaluate).collect(),
            missing: unscored
                .into_iter()
                .map(|(metric, label)| MissingMetric {
                    metric: metric.clone(),
                    label,
                })
                .collect(),
            held_out_raters: all.outputs.evaluate_held_out_raters(),
            dimension,
        }
    }

    /// The answers on all sources but those in `left_out`.
    fn without(&self, left_out: &HashSet<&str>) -> JudgedComparisons {
        let is_kept = |source: &str| !left_out.contains(source);
        let outputs = self.outputs.iter().filter(|(_, source, _)| is_kept(source));
        let systems = self.systems.iter().filter(|(_, source, _)| is_kept(source));

        // The table numbers sources in the order of their names.
        let sources: BTreeSet<&String> = systems.clone().map(|(_, source, _)| source).collect();
        let table = ComparisonTable::new(systems.cloned())
            .expect("one answer of a rater about the same systems is left");

        JudgedComparisons {
            outputs: OutputComparisons::new(outputs.cloned()),
            sources: sources.into_iter().cloned().collect(),
            systems: table.systems().to_vec(),
            strengths: ResampledStrengths::new(&table, self.resampling),
        }
    }
}

/// The agreement of studies' metrics with their comparisons. Cloning is cheap: all clones share it.
#[derive(Clone, Default)]
pub struct ComparedMetricsCache(ScopedEventCache<CachedAgreement>);

/// The comparisons and metrics of a study, and the agreement between them.
struct CachedAgreement {
    of: StudyComparisons,
    /// Each has the event that announced its newest scores.
    metrics: Vec<StudyMetric>,
    figures: Arc<Vec<ComparedMetrics>>,
}

impl fmt::Debug for ComparedMetricsCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComparedMetricsCache")
            .finish_non_exhaustive()
    }
}

impl ComparedMetricsCache {
    /// The agreement of the study's metrics with its comparisons, one entry for each dimension that has any, as of its
    /// newest event. It is computed again only if comparisons or scores changed.
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn get(
        &self,
        store: &Store,
        study: StudyId,
        scope: RatingScope,
    ) -> Result<Arc<Vec<ComparedMetrics>>, FigureError> {
        let load = async |last: Option<(i64, Arc<CachedAgreement>)>| {
            let of = store.study_comparisons(study, scope).await?;
            let metrics = store.metrics(study).await?;

            if let Some((_, last)) = last
                && last.of == of
                && last.metrics == metrics
            {
                let figures = last.figures.clone();
                return Ok(CachedAgreement {
                    of,
                    metrics,
                    figures,
                });
            }

            let outputs = store.output_entries(study).await?;
            let scores = store.metric_scores(study).await?;
            let figures = move || {
                let scores = StudyMetricScores::new(metrics.clone(), outputs, &scores);
                let figures = ComparedMetrics::compute(&of, &scores, ResamplingOptions::default());
                CachedAgreement {
                    of,
                    metrics,
                    figures: Arc::new(figures),
                }
            };
            compute(figures).await
        };

        let cached = self.0.get(store, study, scope, load).await?;
        Ok(cached.figures.clone())
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        comparison::{ComparedPair, PairOutcome},
        ids::{MetricId, SystemId},
        metrics::ScoreDirection,
    };
    use store::{
        comparisons::{ComparedOutput, ComparisonRecord},
        metrics::{MetricOrigin, MetricScore},
    };
    use uuid::Uuid;

    use super::*;

    const SYSTEMS: [&str; 3] = ["BART", "T5", "copy"];

    fn output(source: u128, system: usize) -> OutputId {
        OutputId(Uuid::from_u128(source * 10 + system as u128))
    }

    /// Three systems on six sources: BART beats T5, and T5 beats the copy. The copy is hidden if requested.
    fn comparisons(copy_is_hidden: bool) -> StudyComparisons {
        let outputs = (1..=6).flat_map(|source| {
            (0..3).map(move |system| ComparedOutput {
                output: output(source, system),
                judged_as: output(source, system),
                system: SYSTEMS[system].to_owned(),
                is_hidden: copy_is_hidden && system == 2,
            })
        });

        let comparisons = (1..=6).flat_map(|source| {
            [(0, 1), (1, 2)].map(|(a, b)| {
                let pair = ComparedPair::new(output(source, a), output(source, b), PairOutcome::A);
                ComparisonRecord {
                    rater: "annotator 1".to_owned(),
                    source: format!("s{source}"),
                    dimension: "overall".to_owned(),
                    answer: ComparisonAnswer::Pair(pair.expect("two outputs")),
                    recorded_at: 0,
                }
            })
        });

        StudyComparisons {
            comparisons: comparisons.collect(),
            outputs: outputs.collect(),
        }
    }

    fn metric(number: u128, name: &str, direction: ScoreDirection) -> StudyMetric {
        StudyMetric {
            id: MetricId(Uuid::from_u128(number)),
            name: name.to_owned(),
            signature: name.to_owned(),
            direction,
            origin: MetricOrigin::Imported,
            uses_references: false,
            trained_on: vec![],
            model: None,
            created_at: 0,
            event: 1,
        }
    }

    /// The scores of a metric that prefers BART, of one whose lower scores are better, and of one that scored nothing.
    fn scores(learned_from: &[&str]) -> StudyMetricScores {
        let outputs = (1..=6).flat_map(|source| {
            (0..3).map(move |system| OutputEntry {
                output: output(source, system),
                source: SourceId(Uuid::from_u128(source)),
                source_key: format!("s{source}").into(),
                source_text: format!("text {source}").into(),
                system: SystemId(Uuid::from_u128(system as u128)),
                system_name: SYSTEMS[system].to_owned(),
                text: String::new(),
                is_reference: false,
            })
        });
        let outputs: Vec<_> = outputs.collect();

        let mut good = metric(1, "good", ScoreDirection::HigherIsBetter);
        good.trained_on = learned_from.iter().map(|text| text_hash(text)).collect();
        let errors = metric(2, "errors", ScoreDirection::LowerIsBetter);

        let values = outputs.iter().flat_map(|entry| {
            let place = entry.output.0.as_u128() % 10;
            [
                (good.id, 3.0 - place as f64),
                (errors.id, 3.0 - place as f64),
            ]
            .map(|(metric, value)| MetricScore {
                metric,
                output: entry.output,
                value,
            })
        });
        let values: Vec<_> = values.collect();

        let none = metric(3, "none", ScoreDirection::HigherIsBetter);
        StudyMetricScores::new(vec![good, errors, none], outputs, &values)
    }

    #[test]
    fn a_metric_agrees_or_not_with_the_better_outputs_and_the_stronger_systems() {
        let compute = |of: &StudyComparisons, scores: &StudyMetricScores| {
            let mut all = ComparedMetrics::compute(of, scores, ResamplingOptions::default());
            assert_eq!(all.len(), 1, "one dimension");
            all.remove(0)
        };

        let of = compute(&comparisons(false), &scores(&[]));
        assert_eq!((of.outputs, of.sources, of.systems), (18, 6, 3));

        let taus: Vec<_> = of
            .entries
            .iter()
            .map(|entry| (&entry.label[..], entry.pairs.tau.tau()))
            .collect();
        assert_eq!(taus, [("good", Ok(1.0)), ("errors (reversed)", Ok(-1.0))]);

        assert_eq!(of.missing.len(), 1);
        let rho = of.entries[0].systems.spearman.value;
        assert!(rho.is_ok_and(|rho| (rho - 1.0).abs() < 1e-9), "{rho:?}");
        // A single rater has nobody to be compared with.
        assert_eq!(of.held_out_raters, [TauLike::default()]);

        let hidden = compute(&comparisons(true), &scores(&[]));
        assert_eq!((hidden.outputs, hidden.systems), (12, 2));
        assert!(
            hidden.entries[0].systems.pearson.value.is_err(),
            "of two systems"
        );

        let learned = compute(&comparisons(false), &scores(&["text 1", "text 2"]));
        let of_good = &learned.entries[0];
        assert_eq!((of_good.learned_from, of_good.pairs.outputs), (2, 12));
        assert_eq!(learned.entries[1].learned_from, 0);
    }
}
