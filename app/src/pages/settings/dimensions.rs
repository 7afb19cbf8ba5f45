use domain::study::Dimension;
use leptos::prelude::*;

use crate::{api::SetDimensions, enhanced::EnhancedForm, links};

/// The number of empty lines for new dimensions.
const SPARE: usize = 2;

/// The form for dimensions: the current ones and a few empty lines for more.
#[component]
pub fn Dimensions(
    slug: String,
    /// The current settings.
    dimensions: Vec<Dimension>,
) -> impl IntoView {
    let action = links::action::<SetDimensions>();
    let lines = dimensions
        .into_iter()
        .map(Some)
        .chain([const { None }; SPARE])
        .take(8);
    view! {
        <section>
            <p class="soft">
                "The dimensions that annotators rate, each on whole numbers from worst to best. The first one \
                 decides the ranking. Clear a name to remove a dimension: its ratings are kept, but annotators \
                 no longer rate it."
            </p>
            <EnhancedForm action=action label="Dimensions">
                <input type="hidden" name="slug" value=slug/>
                <div class="dimensions">
                    {lines.enumerate().map(|(at, dimension)| view! { <Line at dimension=dimension/> }).collect_view()}
                </div>
                <div class="actions">
                    <button class="primary">"Save the dimensions"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}

/// The fields of one dimension.
#[component]
fn Line(at: usize, dimension: Option<Dimension>) -> impl IntoView {
    let number = at + 1;
    let (name, low, high) = match dimension {
        Some(dimension) => (
            dimension.name,
            dimension.scale.low.to_string(),
            dimension.scale.high.to_string(),
        ),
        None => Default::default(),
    };
    let field = |part: &str, label: String, value: String, numeric: bool| {
        view! {
            <input
                name=format!("dimensions[{at}][{part}]")
                aria-label=label
                value=value
                placeholder=(!numeric).then_some("another dimension")
                type=if numeric { "number" } else { "text" }
                class=numeric.then_some("short")
                autocomplete="off"
            />
        }
    };
    view! {
        <div class="dimension" role="group" aria-label=format!("Dimension {number}")>
            {field("name", format!("Name of dimension {number}"), name, false)}
            <span class="soft">"from"</span>
            {field("low", format!("Worst of dimension {number}"), low, true)}
            <span class="soft">"to"</span>
            {field("high", format!("Best of dimension {number}"), high, true)}
        </div>
    }
}
