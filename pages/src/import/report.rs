use domain::study::Dimension;
use formats::BadRow;
use leptos::prelude::*;

use super::references::ReferenceDetails;
use app::links::StudyPage;
use service::import::ImportReport;

/// The result of an import: what is new, and which rows were left out and why.
#[component]
pub fn ReportView(
    slug: String,
    /// The report of the import.
    report: ImportReport,
    /// Whether the valid rows were imported. If not, nothing was.
    kept: bool,
    /// The address at which the import can be undone.
    #[prop(default = None)]
    undo: Option<String>,
) -> impl IntoView {
    let ImportReport {
        format,
        rows,
        new,
        bad,
        bad_rows,
        scores,
        notes,
        metric_scores,
        dimensions,
        matched,
        references,
    } = report;

    let counts = [
        (new.sources, "new sources"),
        (new.references, "new references"),
        (new.contexts, "new texts before or after a source"),
        (new.systems, "new systems"),
        (new.outputs, "new outputs"),
        (new.raters, "new raters"),
        (new.answers, "new ratings"),
        (metric_scores, "scores of metrics"),
    ];
    let nothing_new = counts.iter().all(|(count, _)| *count == 0) && dimensions.is_empty();

    let dimensions = (kept && !dimensions.is_empty()).then(|| {
        let named =
            |dimension: &Dimension| format!("{} (from {})", dimension.name, dimension.scale);
        let names: Vec<_> = dimensions.iter().map(named).collect();
        view! { <p class="note">"New dimensions of the study: " {names.join(", ")} "."</p> }
    });
    let matched = matched.map(|row_counts| {
        let total = row_counts.matched + row_counts.unmatched;
        view! {
            <p class="note">
                {format!("{} of {total} rows belong to existing sources or outputs; the others were left out.", row_counts.matched)}
            </p>
        }
    });

    let outcome = match (kept, nothing_new) {
        (false, _) => view! {
            <p class="alert">
                {format!("Nothing was imported: every row had to be valid, and {bad} of {rows} are not.")}
            </p>
        }
        .into_any(),
        (true, true) => view! {
            <p class="note">
                {format!("The file was read as {format}. Nothing changed: everything valid in its {rows} rows was already there.")}
            </p>
        }
        .into_any(),
        (true, false) => {
            let new = counts.into_iter().filter(|(count, _)| *count > 0);
            let counts = new.map(|(count, label)| {
                view! { <div><dt>{label}</dt><dd>{count}</dd></div> }
            });
            view! {
                <p class="note">
                    {format!("Imported {} of {rows} rows. The file was read as {format}.", rows - bad)}
                </p>
                <dl class="facts">{counts.collect_view()}</dl>
            }
            .into_any()
        }
    };

    let scores = (scores > 0).then(|| {
        view! {
            <p class="caution">
                {format!("{scores} scores have no rater. They are kept, but do not count in figures.")}
            </p>
        }
    });
    let note = |note: String| view! { <p class="caution">{note}</p> };
    let sources = StudyPage::Sources.address(&slug);

    view! {
        {outcome}
        {dimensions}
        {matched}
        {references.map(|summary| view! {
            <p class="note">{summary.sentence()}</p>
            <ReferenceDetails summary offered=false/>
        })}
        {scores}
        {notes.into_iter().map(note).collect_view()}
        <BadRows title="Rows left out" bad bad_rows/>
        {undo.map(|address| view! {
            <p>
                "Was it the wrong file? You can undo the import as long as none of its outputs have been judged: "
                <a href=address>"Undo this import…"</a>
            </p>
        })}
        {kept.then(|| view! {
            <p class="actions">
                <a class="button primary" href=sources>"See the sources"</a>
            </p>
        })}
    }
}

/// The rows that were left out, each with its line and the reason.
#[component]
pub(super) fn BadRows(title: &'static str, bad: u64, bad_rows: Vec<BadRow>) -> impl IntoView {
    (bad > 0).then(|| {
        let listed = bad_rows.len() as u64;
        let row = |bad: BadRow| {
            view! {
                <tr>
                    <th scope="row">{format!("Line {}", bad.line)}</th>
                    <td data-label="Column">{bad.column.unwrap_or_else(|| "the row".to_owned())}</td>
                    <td data-label="Reason">{bad.reason}</td>
                </tr>
            }
        };

        view! {
            <section aria-labelledby="bad-rows">
                <h2 id="bad-rows">{format!("{title} ({bad})")}</h2>
                {(listed < bad).then(|| view! {
                    <p class="soft">{format!("The first {listed} of them:")}</p>
                })}
                <table class="fold bad-rows">
                    <thead>
                        <tr>
                            <th scope="col">"Row"</th>
                            <th scope="col">"Column"</th>
                            <th scope="col">"Reason"</th>
                        </tr>
                    </thead>
                    <tbody>{bad_rows.into_iter().map(row).collect_view()}</tbody>
                </table>
            </section>
        }
    })
}
