use std::collections::HashMap;

use domain::{ids::StudyId, study::Role};
use leptos::prelude::*;
use store::{Person, StudyCounts, StudyEntry};

use crate::links::study_entrance;
use crate::{
    error::Refusal,
    layout::{Page, refusal_page},
    links,
    request::{refuse, visitor},
    services,
};
use service::wording::count_noun;

/// Where one arrives: what this is, or the studies of whoever is signed in.
#[component]
pub fn Home() -> impl IntoView {
    let Some(session) = visitor().session else {
        return view! { <Hello/> }.into_any();
    };
    Suspend::new(async move {
        match my_studies(session.person).await {
            Ok(page) => page.into_any(),
            Err(refusal) => refusal_page(&refusal),
        }
    })
    .into_any()
}

#[component]
fn Hello() -> impl IntoView {
    view! {
        <Page title="Welcome">
            <h1>"Which simplification is better?"</h1>
            <p class="lead">
                "Rank & Rate collects people's judgements of simplified texts, watches their \
                 quality while they come in, and turns them into datasets."
            </p>
            <p class="actions">
                <a class="button primary" href=links::to("/login")>"Sign in"</a>
            </p>
            <p class="soft">
                "To take part in a study you need an invitation: a link from whoever leads it."
            </p>
        </Page>
    }
}

async fn my_studies(person: Person) -> Result<impl IntoView, Refusal> {
    let store = services().store;
    let studies = store.studies_of(person.id).await.map_err(refuse)?;
    let counts = store.study_counts(person.id).await.map_err(refuse)?;
    let makes = person.is_admin || studies.iter().any(|study| study.role == Some(Role::Lead));
    let new = makes.then(|| {
        view! { <a class="button primary" href=links::to("/studies/new")>"New study"</a> }
    });
    let list = if studies.is_empty() {
        view! { <Nothing makes/> }.into_any()
    } else {
        cards(studies, &counts).into_any()
    };
    Ok(view! {
        <Page title="Your studies">
            <div class="title-row">
                <h1>"Your studies"</h1>
                {new}
            </div>
            {list}
        </Page>
    })
}

/// Said to whoever is in no study.
#[component]
fn Nothing(makes: bool) -> impl IntoView {
    let what = if makes {
        "There is no study yet. Make one: you will lead it, bring texts in and invite annotators."
    } else {
        "You are in no study. Open the link that the lead of your study sent you; if it does not \
         work any more, ask for a new one."
    };
    view! { <p class="empty">{what}</p> }
}

fn cards(studies: Vec<StudyEntry>, counts: &HashMap<StudyId, StudyCounts>) -> impl IntoView {
    let card = |study: StudyEntry| {
        let counts = counts.get(&study.id).copied().unwrap_or_default();
        view! { <li><StudyCard study counts/></li> }
    };
    view! { <ul class="cards">{studies.into_iter().map(card).collect_view()}</ul> }
}

/// A study with what the person is in it, how far it is, and what there is to do.
#[component]
fn StudyCard(study: StudyEntry, counts: StudyCounts) -> impl IntoView {
    let StudyEntry {
        slug,
        name,
        role,
        closed_at,
        ..
    } = study;
    let what = role.map_or("administrator", Role::name);
    let (closed, note) = (closed_at.is_some(), closed_at.map(|_| " · closed"));
    let study = format!("/s/{slug}");
    let (progress, (path, action)) = match role {
        Some(Role::Annotator) => (
            annotator_progress(&counts).into_any(),
            for_annotator(&counts, closed),
        ),
        role => (
            study_progress(&counts).into_any(),
            for_others(&counts, role),
        ),
    };
    let of = format!(": {name}");
    view! {
        <article class="card study-card">
            <h2><a href=links::to(&study_entrance(&slug, role))>{name}</a></h2>
            <p class="soft">{what}{note}</p>
            {progress}
            <p class="next">
                <a href=links::to(&(study + path))>
                    {action}<span class="visually-hidden">{of}</span>
                </a>
            </p>
        </article>
    }
}

/// How far an annotator is.
fn annotator_progress(counts: &StudyCounts) -> impl IntoView + use<> {
    let line = match counts.mine_handed_in {
        0 => "No source handed in yet".to_owned(),
        1 => "1 source handed in".to_owned(),
        n => format!("{n} sources handed in"),
    };
    view! { <p class="numbers">{line}</p> }
}

/// How far everybody together is.
fn study_progress(counts: &StudyCounts) -> impl IntoView + use<> {
    let StudyCounts {
        sources,
        wanted,
        handed_in,
        annotators,
        ..
    } = *counts;
    let line = format!(
        "{} · {} · {handed_in} of {wanted} judgements handed in",
        count_noun(sources as usize, "source"),
        count_noun(annotators as usize, "annotator"),
    );
    let bar = (wanted > 0).then(|| {
        view! { <progress aria-label="Handed in" max=wanted value=handed_in.min(wanted)></progress> }
    });
    view! { <p class="numbers">{line}</p>{bar} }
}

/// Where an annotator goes on, from the study's address, and in what words.
fn for_annotator(counts: &StudyCounts, closed: bool) -> (&'static str, &'static str) {
    let words = match (closed, counts.mine_open, counts.mine_handed_in) {
        (true, ..) => "See what you did",
        (false, 1.., _) => "Go on with what you have begun",
        (false, 0, 0) => "Begin",
        (false, 0, _) => "Get the next source",
    };
    ("/work", words)
}

/// Where somebody else goes on, from the study's address, and in what words.
fn for_others(counts: &StudyCounts, role: Option<Role>) -> (&'static str, &'static str) {
    match (role, counts.sources, counts.annotators) {
        (Some(Role::Researcher), ..) => ("/agreement", "See how far raters agree"),
        (_, 0, _) => ("/import", "Bring sources in"),
        (_, _, 0) => ("/members", "Invite annotators"),
        _ => ("", "Watch progress"),
    }
}
