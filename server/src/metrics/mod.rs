//! Every metric that the program knows, by its name on the command line, and how outputs are scored by
//! it.
//!
//! A new kind of metric is a variant of [`Metric`]: a learned one needs its name in [`Metric::named`] and
//! [`Metric::names`], its signature, and a way to score a [`Sheet`].

mod meaning;
mod sheet;

use domain::metrics::{References, TextMetric};
use indicatif::{ProgressBar, ProgressStyle};
use learn::encoder::Encoder;

pub(crate) use self::{meaning::MeaningMetric, sheet::Sheet};
use crate::{
    aligner::{Missing, encoder},
    settings::EncoderSettings,
};

/// A metric of one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    /// Of texts alone.
    Text(TextMetric),
    /// Of the encoder's vectors.
    Meaning(MeaningMetric),
}

/// A metric's scores of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scores {
    /// The metric, or the column that they were imported from.
    pub(crate) name: String,
    /// What they were computed by; `None` of imported ones.
    pub(crate) signature: Option<String>,
    /// One an output, in their order; `None` where there is none.
    pub(crate) values: Vec<Option<f64>>,
}

/// Why outputs are not scored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MetricError {
    #[error("there is no metric “{name}”; there are: {}", Metric::names().join(", "))]
    Unknown { name: String },
    #[error("{name} needs references: name a folder or a file with --references")]
    NoReferences { name: &'static str },
    #[error("{name} needs the encoder")]
    Encoder {
        name: &'static str,
        #[source]
        source: Missing,
    },
    #[error("the texts were not encoded")]
    Encoding(#[from] learn::encoder::EncoderError),
}

impl Metric {
    /// The metric of that name.
    pub(crate) fn named(name: &str) -> Result<Self, MetricError> {
        let meaning = || MeaningMetric::named(name).map(Self::Meaning);
        let found = TextMetric::named(name).map(Self::Text).or_else(meaning);
        found.ok_or_else(|| MetricError::Unknown {
            name: name.to_owned(),
        })
    }

    /// The names of all.
    pub(crate) fn names() -> Vec<&'static str> {
        let texts = TextMetric::ALL.into_iter().map(TextMetric::name);
        let meanings = MeaningMetric::ALL.into_iter().map(MeaningMetric::name);
        texts.chain(meanings).collect()
    }

    /// What is computed where nobody says what: what is quick, and means something with those
    /// references.
    pub(crate) fn usual(references: bool) -> Vec<Self> {
        use TextMetric::{Bleu, Chrf, Compression, Fkgl, Levenshtein, Sari, SariLens};
        let usual = [Sari, SariLens, Bleu, Chrf, Fkgl, Levenshtein, Compression];
        let fits = |metric: &TextMetric| references || !metric.needs_references();
        usual.into_iter().filter(fits).map(Self::Text).collect()
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text(metric) => metric.name(),
            Self::Meaning(metric) => metric.name(),
        }
    }

    /// Whether it means nothing without references.
    pub(crate) fn needs_references(self) -> bool {
        match self {
            Self::Text(metric) => metric.needs_references(),
            Self::Meaning(metric) => metric.needs_references(),
        }
    }

    fn signature(self, references: References, encoder: Option<&Encoder>) -> String {
        match self {
            Self::Text(metric) => metric.signature(references).to_string(),
            Self::Meaning(metric) => metric.signature(references, encoder).to_string(),
        }
    }
}

/// Scores every output by each of the metrics, in their order, with a bar on standard error where
/// somebody sees it.
pub(crate) fn score(
    sheet: &Sheet,
    metrics: &[Metric],
    settings: &EncoderSettings,
) -> Result<Vec<Scores>, MetricError> {
    let needs = |metric: &&Metric| metric.needs_references();
    if let (Some(metric), false) = (metrics.iter().find(needs), sheet.has_references()) {
        return Err(MetricError::NoReferences {
            name: metric.name(),
        });
    }
    let meaning = metrics
        .iter()
        .find(|metric| matches!(metric, Metric::Meaning(_)));
    let meanings = meaning.map(|metric| {
        let name = metric.name();
        let encoder = encoder(settings).map_err(|source| MetricError::Encoder { name, source })?;
        let texts = sheet.texts();
        let bar = bar(texts.len(), "texts encoded");
        let meanings = learn::meaning::meanings(&encoder, &texts, |more| bar.inc(more as u64));
        bar.finish_and_clear();
        let meanings = texts.into_iter().zip(meanings?).collect();
        Ok::<_, MetricError>((encoder, meanings))
    });
    let meanings = meanings.transpose()?;
    let bar = bar(metrics.len() * sheet.outputs().len(), "scores");
    let found = metrics.iter().map(|metric| {
        let score = |(at, (side, text)): (usize, (&domain::metrics::SourceSide, &str))| {
            if at % 64 == 63 {
                bar.inc(64);
            }
            match (metric, &meanings) {
                (Metric::Text(metric), _) => metric.score(side, text),
                (Metric::Meaning(metric), Some((_, meanings))) => {
                    metric.score(meanings, side, text)
                }
                (Metric::Meaning(_), None) => None,
            }
        };
        let encoder = meanings.as_ref().map(|(encoder, _)| encoder);
        Scores {
            name: metric.name().to_owned(),
            signature: Some(metric.signature(sheet.references(), encoder)),
            values: sheet.each().enumerate().map(score).collect(),
        }
    });
    let found = found.collect();
    bar.finish_and_clear();
    Ok(found)
}

/// A progress bar, drawn on standard error where that is a terminal.
fn bar(steps: usize, of: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}, {eta} left");
    let bar = ProgressBar::new(steps as u64).with_message(of);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_names_its_metric() {
        for name in Metric::names() {
            assert_eq!(Metric::named(name).map(Metric::name).ok(), Some(name));
        }
        let error = Metric::named("lens").map_err(|error| error.to_string());
        assert!(
            error.is_err_and(|error| error.contains("sari, ") && error.contains("bertscore-f1"))
        );
    }
}
