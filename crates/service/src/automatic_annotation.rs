//! The automatic annotation of outputs: the results of steps 1 and 2 by algorithms.

use std::sync::{Mutex, PoisonError};

use domain::{
    category::Category,
    study::{CategoryRule, StudySettings},
    text::{
        align,
        categorise::{ThresholdRule, categorise_tokenised},
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
    AutomaticAnnotator::new(settings).annotate(source, output, file_category)
}

/// Annotates many outputs under a study's rule. It caches the last source, because the outputs of one source mostly
/// follow each other.
#[derive(Debug)]
pub struct AutomaticAnnotator {
    rule: ThresholdRule,
    last_source: Mutex<TokenisedText>,
}

impl AutomaticAnnotator {
    /// An annotator by the study's rule.
    #[must_use]
    pub fn new(settings: &StudySettings) -> Self {
        Self {
            rule: category_rule(settings),
            last_source: Mutex::new(TokenisedText::new("")),
        }
    }

    /// Annotates one output, like [`annotate_automatically`].
    #[must_use]
    pub fn annotate(
        &self,
        source: &str,
        output: &str,
        file_category: Option<Category>,
    ) -> AutomaticAnswers {
        // The cached text is intact even if another thread panicked.
        let mut last = self
            .last_source
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.text() != source {
            *last = TokenisedText::new(source);
        }

        let (source, output) = (&*last, TokenisedText::new(output));

        let (category, reason, category_version) = match file_category {
            Some(category) => (
                category,
                "as in the imported file".to_owned(),
                "file".to_owned(),
            ),
            None => {
                let result = categorise_tokenised(source, &output, self.rule);
                (
                    result.category,
                    result.reason.to_string(),
                    self.rule.version(),
                )
            }
        };

        let alignment = align::align(source, &output);
        AutomaticAnswers {
            category,
            reason,
            category_version,
            edits: edits::derive_edits(source, &output, &alignment),
            edits_version: format!("string v{} edits v{}", align::VERSION, edits::VERSION),
        }
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
