use domain::{
    category::Category,
    score::RatingScale,
    study::{OutputPurpose, SourcePurpose},
    work::{attention::SCORE_TOLERANCE, task::ExpectedAnswer},
};
use leptos::prelude::*;
use store::SourceOutput;

use crate::{
    api::SetExpected,
    charts::decimal,
    components::TextArea,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    pages::sources::{Highlights, find_source, purpose_title},
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
    let row = |(at, output): (usize, SourceOutput)| {
        view! { <ExpectedRow source=text.clone() output scale at/> }
    };
    // An identical output is judged with its twin.
    let main_outputs = outputs
        .into_iter()
        .filter(|output| output.purpose == OutputPurpose::Main && output.twin_of.is_none());
    let rows = main_outputs.enumerate().map(row).collect_view();
    let off_by = format!("± points of {} to {}", scale.low, scale.high);
    Ok(view! {
        <p class="crumb"><a href=back>"Training items"</a></p>
        <div class="title-row">
            <h1>"Expected answers"</h1>
            <span class="tag">{purpose_title(source.purpose)}</span>
        </div>
        <div class="source-text"><p>{source.text}</p></div>
        <p class="soft">{explain_fields(source.purpose, scale)}</p>
        <EnhancedForm action=action class="expected-form" label="Expected answers">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="source" value=id.to_string()/>
            <div class="expected-row expected-head" aria-hidden="true">
                <span>"Output"</span>
                <span>"Category"</span>
                <span>"Rating"</span>
                <span title=off_by>"±"</span>
                <span>"Why"</span>
            </div>
            <ol class="expected-rows">{rows}</ol>
            <div class="actions sticky-actions">
                <button class="primary">"Save all"</button>
            </div>
        </EnhancedForm>
    })
}

/// How answers are compared with the expected ones, and who sees the explanation.
fn explain_fields(purpose: SourcePurpose, scale: RatingScale) -> String {
    let open = "Leave the category or the rating open where any answer is fine.";
    if purpose != SourcePurpose::Attention {
        return format!(
            "{open} A rating within ± points of yours is right. Annotators see the explanation after their own answer."
        );
    }
    let points = SCORE_TOLERANCE * f64::from(scale.high - scale.low);
    let points = decimal(points, usize::from(points.fract() != 0.0));
    let percent = 100.0 * SCORE_TOLERANCE;
    format!(
        "{open} A rater fails the item if one of the others is wrong. A rating within ± points of yours is right; with \
         ± 0, within {percent:.0} % of the scale ({points} points). Where outputs are compared, the one with the higher \
         rating must be chosen. Annotators see none of this."
    )
}

/// One output, with the fields for its expected answer.
#[component]
fn ExpectedRow(
    source: String,
    output: SourceOutput,
    scale: RatingScale,
    /// The number of the output, from 0.
    at: usize,
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
    view! {
        <li class="expected-row">
            <div class="expected-output">
                <p class="soft">
                    {number} " · " {output.system} " "
                    {set.then(|| view! { <span class="tag done">"answer expected"</span> })}
                </p>
                <Highlights text=output.text edits=output.edits source/>
                <input type="hidden" name=name("output") value=output.id.to_string()/>
                <input type="hidden" name=name("was") value=was/>
            </div>
            <Labelled label="Category">
                <select name=name("category") aria-label=format!("Category of output {number}")>
                    <option value="">{automatic}</option>
                    {Category::ALL.map(option)}
                </select>
            </Labelled>
            <Labelled label="Rating">
                <input
                    name=name("rating")
                    type="number"
                    min=scale.low
                    max=scale.high
                    aria-label=format!("Rating of output {number}")
                    value=expected.rating.map(|rating| rating.to_string())
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
            <Labelled label="Why">
                <TextArea
                    name=name("explanation")
                    rows=1
                    maxlength=20_000
                    label=format!("Explanation for output {number}")
                    value=expected.explanation
                />
            </Labelled>
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
