use domain::{
    score_input::{ScoreInput, SliderInput},
    study::Dimension,
};
use leptos::prelude::*;

use app::{api::SetDimensions, components::TextArea, enhanced::EnhancedForm, links};

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
    let (name, low, high, input) = match dimension {
        Some(Dimension { name, scale, input }) => {
            (name, scale.low.to_string(), scale.high.to_string(), input)
        }
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
            <Control at input/>
        </div>
    }
}

/// The fields for how annotators give a score.
#[component]
fn Control(at: usize, input: ScoreInput) -> impl IntoView {
    let (chosen, slider, levels) = match input {
        ScoreInput::Slider(slider) if slider.hides_number => ("hidden", slider, vec![]),
        ScoreInput::Slider(slider) => ("slider", slider, vec![]),
        ScoreInput::Levels(labels) => ("levels", SliderInput::default(), labels),
    };

    let named = move |part: &str| format!("dimensions[{at}][{part}]");
    let id = move |part: &str| format!("dimension-{at}-{part}");
    let choices = [
        ("slider", "a slider with its number"),
        ("hidden", "a slider without a number"),
        ("levels", "levels to choose from (a Likert scale)"),
    ];
    let shown = choices.iter().find(|(value, _)| *value == chosen);
    let option = move |(value, label): (&'static str, &'static str)| {
        view! { <option value=value selected=value == chosen>{label}</option> }
    };
    let end = move |part: &'static str,
                    label: &'static str,
                    placeholder: &'static str,
                    value: String| {
        view! {
            <div class="field if-slider">
                <label for=id(part)>{label}</label>
                <input id=id(part) name=named(part) value=value placeholder=placeholder maxlength="200" autocomplete="off"/>
            </div>
        }
    };

    view! {
        <details class="more">
            <summary>"Annotators use "{shown.map(|(_, label)| *label)}</summary>
            <div class="field">
                <label for=id("control")>"Annotators use"</label>
                <select id=id("control") name=named("control")>{choices.map(option).collect_view()}</select>
            </div>
            {end("low_label", "A slider's low end is called", "worst", slider.low)}
            {end("high_label", "A slider's high end is called", "best", slider.high)}
            <div class="field if-levels">
                <label for=id("levels")>"Levels are called"</label>
                <TextArea
                    id=id("levels")
                    name=named("levels")
                    value=levels.join("\n")
                    rows=5
                    described_by=id("levels-help")
                />
                <p class="help" id=id("levels-help")>"One in each line, the lowest first: as many as the scale has numbers, at most ten."</p>
            </div>
        </details>
    }
}
