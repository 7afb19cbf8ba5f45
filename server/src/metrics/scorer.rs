use std::{collections::HashMap, sync::Arc};

use domain::metrics::{References, TextMetric, word_rank_ratio, word_rank_signature};
use learn::{
    encoder::{Encoder, EncoderError},
    meaning::{Meaning, meanings},
    metric::{self, Frequencies},
    tuning,
};

use super::{MeaningMetric, MetricError, Sheet, learned, tuned};

/// A metric with all that it needs. Clones share that.
#[derive(Debug, Clone)]
pub(crate) enum Scorer {
    /// Of texts alone.
    Text(TextMetric),
    /// Of an encoder's vectors.
    Meaning(MeaningMetric, Encoder),
    /// Of how rare words are.
    WordRank(Frequencies),
    /// Learned from ratings.
    Learned(Arc<metric::Metric>),
    /// With an encoder that learned from ratings.
    Tuned(Arc<tuning::Scorer>),
}

/// What texts mean, by text.
pub(super) type Meanings<'a> = HashMap<&'a str, Meaning>;

impl Scorer {
    /// The scores of a sheet's outputs, in their order; `None` where there is none. It computes for a
    /// while: call it from a blocking thread.
    ///
    /// # Errors
    /// When the encoder fails.
    pub(crate) fn scores(&self, sheet: &Sheet) -> Result<Vec<Option<f64>>, MetricError> {
        let known = match self.encoder() {
            Some(encoder) => read(sheet, encoder, |_| ())?,
            None => Meanings::new(),
        };
        self.scores_by(sheet, &known, |_| ())
    }

    /// The same, given what texts mean where the metric needs that; `tell` hears of how many more outputs
    /// are done.
    pub(super) fn scores_by(
        &self,
        sheet: &Sheet,
        known: &Meanings<'_>,
        tell: impl Fn(u64),
    ) -> Result<Vec<Option<f64>>, MetricError> {
        let each = sheet.each();
        Ok(match self {
            Self::Text(metric) => each
                .inspect(|_| tell(1))
                .map(|(side, output)| metric.score(side, output))
                .collect(),
            Self::Meaning(metric, _) => each
                .inspect(|_| tell(1))
                .map(|(side, output)| metric.score(known, side, output))
                .collect(),
            Self::WordRank(list) => each
                .inspect(|_| tell(1))
                .map(|(side, output)| {
                    word_rank_ratio(side.source(), output, |word| list.rank(word))
                })
                .collect(),
            Self::Learned(metric) => learned::scores(metric, sheet, tell)?,
            Self::Tuned(metric) => tuned::scores(metric, sheet, tell)?,
        })
    }

    /// The encoder, where it needs to know what texts mean.
    pub(super) const fn encoder(&self) -> Option<&Encoder> {
        match self {
            Self::Meaning(_, encoder) => Some(encoder),
            Self::Text(_) | Self::WordRank(_) | Self::Learned(_) | Self::Tuned(_) => None,
        }
    }

    /// Everything that scores by so many references depend on.
    pub(super) fn signature(&self, references: References) -> String {
        match self {
            Self::Text(metric) => metric.signature(references).to_string(),
            Self::Meaning(metric, encoder) => metric.signature(references, encoder).to_string(),
            Self::WordRank(list) => word_rank_signature(list.name()).to_string(),
            Self::Learned(metric) => metric.model().signature(),
            Self::Tuned(metric) => metric.card().signature(),
        }
    }

    /// The signature without the number of references, which each source has its own of.
    pub(crate) fn version(&self) -> String {
        let signature = self.signature(References::Each(0));
        signature.replace("|nrefs:0", "")
    }

    /// The fingerprints of the sources that it learned from.
    pub(super) fn trained_on(&self) -> Vec<String> {
        match self {
            Self::Learned(metric) => metric.model().trained_on(),
            Self::Tuned(metric) => metric.card().trained_on(),
            Self::Text(_) | Self::Meaning(..) | Self::WordRank(_) => Vec::new(),
        }
    }
}

/// What every text of a sheet means; `tell` hears of how many more are done.
pub(super) fn read<'a>(
    sheet: &'a Sheet,
    encoder: &Encoder,
    tell: impl Fn(usize),
) -> Result<Meanings<'a>, EncoderError> {
    let texts = sheet.texts();
    let known = meanings(encoder, &texts, tell)?;
    Ok(texts.into_iter().zip(known).collect())
}
