use domain::statistics::tau_like::TieThreshold;
use leptos::prelude::*;

/// How far apart two ratings of a rater may be and still be a tie, as a field of a form.
#[component]
pub fn ThresholdField(
    /// What stands in the address, to the letter; without, the usual one is shown.
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
