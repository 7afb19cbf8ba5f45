use domain::ids::UploadId;
use formats::Preview;
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::{columns::Columns, options::Options, references, scores};
use crate::{
    api::{Access, BeginImport, files, parse, refuse_files, uploads},
    components::Field,
    error::Refusal,
    imports::What,
    islands::EnhancedForm,
    layout::{Tab, study_page},
    links,
};

/// What the address says.
struct Asked {
    /// The files, between commas.
    uploads: String,
    /// The file of raters.
    raters: Option<String>,
    /// Whether a file is read by its columns, though its format is known.
    as_table: bool,
    /// What the files hold.
    what: What,
}

/// What files hold, and how they are to be taken.
#[component]
pub fn PreviewPage() -> impl IntoView {
    let uploads = use_params_map()
        .with_untracked(|params| params.get("upload"))
        .unwrap_or_default();
    let asked = use_query_map().with_untracked(|query| Asked {
        uploads,
        raters: query.get("raters").filter(|id| !id.is_empty()),
        as_table: query.get("as").as_deref() == Some("table"),
        what: match query.get("what").as_deref() {
            Some("references") => What::References,
            Some("scores") => What::Scores,
            _ => What::Sources,
        },
    });
    study_page(
        "Import a file",
        Tab::Import,
        Access::leads,
        async move |access| {
            Ok(match asked.what {
                What::Sources => preview(access, asked).await?.into_any(),
                What::References => references::preview(access, asked.uploads).await?.into_any(),
                What::Scores => scores::preview(access, asked.uploads).await?.into_any(),
            })
        },
    )
}

async fn preview(access: Access, asked: Asked) -> Result<impl IntoView, Refusal> {
    let found = files(&access, &uploads(&asked.uploads)?).await?;
    let looked = found.look().await.map_err(refuse_files)?;
    let raters = match &asked.raters {
        None => None,
        Some(id) => {
            let id: UploadId = parse::id(id)?;
            Some((id, files(&access, &[id]).await?.names().join(", ")))
        }
    };
    let slug = access.study.slug.to_string();
    let preview = looked.preview;
    let (simpeval, texts) = (preview.format.is_simpeval(), found.are_texts());
    let mapped = looked.mapped || (asked.as_table && !texts);
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
            <Options texts/>
            <div class="actions">
                <button class="primary">"Import"</button>
            </div>
        </EnhancedForm>
    })
}

/// What the file was taken for, and the way to say otherwise.
#[component]
fn Recognised(preview: Preview, mapped: bool, known: bool, here: String) -> impl IntoView {
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
pub(super) fn FirstRows(preview: Preview) -> impl IntoView {
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
