//! The evaluation of metrics, before it is printed.

use anyhow::{Context as _, bail};
use domain::{
    category::Category,
    metrics::meta::{HeldOutRater, MetaEvaluation, MetricComparison, evaluate_held_out_raters},
    statistics::{
        bootstrap::ResamplingOptions,
        tau_like::{Consensus, TieThreshold},
    },
    study::Dimension,
};
use formats::RatedOutput;
use service::{import::ReferenceSummary, wording::count_noun};

use super::{
    MetaEvalArgs, RuleName, degenerate,
    evaluation_subset::{EvaluationRatings, EvaluationSubset},
    human_ratings::HumanRatings,
    imported_scores,
    published::PublishedEvaluation,
    rated_outputs::{is_copy, meta_place, retain_scores, scoring_batch},
};
use crate::{
    cli::{
        import::directions,
        input_file::open_input,
        score::{choose_metrics, missing_reference_warnings},
    },
    metrics::{BatchScores, MetricResources, score_batch},
    progress::ProgressDisplay,
    settings::EncoderSettings,
};

/// A metric with its evaluation.
pub(super) struct MetricReport {
    pub(super) scores: BatchScores,
    pub(super) evaluation: MetaEvaluation<Category>,
    pub(super) against: Option<MetricComparison>,
    /// The number of sources left out because it was trained on them.
    pub(super) left_out: usize,
    pub(super) degenerate: Option<domain::metrics::degenerate::DegenerateReport>,
}

/// The evaluation of all metrics, as it is printed.
pub(super) struct MetaEvalReport {
    pub(super) metrics: Vec<MetricReport>,
    pub(super) against: Option<String>,
    pub(super) upper_limit: Option<Vec<HeldOutRater<String>>>,
    pub(super) outputs: usize,
    pub(super) sources: usize,
    pub(super) dimension: Dimension,
    pub(super) threshold: TieThreshold,
    pub(super) consensus: Consensus,
    /// The fit of a file of references to the sources.
    pub(super) references: Option<ReferenceSummary>,
    pub(super) warnings: Vec<String>,
    /// The evaluation that prepared the texts of computed metrics.
    pub(super) like: Option<PublishedEvaluation>,
}

impl MetaEvalArgs {
    pub(super) fn report(
        &self,
        ratings: HumanRatings,
        settings: &EncoderSettings,
        progress: ProgressDisplay<'_>,
    ) -> anyhow::Result<MetaEvalReport> {
        let mut warnings = ratings.warnings;
        let file_references = self
            .references
            .read(&self.reading.input.companion_options())?;
        let from_file = file_references.is_some();
        let mut references = file_references.or(ratings.references);

        let texts = ratings.outputs.values().map(|output| &*output.source_text);
        let texts: Vec<&str> = texts.collect();
        // The references of a study belong to its sources already.
        let fitted = match &mut references {
            Some(references) if from_file => Some(self.references.fit(references, &texts)),
            _ => None,
        };

        let (raw, imported_before) = match &references {
            Some(references) if self.without_reference_copies => {
                let is_copy_on = |line: &u64| is_copy(&ratings.outputs[line], references);
                let raw = ratings.raw.retain(|_, line| !is_copy_on(line));
                let lines = ratings.raw.units().iter();
                let kept: Vec<bool> = lines.map(|line| !is_copy_on(line)).collect();
                (raw, retain_scores(ratings.scores, &kept))
            }
            None if self.without_reference_copies => {
                bail!("there are no references to leave copies of out: name some with --references")
            }
            _ => (ratings.raw, ratings.scores),
        };

        let outputs: Vec<&RatedOutput> = raw
            .units()
            .iter()
            .map(|line| &ratings.outputs[line])
            .collect();
        if outputs.is_empty() {
            bail!("every rated output is one of its references: nothing is left");
        }

        let batch = scoring_batch(&outputs, references.as_ref(), self.like);
        let metrics = if self.metrics.is_empty() && !self.scores.is_empty() {
            Vec::new()
        } else {
            choose_metrics(&self.metrics, batch.has_references())?
        };
        let resources = MetricResources::new(settings);
        let mut computed = score_batch(&batch, &metrics, &resources, progress)?;

        // The signature of a computed metric also depends on how its texts were prepared.
        if let Some(evaluation) = self.like {
            for signature in computed
                .iter_mut()
                .filter_map(|scores| scores.signature.as_mut())
            {
                signature.push_str(&format!("|texts:{}", evaluation.name()));
            }
        }

        warnings.extend(missing_reference_warnings(
            &batch.coverage(),
            &metrics,
            fitted.as_ref(),
        ));
        let scores = self.add_imported(computed, imported_before, &outputs, &mut warnings)?;

        let consensus = match self.rule {
            RuleName::Majority => Consensus::Majority,
            RuleName::AllAgree => Consensus::All,
        };
        let rule = self
            .ties
            .preference_rule(consensus, ratings.dimension.scale);
        let evaluation =
            EvaluationRatings::new(&raw, &ratings.outputs, rule, self.include_training);

        let all_outputs = evaluation.subset_for(&[]);
        let against = self.against.as_ref();
        let against = against.map(|name| find_metric(&scores, name)).transpose()?;
        let upper_limit = self.upper_limit.then(|| {
            evaluate_held_out_raters(&raw, rule, |line| meta_place(&ratings.outputs[line]))
        });

        let mut degenerate_reports = Vec::new();
        if self.degenerate {
            for (metric, scored) in metrics.iter().zip(&scores) {
                let kept = evaluation.subset_for(&[scored]).kept;
                let references = references.as_ref();
                let report = degenerate::run(
                    &raw,
                    &outputs,
                    &kept,
                    references,
                    self.like,
                    *metric,
                    |batch| score_batch(batch, &[*metric], &resources, progress),
                );
                degenerate_reports.push(Some(report?));
            }
        }
        // Imported metrics cannot score other texts.
        degenerate_reports.resize_with(scores.len(), || None);

        let mut reports = Vec::with_capacity(scores.len());
        for (metric, degenerate) in scores.iter().zip(degenerate_reports) {
            let report = self.evaluate_metric(metric, against, &evaluation, &all_outputs);
            if report.left_out > 0 {
                warnings.push(format!(
                    "{} leaves out {} of {} that it was trained on; --include-training keeps them",
                    metric.name,
                    report.left_out,
                    count_noun(all_outputs.people.sources(), "source")
                ));
            }
            reports.push(MetricReport {
                degenerate,
                ..report
            });
        }

        Ok(MetaEvalReport {
            metrics: reports,
            against: self.against.clone(),
            upper_limit,
            outputs: all_outputs.people.outputs(),
            sources: all_outputs.people.sources(),
            dimension: ratings.dimension,
            threshold: self.ties,
            consensus,
            references: fitted,
            warnings,
            like: self.like,
        })
    }

    /// Adds imported scores to the computed ones: first those that came with the ratings, then those of `--scores`.
    fn add_imported(
        &self,
        computed: Vec<BatchScores>,
        imported_before: Vec<BatchScores>,
        outputs: &[&RatedOutput],
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Vec<BatchScores>> {
        let computed_count = computed.len();
        let mut scores = computed;
        for metric in imported_before {
            // Scores computed now are newer than imported ones.
            if !scores.iter().any(|existing| existing.name == metric.name) {
                scores.push(metric);
            }
        }

        let directions = directions(&self.lower_is_better, &self.higher_is_better);
        for path in &self.scores {
            let input = open_input(path, self.reading.input.companion_options())?;
            let file = imported_scores::read_scores(path, input)?;
            imported_scores::add_scores(path, file, outputs, &directions, &mut scores, warnings)?;
        }

        imported_scores::check_named(&directions, &scores[computed_count..])?;
        Ok(scores)
    }

    /// Evaluates a metric on the sources that it was not trained on, and compares it with another.
    fn evaluate_metric(
        &self,
        metric: &BatchScores,
        against: Option<&BatchScores>,
        evaluation: &EvaluationRatings<'_>,
        all_outputs: &EvaluationSubset,
    ) -> MetricReport {
        let own_subset = (!metric.trained_on.is_empty()).then(|| evaluation.subset_for(&[metric]));
        let subset = own_subset.as_ref().unwrap_or(all_outputs);

        let other = against.filter(|other| other.name != metric.name);
        let against = other.map(|other| {
            let both = evaluation.subset_for(&[metric, other]);
            let (a, b) = (both.oriented_scores(metric), both.oriented_scores(other));
            both.people.compare(&a, &b, self.resampling())
        });

        MetricReport {
            evaluation: subset
                .people
                .evaluate(&subset.oriented_scores(metric), self.resampling()),
            against,
            left_out: subset.left_out,
            scores: metric.clone(),
            degenerate: None,
        }
    }

    fn resampling(&self) -> ResamplingOptions {
        ResamplingOptions {
            replicates: self.bootstrap as usize,
            seed: self.seed,
            ..ResamplingOptions::default()
        }
    }
}

fn find_metric<'a>(scores: &'a [BatchScores], name: &str) -> anyhow::Result<&'a BatchScores> {
    let metric = scores.iter().find(|metric| metric.name == name);
    metric.with_context(|| {
        let names: Vec<&str> = scores.iter().map(|metric| metric.name.as_str()).collect();
        format!(
            "--against: “{name}” is not among the metrics; there are: {}",
            names.join(", ")
        )
    })
}
