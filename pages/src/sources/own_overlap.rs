use domain::{ids::SourceId, study::StudySettings};
use leptos::prelude::*;

use app::{api::SetOwnOverlap, components::Field, enhanced::EnhancedForm, links};

/// The form for the number of annotators of one source, for the lead.
#[component]
pub fn OwnOverlapForm(
    slug: String,
    source: SourceId,
    /// The source's own number; `None` if the study's number applies.
    own_overlap: Option<u32>,
    /// The settings of the study.
    settings: StudySettings,
) -> impl IntoView {
    let action = links::action::<SetOwnOverlap>();
    let summary = match own_overlap {
        Some(number) => format!("Number of annotators: {number}, for this source alone"),
        None => format!(
            "Number of annotators: {}, as in the settings",
            settings.overlap
        ),
    };
    let groups = match settings.counted_groups().next() {
        Some(_) => " Groups with a number of their own judge it as well.",
        None => "",
    };

    let help = format!(
        "Leave it empty for as many as the settings say ({}).{groups} Annotators who have the source keep it, whatever \
         the number is.",
        settings.overlap
    );

    view! {
        <details class="take-out">
            <summary>{summary}</summary>
            <EnhancedForm action=action label="Number of annotators">
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="source" value=source.to_string()/>
                <Field id="own-overlap" label="Number of annotators" help=help>
                    <input
                        id="own-overlap"
                        name="overlap"
                        type="number"
                        min=StudySettings::OVERLAP.start().to_string()
                        max=StudySettings::OVERLAP.end().to_string()
                        class="short"
                        value=own_overlap.map(|number| number.to_string())
                        aria-describedby="own-overlap-help"
                    />
                </Field>
                <div class="actions">
                    <button>"Save"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}
