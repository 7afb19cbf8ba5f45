use domain::{
    protocol::{AnnotationStep, CompareStep, MarkSpansStep, OutputsShown, RateStep, WriteStep},
    study::{StudySettings, WorkLayout},
    writing::{WritingStart, WrittenUse},
};
use leptos::prelude::*;
use service::templates::{StudyTemplate, WRITERS};

use app::{
    api::SetProtocol,
    components::{Field, RadioChoice},
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
        annotators_agree,
        ..
    } = settings;

    let categorises = protocol.find(AnnotationStep::Categorise).is_some();
    let mark_spans_step = protocol.mark_spans_step().cloned();
    let has_edits = protocol.find(AnnotationStep::Highlight).is_some();
    let rate_step = protocol.rate_step().cloned();
    let compare_step = protocol.compare_step().cloned();
    let asks = protocol.answer_step().is_some();
    let asks_only = protocol.find(AnnotationStep::Rate).is_none();
    let write_step = protocol.write_step().cloned();

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
            </fieldset>
            <fieldset>
                <legend>"Words"</legend>
                <RadioChoice
                    name="edits"
                    value=""
                    label="No step on words"
                    help="Annotators read the outputs as they are."
                    checked=!has_edits
                />
                <RadioChoice
                    name="edits"
                    value="check"
                    label="Check edits"
                    help="Annotators correct the marks that show what each output changed."
                    checked=has_edits && mark_spans_step.is_none()
                />
                <RadioChoice
                    name="edits"
                    value="mark"
                    label="Mark spans"
                    help="Annotators mark words of the source and of each output, and give each mark a type and a level."
                    checked=mark_spans_step.is_some()
                />
                <SpanFields step=mark_spans_step/>
            </fieldset>
            <fieldset>
                <legend>"Then"</legend>
                <RadioChoice
                    name="rating"
                    value="rank"
                    label="Rank & rate"
                    help="Annotators put the outputs of each category in order, best first, and score all of them."
                    checked=protocol.ranks()
                />
                <RadioChoice
                    name="rating"
                    value="rate"
                    label="Rate"
                    help="Annotators score each output, without an order."
                    checked=rate_step.is_some()
                />
                <RadioChoice
                    name="rating"
                    value="compare"
                    label="Compare"
                    help="Annotators say which of two outputs is better, or which of several are best and worst. Nothing is scored."
                    checked=compare_step.is_some()
                />
                <RadioChoice
                    name="rating"
                    value="ask"
                    label="No scores"
                    help="Annotators answer questions or write, and nothing else."
                    checked=asks_only
                />
                <p class="help">"What they judge, and on which scales, is set under " <a href=scales.clone()>"Scales"</a> "."</p>
            </fieldset>
            <fieldset>
                <legend>"At the end"</legend>
                <CheckChoice
                    name="asks"
                    label="Answer questions"
                    help="Annotators answer your questions about each output, or about the source. A few are there at first; \
                          they are changed under “Scales” once this is saved."
                    checked=asks
                />
                <CheckChoice
                    name="writing[on]"
                    label="Write a simplification"
                    help="Annotators write a simplification of the source, or correct one. Where they do nothing else, sources \
                          need no outputs."
                    checked=write_step.is_some()
                />
                <WritingChoices step=write_step/>
            </fieldset>
            <Layout layout/>
            <RateFields step=rate_step.unwrap_or_default()/>
            <CompareFields step=compare_step.unwrap_or_default()/>
            <ShownFields hides_source=protocol.hides_source() shows_reference=protocol.shows_reference()/>
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
            <fieldset>
                <legend>"Consensus"</legend>
                <CheckChoice
                    name="annotators_agree"
                    label="Annotators may agree on a consensus"
                    help="Those who submitted the same source see each other's answers and decide together where \
                          they differ. Their own answers stay as they are, and can no longer be changed."
                    checked=annotators_agree
                />
            </fieldset>
            <div class="actions">
                <button class="primary">"Save the protocol"</button>
                <a href=preview>"Preview as annotator"</a>
            </div>
        </EnhancedForm>
    }
}

/// The fields for marked spans.
#[component]
fn SpanFields(
    /// The current settings, if the study marks spans.
    step: Option<MarkSpansStep>,
) -> impl IntoView {
    let templates = StudyTemplate::ALL.iter().filter(|template| {
        let settings = template.settings();
        settings.protocol.mark_spans_step().is_some()
    });
    let option = |template: &StudyTemplate| {
        view! { <option value=template.name()>{format!("those of “{}”", template.title())}</option> }
    };

    view! {
        <div class="if-mark indented">
            <div class="field">
                <label for="taxonomy">"Types and levels"</label>
                <select id="taxonomy" name="taxonomy" aria-describedby="taxonomy-help">
                    {step.is_some().then(|| view! { <option value="">"as they are"</option> })}
                    {templates.map(option).collect_view()}
                </select>
                <p class="help" id="taxonomy-help">"They can be changed under “Scales” once this is saved."</p>
            </div>
            <CheckChoice
                name="prefills"
                label="Begin with the computer's marks"
                help="Each output begins with its automatic edits as marks, which annotators check."
                checked=step.is_some_and(|step| step.prefills)
            />
        </div>
    }
}

/// The fields for writing.
#[component]
fn WritingChoices(
    /// The current settings, if annotators write.
    step: Option<WriteStep>,
) -> impl IntoView {
    let step = step.unwrap_or_else(|| WriteStep {
        system: WRITERS.to_owned(),
        ..WriteStep::default()
    });

    let start = |value: WritingStart, label, help| {
        let checked = step.start == value;
        view! { <RadioChoice name="writing[start]" value=value.name() label help checked/> }
    };
    let becomes = |value: WrittenUse, label, help| {
        let checked = step.becomes == value;
        view! { <RadioChoice name="writing[becomes]" value=value.name() label help checked/> }
    };

    view! {
        <div class="if-write indented">
            <fieldset>
                <legend>"They begin with"</legend>
                {start(WritingStart::Blank, "an empty page", "They write the whole text.")}
                {start(WritingStart::Source, "the source", "They change it until it is simple.")}
                {start(
                    WritingStart::Output,
                    "the output of a system",
                    "They correct it. Where a source has no output of this system, they begin with an empty page.",
                )}
                <div class="if-output indented">
                    <Field id="start-system" label="System" help="The name of the system, as “Systems” shows it. Annotators are not told.">
                        <input
                            id="start-system"
                            name="writing[start_system]"
                            value=step.start_system.clone()
                            aria-describedby="start-system-help"
                        />
                    </Field>
                </div>
            </fieldset>
            <fieldset>
                <legend>"Length"</legend>
                <p class="help">"Annotators see these as hints; they can submit a text of any length. Leave empty what does not matter."</p>
                <NumberField id="least-words" name="writing[least_words]" label="Fewest words" value=step.least_words/>
                <NumberField id="most-words" name="writing[most_words]" label="Most words" value=step.most_words/>
                <NumberField
                    id="target-percent"
                    name="writing[target_percent]"
                    label="Characters, in percent of the source's"
                    value=step.target_percent
                />
            </fieldset>
            <fieldset>
                <legend>"Their texts become"</legend>
                {becomes(
                    WrittenUse::References,
                    "references",
                    "Metrics compare outputs with them. You add them under “Sources” when you want to.",
                )}
                {becomes(
                    WrittenUse::Outputs,
                    "outputs of a human system",
                    "They can be judged like those of other systems. You add them under “Sources” when you want to.",
                )}
                <div class="if-outputs indented">
                    <Field
                        id="written-system"
                        label="Name of the system"
                        help="Where a source has more than one text, the others are of systems with a number: “Written by annotators 2”."
                    >
                        <input
                            id="written-system"
                            name="writing[system]"
                            value=step.system.clone()
                            aria-describedby="written-system-help"
                        />
                    </Field>
                </div>
            </fieldset>
        </div>
    }
}

/// A number that may be left out.
#[component]
fn NumberField(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    value: Option<u32>,
) -> impl IntoView {
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input id=id name=name type="number" min="1" value=value class="short"/>
        </div>
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
            <legend>"With all three steps and no questions, annotators work"</legend>
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
        </fieldset>
    }
}

/// The fields for comparisons.
#[component]
fn CompareFields(step: CompareStep) -> impl IntoView {
    view! {
        <fieldset class="if-compare">
            <legend>"Comparisons"</legend>
            <Field
                id="together"
                label="Outputs in a comparison"
                help="Of two outputs, annotators choose the better one. Of three to six, they choose the best and the worst."
            >
                <input
                    id="together"
                    name="together"
                    type="number"
                    value=step.together
                    class="short"
                    aria-describedby="together-help"
                />
            </Field>
            <Field
                id="times"
                label="Comparisons of each output"
                help="About how many comparisons an annotator makes of each output of a source. They are drawn so that \
                      all outputs come up about equally often. Leave it empty to compare all pairs: 15 where a source \
                      has 6 outputs, 276 where it has 24."
            >
                <input
                    id="times"
                    name="times"
                    type="number"
                    value=step.times
                    class="short"
                    aria-describedby="times-help"
                />
            </Field>
            <CheckChoice
                name="is_adaptive"
                label="Choose the pairs that are least certain"
                help="Of two outputs at a time: which pairs of a source are compared follows from the comparisons of other \
                      sources. Systems that are hard to tell apart meet more often, so that their order is clear sooner. \
                      Differences of strength come out somewhat too large."
                checked=step.is_adaptive
            />
            <CheckChoice
                name="allows_ties"
                label="Neither may be better"
                help="Of two outputs, annotators may say that neither is better."
                checked=step.allows_ties
            />
        </fieldset>
    }
}

/// The fields for what annotators see next to the outputs, if they do not rank.
#[component]
fn ShownFields(hides_source: bool, shows_reference: bool) -> impl IntoView {
    view! {
        <fieldset class="unless-rank">
            <legend>"Beside the outputs, annotators see"</legend>
            <CheckChoice
                name="shows_reference"
                label="a reference"
                help="The first reference of the source, where it has one."
                checked=shows_reference
            />
            <CheckChoice
                name="hides_source"
                label="no source"
                help="For judging fluency alone. Only where annotators do nothing but rate or compare."
                checked=hides_source
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
