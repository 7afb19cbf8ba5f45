//! What an output gets without anybody's doing: steps 1 and 2 as the algorithms give them.

use domain::{
    category::Category,
    study::{CategoryRule, Settings},
    text::{
        align,
        categorise::{self, Rule, categorise},
        edits,
        tokenised::Tokenised,
    },
};
use store::import::Automatic;

/// The kind of job that makes the automatic edits of a study anew with a better aligner.
pub const ALIGN: &str = "align";

/// The category and the edits of `output`, a simplification of `source`, under the study's rule.
/// `said` is the category that the file gives, which then stands for the rule's.
#[must_use]
pub fn automatic(
    settings: &Settings,
    source: &str,
    output: &str,
    said: Option<Category>,
) -> Automatic {
    let rule = rule(settings);
    let (category, reason, category_version) = match said {
        Some(category) => (
            category,
            "as in the imported file".to_owned(),
            "file".to_owned(),
        ),
        None => {
            let found = categorise(source, output, rule);
            let version = format!(
                "{}-{} v{}",
                rule.name(),
                rule.threshold(),
                categorise::VERSION
            );
            (found.category, found.reason.to_string(), version)
        }
    };
    let (source, output) = (Tokenised::new(source), Tokenised::new(output));
    let alignment = align::align(&source, &output);
    Automatic {
        category,
        reason,
        category_version,
        edits: edits::edits(&source, &output, &alignment),
        edits_version: format!("string v{} edits v{}", align::VERSION, edits::VERSION),
    }
}

/// The rule that the study has set, with its threshold.
fn rule(settings: &Settings) -> Rule {
    let threshold = settings.category_threshold;
    match settings.category_rule {
        CategoryRule::Tuned => Rule::Tuned { threshold },
        CategoryRule::Paper => Rule::Paper { threshold },
    }
}
