use std::sync::Arc;

use service::figures::questions::QuestionFigures;
use store::Study;

use super::RatingsQuery;
use crate::{error::Refusal, request::refuse, services};

/// Loads the figures of the study's questions, without those that have no answers yet.
///
/// # Errors
/// When the database fails.
pub async fn load_question_figures(
    study: &Study,
    query: &RatingsQuery,
) -> Result<Arc<Vec<QuestionFigures>>, Refusal> {
    let services = services();
    let figures = services
        .questions
        .get(&services.store, study, query.rating_scope())
        .await;
    figures.map_err(refuse)
}
