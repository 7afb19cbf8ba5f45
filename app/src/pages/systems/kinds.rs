//! The kinds of a study's systems, which leads can change.

use leptos::prelude::*;
use store::StudySystem;

use crate::{api::SetSystemKinds, enhanced::EnhancedForm, links, pages::import::kind_options};
use service::wording::count_noun;

/// A choice for each system, in one form.
#[component]
pub(super) fn Kinds(
    slug: String,
    /// The systems, in the order in which they were imported.
    systems: Vec<StudySystem>,
) -> impl IntoView {
    let action = links::action::<SetSystemKinds>();
    let line = |(at, system): (usize, StudySystem)| {
        let outputs = usize::try_from(system.outputs).unwrap_or_default();
        view! {
            <tr>
                <th scope="row">{system.name.clone()}</th>
                <td data-label="Outputs">{count_noun(outputs, "output")}</td>
                <td data-label="Written by">
                    <input
                        type="hidden"
                        name=format!("kinds[{at}][system]")
                        value=system.id.to_string()
                    />
                    <select
                        name=format!("kinds[{at}][kind]")
                        aria-label=format!("{} is", system.name)
                    >
                        {kind_options(system.kind)}
                    </select>
                </td>
            </tr>
        }
    };
    view! {
        <details class="terms" id="kinds">
            <summary>"Who wrote the outputs: change the kinds of systems"</summary>
            <EnhancedForm action=action label="Kinds of systems">
                <input type="hidden" name="slug" value=slug/>
                <table class="fold brings">
                    <thead>
                        <tr>
                            <th scope="col">"System"</th>
                            <th scope="col">"Outputs"</th>
                            <th scope="col">"Written by"</th>
                        </tr>
                    </thead>
                    <tbody>{systems.into_iter().enumerate().map(line).collect_view()}</tbody>
                </table>
                <div class="actions">
                    <button class="primary">"Save the kinds"</button>
                </div>
            </EnhancedForm>
        </details>
    }
}
