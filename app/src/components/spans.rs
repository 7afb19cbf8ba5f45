use std::sync::Arc;

use service::figures::spans::SpanFigures;
use store::Study;

use super::RatingsQuery;
use crate::{error::Refusal, request::refuse, services};

/// Loads the figures of a study's marked spans; `None` if its protocol has no step that marks spans, or
/// nobody has marked any yet.
///
/// # Errors
/// When the database fails.
pub async fn load_span_figures(
    study: &Study,
    query: &RatingsQuery,
) -> Result<Option<Arc<SpanFigures>>, Refusal> {
    let services = services();
    let figures = services
        .spans
        .get(&services.store, study, query.rating_scope())
        .await
        .map_err(refuse)?;
    Ok(figures.filter(|of| of.outputs > 0))
}
