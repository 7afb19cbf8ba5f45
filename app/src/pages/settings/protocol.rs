use domain::{
    protocol::{AnnotationStep, OutputsShown, RateStep},
    study::{StudySettings, WorkLayout},
};
use leptos::prelude::*;

use crate::{
    api::SetProtocol,
    components::RadioChoice,
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The form for what annotators do with a source.
#[component]
pub fn ProtocolForm(
    slug: String,
    /// The current settings.
    settings: StudySettings,
) -> impl IntoView {
    let action = links::action::<SetProtocol>();
    let scales = StudyPage::ScaleSettings.address(&slug);
    let preview = StudyPage::Preview.address(&slug);
    let StudySettings {
        protocol,
        layout,
        accepts_unjudged,
        ..
    } = settings;
    let categorises = protocol.find(AnnotationStep::Categorise).is_some();
    let checks_edits = protocol.find(AnnotationStep::Highlight).is_some();
    let rate_step = protocol.rate_step().cloned();
    view! {
        <p class="lead">
            "What annotators do with each source, step by step. Answers that were given stay as they are. Keep one \
             protocol for the whole study if its figures are to be compared, and see that the guidelines describe it."
        </p>
        <EnhancedForm action=action label="Protocol">
            <input type="hidden" name="slug" value=slug/>
            <fieldset>
                <legend>"First"</legend>
                <CheckChoice
                    name="categorise"
                    label="Categorise"
                    help="Annotators correct the automatic category of each output: split, deletion or paraphrase."
                    checked=categorises
                />
                <CheckChoice
                    name="check_edits"
                    label="Check edits"
                    help="Annotators correct the marks that show what each output changed."
                    checked=checks_edits
                />
            </fieldset>
            <fieldset>
                <legend>"Then"</legend>
                <RadioChoice
                    name="rating"
                    value="rank"
                    label="Rank & rate"
                    help="Annotators put the outputs of each category in order, best first, and score all of them."
                    checked=rate_step.is_none()
                />
                <RadioChoice
                    name="rating"
                    value="rate"
                    label="Rate"
                    help="Annotators score each output, without an order."
                    checked=rate_step.is_some()
                />
                <p class="help">"What they score, and on which scales, is set under " <a href=scales>"Scales"</a> "."</p>
            </fieldset>
            <Layout layout/>
            <RateFields step=rate_step.unwrap_or_default()/>
            <fieldset>
                <legend>"Outputs that cannot be judged"</legend>
                <CheckChoice
                    name="accepts_unjudged"
                    label="Annotators may say that they cannot judge an output"
                    help="They choose a reason instead of a score, for example that it is empty or about another \
                          text. Otherwise they must score every output."
                    checked=accepts_unjudged
                />
            </fieldset>
            <div class="actions">
                <button class="primary">"Save the protocol"</button>
                <a href=preview>"Preview as annotator"</a>
            </div>
        </EnhancedForm>
    }
}

/// The fields for the way through the steps of Rank & Rate.
#[component]
fn Layout(layout: WorkLayout) -> impl IntoView {
    let choice = |value: WorkLayout| {
        let (label, help) = match value {
            WorkLayout::Steps => (
                "in three steps",
                "All categories first, then all edits, then all scores, as the paper has it. Each output is \
                 read three times.",
            ),
            WorkLayout::Merged => (
                "output by output",
                "Category, edits and score of an output are in one place, and each output is read once. The first \
                 outputs get their scores before the last ones are checked.",
            ),
        };
        let checked = layout == value;
        view! { <RadioChoice name="layout" value=value.name() label help checked/> }
    };
    view! {
        <fieldset class="if-rank">
            <legend>"With all three steps, annotators work"</legend>
            {WorkLayout::ALL.iter().copied().map(choice).collect_view()}
        </fieldset>
    }
}

/// The fields for rating without an order.
#[component]
fn RateFields(step: RateStep) -> impl IntoView {
    let choice = |value: OutputsShown| {
        let (label, help) = match value {
            OutputsShown::All => (
                "all outputs of the source",
                "Annotators can compare them, and correct a score that they see in another light.",
            ),
            OutputsShown::One => ("one output at a time", "Each output is judged by itself."),
        };
        let checked = step.outputs == value;
        view! { <RadioChoice name="outputs" value=value.name() label help checked/> }
    };
    view! {
        <fieldset class="if-rate">
            <legend>"Annotators see"</legend>
            {OutputsShown::ALL.iter().copied().map(choice).collect_view()}
            <CheckChoice
                name="shows_reference"
                label="a reference"
                help="The first reference of the source, where it has one."
                checked=step.shows_reference
            />
            <CheckChoice
                name="hides_source"
                label="no source"
                help="For judging fluency alone. Only where annotators do nothing but rate."
                checked=step.hides_source
            />
        </fieldset>
    }
}

/// A setting that is on or off.
#[component]
fn CheckChoice(
    name: &'static str,
    label: &'static str,
    /// A sentence on what it means.
    help: &'static str,
    checked: bool,
) -> impl IntoView {
    let help_id = format!("{name}-help");
    view! {
        <div class="choice">
            <input
                type="checkbox"
                id=name
                name=name
                value="yes"
                checked=checked
                aria-describedby=help_id.clone()
            />
            <div>
                <label for=name>{label}</label>
                <p class="help" id=help_id>{help}</p>
            </div>
        </div>
    }
}
