use std::sync::Arc;

use domain::ids::StudyId;
use leptos::prelude::*;
use service::{
    FigureError,
    figures::RatingScope,
    live::{FigureKey, StudySnapshot},
};

use crate::{
    error::Refusal,
    request::{log_defect, refuse},
    services,
};

/// A figure, or the notice in its place where it cannot be computed.
pub type ShownFigure<T> = Result<T, AnyView>;

/// The figure as a page shows it: one that cannot be computed leaves the others on the page.
///
/// # Errors
/// When the database failed.
pub fn figure_or_notice<T>(figure: Result<T, FigureError>) -> Result<ShownFigure<T>, Refusal> {
    let error = match figure {
        Ok(figure) => return Ok(Ok(figure)),
        Err(FigureError::Database(error)) => return Err(refuse(error)),
        Err(error @ FigureError::Panicked(_)) => error,
    };
    let reference = log_defect(&error, services().context);
    let notice = view! {
        <p class="caution" role="alert">
            "This figure cannot be computed, which is a defect of the program. Your data is safe, and other figures are \
             not affected. Report it with the reference " <code>{reference}</code> "."
        </p>
    };
    Ok(Err(notice.into_any()))
}

/// The figure of this key from the study's current state, computed once until its ratings change; with the number of
/// the newest event that it includes.
///
/// # Errors
/// When the database fails.
pub async fn load_figure<K: FigureKey>(
    study: StudyId,
    scope: RatingScope,
    key: K,
) -> Result<(i64, ShownFigure<Arc<K::Value>>), Refusal> {
    let services = services();
    let compute = move |snapshot: &StudySnapshot| (snapshot.event(), snapshot.get_or_compute(key));
    let read = services.live.read(&services.store, study, scope, compute);
    match figure_or_notice(read.await)? {
        Ok((event, figure)) => Ok((event, Ok(figure))),
        Err(notice) => {
            let event = services.store.newest_event(study).await.map_err(refuse)?;
            Ok((event.unwrap_or(0), Err(notice)))
        }
    }
}
