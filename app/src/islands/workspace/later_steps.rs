//! The steps after the first. Their code is a WebAssembly module of its own, which the browser fetches while the
//! annotator is at the first step, so that the page is ready sooner.

use domain::{
    protocol::{AnnotationStep, ProtocolStep},
    work::{draft::AnnotationDraft, task::AnnotationTask},
};
use futures_util::FutureExt as _;
use leptos::{
    prelude::*,
    wasm_split::{SplitLoaderError, wasm_split},
};

use super::{
    compare::Compare, highlight::Highlight, rank::RankAndRate, rate::Rate, state::WorkspaceState,
};
use crate::browser;

/// The pauses between attempts to fetch the code: the first, and the longest.
const PAUSES_MS: (u32, u32) = (500, 15_000);

/// Whether the page shows a later step when it opens, so that nothing works before the code is there.
pub(super) fn opens_with(task: &AnnotationTask) -> bool {
    AnnotationDraft::new(task.clone()).step() != AnnotationStep::Categorise
}

/// Fetches the code, again and again until it is there: the network may be away for a while.
pub(super) async fn load() {
    let (mut pause, longest) = PAUSES_MS;
    while fetch_code().await.is_err() {
        browser::sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// Draws a later step, or a line that says that its code is on the way.
pub(super) fn draw(work: WorkspaceState, step: ProtocolStep) -> AnyView {
    if let Some(Ok(view)) = draw_loaded(step).now_or_never() {
        return view;
    }
    work.later_steps.track();
    view! { <p role="status">"Loading this step… If it does not appear, reload the page."</p> }
        .into_any()
}

#[wasm_split(later_steps, wasm_split_path = ::leptos::wasm_split, preload(fetch_code), fallible)]
fn draw_loaded(step: ProtocolStep) -> Result<AnyView, SplitLoaderError> {
    Ok(match step {
        ProtocolStep::Categorise => ().into_any(),
        ProtocolStep::CheckEdits => view! { <Highlight/> }.into_any(),
        ProtocolStep::RankAndRate => view! { <RankAndRate/> }.into_any(),
        ProtocolStep::Rate(_) => view! { <Rate/> }.into_any(),
        ProtocolStep::Compare(step) => view! { <Compare step/> }.into_any(),
    })
}
