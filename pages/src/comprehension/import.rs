use domain::{comprehension::find_material_warnings, ids::UploadId};
use formats::{
    FilePreview, InputOptions, TextEncoding,
    comprehension::{ComprehensionField, ComprehensionFile},
};
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_query_map;

use super::{
    material::Concerns,
    sections::{ComprehensionSection, Sections},
};
use crate::import::{InputFields, OtherReading, input_options, with_sheet};
use app::{
    api::BringInReading,
    components::{ColumnRow, ColumnTable},
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links,
    request::{RequestAccess, parse, path_parameter, refuse},
    services,
};
use service::{
    comprehension::{ComprehensionPreview, ComprehensionUpload},
    wording::count_noun,
};

/// The most notes and bad rows listed.
const LISTED: usize = 20;

/// The preview of an uploaded file, with the button to import it.
#[component]
pub fn ReadingImportPage() -> impl IntoView {
    let id = path_parameter("upload");
    let input = use_query_map().with_untracked(input_options);
    study_page(
        "Import a file",
        StudyTab::Reading,
        RequestAccess::require_lead,
        move |access| content(access, id, input),
    )
}

async fn content(
    access: RequestAccess,
    id: String,
    input: InputOptions,
) -> Result<impl IntoView, Refusal> {
    let id: UploadId = parse::id(&id)?;
    let sent = ComprehensionUpload::find(&services().store, access.study.id, id).await;
    let sent = sent.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    let (name, slug) = (sent.name.clone(), access.study.slug.to_string());
    let ComprehensionPreview {
        read,
        line_not_utf8,
        table,
    } = sent.preview(input.clone()).await;

    let here = format!("/s/{slug}/reading/import/{id}");
    let offer = line_not_utf8.map(|_| {
        let encoding = TextEncoding::Windows1252;
        let address = format!("{here}?encoding={}", encoding.name());
        view! {
            <p><a class="button" href=links::to(&address)>{format!("Read it as {encoding}")}</a></p>
        }
    });

    let found = table.as_ref().map(|table| table.input.clone());
    let read_input = match &found {
        Some(found) => with_sheet(&input, found),
        None => input.clone(),
    };
    let other = found.map(|found| view! { <OtherReading here found stated=input/> });

    // A file of a known format has fixed columns.
    let fixed_columns = read.as_ref().is_ok_and(|file| !file.format.is_mapped());
    let columns = table
        .filter(|_| !fixed_columns)
        .map(|of| view! { <Columns of/> });

    let file_content = match read {
        Ok(file) => Either::Left(view! { <FileContent file/> }),
        Err(why) => Either::Right(view! {
            <p class="caution">{why}</p>
        }),
    };
    let action = links::action::<BringInReading>();

    Ok(view! {
        <h1 class="file">{name}</h1>
        <Sections slug=slug.clone() here=ComprehensionSection::Summary/>
        {file_content}
        {offer}
        {other}
        <EnhancedForm action=action label="Import">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="upload" value=id.to_string()/>
            <InputFields field="input" input=read_input/>
            {columns}
            <p class="soft">"Either the whole file is imported or nothing. Existing material stays as it is."</p>
            <div class="actions"><button class="primary">"Import"</button></div>
        </EnhancedForm>
    })
}

/// The content of the file.
#[component]
fn FileContent(file: ComprehensionFile) -> impl IntoView {
    let questions: usize = file.passages.iter().map(|own| own.questions.len()).sum();
    let summary = format!(
        "Read as {}: {}, {}, {}, {}.",
        file.format,
        count_noun(file.passages.len(), "passage"),
        count_noun(file.conditions().len(), "condition"),
        count_noun(questions, "question"),
        count_noun(file.answers.len(), "answer"),
    );

    let bad: Vec<_> = file.bad_rows.iter().map(ToString::to_string).collect();
    let doubts = find_material_warnings(&file.passages);

    view! {
        <p class="lead recognised">{summary}</p>
        <NoteList title="These rows cannot be imported. Correct them, then upload the file again." of=bad/>
        <NoteList title="Please note:" of=file.notes/>
        <Concerns doubts/>
    }
}

#[component]
fn NoteList(title: &'static str, of: Vec<String>) -> impl IntoView {
    let more = of.len().saturating_sub(LISTED);
    (!of.is_empty()).then(|| {
        let items = of.into_iter().take(LISTED);
        let items = items.map(|text| view! { <li>{text}</li> }).collect_view();
        view! {
            <div class="caution">
                <p>{title}</p>
                <ul>{items}</ul>
                {(more > 0).then(|| view! { <p>{format!("And {more} more.")}</p> })}
            </div>
        }
    })
}

/// The meaning of each column: suggested by its name, to be corrected.
#[component]
fn Columns(of: FilePreview) -> impl IntoView {
    let line = |(at, name): (usize, &String)| {
        let guess: Option<ComprehensionField> =
            name.trim().to_lowercase().replace(' ', "_").parse().ok();
        let option = |field: &ComprehensionField| {
            let selected = guess == Some(*field);
            view! { <option value=field.name() selected=selected>{title(*field)}</option> }
        };
        let options = ComprehensionField::ALL.iter().map(option).collect_view();
        let (name, example) = (name.clone(), of.example(at));
        let remark = guess.map(|_| "guessed from its name");
        view! {
            <ColumnRow meaning="Is" field=format!("columns[{at}]") name example remark>
                {options}
            </ColumnRow>
        }
    };

    let lines = of.header.iter().enumerate().map(line).collect_view();

    view! {
        <section aria-labelledby="columns">
            <h2 id="columns">"What the columns are"</h2>
            <p class="soft">
                "Only the passage is needed. A row has a text with its condition, a question with its \
                 four answers, an answer, or several of these."
            </p>
            <ColumnTable meaning="Is">{lines}</ColumnTable>
        </section>
    }
}

const fn title(field: ComprehensionField) -> &'static str {
    match field {
        ComprehensionField::Passage => "passage: its name or number",
        ComprehensionField::Title => "title of the passage",
        ComprehensionField::Purpose => "purpose: main, practice or check",
        ComprehensionField::Condition => "condition: original, or who simplified",
        ComprehensionField::Text => "text in the condition",
        ComprehensionField::Question => "question: its name or number",
        ComprehensionField::Asked => "question: its words",
        ComprehensionField::A => "answer A, right",
        ComprehensionField::B => "answer B, misreads the critical span",
        ComprehensionField::C => "answer C, from elsewhere in the text",
        ComprehensionField::D => "answer D, unsupported",
        ComprehensionField::Critical => "critical span, such as 12-40",
        ComprehensionField::Distractor => "distractor span",
        ComprehensionField::Participant => "participant: who answered",
        ComprehensionField::Answer => "what was answered",
        ComprehensionField::Order => "order in which answers were shown, such as CADB",
        ComprehensionField::ActiveMs => "active time on the question, in milliseconds",
    }
}
