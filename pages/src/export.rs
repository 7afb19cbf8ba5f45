//! Downloads of the dataset.

use domain::protocol::StudyProtocol;
use leptos::{either::Either, prelude::*};
use service::wording::{JudgementWords, count_noun, judgement_words};
use store::{Study, export::StudyAnswerKinds, overview::StudyOverview, rating_rows::RatingScope};

use app::{
    components::ScopeChoice,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::StudyPage,
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

const FORMATS: [DownloadFormat; 12] = [
    DownloadFormat {
        file: "simpeval-past",
        title: "SimpEval, past format",
        what: "A table with one row for each output, and for each rater a column of ratings and one \
               of z-scores. An imported file in this format is exported exactly as it was.",
    },
    DownloadFormat {
        file: "simpeval-2022",
        title: "SimpEval, 2022 format",
        what: "A table with the deciding category and numbered slots of ratings, and a second \
               table that names the rater behind each of them.",
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
               category, rater, value, z-score, rank and time. Ready for statistics programs.",
    },
    DownloadFormat {
        file: COMPARISONS,
        title: "Comparisons",
        what: "A table with one row for each comparison: the systems that were shown, and which was better, or \
               which was the best and which the worst.",
    },
    DownloadFormat {
        file: ANSWERS,
        title: "Answers to questions",
        what: "A table with one row for each answer: source, output, system, rater, question, the chosen options \
               or the text. Answers to questions that were hidden are left out.",
    },
    DownloadFormat {
        file: WRITTEN,
        title: "Written simplifications",
        what: "A table with one row for each text that an annotator wrote: source, rater, text, words, length, grade \
               level and word rank.",
    },
    DownloadFormat {
        file: SPANS,
        title: "Marked spans",
        what: "The words that annotators marked, with type, level and place. One JSON object for each output and \
               annotator.",
    },
    DownloadFormat {
        file: "thresh",
        title: "Marked spans for Thresh",
        what: "The same as one JSON file, which Thresh reads. SALSA's data have this form.",
    },
    DownloadFormat {
        file: "gold",
        title: "Final values",
        what: "A table with one row for each output and dimension that a lead decided on: the final value, \
               the raters' mean, their number and the reason.",
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
        what: "Word alignments that follow from annotators' corrections of the highlights, in the \
               columns of MultiMWA, for training an aligner. One line for each output and annotator.",
    },
];

/// The parts of a study's data that formats need.
#[derive(Debug, Clone, Copy, Default)]
struct ExportContents {
    kinds: StudyAnswerKinds,
    outputs: bool,
    metrics: bool,
    final_values: bool,
    /// Whether annotators submitted outputs whose edits they saw.
    checked_edits: bool,
}

impl ExportContents {
    async fn load(study: &Study, holds: &StudyOverview) -> Result<Self, Refusal> {
        let store = services().store;
        let kinds = store.answer_kinds(study.id).await.map_err(refuse)?;
        let metrics = store.metrics(study.id).await.map_err(refuse)?;
        let decided = store.final_values(study.id).await.map_err(refuse)?;
        let shows_edits = study.settings.protocol.shows_edits();

        Ok(Self {
            kinds,
            outputs: holds.outputs > 0,
            metrics: holds.outputs > 0 && !metrics.is_empty(),
            final_values: !decided.is_empty(),
            checked_edits: kinds.edits || (shows_edits && holds.handed_in_judgements > 0),
        })
    }

    /// The reason why the format has no rows; `None` if it has some.
    fn lack(&self, format: &str) -> Option<&'static str> {
        let kinds = self.kinds;
        let (has_rows, lack) = match format {
            "simpeval-past" | "simpeval-2022" | "tidy" => {
                (kinds.ratings, "No output has a rating yet.")
            }
            COMPARISONS => (kinds.comparisons, "No outputs have been compared."),
            ANSWERS => (kinds.answers, "No question has been answered."),
            WRITTEN => (kinds.written, "No text has been written."),
            SPANS | "thresh" => (kinds.marks, "No span has been marked."),
            "gold" => (self.final_values, "No final value has been decided on."),
            "metric-scores" => (self.metrics, "No metric has scored the outputs."),
            "alignments" => (
                self.checked_edits,
                "No annotator has submitted checked highlights.",
            ),
            _ => (self.outputs, "The study has no outputs."),
        };

        (!has_rows).then_some(lack)
    }
}

/// The format that fits a study whose annotators only compare outputs.
const COMPARISONS: &str = "comparisons";

/// The format that fits a study whose annotators only answer questions.
const ANSWERS: &str = "answers";

/// The format that fits a study whose annotators only write.
const WRITTEN: &str = "written";

/// The format that fits a study whose annotators mark spans.
const SPANS: &str = "spans";

/// Licences that datasets often have, by their identifiers on the Hugging Face Hub.
const LICENSES: [&str; 6] = [
    "cc-by-4.0",
    "cc-by-sa-4.0",
    "cc-by-nc-4.0",
    "cc-by-nc-sa-4.0",
    "cc0-1.0",
    "odc-by",
];

/// The formats, those that fit the answers of the protocol first.
fn formats_for(protocol: &StudyProtocol) -> Vec<&'static DownloadFormat> {
    let mut formats: Vec<_> = FORMATS.iter().collect();
    formats.sort_by_key(|format| match format.file {
        COMPARISONS => !protocol.compares(),
        ANSWERS => protocol.answer_step().is_none() || protocol.scores() || protocol.compares(),
        WRITTEN => !protocol.only_writes(),
        SPANS => protocol.mark_spans_step().is_none(),
        _ => true,
    });
    formats
}

/// The available downloads.
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
    let services = services();
    let wanted = study.settings.wanted_raters();
    let progress = services.live.progress(&services.store, study.id, wanted);
    let mut holds = progress.await.map_err(refuse)?.overview.clone();
    let contents = ExportContents::load(&study, &holds).await?;

    if study.settings.protocol.only_writes() {
        holds.count_texts();
    }

    let slug = study.slug.to_string();
    let words = judgement_words(&study.settings.protocol);
    let formats = formats_for(&study.settings.protocol);
    let (offered, others): (Vec<_>, Vec<_>) = formats
        .into_iter()
        .partition(|format| contents.lack(format.file).is_none());

    let body = if let Some(first) = offered.first() {
        let first = first.file;
        let dimensions = services.dimensions(&study, RatingScope::HandedIn).await;
        let dimensions = dimensions.map_err(refuse)?.into_iter();
        let dimensions = dimensions.map(|dimension| dimension.name).collect();
        let has_consensus = services.store.has_consensus(study.id).await;
        let has_consensus = has_consensus.map_err(refuse)?;
        Either::Left(view! {
            <ExportCounts holds words/>
            <Choice slug first dimensions has_consensus offered has_dataset=contents.outputs/>
            <FormatsWithoutRows formats=others contents/>
            <Rules/>
        })
    } else {
        let imports = access.require_lead().is_ok();
        Either::Right(view! { <NothingToExport slug imports/> })
    };

    Ok(view! {
        <h1>"Export"</h1>
        <p class="lead">
            "The dataset as a ZIP archive: the table or tables, and a README with the rules and versions. \
             Annotators are numbered, not named."
        </p>
        {body}
    })
}

#[component]
fn ExportCounts(holds: StudyOverview, words: JudgementWords) -> impl IntoView {
    let counted = holds.imported_judgements + holds.handed_in_judgements;
    view! {
        <dl class="facts">
            <div><dt>"Outputs"</dt><dd>{holds.outputs}</dd></div>
            <div><dt>{format!("{} that count", words.title)}</dt><dd>{counted}</dd></div>
            <div><dt>{format!("{} in progress", words.title)}</dt><dd>{holds.open_judgements}</dd></div>
        </dl>
    }
}

/// The export options: a plain form, each of whose buttons downloads a format.
#[component]
fn Choice(
    slug: String,
    /// The first of the offered formats.
    first: &'static str,
    dimensions: Vec<String>,
    has_consensus: bool,
    offered: Vec<&'static DownloadFormat>,
    /// Whether a dataset folder has rows.
    has_dataset: bool,
) -> impl IntoView {
    let file = move |name: &str| StudyPage::ExportFile(name).address(&slug);
    let (first, dataset) = (file(first), file("dataset"));
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
    let format = |download: &DownloadFormat| {
        view! {
            <li class="card">
                <h2>{download.title}</h2>
                <p>{download.what}</p>
                <button formaction=file(download.file)>
                    "Download"<span class="visually-hidden">" " {download.title}</span>
                </button>
            </li>
        }
    };

    view! {
        <form method="get" action=first class="export">
            <fieldset>
                <legend>"What to include"</legend>
                {select}
                <ScopeChoice has_consensus/>
                <label class="choice">
                    <input type="checkbox" name="edits" value="with-accepted"/>
                    <span>"In alignments, also highlights that annotators did not change"</span>
                </label>
            </fieldset>
            <FormulaCells/>
            {has_dataset.then(|| view! { <DatasetFolder file=dataset/> })}
            <ul class="formats">{offered.into_iter().map(format).collect_view()}</ul>
        </form>
    }
}

/// The formats that would have no rows, with the reason; folded away.
#[component]
fn FormatsWithoutRows(
    formats: Vec<&'static DownloadFormat>,
    contents: ExportContents,
) -> impl IntoView {
    let count = formats.len();
    let row = |format: &DownloadFormat| {
        view! { <div><dt>{format.title}</dt><dd>{contents.lack(format.file)}</dd></div> }
    };

    (count > 0).then(|| {
        view! {
            <details class="more">
                <summary>{format!("{} without rows", count_noun(count, "other format"))}</summary>
                <dl class="rows">{formats.into_iter().map(row).collect_view()}</dl>
            </details>
        }
    })
}

/// The dataset folder, with the choices for its card. Its button is the first of the form, so that
/// the Enter key in one of the fields downloads it.
#[component]
fn DatasetFolder(file: String) -> impl IntoView {
    view! {
        <fieldset aria-describedby="dataset-folder">
            <legend>"Dataset folder"</legend>
            <p id="dataset-folder" class="soft">
                "Parquet files of ratings and outputs, and of comparisons and marked spans where there are any, with \
                 a dataset card: for datasets.load_dataset in Python, and to publish on the Hugging Face Hub. The \
                 card names licence and languages; without a licence, others may not use the dataset."
            </p>
            <label class="field">
                <span>"Licence"</span>
                <input
                    name="license"
                    list="licenses"
                    maxlength="100"
                    autocomplete="off"
                    placeholder="for example cc-by-4.0"
                />
            </label>
            <datalist id="licenses">
                {LICENSES.map(|name| view! { <option value=name></option> }).collect_view()}
            </datalist>
            <label class="field">
                <span>"Language codes of the texts, such as en or de,fr"</span>
                <input
                    name="language"
                    value="en"
                    maxlength="100"
                    autocomplete="off"
                    pattern=r"\s*[A-Za-z]{2,3}(\s*,\s*[A-Za-z]{2,3})*\s*"
                    title="Codes of two or three letters, with commas between them"
                />
            </label>
            <p>
                <button formaction=file>
                    "Download"<span class="visually-hidden">" Dataset folder"</span>
                </button>
            </p>
        </fieldset>
    }
}

/// The treatment of cells that a spreadsheet would run as formulas, with the reason.
#[component]
pub fn FormulaCells() -> impl IntoView {
    view! {
        <fieldset aria-describedby="formula-cells">
            <legend>"Texts in tables that begin with =, +, - or @"</legend>
            <p id="formula-cells" class="soft">
                "A spreadsheet runs such a cell as a formula, even in an imported text. This affects CSV files only."
            </p>
            <label class="choice">
                <input type="radio" name="cells" value="verbatim" checked/>
                <span>
                    "Leave them as they are: for programs and for importing again. The file is identical, byte \
                     for byte, to what was imported"
                </span>
            </label>
            <label class="choice">
                <input type="radio" name="cells" value="guarded"/>
                <span>
                    "Put a ' before them: safe to open in a spreadsheet. The file is then not identical to \
                     what was imported"
                </span>
            </label>
        </fieldset>
    }
}

/// The main rules of what counts; the README has all of them.
#[component]
fn Rules() -> impl IntoView {
    view! {
        <h2>"What counts"</h2>
        <ul>
            <li>"Answers to submitted sources, and ratings from imported files."</li>
            <li>
                "Never training, qualification or quality-control items, or answers of people who \
                 withdrew."
            </li>
            <li>
                "The category is the majority's; in a tie it is the automatic one. Identical outputs \
                 share their ratings and are marked."
            </li>
            <li>
                "z-scores are computed from all of a rater's ratings (population standard \
                 deviation). Imported z-scores stay as they were."
            </li>
        </ul>
    }
}

#[component]
fn NothingToExport(slug: String, imports: bool) -> impl IntoView {
    let import = imports.then(|| {
        let import = StudyPage::Import.address(&slug);
        view! { <p><a href=import>"Import sources and outputs"</a></p> }
    });
    view! {
        <section class="empty">
            <h2>"Nothing to export yet"</h2>
            <p>"This study has no outputs and no answers."</p>
            {import}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use domain::protocol::{CompareStep, ProtocolStep, RateStep};

    use super::*;

    #[test]
    fn the_format_that_fits_the_answers_comes_first() {
        for (steps, expect) in [
            (vec![ProtocolStep::RankAndRate], "simpeval-past"),
            (
                vec![ProtocolStep::Compare(CompareStep::default())],
                "comparisons",
            ),
            (
                vec![
                    ProtocolStep::MarkSpans(domain::protocol::MarkSpansStep::default()),
                    ProtocolStep::Rate(RateStep::default()),
                ],
                "spans",
            ),
            (
                vec![ProtocolStep::Answer(domain::protocol::AnswerStep::default())],
                "answers",
            ),
            (
                vec![ProtocolStep::Write(domain::protocol::WriteStep::default())],
                "written",
            ),
        ] {
            let protocol: StudyProtocol = serde_json::from_value(serde_json::json!(steps)).unwrap();
            let formats = formats_for(&protocol);
            assert_eq!(formats[0].file, expect);
            assert_eq!(formats.len(), FORMATS.len());
        }
    }
}
