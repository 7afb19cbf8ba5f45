//! The reading of a file’s bytes: encoding, separator and sheet, with ways to choose others.

use formats::{ColumnSeparator, InputDescription, InputOptions, TextEncoding};
use leptos::prelude::*;
use leptos_router::params::ParamsMap;

use super::preview::FirstRows;
use app::{
    api::{files, input_query, refuse_files, uploads},
    components::Field,
    error::Refusal,
    links::{self, StudyPage},
    request::RequestAccess,
};
use service::import::{ImportFileError, ImportKind, PreviewTurn};

/// A reason why a preview cannot show the result of an import.
pub(super) enum PreviewError {
    Refused(Refusal),
    /// This line is not UTF-8, so the file may be in another encoding.
    NotUtf8(u64),
}

impl From<Refusal> for PreviewError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ImportFileError> for PreviewError {
    fn from(error: ImportFileError) -> Self {
        match error.line_not_utf8() {
            Some(line) => Self::NotUtf8(line),
            None => Self::Refused(refuse_files(error)),
        }
    }
}

/// The options that an address states. Unknown values are ignored.
pub fn input_options(query: &ParamsMap) -> InputOptions {
    let stated = |name: &str| query.get(name).filter(|text| !text.is_empty());
    InputOptions {
        encoding: stated("encoding").and_then(|name| name.parse().ok()),
        separator: stated("separator").and_then(|name| name.parse().ok()),
        sheet: stated("sheet"),
    }
}

/// The options with the sheet that was found, so that an import reads what the preview shows.
pub fn with_sheet(stated: &InputOptions, found: &InputDescription) -> InputOptions {
    InputOptions {
        sheet: found.sheet.clone(),
        ..stated.clone()
    }
}

/// The name of a kind of content in an address.
pub(super) const fn kind_name(kind: ImportKind) -> &'static str {
    match kind {
        ImportKind::Sources => "sources",
        ImportKind::References => "references",
        ImportKind::Scores => "scores",
    }
}

/// The options as hidden fields of a form.
#[component]
pub fn InputFields(
    /// The name of the form's fields, to which `[encoding]` and the like are added.
    field: &'static str,
    input: InputOptions,
) -> impl IntoView {
    let fields = [
        ("encoding", input.encoding.map(|own| own.name().to_owned())),
        (
            "separator",
            input.separator.map(|own| own.name().to_owned()),
        ),
        ("sheet", input.sheet),
    ];
    let fields = fields.into_iter().filter_map(|(part, value)| {
        let value = value?;
        Some(view! { <input type="hidden" name=format!("{field}[{part}]") value=value/> })
    });

    fields.collect_view()
}

/// A form that reads the file in another way.
#[component]
pub fn OtherReading(
    /// The address of the preview, without parameters.
    here: String,
    /// Other parameters of the address.
    #[prop(default = vec![])]
    kept: Vec<(&'static str, String)>,
    found: InputDescription,
    stated: InputOptions,
) -> impl IntoView {
    let is_workbook = found.sheet.is_some();
    if is_workbook && found.sheets.len() < 2 {
        return ().into_any();
    }

    let choices = if is_workbook {
        let chosen = found.sheet.clone();
        let option = move |name: String| {
            let selected = chosen.as_ref() == Some(&name);
            view! { <option value=name.clone() selected=selected>{name.clone()}</option> }
        };
        view! {
            <Field id="sheet" label="Sheet">
                <select id="sheet" name="sheet">
                    {found.sheets.clone().into_iter().map(option).collect_view()}
                </select>
            </Field>
        }
        .into_any()
    } else {
        view! { <TextChoices found=found.clone() stated/> }.into_any()
    };

    let summary = if is_workbook {
        "Read another sheet"
    } else {
        "Read it another way"
    };

    let kept = kept.into_iter();
    let kept = kept.map(|(name, value)| view! { <input type="hidden" name=name value=value/> });
    let kept = kept.collect_view();

    view! {
        <details class="reading" open=is_workbook>
            <summary>{summary}</summary>
            <form method="get" action=links::to(&here) class="side-by-side">
                {kept}
                {choices}
                <button>"Read it this way"</button>
            </form>
        </details>
    }
    .into_any()
}

/// The choices of encoding and separator.
#[component]
fn TextChoices(found: InputDescription, stated: InputOptions) -> impl IntoView {
    let InputOptions {
        encoding: stated_encoding,
        separator: stated_separator,
        ..
    } = stated;

    let encoding = move |encoding: TextEncoding| {
        let selected = stated_encoding == Some(encoding);
        view! { <option value=encoding.name() selected=selected>{encoding.to_string()}</option> }
    };
    let separator = move |separator: ColumnSeparator| {
        let selected = stated_separator == Some(separator);
        view! { <option value=separator.name() selected=selected>{separator.name()}</option> }
    };

    let separators = found.separator.map(|_| {
        view! {
            <Field id="separator" label="Separator">
                <select id="separator" name="separator">
                    <option value="">"find it in the file"</option>
                    {ColumnSeparator::ALL.map(separator)}
                </select>
            </Field>
        }
    });

    view! {
        <Field id="encoding" label="Encoding">
            <select id="encoding" name="encoding">
                <option value="">"find it in the file"</option>
                {TextEncoding::ALL.map(encoding)}
            </select>
        </Field>
        {separators}
    }
}

/// The page of a file that is not UTF-8: its first rows in the most likely encoding, to be
/// accepted.
pub(super) async fn offer_encoding(
    access: &RequestAccess,
    turn: &PreviewTurn,
    ids: &str,
    kind: ImportKind,
    line: u64,
) -> Result<AnyView, Refusal> {
    let uploaded_files = files(access, &uploads(ids)?).await?.in_turn(turn);
    let encoding = TextEncoding::Windows1252;
    let input = InputOptions {
        encoding: Some(encoding),
        ..InputOptions::default()
    };
    let shown = uploaded_files.preview(&input).await.ok();
    let shown = shown.map(|shown| view! { <FirstRows preview=shown.preview/> });

    // With several texts, it is not known here which of them has the line.
    let text = match uploaded_files.names().len() {
        1 => uploaded_files.line_as(encoding, line).await,
        _ => Ok(None),
    };
    let text = text.map_err(refuse_files)?;

    let slug = access.study.slug.to_string();
    let here = StudyPage::ImportPreview(ids).address(&slug);
    let address = format!("{here}?what={}{}", kind_name(kind), input_query(&input));

    Ok(view! {
        <p class="crumb"><a href=StudyPage::Import.address(&slug)>"Import"</a></p>
        <h1 class="file">{uploaded_files.names().join(", ")}</h1>
        <p class="caution">{format!("Line {line} is not UTF-8. Read it as {encoding}?")}</p>
        {text.map(|text| view! {
            <p>{format!("In {encoding}, line {line} reads: ")} <q>{text}</q></p>
        })}
        {shown}
        <p class="soft">
            "If the letters look wrong, save the file in UTF-8 and upload it again."
        </p>
        <p class="actions">
            <a class="button primary" href=address>{format!("Read it as {encoding}")}</a>
            <a class="button" href=StudyPage::Import.address(&slug)>"Choose another file"</a>
        </p>
    }
    .into_any())
}
