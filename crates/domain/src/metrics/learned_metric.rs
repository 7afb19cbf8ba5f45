//! The kinds of metric that learn from ratings, and the trainers that make them.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// A kind of metric that learns from ratings. The name is the same everywhere: on the command line, in
/// jobs, in the database, in exports and on pages.
///
/// A new kind is a variant here, with its name, its trainer and what it looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LearnedMetricKind {
    /// Trees over features of source and output.
    LearnedFree,
    /// Trees over the same features and those of references.
    LearnedRef,
    /// A fine-tuned encoder and a network that compare source, output and references (LENS).
    Lens,
    /// A fine-tuned encoder that reads source and output together.
    CrossEncoder,
}

names!(LearnedMetricKind, "learned metric", UnknownLearnedMetric,
    LearnedFree => "learned-free", LearnedRef => "learned-ref",
    Lens => "lens", CrossEncoder => "cross-encoder");

impl LearnedMetricKind {
    /// The kind of which a trained model is part of the program.
    pub const SHIPPED: Self = Self::LearnedFree;

    /// The trainer that makes it.
    #[must_use]
    pub const fn trainer(self) -> MetricTrainer {
        match self {
            Self::LearnedFree | Self::LearnedRef => MetricTrainer::Hybrid,
            Self::Lens => MetricTrainer::Lens,
            Self::CrossEncoder => MetricTrainer::CrossEncoder,
        }
    }

    /// Whether it learns from references and needs them to score.
    #[must_use]
    pub const fn needs_references(self) -> bool {
        match self {
            Self::LearnedFree | Self::CrossEncoder => false,
            Self::LearnedRef | Self::Lens => true,
        }
    }

    /// The kind that `trainer` makes with references or without; `None` where it makes none.
    #[must_use]
    pub fn from_trainer(trainer: MetricTrainer, with_references: bool) -> Option<Self> {
        let mut kinds = Self::ALL.iter().copied();
        kinds.find(|kind| kind.trainer() == trainer && kind.needs_references() == with_references)
    }

    /// How it works, as a half-sentence for pages.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::LearnedFree => "uses source and output only",
            Self::LearnedRef => "also compares with references",
            Self::Lens => "its encoder is trained; compares with references",
            Self::CrossEncoder => "its encoder is trained; uses source and output only",
        }
    }
}

/// A procedure that makes a metric from ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MetricTrainer {
    /// Gradient-boosted trees and a ranker over features of the texts.
    Hybrid,
    /// Fine-tunes an encoder with a regression network on it, as LENS does.
    Lens,
    /// Fine-tunes an encoder that reads source and output together.
    CrossEncoder,
}

names!(MetricTrainer, "trainer", UnknownTrainer,
    Hybrid => "hybrid", Lens => "lens", CrossEncoder => "cross-encoder");

impl MetricTrainer {
    /// Whether it trains the encoder's own layers. Such a model carries its encoder, and a training of it
    /// starts from the encoder; one that does not may continue from an earlier model of its kind.
    #[must_use]
    pub const fn tunes_encoder(self) -> bool {
        match self {
            Self::Hybrid => false,
            Self::Lens | Self::CrossEncoder => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_has_one_name_wherever_it_is_written() {
        for kind in LearnedMetricKind::ALL {
            assert_eq!(kind.name().parse(), Ok(*kind));
            assert_eq!(serde_json::json!(kind), kind.name());
        }
        for trainer in MetricTrainer::ALL {
            assert_eq!(trainer.name().parse(), Ok(*trainer));
            assert_eq!(serde_json::json!(trainer), trainer.name());
        }
    }

    #[test]
    fn trainer_and_references_determine_the_kind() {
        for kind in LearnedMetricKind::ALL.iter().copied() {
            let from_trainer =
                LearnedMetricKind::from_trainer(kind.trainer(), kind.needs_references());
            assert_eq!(from_trainer, Some(kind));
        }
        let without_references = LearnedMetricKind::from_trainer(MetricTrainer::Lens, false);
        assert_eq!(without_references, None);
    }
}
