use domain::study::{QualificationRule, SourcePurpose};
use leptos::prelude::*;
use store::{SourceEntry, rating_rows::StudyPart};

use super::attention::AttentionItems;
use app::{
    api::{MoveSource, SetPurpose},
    components::Field,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};

/// The training items of a study, by purpose, and its attention items.
#[component]
pub fn TrainingPage() -> impl IntoView {
    study_page(
        "Training items",
        StudyTab::Training,
        RequestAccess::require_lead,
        training,
    )
}

async fn training(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let (services, study) = (services(), access.study.id);
    let sources = services.live.source_list(&services.store, study).await;
    let sources = sources.map_err(refuse)?;
    let results = services
        .store
        .attention_results(study, StudyPart::Whole)
        .await;
    let results = results.map_err(refuse)?;

    let slug = access.study.slug.to_string();
    let settings = StudyPage::Settings.address(&slug);
    let by_answers = matches!(
        access.study.settings.qualification,
        QualificationRule::Answers { .. }
    );
    let qualifying = sources
        .iter()
        .any(|source| source.purpose == SourcePurpose::Qualification);

    let sources_for = |purpose: SourcePurpose| {
        sources
            .iter()
            .filter(|source| source.purpose == purpose)
            .cloned()
            .collect::<Vec<_>>()
    };
    let kind = |purpose: SourcePurpose| {
        view! { <Kind slug=slug.clone() purpose sources=sources_for(purpose)/> }
    };
    let kinds = [
        SourcePurpose::Tutorial,
        SourcePurpose::Training,
        SourcePurpose::Qualification,
    ];
    let every = access.study.settings.quality_control.attention_every;

    Ok(view! {
        <h1>"Training items"</h1>
        <p class="lead">
            "Annotators see these sources first, in this order, and attention items among the sources that they judge. \
             None of them ever counts for agreement, z-scores or exports of ratings."
        </p>
        {(by_answers && !qualifying).then(|| view! {
            <p class="caution">
                "Annotators are admitted by their answers to qualification items, but there are none yet. \
                 Add one, or "
                <a href=format!("{settings}#admission")>"choose another way to admit them"</a> "."
            </p>
        })}
        <Add slug=slug.clone() candidates=TrainingCandidates::choose(&sources)/>
        {kinds.map(kind)}
        <AttentionItems
            slug=slug.clone()
            items=sources_for(SourcePurpose::Attention)
            results
            every
        />
    })
}

/// The most sources that the form suggests: a browser shows no more in a list of suggestions that people read.
const MOST_SUGGESTED: usize = 200;

/// The sources that can become training items.
struct TrainingCandidates {
    /// The first of them.
    suggested: Vec<SourceEntry>,
    /// The number of all of them.
    count: usize,
}

impl TrainingCandidates {
    /// Chooses the main sources that nobody has opened or judged: the purpose of all others is
    /// fixed.
    fn choose(sources: &[SourceEntry]) -> Self {
        let free = sources
            .iter()
            .filter(|source| source.purpose == SourcePurpose::Main && !source.is_in_use);
        Self {
            suggested: free.clone().take(MOST_SUGGESTED).cloned().collect(),
            count: free.count(),
        }
    }
}

/// The form that makes a source a training item.
#[component]
fn Add(slug: String, candidates: TrainingCandidates) -> impl IntoView {
    let action = links::action::<SetPurpose>();
    let option = |source: SourceEntry| {
        let text: String = source.text.chars().take(80).collect();
        view! { <option value=source.key>{text}</option> }
    };

    let TrainingCandidates { suggested, count } = candidates;
    if suggested.is_empty() {
        return view! {
            <p class="empty">
                "There is no source to choose from: only a source that nobody has opened or judged can become a training \
                 item. Import some first."
            </p>
        }
        .into_any();
    }

    let help = match suggested.len() < count {
        true => format!(
            "Choose a source that nobody has opened. The first {} of {count} are suggested; type the name of any other.",
            suggested.len()
        ),
        false => "Choose a source that nobody has opened.".to_owned(),
    };

    // Not the field's own help, which would put the fields of the row out of line.
    view! {
        <p class="soft" id="source-help">{help}</p>
        <EnhancedForm action=action class="card side-by-side" label="Add a training item">
            <input type="hidden" name="slug" value=slug/>
            <Field id="source" label="Source">
                <input
                    id="source"
                    aria-describedby="source-help"
                    name="source"
                    list="sources"
                    required
                    autocomplete="off"
                    placeholder="its name in the list"
                />
            </Field>
            <datalist id="sources">{suggested.into_iter().map(option).collect_view()}</datalist>
            <Field id="purpose" label="Purpose">
                <select id="purpose" name="purpose">
                    <option value="tutorial">"tutorial"</option>
                    <option value="training">"training"</option>
                    <option value="qualification">"qualification"</option>
                    <option value="attention">"attention item"</option>
                </select>
            </Field>
            <button class="primary">"Add"</button>
        </EnhancedForm>
    }
    .into_any()
}

/// The sources of one purpose, in order.
#[component]
fn Kind(slug: String, purpose: SourcePurpose, sources: Vec<SourceEntry>) -> impl IntoView {
    let (title, help) = match purpose {
        SourcePurpose::Tutorial => (
            "Tutorial",
            "Done first of all. After each try, annotators see what is expected and your explanation.",
        ),
        SourcePurpose::Training => (
            "Training",
            "Judged like any source. After submitting, annotators see what was right and your explanations.",
        ),
        _ => (
            "Qualification",
            "Judged like any source. The answers decide whether the annotator may begin.",
        ),
    };

    let last = sources.len().saturating_sub(1);
    let item = |(at, source): (usize, SourceEntry)| {
        view! { <Item slug=slug.clone() source first=at == 0 last=at == last/> }
    };
    let list = if sources.is_empty() {
        view! { <p class="soft">"None yet."</p> }.into_any()
    } else {
        let items = sources.into_iter().enumerate().map(item).collect_view();
        view! { <ol class="items">{items}</ol> }.into_any()
    };

    view! {
        <section>
            <h2>{title}</h2>
            <p class="soft">{help}</p>
            {list}
        </section>
    }
}

/// One training item, with its actions: expected answers, up, down, remove.
#[component]
fn Item(slug: String, source: SourceEntry, first: bool, last: bool) -> impl IntoView {
    let (order, purpose) = (links::action::<MoveSource>(), links::action::<SetPurpose>());
    let expected = StudyPage::ExpectedAnswers(source.id).address(&slug);
    let fields = {
        let id = source.id.to_string();
        move || {
            view! {
                <input type="hidden" name="slug" value=slug.clone()/>
                <input type="hidden" name="source" value=id.clone()/>
            }
        }
    };

    let (to_order, to_remove) = (fields(), fields());
    let key = source.key.clone();
    let (up, down) = (format!("{key} up"), format!("{key} down"));
    let (order_of, back) = (
        format!("Order of {key}"),
        format!("{key} is judged like the others"),
    );

    view! {
        <li class="card">
            <p class="text">{source.text}</p>
            <div class="row-actions">
                <a class="button" href=expected>{format!("Expected answers of {key}")}</a>
                <EnhancedForm action=order class="inline" label=order_of>
                    {to_order}
                    <button name="direction" value="up" disabled=first aria-label=up>"↑"</button>
                    <button name="direction" value="down" disabled=last aria-label=down>"↓"</button>
                </EnhancedForm>
                <EnhancedForm action=purpose class="inline" label=back>
                    {to_remove}
                    <input type="hidden" name="purpose" value="main"/>
                    <button class="ghost">"Remove from training"</button>
                </EnhancedForm>
            </div>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::SourceId;
    use uuid::Uuid;

    use super::*;

    fn make_source(key: usize) -> SourceEntry {
        SourceEntry {
            id: SourceId(Uuid::from_u128(key as u128)),
            key: key.to_string(),
            text: "The ferry leaves at nine.".to_owned(),
            purpose: SourcePurpose::Main,
            references: 0,
            outputs: 2,
            handed_in: 0,
            handed_in_groups: vec![],
            imported_raters: 0,
            open: 0,
            is_in_use: false,
            own_overlap: None,
        }
    }

    #[test]
    fn only_sources_that_are_not_in_use_are_suggested() {
        let mut sources: Vec<_> = (0..4).map(make_source).collect();
        sources[0].is_in_use = true;
        sources[2].purpose = SourcePurpose::Tutorial;
        let candidates = TrainingCandidates::choose(&sources);
        let keys: Vec<_> = candidates
            .suggested
            .iter()
            .map(|source| &source.key)
            .collect();
        assert_eq!(keys, ["1", "3"]);
        assert_eq!(candidates.count, 2);
    }

    #[test]
    fn a_large_study_suggests_its_first_sources() {
        let sources: Vec<_> = (0..MOST_SUGGESTED + 5).map(make_source).collect();
        let candidates = TrainingCandidates::choose(&sources);
        assert_eq!(candidates.suggested, sources[..MOST_SUGGESTED]);
        assert_eq!(candidates.count, MOST_SUGGESTED + 5);
    }
}
