//! The purposes of sources and outputs.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// The purpose of a source. Only [`SourcePurpose::Main`] enters any figure or export of ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourcePurpose {
    /// It is rated.
    Main,
    /// It is shown with the expected answers, before anything else.
    Tutorial,
    /// It is rated, then the expected answers and their explanation are shown.
    Training,
    /// It is rated, and the answers decide whether the annotator is admitted.
    Qualification,
    /// It looks like any other source to raters, and the answers show whether they pay attention.
    Attention,
}

impl SourcePurpose {
    /// The purpose that annotators are told: nothing that they get gives an attention item away.
    #[must_use]
    pub const fn as_shown(self) -> Self {
        match self {
            Self::Attention => Self::Main,
            Self::Main | Self::Tutorial | Self::Training | Self::Qualification => self,
        }
    }

    /// Whether it prepares annotators for the sources of the study, so that nobody skips it.
    #[must_use]
    pub const fn teaches(self) -> bool {
        matches!(self, Self::Tutorial | Self::Training)
    }
}

names!(SourcePurpose, "purpose of a source", UnknownSourcePurpose,
    Main => "main", Tutorial => "tutorial", Training => "training", Qualification => "qualification",
    Attention => "attention");

/// The purpose of an output. Only [`OutputPurpose::Main`] enters any figure or export of ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputPurpose {
    /// It is rated.
    Main,
    /// Quality control: the source itself, unchanged.
    Copy,
    /// Quality control: the words of an output in random order.
    Scrambled,
    /// Quality control: an output of this source once more.
    Repeated,
}

names!(OutputPurpose, "purpose of an output", UnknownOutputPurpose,
    Main => "main", Copy => "copy", Scrambled => "scrambled", Repeated => "repeated");
