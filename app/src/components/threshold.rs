use domain::statistics::tau_like::TieThreshold;
use leptos::prelude::*;

/// The tie threshold: how far apart two ratings of a rater may be and still be a tie.
#[component]
pub fn ThresholdField(
    /// The threshold exactly as the address states it; the default where it does not.
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
