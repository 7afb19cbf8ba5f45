//! The automatic annotation of outputs: the results of steps 1 and 2 by algorithms.

use domain::{
    category::Category,
    study::{CategoryRule, StudySettings},
    text::{
        align,
        categorise::{self, ThresholdRule, categorise},
        edits,
        tokenised_text::TokenisedText,
    },
};
use store::import::AutomaticAnswers;

/// The category and the edits of `output`, a simplification of `source`, under the study's rule.
/// `file_category` is the category that the imported file gives; it takes precedence over the rule.
#[must_use]
pub fn annotate_automatically(
    settings: &StudySettings,
    source: &str,
    output: &str,
    file_category: Option<Category>,
) -> AutomaticAnswers {
    let rule = category_rule(settings);
    let (category, reason, category_version) = match file_category {
        Some(category) => (
            category,
            "as in the imported file".to_owned(),
            "file".to_owned(),
        ),
        None => {
            let result = categorise(source, output, rule);
            let version = format!(
                "{}-{} v{}",
                rule.name(),
                rule.threshold(),
                categorise::VERSION
            );
            (result.category, result.reason.to_string(), version)
        }
    };
    let (source, output) = (TokenisedText::new(source), TokenisedText::new(output));
    let alignment = align::align(&source, &output);
    AutomaticAnswers {
        category,
        reason,
        category_version,
        edits: edits::derive_edits(&source, &output, &alignment),
        edits_version: format!("string v{} edits v{}", align::VERSION, edits::VERSION),
    }
}

/// The study's category rule with its threshold.
fn category_rule(settings: &StudySettings) -> ThresholdRule {
    let threshold = settings.category_threshold;
    match settings.category_rule {
        CategoryRule::Tuned => ThresholdRule::Tuned { threshold },
        CategoryRule::Paper => ThresholdRule::Paper { threshold },
    }
}
