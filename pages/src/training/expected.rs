use domain::{
    category::Category,
    protocol::StudyProtocol,
    questions::{AnswerOption, AskedQuestion, QuestionAbout, QuestionKind},
    score::RatingScale,
    span_marks::mark_lines::write_mark_lines,
    study::{OutputPurpose, SourcePurpose},
    work::{attention::SCORE_TOLERANCE, task::ExpectedAnswer},
};
use leptos::prelude::*;
use store::SourceOutput;

use crate::{
    charts::decimal,
    sources::{Highlights, explain_mark_lines, find_source, purpose_title},
};
use app::{
    api::SetExpected,
    components::TextArea,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, path_parameter, refuse},
    services,
};

/// The form for the expected answers to the outputs of one training item.
#[component]
pub fn ExpectedPage() -> impl IntoView {
    let id = path_parameter("source");
    study_page(
        "Expected answers",
        StudyTab::Training,
        RequestAccess::require_lead,
        move |access| expected(access, id),
    )
}

async fn expected(access: RequestAccess, id: String) -> Result<impl IntoView, Refusal> {
    let (store, study) = (services().store, &access.study);
    let source = find_source(&access, &id).await?;
    let id = source.id;
    let outputs = store.source_outputs(id).await.map_err(refuse)?;

    let scale = study
        .settings
        .dimensions
        .first()
        .map(|dimension| dimension.scale)
        .unwrap_or_default();

    let slug = study.slug.to_string();
    let back = StudyPage::Training.address(&slug);
    let action = links::action::<SetExpected>();
    let text = source.text.clone();
    let protocol = &study.settings.protocol;
    let fields = ExpectedFields::new(protocol);
    let row = |(at, output): (usize, SourceOutput)| {
        let fields = fields.clone();
        view! { <ExpectedRow source=text.clone() output scale at fields/> }
    };

    // An identical output is judged with its twin.
    let main_outputs = outputs
        .into_iter()
        .filter(|output| output.purpose == OutputPurpose::Main && output.twin_of.is_none());
    let main_outputs: Vec<_> = main_outputs.collect();
    let expected = main_outputs
        .iter()
        .filter_map(|output| output.expected.as_ref());
    let expected: Vec<_> = expected.collect();

    let about_source = questions_about(protocol, QuestionAbout::Source);
    let about_source = (!about_source.is_empty()).then(|| {
        let fields = about_source.into_iter().enumerate().map(|(at, question)| {
            let mut expected = expected.iter();
            let chosen = expected.find_map(|expected| expected.choice(&question.key));
            let chosen = chosen.map_or(&[][..], |chosen| chosen.options.as_slice());
            draw_question(&question, format!("choices[{at}]"), chosen, "the source")
        });
        view! { <div class="expected-questions">{fields.collect_view()}</div> }
    });

    let rows = main_outputs.into_iter().enumerate().map(row).collect_view();
    let has_columns = fields.has_category || fields.has_rating;
    let off_by = format!("± points of {} to {}", scale.low, scale.high);

    Ok(view! {
        <p class="crumb"><a href=back>"Training items"</a></p>
        <div class="title-row">
            <h1>"Expected answers"</h1>
            <span class="tag">{purpose_title(source.purpose)}</span>
        </div>
        <div class="source-text"><p>{source.text}</p></div>
        <p class="soft">{explain_fields(source.purpose, scale, &fields)}</p>
        {explain_marks(protocol, source.purpose)}
        <EnhancedForm action=action class="expected-form" label="Expected answers">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="source" value=id.to_string()/>
            {about_source}
            {has_columns.then(|| view! {
                <div class="expected-row expected-head" aria-hidden="true">
                    <span>"Output"</span>
                    <span>{fields.has_category.then_some("Category")}</span>
                    <span>"Rating"</span>
                    <span title=off_by>"±"</span>
                    <span>"Why"</span>
                </div>
            })}
            <ol class="expected-rows">{rows}</ol>
            <div class="actions sticky-actions">
                <button class="primary">"Save all"</button>
            </div>
        </EnhancedForm>
    })
}

/// The fields that the outputs of a study have.
#[derive(Clone)]
struct ExpectedFields {
    has_category: bool,
    has_rating: bool,
    /// The name for expected marks or edits, if annotators make or check any.
    marks: Option<&'static str>,
    /// The questions with options about each output.
    questions: Vec<AskedQuestion>,
}

impl ExpectedFields {
    fn new(protocol: &StudyProtocol) -> Self {
        Self {
            has_category: protocol.categorises(),
            has_rating: protocol.scores() || protocol.compares(),
            marks: protocol
                .marked_types()
                .map(|_| match protocol.mark_spans_step() {
                    Some(_) => "Marks",
                    None => "Edits",
                }),
            questions: questions_about(protocol, QuestionAbout::Output),
        }
    }
}

/// The questions with options about each output, or about the source.
fn questions_about(protocol: &StudyProtocol, about: QuestionAbout) -> Vec<AskedQuestion> {
    let questions = protocol.answer_step().map(|step| step.questions.clone());
    let mut questions = questions.unwrap_or_default();
    questions.retain(|question| question.about == about && !question.options().is_empty());
    questions
}

/// Explains how answers are compared with the expected ones, and who sees the explanation.
fn explain_fields(purpose: SourcePurpose, scale: RatingScale, fields: &ExpectedFields) -> String {
    let open = "Leave open whatever any answer is fine for.";
    let asks = !fields.questions.is_empty();
    let choices = match asks {
        true => " An answer to a question is right if it has exactly the options that you expect.",
        false => "",
    };

    if purpose != SourcePurpose::Attention {
        let rating = match fields.has_rating {
            true => " A rating within ± points of yours is right.",
            false => "",
        };
        return format!(
            "{open}{rating}{choices} Annotators see the explanation after their own answer."
        );
    }

    if !fields.has_rating {
        return format!(
            "{open} A rater fails the item if one of the others is wrong.{choices} Annotators see none of this."
        );
    }

    let points = SCORE_TOLERANCE * f64::from(scale.high - scale.low);
    let points = decimal(points, usize::from(points.fract() != 0.0));
    let percent = 100.0 * SCORE_TOLERANCE;

    format!(
        "{open} A rater fails the item if one of the others is wrong. A rating within ± points of yours is right; with \
         ± 0, within {percent:.0} % of the scale ({points} points). Where outputs are compared, the one with the higher \
         rating must be chosen.{choices} Annotators see none of this."
    )
}

/// Explains how to write expected marks or edits, and how they are compared. `None` if annotators
/// neither make nor check any.
fn explain_marks(protocol: &StudyProtocol, purpose: SourcePurpose) -> Option<AnyView> {
    let types = protocol.marked_types()?;
    let (noun, none, levels) = match protocol.mark_spans_step() {
        Some(_) => (
            "mark",
            "nothing should be marked",
            " Levels are not compared.",
        ),
        None => ("edit", "there is no edit", ""),
    };

    let rule = match purpose {
        SourcePurpose::Attention | SourcePurpose::Qualification => format!(
            "An output counts as right if each expected {noun} shares words with a given one of the same type; more of them \
             are fine, unless you expect none."
        ),
        _ => format!(
            "Annotators see which of the expected ones are missing, which {noun}s are not expected, and how far the words of \
             each type overlap."
        ),
    };

    Some(
        view! {
            <p class="soft" id="marks-help">
                {explain_mark_lines(noun, &types)}
                {format!(" Write “none” where {none}, and nothing where any {noun}s are fine. {rule}{levels}")}
            </p>
        }
        .into_any(),
    )
}

/// The options of a question, from which the lead chooses the expected ones: one, or any number.
fn draw_question(
    question: &AskedQuestion,
    name: String,
    chosen: &[String],
    subject: &str,
) -> impl IntoView + use<> {
    let label = format!("{} ({subject})", question.text);
    let is_chosen = |option: &AnswerOption| chosen.contains(&option.key);

    let fields = match question.kind {
        QuestionKind::Several(_) => {
            let options = question.options().iter().enumerate().map(|(at, option)| {
                view! {
                    <label class="choice">
                        <input
                            type="checkbox"
                            name=format!("{name}[options][{at}]")
                            value=option.key.clone()
                            checked=is_chosen(option)
                        />
                        <span>{option.label.clone()}</span>
                    </label>
                }
            });
            let options = options.collect_view();
            view! {
                <fieldset>
                    <legend>{question.text.clone()}</legend>
                    {options}
                </fieldset>
            }
            .into_any()
        }
        _ => {
            let options = question.options().iter().map(|option| {
                let selected = is_chosen(option);
                view! { <option value=option.key.clone() selected=selected>{option.label.clone()}</option> }
            });
            let options = options.collect_view();
            view! {
                <label>
                    <span>{question.text.clone()}</span>
                    <select name=format!("{name}[options][0]") aria-label=label>
                        <option value="">"any"</option>
                        {options}
                    </select>
                </label>
            }
            .into_any()
        }
    };

    view! {
        <div class="expected-question">
            <input type="hidden" name=format!("{name}[question]") value=question.key.clone()/>
            {fields}
        </div>
    }
}

/// One output, with the fields for its expected answer.
#[component]
fn ExpectedRow(
    source: String,
    output: SourceOutput,
    scale: RatingScale,
    /// The number of the output, from 0.
    at: usize,
    fields: ExpectedFields,
) -> impl IntoView {
    let number = at + 1;
    let name = move |field: &str| format!("outputs[{at}][{field}]");
    let was = to_json(output.expected.as_ref());
    let set = output.expected.is_some();
    let expected = output.expected.unwrap_or_default();

    let chosen = expected.category;
    let option = move |category: Category| {
        let selected = chosen == Some(category);
        view! { <option value=category.name() selected=selected>{category.title()}</option> }
    };

    let automatic = format!("any (automatic: {})", output.category.name());
    let subject = format!("output {number}");
    let questions = fields.questions.iter().enumerate().map(|(at, question)| {
        let chosen = expected.choice(&question.key);
        let chosen = chosen.map_or(&[][..], |chosen| chosen.options.as_slice());
        draw_question(question, name(&format!("choices][{at}")), chosen, &subject)
    });
    let questions = questions.collect_view();

    let lines = write_mark_lines(expected.marks.as_deref(), (&source, &output.text));
    let marks = fields.marks.map(|title| {
        view! {
            <label class="expected-marks">
                <span>{title}</span>
                <TextArea
                    name=name("marks")
                    rows=3
                    maxlength=20_000
                    label=format!("{title} of output {number}")
                    value=lines
                />
            </label>
        }
    });

    let has_more = !fields.questions.is_empty() || fields.marks.is_some();
    let more =
        has_more.then(|| view! { <div class="expected-questions">{questions} {marks}</div> });

    let rating = expected.rating.map(|rating| rating.to_string());
    let category = if fields.has_category {
        view! {
            <Labelled label="Category">
                <select name=name("category") aria-label=format!("Category of output {number}")>
                    <option value="">{automatic}</option>
                    {Category::ALL.map(option)}
                </select>
            </Labelled>
        }
        .into_any()
    } else {
        let kept = chosen.map(|category| category.name());
        let class = if fields.has_rating {
            "expected-field"
        } else {
            ""
        };
        view! {
            <div class=class><input type="hidden" name=name("category") value=kept.unwrap_or_default()/></div>
        }
        .into_any()
    };

    let rating = if fields.has_rating {
        view! {
            <Labelled label="Rating">
                <input
                    name=name("rating")
                    type="number"
                    min=scale.low
                    max=scale.high
                    aria-label=format!("Rating of output {number}")
                    value=rating
                />
            </Labelled>
            <Labelled label="±">
                <input
                    name=name("tolerance")
                    type="number"
                    min="0"
                    max=scale.high - scale.low
                    aria-label=format!("Tolerance for output {number}")
                    value=expected.tolerance
                />
            </Labelled>
        }
        .into_any()
    } else {
        let tolerance = expected.tolerance.to_string();
        view! {
            <input type="hidden" name=name("rating") value=rating.unwrap_or_default()/>
            <input type="hidden" name=name("tolerance") value=tolerance/>
        }
        .into_any()
    };

    let class = match fields.has_category || fields.has_rating {
        true => "expected-row",
        false => "expected-row unrated",
    };

    view! {
        <li class=class>
            <div class="expected-output">
                <p class="soft">
                    {number} " · " {output.system} " "
                    {set.then(|| view! { <span class="tag done">"answer expected"</span> })}
                </p>
                <Highlights text=output.text edits=output.edits source/>
                <input type="hidden" name=name("output") value=output.id.to_string()/>
                <input type="hidden" name=name("was") value=was/>
            </div>
            {category}
            {rating}
            <Labelled label="Why">
                <TextArea
                    name=name("explanation")
                    rows=1
                    maxlength=20_000
                    label=format!("Explanation for output {number}")
                    value=expected.explanation
                />
            </Labelled>
            {more}
        </li>
    }
}

/// A field whose own label says its full name; the short label is for narrow screens, where the row has
/// no heading above it.
#[component]
fn Labelled(label: &'static str, children: Children) -> impl IntoView {
    view! {
        <div class="expected-field">
            <span class="label" aria-hidden="true">{label}</span>
            {children()}
        </div>
    }
}

fn to_json(expected: Option<&ExpectedAnswer>) -> String {
    serde_json::to_string(&expected).expect("an expected answer is plain data")
}
