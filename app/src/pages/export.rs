//! The dataset as files.

use leptos::{either::Either, prelude::*};
use store::{overview::StudyOverview, rating_rows::RatingScope};

use crate::{
    error::Refusal,
    layout::{StudyTab, study_page},
    links,
    request::{RequestAccess, refuse},
    services,
};

/// A format to download.
struct DownloadFormat {
    /// The name in the address.
    file: &'static str,
    title: &'static str,
    what: &'static str,
}

const FORMATS: [DownloadFormat; 6] = [
    DownloadFormat {
        file: "simpeval-past",
        title: "SimpEval, past shape",
        what: "A table with one row for each output, and for each rater a column of ratings and one \
               of z-scores. An imported file of this shape comes out as it went in.",
    },
    DownloadFormat {
        file: "simpeval-2022",
        title: "SimpEval, shape of 2022",
        what: "A table with the category that counts and numbered slots of ratings, and a second \
               table that names the rater behind every one of them.",
    },
    DownloadFormat {
        file: "jsonl",
        title: "JSON lines",
        what: "Everything: sources and references, automatic and corrected categories and edits, \
               all dimensions, orders, notes, times and versions. One object for each output.",
    },
    DownloadFormat {
        file: "tidy",
        title: "Tidy table",
        what: "A table with one row for each rating, of every dimension: source, output, system, \
               category, rater, value, z-score, rank and time. Statistics programs read it as it is.",
    },
    DownloadFormat {
        file: "metric-scores",
        title: "Metric scores",
        what: "A table with one row for each output and one column for each metric, and a second \
               table with the signature of every metric.",
    },
    DownloadFormat {
        file: "alignments",
        title: "Corrected alignments",
        what: "Word alignments as annotators' corrections of the highlights show them, in the \
               columns of MultiMWA, to train an aligner with. One line for each output and annotator.",
    },
];

/// What can be downloaded and what is in it.
#[component]
pub fn ExportPage() -> impl IntoView {
    study_page(
        "Export",
        StudyTab::Export,
        RequestAccess::require_panel_access,
        content,
    )
}

async fn content(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let study = access.study.clone();
    let holds = services()
        .store
        .study_overview(study.id, study.settings.overlap)
        .await
        .map_err(refuse)?;
    let address = format!("/s/{}", study.slug);
    let rated = holds.imported_ratings + holds.handed_in_ratings + holds.open_ratings > 0;
    let body = if rated {
        let dimensions = services().dimensions(&study, RatingScope::HandedIn).await;
        let dimensions = dimensions.map_err(refuse)?.into_iter();
        let dimensions = dimensions.map(|it| it.name).collect();
        Either::Left(view! {
            <Holds holds/>
            <Choice address dimensions/>
            <Rules/>
        })
    } else {
        let imports = access.require_lead().is_ok();
        Either::Right(view! { <Nothing address outputs=holds.outputs imports/> })
    };
    Ok(view! {
        <h1>"Export"</h1>
        <p class="lead">
            "The dataset as a ZIP archive: the table, and a README with its rules and versions. \
             Annotators are numbered and not named."
        </p>
        {body}
    })
}

#[component]
fn Holds(holds: StudyOverview) -> impl IntoView {
    let counted = holds.imported_ratings + holds.handed_in_ratings;
    view! {
        <dl class="facts">
            <div><dt>"Outputs"</dt><dd>{holds.outputs}</dd></div>
            <div><dt>"Ratings that count"</dt><dd>{counted}</dd></div>
            <div><dt>"Ratings in work"</dt><dd>{holds.open_ratings}</dd></div>
        </dl>
    }
}

/// What goes in, and as what: a plain form, each of whose buttons downloads.
#[component]
fn Choice(
    /// The study's.
    address: String,
    dimensions: Vec<String>,
) -> impl IntoView {
    let file = move |name: &str| links::to(&format!("{address}/export/{name}.zip"));
    let first = file(FORMATS[0].file);
    let option = |name: String| view! { <option value=name.clone()>{name.clone()}</option> };
    let select = match &dimensions[..] {
        [only] => {
            Either::Left(view! { <input type="hidden" name="dimension" value=only.clone()/> })
        }
        _ => Either::Right(view! {
            <label class="field">
                <span>"Dimension in SimpEval tables"</span>
                <select name="dimension">{dimensions.into_iter().map(option).collect_view()}</select>
            </label>
        }),
    };
    let format = |it: &DownloadFormat| {
        view! {
            <li class="card">
                <h2>{it.title}</h2>
                <p>{it.what}</p>
                <button formaction=file(it.file)>
                    "Download"<span class="visually-hidden">" " {it.title}</span>
                </button>
            </li>
        }
    };
    view! {
        <form method="get" action=first class="export">
            <fieldset>
                <legend>"What goes in"</legend>
                {select}
                <label class="choice">
                    <input type="checkbox" name="count" value="in-work"/>
                    <span>"Sources that are still in work, too"</span>
                </label>
                <label class="choice">
                    <input type="checkbox" name="edits" value="with-accepted"/>
                    <span>"In alignments, also the highlights that annotators left as they were"</span>
                </label>
            </fieldset>
            <FormulaCells/>
            <ul class="formats">{FORMATS.iter().map(format).collect_view()}</ul>
        </form>
    }
}

/// The choice of what to do with cells that a spreadsheet would run, with its reason.
#[component]
pub fn FormulaCells() -> impl IntoView {
    view! {
        <fieldset aria-describedby="formula-cells">
            <legend>"Texts in tables that begin with =, +, - or @"</legend>
            <p id="formula-cells" class="soft">
                "A spreadsheet runs such a cell as a formula, even in an imported text. This concerns CSV files only."
            </p>
            <label class="choice">
                <input type="radio" name="cells" value="verbatim" checked/>
                <span>
                    "Leave them as they are: for programs and for importing again. The file is byte \
                     for byte what was imported"
                </span>
            </label>
            <label class="choice">
                <input type="radio" name="cells" value="guarded"/>
                <span>
                    "Put a ' before them: safe to open in a spreadsheet. The file is then not byte for \
                     byte what was imported"
                </span>
            </label>
        </fieldset>
    }
}

/// What counts, in short; the README says all of it.
#[component]
fn Rules() -> impl IntoView {
    view! {
        <h2>"What counts"</h2>
        <ul>
            <li>"Answers of sources that were handed in, and ratings that came with files."</li>
            <li>
                "Never training, qualification or quality-control items, nor anything of people who \
                 withdrew."
            </li>
            <li>
                "The category is the majority's, a tie goes to the automatic one. Identical outputs \
                 share their ratings, and are marked."
            </li>
            <li>
                "z-scores are computed from all of a rater's ratings (population standard \
                 deviation). Those that came with a file stay as they were."
            </li>
        </ul>
    }
}

#[component]
fn Nothing(address: String, outputs: u32, imports: bool) -> impl IntoView {
    if outputs == 0 {
        let import = imports.then(|| {
            let import = links::to(&format!("{address}/import"));
            view! { <p><a href=import>"Import sources and outputs"</a></p> }
        });
        return Either::Left(view! {
            <section class="empty">
                <h2>"Nothing to take out yet"</h2>
                <p>"The study holds no outputs."</p>
                {import}
            </section>
        });
    }
    let file = links::to(&format!("{address}/export/jsonl.zip"));
    let scores = links::to(&format!("{address}/export/metric-scores.zip"));
    Either::Right(view! {
        <section class="empty">
            <h2>"No ratings yet"</h2>
            <p>
                "Tables of ratings can be downloaded as soon as an annotator has begun to rate, or a \
                 file with ratings has been imported."
            </p>
            <p>
                <a href=file download>
                    "Download the outputs with their automatic categories and edits (JSON lines)"
                </a>
            </p>
            <p><a href=scores download>"Download the scores of metrics (CSV)"</a></p>
        </section>
    })
}
