use domain::study::SourcePurpose;
use leptos::prelude::*;

use crate::components::Field;

/// How rows are taken.
#[component]
pub fn Options(
    /// Whether the files are texts.
    texts: bool,
) -> impl IntoView {
    let option = |purpose: SourcePurpose| {
        let label = match purpose {
            SourcePurpose::Main => "to be judged",
            SourcePurpose::Tutorial => "tutorial: shown with the expected answers",
            SourcePurpose::Training => "training: judged, then explained",
            SourcePurpose::Qualification => "qualification: decides who may begin",
        };
        view! { <option value=purpose.name()>{label}</option> }
    };
    let raters = (!texts).then(|| {
        view! {
            <Field id="rater-kind" label="The raters of its ratings are">
                <select id="rater-kind" name="manner[raters]">
                    <option value="imported">"people"</option>
                    <option value="simulated">"simulated, and labelled so"</option>
                </select>
            </Field>
        }
    });
    let outputs = texts.then(|| {
        let label = "NAME.simp.N are outputs to judge, and not references";
        view! { <Switch id="as-outputs" name="way[as_outputs]" label/> }
    });
    view! {
        <section aria-labelledby="options">
            <h2 id="options">"How it is taken"</h2>
            <Field id="purpose" label="The sources are there">
                <select id="purpose" name="manner[purpose]">
                    {SourcePurpose::ALL.iter().copied().map(option).collect_view()}
                </select>
            </Field>
            {raters}
            {outputs}
            <Switch
                id="strict"
                name="manner[strict]"
                label="Import nothing unless every row is good"
                help="Otherwise good rows are imported, and bad ones are listed with the reason."
            />
        </section>
    }
}

/// A box to tick.
#[component]
fn Switch(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    #[prop(optional)] help: Option<&'static str>,
) -> impl IntoView {
    view! {
        <div class="choice">
            <input type="checkbox" id=id name=name value="yes"/>
            <div>
                <label for=id>{label}</label>
                {help.map(|help| view! { <p class="help">{help}</p> })}
            </div>
        </div>
    }
}
