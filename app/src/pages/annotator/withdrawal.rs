use leptos::prelude::*;

use crate::{api::Withdraw, islands::EnhancedForm, links};

/// The way out of a study: said what it means, and asked once more.
#[component]
pub fn Leave(
    /// The study's short name.
    slug: String,
) -> impl IntoView {
    let action = links::action::<Withdraw>();
    view! {
        <details class="leave">
            <summary>"Withdraw from this study"</summary>
            <p>
                "You may stop at any time, without a reason. What you have in work goes back, and \
                 what you handed in does not count any more. This cannot be undone; to stop for \
                 today, just close the page."
            </p>
            <EnhancedForm action=action label="Withdraw">
                <input type="hidden" name="slug" value=slug/>
                <p class="choice">
                    <input id="sure" type="checkbox" name="sure" value="yes" required/>
                    <label for="sure">"I am sure that I want to withdraw"</label>
                </p>
                <div class="actions">
                    <button class="danger">"Withdraw"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}
