//! Metrics learned from ratings.

use anyhow::bail;
use domain::metrics::{LearnedMetricKind, MetricTrainer};
use learn::training::ModelFile;

use crate::settings::EncoderSettings;

/// The meaning of a kind's scores, for the list of metrics that a study may choose.
pub(super) const fn describe(kind: LearnedMetricKind) -> &'static str {
    if kind.needs_references() {
        "what people would think of it beside references: about a mean z-score"
    } else {
        "what people would think of it: about a mean z-score"
    }
}

/// Opens the model of a kind: the last of this kind that the settings name, otherwise the one shipped for the
/// encoder.
pub(super) fn find_model(
    kind: LearnedMetricKind,
    settings: &EncoderSettings,
    open_shipped: impl FnOnce() -> anyhow::Result<ModelFile>,
) -> anyhow::Result<ModelFile> {
    for path in settings.learned_metrics().iter().rev() {
        let model = ModelFile::open(path)?;
        if model.kind() == kind {
            return Ok(model);
        }
    }

    if kind == LearnedMetricKind::SHIPPED {
        return open_shipped();
    }

    let trainer = match kind.trainer() {
        MetricTrainer::Hybrid => String::new(),
        trainer => format!(" --trainer {trainer}"),
    };
    let references = match kind.needs_references() {
        true => " --references DIR",
        false => "",
    };

    bail!(
        "none is shipped: train one with `rankrate train FILE{trainer}{references} -o METRIC`, and name \
         it with --learned-metric METRIC"
    )
}

#[cfg(test)]
mod tests {
    use learn::metric::{HybridScorer, SourceGroup, TrainingSource};

    use super::{
        super::{MetricKind, MetricResources, ScoringBatch, score_batch},
        *,
    };
    use crate::{
        learned_metric::{self, testing},
        progress::ProgressDisplay,
    };

    #[test]
    fn outputs_are_scored_by_the_metric_that_the_settings_name() {
        let Some(settings) = testing::settings_with_words(&[]) else {
            return;
        };
        let model = testing::train_model(&settings);
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), model.write()).expect("written");
        let path = file.path().display().to_string();
        let named = testing::settings_with_words(&["--learned-metric", &path]).expect("there");

        let sources = testing::sample_sources();
        let mut batch = ScoringBatch::default();
        // Outputs of a source need not be adjacent.
        for at in 0..8 {
            for source in &sources {
                batch.add(&source.text, &source.outputs[at].text, || &[]);
            }
        }

        let resources = MetricResources::new(&named);
        let result = score_batch(
            &batch,
            &[MetricKind::Learned(LearnedMetricKind::LearnedFree)],
            &resources,
            ProgressDisplay::Hidden,
        );
        let scores = result.expect("scored").remove(0);

        assert_eq!(scores.signature, Some(model.signature()));
        assert_eq!(scores.trained_on, model.trained_on());

        let metric = HybridScorer::new(
            model,
            learned_metric::load_resources(&settings, false).expect("words"),
        );
        let groups: Vec<SourceGroup<'_>> = sources.iter().map(TrainingSource::as_group).collect();
        let expected = metric
            .expect("fits")
            .scores(&groups, |_| true)
            .expect("scored");

        for (at, value) in scores.values.iter().enumerate() {
            assert_eq!(*value, Some(expected[at % 8][at / 8]));
        }

        let why = resources.scorer(MetricKind::Learned(LearnedMetricKind::LearnedRef));
        let why = why
            .expect_err("the one named is of the other kind")
            .to_string();
        assert!(why.contains("rankrate train"), "{why}");
    }

    #[test]
    fn a_source_has_one_fingerprint_in_models_and_on_pages() {
        let text = "Ships  sank.";
        let hash = service::figures::metrics::text_hash(text);
        assert_eq!(learn::metric::fingerprint(text), hash);
    }
}
