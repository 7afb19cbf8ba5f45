//! Servers as processes of their own, and requests to them.

pub(crate) mod http;
pub(crate) mod process;

use domain::category::Category;
use store::import::AutomaticAnswers;

/// The automatic answers of outputs that a test imports before its servers start.
pub(crate) fn automatic_answers() -> AutomaticAnswers {
    AutomaticAnswers {
        category: Category::Paraphrase,
        reason: "for the test".to_owned(),
        category_version: "test 1".to_owned(),
        edits: vec![],
        edits_version: "test 1".to_owned(),
    }
}
