//! What a lead sets for a reading-comprehension study, beside its passages.

use serde::{Deserialize, Serialize};

use super::ComprehensionDesign;
use crate::names::names;

/// What a passage is there for. Only [`PassagePurpose::Main`] enters any figure or export.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum PassagePurpose {
    /// It is read for the study.
    #[default]
    Main,
    /// It is read first, to get used to the task.
    Practice,
    /// An attention check: whoever reads it answers A.
    Check,
}

names!(PassagePurpose, "purpose of a passage", UnknownPassagePurpose,
    Main => "main", Practice => "practice", Check => "check");

/// A question that participants answer before they begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScreeningQuestion {
    /// What is asked, such as the first language.
    pub question: String,
    /// The answers to choose from; none for an answer in words.
    pub answers: Vec<String>,
}

/// What a lead sets for a reading-comprehension study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ComprehensionSettings {
    /// Who reads what.
    pub design: ComprehensionDesign,
    /// Whether the text goes when the questions come.
    pub hides_text: bool,
    /// Whether a participant may go back to a passage done.
    pub goes_back: bool,
    /// The information sheet that participants consent to, as Markdown; no link is made before there
    /// is one.
    pub information: String,
    /// What participants are told before they begin, as Markdown.
    pub instructions: String,
    /// What *unanswerable* means.
    pub unanswerable: String,
    /// What is asked before.
    pub screening: Vec<ScreeningQuestion>,
    /// What is shown at the end, for the platform that pays.
    pub completion_code: String,
    /// Where the participant goes at the end; empty for nowhere.
    pub return_link: String,
    /// How long somebody who does nothing keeps a place, in hours.
    pub lease_hours: u32,
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
        }
    }
}
