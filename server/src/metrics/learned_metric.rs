//! The learned metric among the others.

use std::collections::BTreeMap;

use learn::{
    encoder::EncoderError,
    metric::{HybridModel, HybridScorer, SourceGroup},
};

use super::{ScoringBatch, tuned_metric};
use crate::{learned_metric, settings::EncoderSettings};

/// A kind of learned metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LearnedMetric {
    /// Without references.
    Free,
    /// With references.
    Ref,
}

impl LearnedMetric {
    pub(crate) const ALL: [Self; 2] = [Self::Free, Self::Ref];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Free => "learned-free",
            Self::Ref => "learned-ref",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    pub(super) const fn about(self) -> &'static str {
        match self {
            Self::Free => "what people would think of it: about a mean z-score",
            Self::Ref => "what people would think of it beside references: about a mean z-score",
        }
    }

    /// The model that stands for it: the last of the settings that is of this kind, else the shipped one.
    pub(super) fn model(self, settings: &EncoderSettings) -> anyhow::Result<HybridModel> {
        let named = settings.learned_metrics().iter().rev();
        let named = named.filter(|path| tuned_metric::detect_kind(path).is_none());
        for model in named.map(|path| learned_metric::load_model(path)) {
            let model = model?;
            if model.name() == self.name() {
                return Ok(model);
            }
        }
        match self {
            Self::Free => Ok(learn::metric::load_shipped_model()),
            Self::Ref => anyhow::bail!(
                "no metric with references is shipped: train one with `rankrate train FILE --references \
                 DIR --out METRIC`, and name it with --learned-metric METRIC"
            ),
        }
    }
}

/// The scores of a sheet's outputs, in their order; `tell` hears of how many more are done. Outputs of
/// sources without the references that are needed have none.
pub(super) fn score_batch(
    metric: &HybridScorer,
    sheet: &ScoringBatch,
    tell: impl Fn(u64),
) -> Result<Vec<Option<f64>>, EncoderError> {
    let needs_references = metric.model().needs_references();
    let mut of_source = BTreeMap::<usize, (SourceGroup<'_>, Vec<usize>)>::new();
    let each = sheet.outputs().iter().zip(sheet.iter());
    for (at, ((number, _), (side, text))) in each.enumerate() {
        if needs_references && side.references().is_empty() {
            continue;
        }
        let new = || {
            let group = SourceGroup {
                source: side.source(),
                references: side.references(),
                outputs: Vec::new(),
            };
            (group, Vec::new())
        };
        let (group, places) = of_source.entry(*number).or_insert_with(new);
        group.outputs.push(text);
        places.push(at);
    }
    let (groups, places): (Vec<SourceGroup<'_>>, Vec<Vec<usize>>) = of_source.into_values().unzip();
    let mut told = 0;
    let found = metric.scores(&groups, |done| {
        let more = groups[told..done].iter().map(|it| it.outputs.len() as u64);
        tell(more.sum());
        told = done;
        true
    })?;
    let mut values = vec![None; sheet.outputs().len()];
    let places = places.into_iter().flatten();
    for (place, score) in places.zip(found.into_iter().flatten()) {
        values[place] = Some(score);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{MetricResources, score_batch},
        *,
    };
    use crate::learned_metric::testing;

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
        let mut sheet = ScoringBatch::default();
        // Outputs of a source need not stand together.
        for at in 0..8 {
            for source in &sources {
                sheet.add(&source.text, &source.outputs[at].text, || &[]);
            }
        }
        let means = MetricResources::new(&named);
        let found = score_batch(
            &sheet,
            &[super::super::MetricKind::Learned(LearnedMetric::Free)],
            &means,
        );
        let scores = found.expect("scored").remove(0);
        assert_eq!(scores.signature, Some(model.signature()));
        assert_eq!(scores.trained_on, model.trained_on());
        let metric = HybridScorer::new(
            model,
            learned_metric::load_resources(&settings, false).expect("words"),
        );
        let groups: Vec<SourceGroup<'_>> = sources
            .iter()
            .map(learn::metric::TrainingSource::as_group)
            .collect();
        let expected = metric
            .expect("fits")
            .scores(&groups, |_| true)
            .expect("scored");
        for (at, value) in scores.values.iter().enumerate() {
            assert_eq!(*value, Some(expected[at % 8][at / 8]));
        }
        let why = means.scorer(super::super::MetricKind::Learned(LearnedMetric::Ref));
        let why = why
            .expect_err("the one named is of the other kind")
            .to_string();
        assert!(why.contains("rankrate train"), "{why}");
    }

    #[test]
    fn a_source_has_one_fingerprint_in_models_and_on_pages() {
        let text = "Ships  sank.";
        let of = service::figures::metrics::text_hash(text);
        assert_eq!(learn::metric::fingerprint(text), of);
    }
}
