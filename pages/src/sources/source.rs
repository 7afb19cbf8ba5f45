use std::collections::BTreeMap;

use domain::{
    ids::OutputId,
    source_context::SourceContext,
    study::{AssignmentState, OutputPurpose, SourcePurpose},
};
use leptos::prelude::*;
use store::SourceEntry;

use super::{
    find_source,
    output::OutputCard,
    output_judgements::{
        OutputJudgements, by_output, group_names, label_with_group, rated_dimensions,
    },
    own_overlap::OwnOverlapForm,
    purpose_title,
    question_answers::QuestionAnswers,
    visibility::{HiddenOutputs, VisibilityActions},
    written_texts::WrittenTexts,
};
use crate::rater_names::RaterNames;
use app::{
    error::Refusal,
    layout::{StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, path_parameter, refuse},
    services,
};

/// One source: its references, its outputs and their judgements.
#[component]
pub fn SourcePage() -> impl IntoView {
    let id = path_parameter("source");
    study_page(
        "Source",
        StudyTab::Sources,
        RequestAccess::require_panel_access,
        move |access| source(access, id),
    )
}

async fn source(access: RequestAccess, id: String) -> Result<impl IntoView, Refusal> {
    let (store, study) = (services().store, &access.study);
    let source = find_source(&access, &id).await?;
    let id = source.id;

    let context = store.source_context(id).await.map_err(refuse)?;
    let references = store.references(id).await.map_err(refuse)?;
    let outputs = store.source_outputs(id).await.map_err(refuse)?;

    let raters = store.raters(study.id).await.map_err(refuse)?;
    let groups = group_names(&raters, &study.settings.groups);
    let names = RaterNames::load(&access).await?;

    let mut about = store.source_answers(id).await.map_err(refuse)?;
    for answer in &mut about {
        answer.label = label_with_group(&answer.label, &names, &groups);
    }
    let about = by_output(about);

    let answers = store.answers_about_source(study.id, id).await;
    let mut answers = answers.map_err(refuse)?;
    for answer in &mut answers {
        answer.rater = label_with_group(&answer.rater, &names, &groups);
    }

    let texts = store.texts_about_source(study.id, id).await;
    let mut texts = texts.map_err(refuse)?;
    for text in &mut texts {
        text.rater = names.label(&text.rater);
    }
    let ranks = services().word_ranks;
    let questions = study.settings.protocol.answer_step().cloned();
    let questions = questions.unwrap_or_default();

    let assignments = store
        .source_assignments(study.id, id)
        .await
        .map_err(refuse)?;
    let counts = |rater| {
        !raters
            .iter()
            .any(|entry| entry.id == rater && entry.withdrawn)
    };
    let annotators = assignments
        .iter()
        .filter(|entry| entry.state == AssignmentState::HandedIn && counts(entry.rater))
        .count();

    let dimensions = rated_dimensions(&about, &study.settings.dimensions);
    let (judged, others): (Vec<_>, Vec<_>) = outputs
        .into_iter()
        .partition(|output| output.purpose == OutputPurpose::Main);
    let systems: BTreeMap<OutputId, String> = judged
        .iter()
        .map(|output| (output.id, output.system.clone()))
        .collect();

    let leads = access.require_lead().is_ok();
    let changes = leads && study.closed_at.is_none();
    let untouched = store.is_untouched(id).await.map_err(refuse)?;
    let hidden = match leads {
        true => store.hidden_outputs(id).await.map_err(refuse)?,
        false => vec![],
    };

    let slug = study.slug.to_string();
    let take_out = |output: String, what: String| {
        let source = id.to_string();
        let slug = slug.clone();
        changes.then(|| view! { <VisibilityActions slug source output what untouched/> })
    };

    let card = |output: store::SourceOutput| {
        // An identical output was judged with its twin.
        let judged_as = output.twin_of.unwrap_or(output.id);
        let twin = output.twin_of.and_then(|twin| systems.get(&twin).cloned());
        let about = about.get(&output.id).or_else(|| about.get(&judged_as));
        let about: OutputJudgements = about.cloned().unwrap_or_default();

        let is_answered = answers
            .iter()
            .any(|record| record.output == Some(judged_as));
        let list = view! {
            <QuestionAnswers step=questions.clone() answers=answers.clone() output=Some(judged_as)/>
        };

        let main = output.purpose == OutputPurpose::Main;
        let description = format!("output of {}", output.system);
        let take_out = main.then(|| take_out(output.id.to_string(), description));
        view! {
            <OutputCard
                source=source.text.clone()
                output
                twin
                about
                annotators
                dimensions=dimensions.clone()
                answers=list.into_any()
                is_answered
                take_out=take_out.into_any()
            />
        }
    };

    let number = (changes && source.purpose == SourcePurpose::Main).then(|| {
        let (slug, settings) = (slug.clone(), study.settings.clone());
        view! { <OwnOverlapForm slug source=id own_overlap=source.own_overlap settings/> }
    });
    let of_source = (questions.clone(), answers.clone());
    let count = judged.len();
    let cards = judged.into_iter().map(card).collect_view();

    let others = (!others.is_empty()).then(|| {
        view! {
            <h2>"Quality control"</h2>
            <p class="soft">"Judged among the other outputs, but not counted in any figure."</p>
            <div class="outputs">{others.into_iter().map(card).collect_view()}</div>
        }
    });

    Ok(view! {
        <Head slug=slug.clone() source=source.clone() context training=leads annotators/>
        {number}
        {take_out(String::new(), format!("source {}", source.key))}
        <References references/>
        <QuestionAnswers step=of_source.0 answers=of_source.1 output=None/>
        <WrittenTexts texts ranks/>
        <h2>{format!("Outputs ({count})")}</h2>
        <div class="outputs">{cards}</div>
        {others}
        <HiddenOutputs slug source=id.to_string() hidden/>
    })
}

#[component]
fn Head(
    slug: String,
    source: SourceEntry,
    /// The text around the source.
    context: SourceContext,
    training: bool,
    annotators: usize,
) -> impl IntoView {
    let around = |side: &'static str, text: String| {
        (!text.is_empty()).then(|| {
            view! { <p class="soft context"><b>{side} ": "</b> {text}</p> }
        })
    };

    let list = StudyPage::Sources.address(&slug);
    let expected = StudyPage::ExpectedAnswers(source.id).address(&slug);
    let main = source.purpose == SourcePurpose::Main;

    view! {
        <p class="crumb"><a href=list>"Sources"</a></p>
        <div class="title-row">
            <h1>"Source " {source.key}</h1>
            {(!main).then(|| view! { <span class="tag">{purpose_title(source.purpose)}</span> })}
        </div>
        <div class="source-text">
            {around("Before", context.before)}
            <p>{source.text}</p>
            {around("After", context.after)}
        </div>
        <p class="soft">
            {match annotators {
                0 => "No annotator has submitted it yet.".to_owned(),
                1 => "One annotator has submitted it.".to_owned(),
                many => format!("{many} annotators have submitted it."),
            }}
            {(training && !main)
                .then(|| view! { " " <a href=expected>"Set the expected answers"</a> })}
        </p>
    }
}

#[component]
fn References(references: Vec<String>) -> impl IntoView {
    (!references.is_empty()).then(|| {
        let count = references.len();
        let items = references
            .into_iter()
            .map(|text| view! { <li class="text">{text}</li> })
            .collect_view();

        view! {
            <details class="references" open=count <= 3>
                <summary>{format!("References ({count})")}</summary>
                <ol>{items}</ol>
            </details>
        }
    })
}
