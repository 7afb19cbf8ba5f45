use std::sync::Arc;

use service::figures::questions::QuestionFigures;
use store::Study;

use super::{RatingsQuery, ShownFigure, figure_or_notice};
use crate::{error::Refusal, services};

/// Loads the figures of the study's questions, without those that have no answers yet.
///
/// # Errors
/// When the database fails.
pub async fn load_question_figures(
    study: &Study,
    query: &RatingsQuery,
) -> Result<ShownFigure<Arc<Vec<QuestionFigures>>>, Refusal> {
    let services = services();
    let figures = services
        .questions
        .get(&services.store, study, query.rating_scope())
        .await;
    figure_or_notice(figures)
}
