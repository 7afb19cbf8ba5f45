use domain::ids::UploadId;
use formats::{ColumnMapping, FilePreview, InputOptions};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{
    columns::Columns,
    options::Options,
    reading::{InputFields, OtherReading, PreviewError, input_options, offer_encoding, with_sheet},
    references, scores,
    summary::Summary,
};
use app::{
    api::{BeginImport, files, input_query, refuse_files, uploads},
    components::Field,
    enhanced::{EnhancedForm, UploadArea},
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, parse, path_parameter},
    services,
};
use service::{
    import::{ImportFileError, ImportKind, PreviewTurn, ReadOptions},
    wording::sentence,
};

/// The parameters of the address.
struct ImportPreviewQuery {
    /// The ids of the files, separated by commas.
    uploads: String,
    /// The id of the file of raters.
    raters: Option<String>,
    /// Whether to read the file by its columns, although its format is known.
    as_table: bool,
    /// The stated columns and scales.
    mapping: Option<ColumnMapping>,
    /// The kind of content.
    what: ImportKind,
    /// The stated encoding, separator and sheet.
    input: InputOptions,
}

/// The most rows read for the preview.
const SURVEYED: u64 = 100_000;

/// The preview of files, with the import options.
#[component]
pub fn PreviewPage() -> impl IntoView {
    let uploads = path_parameter("upload");
    let query = use_query_map().with_untracked(|query| ImportPreviewQuery {
        uploads,
        raters: query.get("raters").filter(|id| !id.is_empty()),
        as_table: query.get("as").as_deref() == Some("table"),
        mapping: query
            .get("way")
            .and_then(|json| serde_json::from_str(&json).ok()),
        what: match query.get("what").as_deref() {
            Some("references") => ImportKind::References,
            Some("scores") => ImportKind::Scores,
            _ => ImportKind::Sources,
        },
        input: input_options(query),
    });

    study_page(
        "Import a file",
        StudyTab::Import,
        RequestAccess::require_lead,
        async move |access| {
            let (ids, kind) = (query.uploads.clone(), query.what);
            let turn = &services().previews.take(access.person.id).await;
            let shown = match kind {
                ImportKind::Sources => preview(&access, turn, query).await,
                ImportKind::References => {
                    references::preview(&access, turn, ids.clone(), query.input).await
                }
                ImportKind::Scores => {
                    scores::preview(&access, turn, ids.clone(), query.input).await
                }
            };

            match shown {
                Ok(page) => Ok(page),
                Err(PreviewError::Refused(refusal)) => Err(refusal),
                Err(PreviewError::NotUtf8(line)) => {
                    offer_encoding(&access, turn, &ids, kind, line).await
                }
            }
        },
    )
}

async fn preview(
    access: &RequestAccess,
    turn: &PreviewTurn,
    asked: ImportPreviewQuery,
) -> Result<AnyView, PreviewError> {
    let uploaded_files = files(access, &uploads(&asked.uploads)?)
        .await?
        .in_turn(turn);
    let upload_preview = uploaded_files.preview(&asked.input).await?;
    let input = with_sheet(&asked.input, &upload_preview.preview.input);

    let raters = match &asked.raters {
        None => None,
        Some(id) => {
            let id: UploadId = parse::id(id)?;
            Some((id, files(access, &[id]).await?.in_turn(turn)))
        }
    };

    let slug = access.study.slug.to_string();
    let mut preview = upload_preview.preview;
    let (simpeval, texts) = (preview.format.is_simpeval(), uploaded_files.are_texts());
    let stated = asked.mapping.unwrap_or_default();
    let by_columns = asked.as_table || !stated.fields.is_empty();
    let mapped = upload_preview.mapped || (by_columns && !texts);
    if !stated.fields.is_empty() {
        preview.mapping = stated.clone();
        preview.guesses.clear();
    }
    preview.mapping.scales = stated.scales.clone();

    let options = ReadOptions {
        mapping: if mapped {
            preview.mapping.clone()
        } else {
            stated
        },
        input: input.clone(),
        ..ReadOptions::default()
    };

    let of_raters = match &raters {
        Some((_, found)) if !mapped => Some(found.raters().await.map_err(refuse_files)?),
        _ => None,
    };

    let context = services().context;
    let rehearsed = uploaded_files.rehearse(&access.study, context, &options, of_raters, SURVEYED);
    let summary = match rehearsed.await {
        Ok(summary) => Ok(summary),
        Err(error) if error.line_not_utf8().is_some() => return Err(error.into()),
        Err(error @ ImportFileError::File(_)) => Err(sentence(&error.page_message())),
        Err(error) => return Err(error.into()),
    };

    let read_to_end = summary.as_ref().ok().filter(|summary| summary.complete);
    let lines = read_to_end
        .map(|summary| summary.lines)
        .filter(|lines| *lines > 0);

    let raters = raters.map(|(id, rater_files)| (id, rater_files.names().join(", ")));
    let here = StudyPage::ImportPreview(&asked.uploads).path(&slug);
    let mapping = mapped.then(|| view! { <Columns preview=preview.clone()/> });
    let ask_raters = (simpeval && !mapped).then(|| {
        let named = raters.as_ref().map(|(_, name)| name.clone());
        view! { <Raters slug=slug.clone() uploads=asked.uploads.clone() named/> }
    });
    let raters = raters.map(|(id, _)| id.to_string()).filter(|_| !mapped);
    let action = links::action::<BeginImport>();

    Ok(view! {
        <p class="crumb"><a href=StudyPage::Import.address(&slug)>"Import"</a></p>
        <h1 class="file">{uploaded_files.names().join(", ")}</h1>
        <Recognised
            preview=preview.clone()
            lines
            mapped
            known=!upload_preview.mapped && !texts
            here=here.clone()
            input=input.clone()
        />
        <OtherReading
            here
            kept=asked.raters.map(|id| vec![("raters", id)]).unwrap_or_default()
            found=preview.input.clone()
            stated=asked.input
        />
        <FirstRows preview/>
        {ask_raters}
        <EnhancedForm action=action label="Import">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="uploads" value=asked.uploads/>
            <input type="hidden" name="raters" value=raters/>
            <InputFields field="way[input]" input/>
            {mapping}
            <Summary summary mapping=options.mapping/>
            <Options texts/>
            <div class="actions">
                <button class="primary">"Import"</button>
                {(!texts).then(|| view! {
                    <button name="look" value="yes">"Update the preview"</button>
                })}
            </div>
        </EnhancedForm>
    }
    .into_any())
}

/// The recognised format, with a way to choose another reading.
#[component]
fn Recognised(
    preview: FilePreview,
    /// The number of lines, if the file was read to its end.
    lines: Option<u64>,
    /// Whether it is read by its columns.
    mapped: bool,
    /// Whether its format needs no columns to be stated.
    known: bool,
    /// The address of the page, without parameters.
    here: String,
    input: InputOptions,
) -> impl IntoView {
    let name = preview.format.name();
    let query = input_query(&input);

    let other = known.then(|| {
        let (address, label) = if mapped {
            (
                format!("{here}?what=sources{query}"),
                format!("Read it as {name}"),
            )
        } else {
            (
                format!("{here}?as=table{query}"),
                "Choose what its columns mean".to_owned(),
            )
        };
        view! { " " <a href=links::to(&address)>{label}</a> "." }
    });

    let recognition = if known && mapped {
        format!("This looks like {name}, but is read by its columns.")
    } else {
        preview.format.describe_reading(&preview.input, lines)
    };
    view! { <p class="lead recognised">{recognition} {other}</p> }
}

/// The first rows as they are in the file.
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

/// The companion file that names the rater of each rating.
#[component]
fn Raters(slug: String, uploads: String, named: Option<String>) -> impl IntoView {
    let label = if named.is_some() {
        "Another file of raters"
    } else {
        "File of raters"
    };

    let explanation = match named {
        Some(name) => view! {
            <p class="note">"The rater of each rating is taken from " <b>{name}</b> "."</p>
        }
        .into_any(),
        None => view! {
            <p>
                "If several people share a column of ratings, add the file that says who rated what, with \
                 the columns original_id, system, slot and rater. Without it the ratings of a 2022 \
                 file are kept, but do not count for agreement."
            </p>
        }
        .into_any(),
    };

    view! {
        <section aria-labelledby="raters">
            <h2 id="raters">"Raters"</h2>
            {explanation}
            <EnhancedForm
                action=links::to(links::UPLOAD)
                class="side-by-side"
                label="Upload a file of raters"
                multipart=true
            >
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="with" value=uploads/>
                <UploadArea>
                    <Field id="rater-file" label=label>
                        <input id="rater-file" name="files" type="file" required/>
                    </Field>
                </UploadArea>
                <button>"Add it"</button>
            </EnhancedForm>
        </section>
    }
}
