use std::collections::HashMap;

use domain::{ids::StudyId, study::Role};
use leptos::prelude::*;
use store::{Person, StudyCounts, StudyEntry, experiments::ExperimentPart};

use app::links::StudyPage;
use app::{
    error::Refusal,
    layout::{Page, redirect_to, refusal_page},
    links,
    request::{refuse, visitor},
    services,
};
use service::wording::count_noun;

/// The start page: an introduction, or the studies of the person who is signed in.
#[component]
pub fn Home() -> impl IntoView {
    let Some(session) = visitor().session else {
        return view! { <Introduction/> }.into_any();
    };

    Suspend::new(async move {
        if session.person.is_crowd {
            return crowd_home(session.person).await;
        }
        match my_studies(session.person).await {
            Ok(page) => page.into_any(),
            Err(refusal) => refusal_page(&refusal),
        }
    })
    .into_any()
}

/// Leads a crowd rater to the work of their only study.
async fn crowd_home(person: Person) -> AnyView {
    let studies = services().store.studies_of(person.id).await.map_err(refuse);
    match studies.as_deref() {
        Ok([study, ..]) => {
            redirect_to(&StudyPage::Work.path(&study.slug));
            ().into_any()
        }
        Ok([]) => view! { <Introduction/> }.into_any(),
        Err(refusal) => refusal_page(refusal),
    }
}

#[component]
fn Introduction() -> impl IntoView {
    view! {
        <Page title="Welcome">
            <h1>"Which simplification is better?"</h1>
            <p class="lead">
                "Rank & Rate collects people's judgements of simplified texts, watches their \
                 quality while they come in, and turns them into datasets."
            </p>
            <p class="actions">
                <a class="button primary" href=links::to(links::LOGIN)>"Sign in"</a>
            </p>
            <p class="soft">
                "To take part in a study you need an invitation link from its lead."
            </p>
        </Page>
    }
}

async fn my_studies(person: Person) -> Result<impl IntoView, Refusal> {
    let store = services().store;
    let studies = store.studies_of(person.id).await.map_err(refuse)?;
    let counts = store.study_counts(person.id).await.map_err(refuse)?;
    let parts = store.experiment_parts(person.id).await.map_err(refuse)?;
    let studies = keep_parts_together(studies, &parts);

    let makes = person.is_admin || studies.iter().any(|study| study.role == Some(Role::Lead));
    let new = makes.then(|| {
        view! { <a class="button primary" href=links::to(links::NEW_STUDY)>"New study"</a> }
    });

    let (archived, current): (Vec<_>, Vec<_>) = studies
        .into_iter()
        .partition(|study| study.archived_at.is_some());
    let list = match (current.is_empty(), archived.is_empty()) {
        (true, true) => view! { <NoStudies makes/> }.into_any(),
        (true, false) => {
            view! { <p class="empty">"All of your studies are archived."</p> }.into_any()
        }
        (false, _) => cards(current, &counts, &parts).into_any(),
    };

    let archived = (!archived.is_empty()).then(|| {
        let count = archived.len();
        view! {
            <details class="archived-studies">
                <summary>{format!("Archived ({count})")}</summary>
                {cards(archived, &counts, &parts)}
            </details>
        }
    });

    Ok(view! {
        <Page title="Your studies">
            <div class="title-row">
                <h1>"Your studies"</h1>
                {new}
            </div>
            {list}
            {archived}
        </Page>
    })
}

/// The message for people who are in no study.
#[component]
fn NoStudies(makes: bool) -> impl IntoView {
    let message = if makes {
        "There are no studies yet. Create one: you will lead it, import texts and invite annotators."
    } else {
        "You are not in a study yet. Open the link that the lead of your study sent you. If it no longer \
         works, ask for a new one."
    };
    view! { <p class="empty">{message}</p> }
}

/// The studies, with the parts of an experiment in their order, at the position of the first one.
fn keep_parts_together(studies: Vec<StudyEntry>, parts: &[ExperimentPart]) -> Vec<StudyEntry> {
    let place = |study: &StudyEntry| parts.iter().position(|part| part.study == study.id);
    let places: Vec<_> = studies.iter().map(place).collect();
    let experiment = |place: &Option<usize>| place.map(|place| parts[place].experiment);
    let key = |index: usize| {
        let own = experiment(&places[index]);
        let first = places
            .iter()
            .position(|other| own.is_some() && experiment(other) == own);
        (first.unwrap_or(index), places[index])
    };

    let mut ordered: Vec<_> = studies.into_iter().enumerate().collect();
    ordered.sort_by_key(|(index, _)| key(*index));
    ordered.into_iter().map(|(_, study)| study).collect()
}

fn cards(
    studies: Vec<StudyEntry>,
    counts: &HashMap<StudyId, StudyCounts>,
    parts: &[ExperimentPart],
) -> impl IntoView + use<> {
    let card = |study: StudyEntry| {
        let counts = counts.get(&study.id).copied().unwrap_or_default();
        let part = parts
            .iter()
            .find(|part| part.study == study.id && part.parts > 1);
        let part = part.map(|part| match part.part {
            Some(number) => format!(" · part {number} of {}", part.parts),
            None => format!(" · one of {} parts", part.parts),
        });
        view! { <li><StudyCard study counts part=part.unwrap_or_default()/></li> }
    };
    view! { <ul class="cards">{studies.into_iter().map(card).collect_view()}</ul> }
}

/// A study with the person's role, its progress, and the next step.
#[component]
fn StudyCard(
    study: StudyEntry,
    counts: StudyCounts,
    /// Its part of an experiment, in words; empty for none.
    part: String,
) -> impl IntoView {
    let StudyEntry {
        slug,
        name,
        role,
        closed_at,
        archived_at,
        ..
    } = study;

    let role_name = role.map_or("administrator", Role::name);
    let closed = closed_at.is_some();
    let note = match (archived_at, closed_at) {
        (Some(_), _) => " · archived",
        (None, Some(_)) => " · closed",
        (None, None) => "",
    };

    let (progress, (page, action)) = match role {
        Some(Role::Annotator) => (
            annotator_progress(&counts).into_any(),
            for_annotator(&counts, closed),
        ),
        role => (
            study_progress(&counts).into_any(),
            match archived_at {
                None => for_others(&counts, role),
                Some(_) => (StudyPage::Overview, "See the study"),
            },
        ),
    };
    let suffix = format!(": {name}");

    view! {
        <article class="card study-card">
            <h2><a href=StudyPage::entrance(role).address(&slug)>{name}</a></h2>
            <p class="soft">{role_name}{part}{note}</p>
            {progress}
            <p class="next">
                <a href=page.address(&slug)>
                    {action}<span class="visually-hidden">{suffix}</span>
                </a>
            </p>
        </article>
    }
}

/// An annotator's progress.
fn annotator_progress(counts: &StudyCounts) -> impl IntoView + use<> {
    let line = match counts.mine_handed_in {
        0 => "No sources submitted yet".to_owned(),
        1 => "1 source submitted".to_owned(),
        n => format!("{n} sources submitted"),
    };
    view! { <p class="numbers">{line}</p> }
}

/// The progress of all annotators together.
fn study_progress(counts: &StudyCounts) -> impl IntoView + use<> {
    let StudyCounts {
        sources,
        wanted,
        handed_in,
        annotators,
        ..
    } = *counts;

    let line = format!(
        "{} · {} · {handed_in} of {wanted} judgements submitted",
        count_noun(sources as usize, "source"),
        count_noun(annotators as usize, "annotator"),
    );
    let bar = (wanted > 0).then(|| {
        view! { <progress aria-label="Submitted" max=wanted value=handed_in.min(wanted)></progress> }
    });
    view! { <p class="numbers">{line}</p>{bar} }
}

/// An annotator's next step: its path within the study, and its label.
fn for_annotator(counts: &StudyCounts, closed: bool) -> (StudyPage<'static>, &'static str) {
    let words = match (closed, counts.mine_open, counts.mine_handed_in) {
        (true, ..) => "See your work",
        (false, 1.., _) => "Continue your work",
        (false, 0, 0) => "Begin",
        (false, 0, _) => "Get the next source",
    };
    (StudyPage::Work, words)
}

/// The next step of other members: its path within the study, and its label.
fn for_others(counts: &StudyCounts, role: Option<Role>) -> (StudyPage<'static>, &'static str) {
    match (role, counts.sources, counts.annotators) {
        (Some(Role::Researcher), ..) => (StudyPage::Agreement, "See how far raters agree"),
        (_, 0, _) => (StudyPage::Import, "Import sources"),
        (_, _, 0) => (StudyPage::Members, "Invite annotators"),
        _ => (StudyPage::Overview, "Watch progress"),
    }
}
