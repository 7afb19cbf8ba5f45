use domain::ids::UploadId;
use formats::{ColumnMapping, FilePreview, FileSurvey};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{columns::Columns, options::Options, references, scores, summary::Summary};
use crate::{
    api::{BeginImport, files, refuse_files, uploads},
    components::Field,
    error::Refusal,
    islands::EnhancedForm,
    layout::{StudyTab, study_page},
    links,
    request::{RequestAccess, parse, refuse},
    services,
};
use service::{
    import::{ImportFileError, ImportKind, ImportSummary, ReadOptions},
    wording::sentence,
};

/// What the address says.
struct ImportPreviewQuery {
    /// The files, between commas.
    uploads: String,
    /// The file of raters.
    raters: Option<String>,
    /// Whether a file is read by its columns, though its format is known.
    as_table: bool,
    /// What was said of columns and scales before it is imported.
    mapping: Option<ColumnMapping>,
    /// What the files hold.
    what: ImportKind,
}

/// How many rows are read to show what a file would bring.
const SURVEYED: u64 = 100_000;

/// What files hold, and how they are to be taken.
#[component]
pub fn PreviewPage() -> impl IntoView {
    let uploads = use_params_map()
        .with_untracked(|params| params.get("upload"))
        .unwrap_or_default();
    let asked = use_query_map().with_untracked(|query| ImportPreviewQuery {
        uploads,
        raters: query.get("raters").filter(|id| !id.is_empty()),
        as_table: query.get("as").as_deref() == Some("table"),
        mapping: query
            .get("way")
            .and_then(|way| serde_json::from_str(&way).ok()),
        what: match query.get("what").as_deref() {
            Some("references") => ImportKind::References,
            Some("scores") => ImportKind::Scores,
            _ => ImportKind::Sources,
        },
    });
    study_page(
        "Import a file",
        StudyTab::Import,
        RequestAccess::require_lead,
        async move |access| {
            Ok(match asked.what {
                ImportKind::Sources => preview(access, asked).await?.into_any(),
                ImportKind::References => {
                    references::preview(access, asked.uploads).await?.into_any()
                }
                ImportKind::Scores => scores::preview(access, asked.uploads).await?.into_any(),
            })
        },
    )
}

async fn preview(
    access: RequestAccess,
    asked: ImportPreviewQuery,
) -> Result<impl IntoView, Refusal> {
    let found = files(&access, &uploads(&asked.uploads)?).await?;
    let looked = found.preview().await.map_err(refuse_files)?;
    let raters = match &asked.raters {
        None => None,
        Some(id) => {
            let id: UploadId = parse::id(id)?;
            Some((id, files(&access, &[id]).await?))
        }
    };
    let slug = access.study.slug.to_string();
    let mut preview = looked.preview;
    let (simpeval, texts) = (preview.format.is_simpeval(), found.are_texts());
    let said = asked.mapping.unwrap_or_default();
    let by_columns = asked.as_table || !said.is_empty();
    let mapped = looked.mapped || (by_columns && !texts);
    if !said.is_empty() {
        preview.mapping = said.clone();
    }
    preview.mapping.scales = said.scales.clone();
    let way = ReadOptions {
        mapping: if mapped {
            preview.mapping.clone()
        } else {
            said
        },
        ..ReadOptions::default()
    };
    let of_raters = match &raters {
        Some((_, found)) if !mapped => Some(found.raters().await.map_err(refuse_files)?),
        _ => None,
    };
    let summary = match found.survey(&way, of_raters, SURVEYED).await {
        Ok(survey) => Ok(summary(&access, &survey).await?),
        Err(ImportFileError::File(fault)) => Err(sentence(&fault.to_string())),
        Err(error) => return Err(refuse_files(error)),
    };
    let raters = raters.map(|(id, found)| (id, found.names().join(", ")));
    let here = format!("/s/{slug}/import/{}", asked.uploads);
    let mapping = mapped.then(|| view! { <Columns preview=preview.clone()/> });
    let ask_raters = (simpeval && !mapped).then(|| {
        let named = raters.as_ref().map(|(_, name)| name.clone());
        view! { <Raters slug=slug.clone() uploads=asked.uploads.clone() named/> }
    });
    let raters = raters.map(|(id, _)| id.to_string()).filter(|_| !mapped);
    let action = links::action::<BeginImport>();
    Ok(view! {
        <p class="crumb"><a href=links::to(&format!("/s/{slug}/import"))>"Import"</a></p>
        <h1 class="file">{found.names().join(", ")}</h1>
        <Recognised preview=preview.clone() mapped known=!looked.mapped && !texts here/>
        <FirstRows preview/>
        {ask_raters}
        <EnhancedForm action=action label="Import">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="uploads" value=asked.uploads/>
            <input type="hidden" name="raters" value=raters/>
            {mapping}
            <Summary summary mapping=way.mapping/>
            <Options texts/>
            <div class="actions">
                <button class="primary">"Import"</button>
                {(!texts).then(|| view! {
                    <button name="look" value="yes">"Show what it would bring"</button>
                })}
            </div>
        </EnhancedForm>
    })
}

/// What a file would bring to the study.
async fn summary(access: &RequestAccess, found: &FileSurvey) -> Result<ImportSummary, Refusal> {
    let (store, study) = (services().store, &access.study);
    let there = store.study_dimensions(study.id, &study.settings).await;
    let systems = store.systems(study.id).await.map_err(refuse)?;
    let systems = systems.into_iter().map(|it| (it.name, it.kind)).collect();
    Ok(ImportSummary::new(
        found,
        &there.map_err(refuse)?,
        &systems,
        &[],
    ))
}

/// What the file was taken for, and the way to say otherwise.
#[component]
fn Recognised(preview: FilePreview, mapped: bool, known: bool, here: String) -> impl IntoView {
    let name = preview.format.name();
    let other = known.then(|| {
        let (address, label) = if mapped {
            (here.clone(), format!("Read it as {name}"))
        } else {
            (
                format!("{here}?as=table"),
                "Say what its columns are".to_owned(),
            )
        };
        view! { " " <a href=links::to(&address)>{label}</a> "." }
    });
    let said = if known && mapped {
        format!("This looks like {name}, and is read by its columns instead.")
    } else {
        format!("Recognised as {name}.")
    };
    view! { <p class="lead recognised">{said} {other}</p> }
}

/// The first rows as they stand in the file.
#[component]
pub(super) fn FirstRows(preview: FilePreview) -> impl IntoView {
    let cell = |text: String| view! { <td>{text}</td> };
    let row = |cells: Vec<String>| {
        view! { <tr>{cells.into_iter().map(cell).collect_view()}</tr> }
    };
    let head = preview
        .header
        .into_iter()
        .map(|name| view! { <th scope="col">{name}</th> })
        .collect_view();
    view! {
        <h2 id="first-rows">"The first rows"</h2>
        <div class="table-scroll" role="group" aria-labelledby="first-rows" tabindex="0">
            <table class="first-rows">
                <thead><tr>{head}</tr></thead>
                <tbody>{preview.rows.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

/// The companion file that names who is behind each rating.
#[component]
fn Raters(slug: String, uploads: String, named: Option<String>) -> impl IntoView {
    let label = if named.is_some() {
        "Another file of raters"
    } else {
        "File of raters"
    };
    let said = match named {
        Some(name) => view! {
            <p class="note">"Who is behind each rating is taken from " <b>{name}</b> "."</p>
        }
        .into_any(),
        None => view! {
            <p>
                "If several people wrote into one column of ratings, add the file that says who, with \
                 the columns original_id, system, slot and rater. Without it the ratings of a 2022 \
                 file are kept, but enter no agreement."
            </p>
        }
        .into_any(),
    };
    view! {
        <section aria-labelledby="raters">
            <h2 id="raters">"Raters"</h2>
            {said}
            <EnhancedForm
                action=links::to("/api/upload")
                class="side-by-side"
                label="Send a file of raters"
                multipart=true
            >
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="with" value=uploads/>
                <Field id="rater-file" label=label>
                    <input id="rater-file" name="files" type="file" required/>
                </Field>
                <button>"Add it"</button>
            </EnhancedForm>
        </section>
    }
}
