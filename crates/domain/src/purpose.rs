//! The purposes of sources and outputs.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// What a source is there for. Only [`SourcePurpose::Main`] enters any figure or export of ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourcePurpose {
    /// It is judged.
    Main,
    /// It is shown with the expected answers, before anything else.
    Tutorial,
    /// It is judged, then the expected answers and their explanation are shown.
    Training,
    /// It is judged, and the answers decide whether the annotator may begin.
    Qualification,
}

names!(SourcePurpose, "purpose of a source", UnknownSourcePurpose,
    Main => "main", Tutorial => "tutorial", Training => "training", Qualification => "qualification");

/// What an output is there for. Only [`OutputPurpose::Main`] enters any figure or export of ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputPurpose {
    /// It is judged.
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
