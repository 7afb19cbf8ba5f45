use domain::ids::OutputId;
use leptos::prelude::*;

use crate::{api::Discuss, components::Moment, links};

/// The lead's question to raters about an output, and the form to ask one.
#[component]
pub(super) fn Discussion(
    slug: String,
    output: OutputId,
    /// The latest question.
    asked: Option<store::discussions::Discussion>,
    /// Whether the viewer may ask.
    leads: bool,
) -> impl IntoView {
    let question = asked.map(|discussion| {
        let still = match discussion.open {
            0 => " All have handed it in again.".to_owned(),
            1 => " One rater still has it open.".to_owned(),
            many => format!(" {many} raters still have it open."),
        };
        view! {
            <p class="asked-again">
                "Asked on " <Moment ms=discussion.asked_at/> ": " {discussion.note} <span class="soft">{still}</span>
            </p>
        }
    });
    let form = leads.then(|| {
        let action = links::action::<Discuss>();
        view! {
            <details class="ask">
                <summary>"Ask its raters to look again…"</summary>
                <form method="post" action=action>
                    <input type="hidden" name="slug" value=slug/>
                    <input type="hidden" name="output" value=output.to_string()/>
                    <label class="field">
                        <span>"What should they look at?"</span>
                        <input name="note" required maxlength="300"/>
                    </label>
                    <p class="soft">
                        "Everyone who handed in this source gets it back. Until they hand it in again, their answers \
                         to it do not count."
                    </p>
                    <button>"Return it to them"</button>
                </form>
            </details>
        }
    });
    view! {
        {question}
        {form}
    }
}
