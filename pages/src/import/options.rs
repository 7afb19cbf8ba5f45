use domain::study::SourcePurpose;
use leptos::prelude::*;

use app::components::Field;

/// The import options of rows.
#[component]
pub fn Options(texts: bool) -> impl IntoView {
    let option = |purpose: SourcePurpose| {
        let label = match purpose {
            SourcePurpose::Main => "to be judged",
            SourcePurpose::Tutorial => "tutorial: shown with the expected answers",
            SourcePurpose::Training => "training: judged, then explained",
            SourcePurpose::Qualification => "qualification: decides who may begin",
            SourcePurpose::Attention => "attention items: known answers, mixed among the sources",
        };
        view! { <option value=purpose.name()>{label}</option> }
    };

    let raters = (!texts).then(|| {
        view! {
            <Field id="rater-kind" label="The raters are">
                <select id="rater-kind" name="manner[raters]">
                    <option value="imported">"people"</option>
                    <option value="simulated">"simulated, and labelled as such"</option>
                </select>
            </Field>
        }
    });
    let outputs = texts.then(|| {
        let label = "NAME.simp.N are outputs to judge, not references";
        view! { <Checkbox id="as-outputs" name="way[as_outputs]" label/> }
    });

    view! {
        <section aria-labelledby="options">
            <h2 id="options">"Import options"</h2>
            <Field id="purpose" label="Purpose of the sources">
                <select id="purpose" name="manner[purpose]">
                    {SourcePurpose::ALL.iter().copied().map(option).collect_view()}
                </select>
            </Field>
            {raters}
            {outputs}
            <Checkbox
                id="strict"
                name="manner[strict]"
                label="Import nothing unless every row is valid"
                help="Otherwise the valid rows are imported, and the others are listed with the reason."
            />
        </section>
    }
}

/// A checkbox.
#[component]
fn Checkbox(
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
