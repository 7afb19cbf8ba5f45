use domain::work::pace::WorkSession;
use leptos::{nonce::Nonce, prelude::*};

/// Suggests a break after long work. It can be dismissed until the next break; without scripts it stays.
#[component]
pub fn BreakHint(session: WorkSession) -> impl IntoView {
    let nonce = expect_context::<Nonce>();

    view! {
        <aside
            id="break-hint"
            class="note break-hint"
            aria-label="Time for a break"
            data-since=session.since_ms.to_string()
        >
            <p>
                "You have worked for about " {session.minutes()} " minutes. Time for a short break? \
                 Everything is saved."
            </p>
            <button type="button" hidden>"Dismiss"</button>
        </aside>
        <script nonce=nonce>{include_str!("break_hint.inline.js")}</script>
    }
}
