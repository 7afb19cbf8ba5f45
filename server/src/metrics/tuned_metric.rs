//! The metrics whose encoder learned from ratings, among the others.

use std::path::Path;

use anyhow::Context as _;
use learn::tuning::{ScoringCase, TunedModelCard, TunedScorer, TuningError, TuningObjective};

use super::ScoringBatch;
use crate::settings::EncoderSettings;

/// How many outputs are scored between two words on the progress.
const BATCH_SIZE: usize = 64;

/// A kind of metric whose encoder learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TunedMetric {
    /// By references.
    Lens,
    /// By the source alone.
    Cross,
}

impl TunedMetric {
    pub(crate) const ALL: [Self; 2] = [Self::Lens, Self::Cross];

    /// Its name, and that of its trainer.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lens => "lens",
            Self::Cross => "cross-encoder",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// The last file of the settings that is of this kind, opened.
    pub(super) fn open(self, settings: &EncoderSettings) -> anyhow::Result<TunedScorer> {
        let mut named = settings.learned_metrics().iter().rev();
        let path = named.find(|path| detect_kind(path) == Some(self));
        let path = path.with_context(|| {
            let references = match self {
                Self::Lens => " --references DIR",
                Self::Cross => "",
            };
            format!(
                "none is shipped: train one with `rankrate train FILE --trainer {}{references} --out \
                 METRIC`, and name it with --learned-metric METRIC",
                self.name()
            )
        })?;
        // The encoder comes out of the file.
        Ok(TunedScorer::open(path, &settings.in_folder(path.clone()))?)
    }
}

/// Of which kind a file is; none where it is no metric whose encoder learned.
pub(super) fn detect_kind(path: &Path) -> Option<TunedMetric> {
    let card = TunedModelCard::read(path).ok()?;
    Some(match card.plan.objective {
        TuningObjective::Lens { .. } => TunedMetric::Lens,
        TuningObjective::Cross { .. } => TunedMetric::Cross,
    })
}

/// The scores of a sheet's outputs, in their order; `tell` hears of how many more are done. Outputs of
/// sources without the references that are needed have none.
pub(super) fn score_batch(
    scorer: &TunedScorer,
    sheet: &ScoringBatch,
    tell: impl Fn(u64),
) -> Result<Vec<Option<f64>>, TuningError> {
    let mut values = vec![None; sheet.outputs().len()];
    let cases = sheet.iter().map(|(side, output)| ScoringCase {
        source: side.source(),
        output,
        references: side.references(),
    });
    let scored = |(_, case): &(usize, ScoringCase<'_>)| {
        !(scorer.needs_references() && case.references.is_empty())
    };
    let cases: Vec<(usize, ScoringCase<'_>)> = cases.enumerate().filter(scored).collect();
    for part in cases.chunks(BATCH_SIZE) {
        let texts: Vec<ScoringCase<'_>> = part.iter().map(|(_, case)| *case).collect();
        for ((place, _), score) in part.iter().zip(scorer.predict_z(&texts)?) {
            values[*place] = Some(score);
        }
        tell(part.len() as u64);
    }
    Ok(values)
}
