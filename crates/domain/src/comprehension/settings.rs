//! The settings of a reading-comprehension study, beside its passages.

use serde::{Deserialize, Serialize};

use super::ComprehensionDesign;
use crate::names::names;

/// The purpose of a passage. Only [`PassagePurpose::Main`] enters any figure or export.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum PassagePurpose {
    /// Read for the study.
    #[default]
    Main,
    /// Read first, to get used to the task.
    Practice,
    /// An attention check: an attentive reader answers A.
    Check,
}

names!(PassagePurpose, "purpose of a passage", UnknownPassagePurpose,
    Main => "main", Practice => "practice", Check => "check");

/// A question that participants answer before they begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreeningQuestion {
    /// The question, for example about the first language.
    pub question: String,
    /// The answers to choose from; empty for a free-text answer.
    pub answers: Vec<String>,
}

/// The settings of a reading-comprehension study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComprehensionSettings {
    /// The assignment of texts to participants.
    pub design: ComprehensionDesign,
    /// Whether the text is hidden while the questions are shown.
    pub hides_text: bool,
    /// Whether a participant may return to a finished passage.
    pub goes_back: bool,
    /// The information sheet that participants consent to, as Markdown; links can only be made once
    /// there is one.
    pub information: String,
    /// The instructions shown before participants begin, as Markdown.
    pub instructions: String,
    /// The text of the answer *unanswerable*.
    pub unanswerable: String,
    /// The questions asked before the study begins.
    pub screening: Vec<ScreeningQuestion>,
    /// The code shown at the end, for the platform that pays participants.
    pub completion_code: String,
    /// The link offered at the end; empty for none.
    pub return_link: String,
    /// How long an inactive participant keeps a place, in hours.
    pub lease_hours: u32,
    /// Whether only those may begin whose link holds the platform's ID of them.
    pub needs_platform_id: bool,
}

impl Default for ComprehensionSettings {
    fn default() -> Self {
        Self {
            design: ComprehensionDesign::default(),
            hides_text: false,
            goes_back: true,
            information: String::new(),
            instructions: String::new(),
            unanswerable: "The text does not support the question or any of its answers.".into(),
            screening: vec![],
            completion_code: String::new(),
            return_link: String::new(),
            lease_hours: 3,
            needs_platform_id: false,
        }
    }
}
