//! The names and kinds of a study's systems, and those that figures leave out: a page for leads.

use leptos::prelude::*;
use store::StudySystem;

use crate::import::kind_options;
use app::{
    api::SetSystems,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links,
    request::{RequestAccess, refuse},
    services,
};
use service::{figures::RatingScope, live::StudySnapshot, wording::count_noun};

/// A form with all systems of the study, in the order in which they were imported.
#[component]
pub fn EditSystemsPage() -> impl IntoView {
    study_page(
        "Edit systems",
        StudyTab::Systems,
        RequestAccess::require_lead,
        content,
    )
}

async fn content(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let services = services();
    // Studies are in memory for their figures; the database would count all outputs.
    let systems = |snapshot: &StudySnapshot| snapshot.systems().to_vec();
    let systems = services
        .live
        .read(
            &services.store,
            access.study.id,
            RatingScope::HandedIn,
            systems,
        )
        .await
        .map_err(refuse)?;
    let slug = access.study.slug.to_string();

    Ok(view! {
        <h1>"Edit systems"</h1>
        <p class="soft">
            "Figures show people, machines and baselines separately, and leave hidden systems out. The ratings of a \
             hidden system still count for raters and agreement, and are exported. Imports recognise a system by its \
             name: after you rename one, a file with the old name adds a new system."
        </p>
        <SystemsForm slug systems/>
    })
}

#[component]
fn SystemsForm(slug: String, systems: Vec<StudySystem>) -> impl IntoView {
    if systems.is_empty() {
        return view! { <p>"The study has no systems yet: they come with an import."</p> }
            .into_any();
    }
    let action = links::action::<SetSystems>();

    view! {
        <EnhancedForm action=action label="Systems">
            <input type="hidden" name="slug" value=slug/>
            <table class="fold brings">
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"Outputs"</th>
                        <th scope="col">"Written by"</th>
                        <th scope="col">"Hidden"</th>
                    </tr>
                </thead>
                <tbody>{systems.into_iter().enumerate().map(system_row).collect_view()}</tbody>
            </table>
            <div class="actions">
                <button class="primary">"Save the systems"</button>
            </div>
        </EnhancedForm>
    }
    .into_any()
}

fn system_row((at, system): (usize, StudySystem)) -> impl IntoView {
    let field = |part: &str| format!("systems[{at}][{part}]");
    let outputs = usize::try_from(system.outputs).unwrap_or_default();
    let (name, kind) = (system.name, system.kind);

    view! {
        <tr>
            <th scope="row">
                <input type="hidden" name=field("system") value=system.id.to_string()/>
                <input type="hidden" name=field("was_name") value=name.clone()/>
                <input type="hidden" name=field("was_kind") value=kind.name()/>
                <input
                    type="hidden"
                    name=field("was_hidden")
                    value=if system.is_hidden { "yes" } else { "" }
                />
                <input
                    name=field("name")
                    value=name.clone()
                    aria-label=format!("Name of {name}")
                    required
                    maxlength="200"
                    autocomplete="off"
                />
            </th>
            <td data-label="Outputs">{count_noun(outputs, "output")}</td>
            <td data-label="Written by">
                <select name=field("kind") aria-label=format!("{name} is")>{kind_options(kind)}</select>
            </td>
            <td data-label="Hidden">
                <input
                    type="checkbox"
                    name=field("hidden")
                    value="yes"
                    checked=system.is_hidden
                    aria-label=format!("Hide {name}")
                />
            </td>
        </tr>
    }
}
