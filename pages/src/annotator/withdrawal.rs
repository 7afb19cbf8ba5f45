use leptos::prelude::*;

use app::{api::Withdraw, enhanced::EnhancedForm, links};

/// The form for withdrawing from a study, with the consequences and a confirmation.
#[component]
pub fn WithdrawalForm(slug: String) -> impl IntoView {
    let action = links::action::<Withdraw>();

    view! {
        <details class="leave">
            <summary>"Withdraw from this study"</summary>
            <p>
                "You may stop at any time without giving a reason. Sources that are in progress are no longer \
                 yours, and what you submitted no longer counts. You cannot undo this. If you only want to \
                 stop for today, just close the page: everything is saved."
            </p>
            <EnhancedForm action=action label="Withdraw">
                <input type="hidden" name="slug" value=slug/>
                <p class="choice">
                    <input id="sure" type="checkbox" name="sure" value="yes" required/>
                    <label for="sure">"Yes, I want to withdraw"</label>
                </p>
                <div class="actions">
                    <button class="danger">"Withdraw"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}
