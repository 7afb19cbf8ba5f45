use std::sync::Arc;

use service::figures::spans::SpanFigures;
use store::Study;

use super::{RatingsQuery, ShownFigure, figure_or_notice};
use crate::{error::Refusal, services};

/// Loads the figures of a study's marked spans; `None` if its protocol has no step that marks spans, or
/// nobody has marked any yet.
///
/// # Errors
/// When the database fails.
pub async fn load_span_figures(
    study: &Study,
    query: &RatingsQuery,
) -> Result<Option<ShownFigure<Arc<SpanFigures>>>, Refusal> {
    let services = services();
    let figures = services
        .spans
        .get(&services.store, study, query.rating_scope())
        .await;
    Ok(match figure_or_notice(figures)? {
        Ok(figures) => figures.filter(|of| of.outputs > 0).map(Ok),
        Err(notice) => Some(Err(notice)),
    })
}
