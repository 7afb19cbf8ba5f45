use leptos::prelude::*;
use store::audit::{AuditEntry, AuditKind, AuditedStudy};

use super::query::AuditQuery;
use app::{
    components::{FilterScript, Moment},
    links::StudyPage,
};

/// The form that filters entries.
#[component]
pub(super) fn AuditForm(
    query: AuditQuery,
    /// The kinds to choose from.
    kinds: Vec<AuditKind>,
) -> impl IntoView {
    let option = |kind: AuditKind| {
        let selected = query.kind == Some(kind);
        view! { <option value=kind.name() selected=selected>{kind.words()}</option> }
    };
    let options = kinds.into_iter().map(option).collect_view();

    view! {
        <form class="search" role="search">
            <input
                type="search"
                name="name"
                aria-label="Name of a person or thing"
                placeholder="a name"
                value=query.name.clone()
            />
            <select name="kind" aria-label="What">
                <option value="">"everything"</option>
                {options}
            </select>
            <button>"Show"</button>
        </form>
        <FilterScript/>
    }
}

/// A row for each entry. Administrators see addresses, and which study an entry concerns.
#[component]
pub(super) fn AuditTable(entries: Vec<AuditEntry>, for_admins: bool) -> impl IntoView {
    if entries.is_empty() {
        return view! { <p class="empty">"There is no such entry."</p> }.into_any();
    }

    let rows = entries.into_iter().map(|entry| row(entry, for_admins));
    let address = for_admins.then(|| view! { <th scope="col">"Address"</th> });

    view! {
        <div class="table-scroll" role="group" aria-label="Log of changes" tabindex="0">
            <table class="fold audit">
                <thead>
                    <tr>
                        <th scope="col">"Time"</th>
                        <th scope="col">"Who"</th>
                        <th scope="col">"What"</th>
                        <th scope="col">"About"</th>
                        {address}
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(entry: AuditEntry, for_admins: bool) -> impl IntoView {
    let actor = match entry.actor.as_str() {
        "" => view! { <span class="soft">"not signed in"</span> }.into_any(),
        actor => actor.to_owned().into_any(),
    };
    let address = for_admins.then(|| {
        let address = (!entry.address.is_empty()).then_some(entry.address);
        view! { <td data-label="Address">{address}</td> }
    });
    let study = entry.study.filter(|_| for_admins);

    view! {
        <tr>
            <th scope="row" data-label="Time"><Moment ms=entry.at/></th>
            <td data-label="Who">{actor}</td>
            <td data-label="What">{entry.kind.words()}</td>
            <td data-label="About" class="about">{about(entry.subject, study)}</td>
            {address}
        </tr>
    }
}

/// The person or thing that an entry concerns, and the study with a link to its log.
fn about(subject: String, study: Option<AuditedStudy>) -> Option<impl IntoView> {
    let link = |study: AuditedStudy| {
        let address = StudyPage::Log.address(&study.slug);
        view! { <a href=address>{study.name}</a> }
    };
    match study {
        // An entry about a study itself has the study's name.
        Some(study) if subject.is_empty() || subject == study.name => Some(link(study).into_any()),
        Some(study) => Some(view! { <span>{subject} " in " {link(study)}</span> }.into_any()),
        None => (!subject.is_empty()).then(|| subject.into_any()),
    }
}
