//! The steps after the first, and other parts that aren't needed when the page opens. Their code is a
//! separate WebAssembly module, which the browser fetches while the annotator is at the first step, so that
//! the page is ready sooner.

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
    answer::Answer,
    compare::Compare,
    conflicts::Conflicts,
    finish::{HandIn, Skip},
    foot::LeftToJudge,
    highlight::Highlight,
    mark_spans::MarkSpans,
    rank::RankAndRate,
    rate::Rate,
    source::MarkedSource,
    state::WorkspaceState,
    teaching::TrainingSummary,
    write::Write,
};
use crate::browser;

/// The pauses between attempts to fetch the code, in milliseconds: the first, and the longest.
const PAUSES_MS: (u32, u32) = (500, 15_000);

/// Whether the page opens with a later step, so that nothing works before the code is there.
pub(super) fn opens_with(task: &AnnotationTask) -> bool {
    AnnotationDraft::new(task.clone()).step() != AnnotationStep::Categorise
}

/// Fetches the code, retrying until it is there: the network may be away for a while.
pub(super) async fn load() {
    let (mut pause, longest) = PAUSES_MS;
    while fetch_code().await.is_err() {
        browser::sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// A part of the page whose code isn't needed when the page opens at the first step.
pub(super) enum LaterPart {
    Step(ProtocolStep),
    /// The words of the source, with marks and for selection.
    Source,
    /// The answers that are in conflict, or were refused.
    Conflicts,
    /// The dialog that skips the source.
    Skip(RwSignal<bool>),
    /// The outputs or comparisons that are left to judge.
    Remaining,
    /// The button that submits.
    HandIn,
    /// The summary of a submitted training.
    Summary,
}

/// Draws a later step, or a line that says that its code is loading.
pub(super) fn draw_step(work: WorkspaceState, step: ProtocolStep) -> AnyView {
    draw(work, LaterPart::Step(step)).unwrap_or_else(|| {
        view! { <p role="status">"Loading this step… If it does not appear, reload the page."</p> }
            .into_any()
    })
}

/// Draws a part; `None` while its code is loading, after which it is drawn again.
pub(super) fn draw(work: WorkspaceState, part: LaterPart) -> Option<AnyView> {
    let view = draw_loaded(part).now_or_never().and_then(Result::ok);
    if view.is_none() {
        work.later_steps.track();
    }
    view
}

#[wasm_split(later_steps, wasm_split_path = ::leptos::wasm_split, preload(fetch_code), fallible)]
fn draw_loaded(part: LaterPart) -> Result<AnyView, SplitLoaderError> {
    Ok(match part {
        LaterPart::Step(ProtocolStep::Categorise) => ().into_any(),
        LaterPart::Step(ProtocolStep::CheckEdits) => view! { <Highlight/> }.into_any(),
        LaterPart::Step(ProtocolStep::MarkSpans(step)) => view! { <MarkSpans step/> }.into_any(),
        LaterPart::Step(ProtocolStep::RankAndRate) => view! { <RankAndRate/> }.into_any(),
        LaterPart::Step(ProtocolStep::Rate(_)) => view! { <Rate/> }.into_any(),
        LaterPart::Step(ProtocolStep::Compare(step)) => view! { <Compare step/> }.into_any(),
        LaterPart::Step(ProtocolStep::Answer(step)) => view! { <Answer step/> }.into_any(),
        LaterPart::Step(ProtocolStep::Write(step)) => view! { <Write step/> }.into_any(),
        LaterPart::Source => view! { <MarkedSource/> }.into_any(),
        LaterPart::Conflicts => view! { <Conflicts/> }.into_any(),
        LaterPart::Skip(open) => view! { <Skip open/> }.into_any(),
        LaterPart::Remaining => view! { <LeftToJudge/> }.into_any(),
        LaterPart::HandIn => view! { <HandIn/> }.into_any(),
        LaterPart::Summary => view! { <TrainingSummary/> }.into_any(),
    })
}
