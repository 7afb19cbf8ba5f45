use leptos::{either::EitherOf3, prelude::*};
use store::import::{ImportCounts, ImportEntry};

use crate::{components::Moment, links};

/// What came into the study, newest first, each with the way to take it back.
#[component]
pub fn Imports(slug: String, entries: Vec<ImportEntry>, closed: bool) -> impl IntoView {
    (!entries.is_empty()).then(|| {
        let row = |entry: ImportEntry| {
            let undo = links::to(&format!("/s/{slug}/import/undo/{}", entry.id));
            let name = file_names(&entry);
            let end = match entry.undone_at {
                Some(ms) => EitherOf3::A(view! { "taken back " <Moment ms/> }),
                None if closed => EitherOf3::B(()),
                None => EitherOf3::C(view! {
                    <a href=undo>
                        "Take back…"<span class="visually-hidden">{format!(" {name}")}</span>
                    </a>
                }),
            };
            view! {
                <tr>
                    <th scope="row" data-label="File" class="file">{name.clone()}</th>
                    <td data-label="Imported"><Moment ms=entry.ended_at/></td>
                    <td data-label="By">
                        {entry.person.clone().unwrap_or_else(|| "command line".to_owned())}
                    </td>
                    <td data-label="Brought">{describe_counts(&entry.counts)}</td>
                    <td data-label="Take back">{end}</td>
                </tr>
            }
        };
        view! {
            <section aria-labelledby="imports">
                <h2 id="imports">"What came in"</h2>
                <p class="soft">
                    "An import can be taken back as long as nobody has judged any of it."
                </p>
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"File"</th>
                            <th scope="col">"Imported"</th>
                            <th scope="col">"By"</th>
                            <th scope="col">"Brought"</th>
                            <th scope="col">"Take back"</th>
                        </tr>
                    </thead>
                    <tbody>{entries.into_iter().map(row).collect_view()}</tbody>
                </table>
            </section>
        }
    })
}

/// The names of an import's files.
pub(super) fn file_names(entry: &ImportEntry) -> String {
    match entry.names.is_empty() {
        true => "a file".to_owned(),
        false => entry.names.join(", "),
    }
}

/// What an import brought, as a list in words.
pub(super) fn describe_counts(counts: &ImportCounts) -> String {
    let parts = [
        (counts.sources, "source"),
        (counts.references, "reference"),
        (counts.systems, "system"),
        (counts.outputs, "output"),
        (counts.raters, "rater"),
        (counts.answers, "rating"),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        })
        .collect();
    match parts.is_empty() {
        true => "quality-control items".to_owned(),
        false => parts.join(", "),
    }
}
