use domain::{category::Category, ids::PersonId};
use leptos::prelude::*;
use store::{Member, SourceEntry, qualification::QualificationAnswer};

use super::waiting::waiting;
use app::{
    api::Admit,
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, parse, path_parameter, refuse},
    services,
};

/// An annotator's answers to the qualification items, next to the expected ones.
#[component]
pub fn QualificationPage() -> impl IntoView {
    let person = path_parameter("person");
    study_page(
        "Qualification",
        StudyTab::People,
        RequestAccess::require_lead,
        move |access| qualification(access, person),
    )
}

async fn qualification(access: RequestAccess, person: String) -> Result<impl IntoView, Refusal> {
    let (store, study) = (services().store, &access.study);
    let person: PersonId = parse::id(&person)?;
    let members = store.members(study.id).await.map_err(refuse)?;
    let member = members.iter().find(|member| member.person == person);
    let Member { name, .. } = member.ok_or(Refusal::NotFound)?.clone();

    let result = waiting(study, &members).await?.into_iter();
    let result = result
        .filter(|annotator| annotator.person == person)
        .map(|annotator| {
            let (action, label) = (
                links::action::<Admit>(),
                format!("Admit {}", annotator.name),
            );
            let (slug, person) = (study.slug.to_string(), annotator.person.to_string());
            view! {
                <p class="lead">{annotator.result}</p>
                <EnhancedForm action class="inline" label>
                    <input type="hidden" name="slug" value=slug/>
                    <input type="hidden" name="person" value=person/>
                    <button class="primary">"Admit"</button>
                </EnhancedForm>
            }
        })
        .collect_view();

    let answers = store.qualification_answers(study.id, person).await;
    let answers = answers.map_err(refuse)?;
    let mut sources: Vec<SourceEntry> = vec![];
    for answer in &answers {
        if sources.iter().all(|source| source.id != answer.source) {
            let source = store.source(study.id, answer.source).await;
            sources.extend(source.map_err(refuse)?);
        }
    }

    let section = |source: SourceEntry| {
        let source_answers = answers.iter().filter(|answer| answer.source == source.id);
        view! { <Answers answers=source_answers.cloned().collect() source/> }
    };
    let people = StudyPage::Members.address(&study.slug);
    let none = answers.is_empty().then(|| {
        view! { <p class="empty">"None of the submitted sources have expected answers."</p> }
    });

    Ok(view! {
        <p class="crumb"><a href=people>"Members"</a></p>
        <h1>"Qualification of " {name}</h1>
        {result}
        {none}
        {sources.into_iter().map(section).collect_view()}
    })
}

/// The answers to one source.
#[component]
fn Answers(source: SourceEntry, answers: Vec<QualificationAnswer>) -> impl IntoView {
    let (id, label) = (
        format!("source-{}", source.id),
        format!("Answers to {}", source.key),
    );

    view! {
        <section aria-labelledby=id>
            <h2 id=id.clone()>{source.key}</h2>
            <div class="source-text"><p>{source.text}</p></div>
            <div class="table-scroll" role="group" aria-label=label tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Output"</th>
                            <th scope="col">"Expected category"</th>
                            <th scope="col">"Chosen category"</th>
                            <th scope="col" class="number">"Expected rating"</th>
                            <th scope="col" class="number">"Rating"</th>
                            <th scope="col" class="number">"Off by"</th>
                            <th scope="col" class="number">"Answers and marks as expected"</th>
                        </tr>
                    </thead>
                    <tbody>{answers.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(answer: QualificationAnswer) -> impl IntoView {
    let judgement = answer.judged;
    let any_label = || "any".to_owned();
    let title = |category: Category| category.title().to_owned();

    let wrong = judgement
        .expected
        .category
        .is_some_and(|category| category != judgement.category);
    let rating = judgement.rating.map(|score| score.get());
    let off = judgement.expected.rating.zip(rating);

    let expected = judgement.expected.rating.map_or_else(any_label, |rating| {
        match judgement.expected.tolerance {
            0 => rating.to_string(),
            tolerance => format!("{rating} ± {tolerance}"),
        }
    });
    let others = match judgement.others.len() {
        0 => "–".to_owned(),
        total => {
            let right = judgement.others.iter().filter(|is_right| **is_right);
            format!("{} of {total}", right.count())
        }
    };

    view! {
        <tr>
            <th scope="row" class="text">{answer.text}</th>
            <td data-label="Expected category">{judgement.expected.category.map_or_else(any_label, title)}</td>
            <td data-label="Chosen category">{title(judgement.category)} {wrong.then_some(" (wrong)")}</td>
            <td data-label="Expected rating" class="number">{expected}</td>
            <td data-label="Rating" class="number">{rating.map_or_else(|| "none".to_owned(), |rating| rating.to_string())}</td>
            <td data-label="Off by" class="number">
                {off.map_or_else(|| "–".to_owned(), |(expected, rating)| (rating - expected).abs().to_string())}
            </td>
            <td data-label="Answers and marks as expected" class="number">{others}</td>
        </tr>
    }
}
