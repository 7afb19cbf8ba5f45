use domain::statistics::tau_like::TieThreshold;
use leptos::prelude::*;

/// The tie threshold: the largest difference of two ratings by one rater that is still a tie.
#[component]
pub fn ThresholdField(
    /// The threshold exactly as the address states it; the default if it states none.
    asked: Option<String>,
) -> impl IntoView {
    let shown = asked.unwrap_or_else(|| TieThreshold::default().to_string());
    view! {
        <label class="field">
            <span>"Ratings tie up to (5% of the scale, or 5 points)"</span>
            <input name="threshold" value=shown size="6" maxlength="12"/>
        </label>
    }
}
