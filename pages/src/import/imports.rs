use leptos::{either::EitherOf3, prelude::*};
use store::import::{ImportCounts, ImportEntry};

use app::{components::Moment, links::StudyPage};

/// The study's imports, newest first, each with a way to undo it.
#[component]
pub fn Imports(slug: String, entries: Vec<ImportEntry>, closed: bool) -> impl IntoView {
    (!entries.is_empty()).then(|| {
        let row = |entry: ImportEntry| {
            let undo = StudyPage::UndoImport(entry.id).address(&slug);
            let name = file_names(&entry);
            let end = match entry.undone_at {
                Some(ms) => EitherOf3::A(view! { "undone " <Moment ms/> }),
                None if closed => EitherOf3::B(()),
                None => EitherOf3::C(view! {
                    <a href=undo>
                        "Undo…"<span class="visually-hidden">{format!(" {name}")}</span>
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
                    <td data-label="Added">{describe_counts(&entry.counts)}</td>
                    <td data-label="Undo">{end}</td>
                </tr>
            }
        };

        view! {
            <section aria-labelledby="imports">
                <h2 id="imports">"Past imports"</h2>
                <p class="soft">
                    "You can undo an import as long as none of its outputs have been judged."
                </p>
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"File"</th>
                            <th scope="col">"Imported"</th>
                            <th scope="col">"By"</th>
                            <th scope="col">"Added"</th>
                            <th scope="col">"Undo"</th>
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

/// The counts of an import as a list in words.
pub(super) fn describe_counts(counts: &ImportCounts) -> String {
    let parts = [
        (counts.sources, "source"),
        (counts.references, "reference"),
        (counts.contexts, "context"),
        (counts.systems, "system"),
        (counts.outputs, "output"),
        (counts.raters, "rater"),
        (counts.answers, "rating"),
    ];
    let parts: Vec<_> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| match count {
            1 => format!("1 {noun}"),
            _ => format!("{count} {noun}s"),
        })
        .collect();

    match parts.is_empty() {
        true => "quality-control items".to_owned(),
        false => parts.join(", "),
    }
}
