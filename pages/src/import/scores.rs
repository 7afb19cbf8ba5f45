use domain::metrics::ScoreDirection;
use formats::InputOptions;
use leptos::prelude::*;
use service::import::PreviewTurn;
use store::metrics::MetricOrigin;

use super::{
    preview::FirstRows,
    reading::{InputFields, OtherReading, PreviewError, with_sheet},
};
use app::{
    api::{BeginScores, files, uploads},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};

/// The metrics in a file of scores, and the direction of each.
pub(super) async fn preview(
    access: &RequestAccess,
    turn: &PreviewTurn,
    ids: String,
    input: InputOptions,
) -> Result<AnyView, PreviewError> {
    let uploaded_files = files(access, &uploads(&ids)?).await?.in_turn(turn);
    let (names, found) = uploaded_files.score_names(&input).await?;
    let read_input = with_sheet(&input, &found);
    let preview = uploaded_files.preview(&read_input).await?.preview;

    let here = StudyPage::ImportPreview(&ids).path(&access.study.slug);
    let store = services().store;
    let metrics = store.metrics(access.study.id).await.map_err(refuse)?;

    // The stated direction of an earlier file of this metric is better than a guess.
    let direction = |name: &str| {
        let mut newest_first = metrics.iter().rev();
        let metric = newest_first
            .find(|metric| metric.origin == MetricOrigin::Imported && metric.name == name);
        metric.map_or_else(|| ScoreDirection::guess(name), |metric| metric.direction)
    };

    let slug = access.study.slug.to_string();
    let fields = names.into_iter().enumerate().map(|(at, name)| {
        let chosen = direction(&name);
        let option = |direction: &ScoreDirection| {
            let selected = *direction == chosen;
            view! { <option value=direction.name() selected=selected>{direction.title()}</option> }
        };
        let id = format!("direction-{at}");
        view! {
            <input type="hidden" name=format!("directions[{at}][name]") value=name.clone()/>
            <div class="field">
                <label for=id.clone()>{name}</label>
                <select id=id name=format!("directions[{at}][direction]")>
                    {ScoreDirection::ALL.iter().map(option).collect_view()}
                </select>
            </div>
        }
    });
    let fields = fields.collect_view();
    let action = links::action::<BeginScores>();

    Ok(view! {
        <p class="crumb"><a href=StudyPage::Import.address(&slug)>"Import"</a></p>
        <h1 class="file">{uploaded_files.names().join(", ")}</h1>
        <p class="lead">"Scores of existing outputs, with one column for each metric."</p>
        <p class="soft recognised">{preview.format.describe_reading(&preview.input, None)}</p>
        <OtherReading
            here
            kept=vec![("what", "scores".to_owned())]
            found=preview.input.clone()
            stated=input
        />
        <FirstRows preview/>
        <EnhancedForm action=action label="Import the scores">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="uploads" value=ids/>
            <InputFields field="input" input=read_input/>
            <section aria-labelledby="directions">
                <h2 id="directions">"Is higher or lower better?"</h2>
                <p>
                    "Guessed from the names: correct what is wrong. Scores are stored as they are. Where lower \
                     is better, they are negated for comparison with people."
                </p>
                {fields}
            </section>
            <div class="actions">
                <button class="primary">"Import"</button>
            </div>
        </EnhancedForm>
    }
    .into_any())
}
