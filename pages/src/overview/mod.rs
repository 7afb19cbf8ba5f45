//! The lead's tasks, the content of a study, and its progress.

mod activity;
mod pace;
mod progress;
mod since;
mod tasks;
mod to_do;
mod unreadable;

use std::sync::Arc;

use leptos::prelude::*;
use service::{
    compute,
    live::StudyProgress,
    wording::{JudgementWords, judgement_words},
};
use store::{Job, JobKind, Member, Study, overview::StudyOverview, visits::StudyVisit};

use crate::{members::waiting, rater_names::RaterNames, settings::RetentionState};
use app::{
    api::{CloseStudy, ReopenStudy, percent},
    components::{Moment, ShownFigure, figure_or_notice, format_duration},
    enhanced::{EnhancedForm, JobProgress},
    error::Refusal,
    flash,
    layout::{LiveSign, StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};

use self::{
    activity::Activity,
    pace::StudyPace,
    progress::ProgressPanel,
    since::{SinceLastVisit, count_finished, count_joined, list_news},
    tasks::TaskFacts,
    to_do::ToDo,
    unreadable::Unreadable,
};

/// The number of newest events behind the latest activity. The work on one source takes many.
const EVENTS: u32 = 600;

/// The number of newest jobs that are searched for failures and for an alignment.
const JOBS: u32 = 20;

/// The overview of a study.
#[component]
pub fn OverviewPage() -> impl IntoView {
    study_page(
        "Overview",
        StudyTab::Overview,
        RequestAccess::require_panel_access,
        overview,
    )
}

/// The content of a study that several parts of the page share.
struct OverviewFacts {
    /// The number of the newest event; what is read after it is at least as new.
    event: i64,
    progress: Arc<StudyProgress>,
    members: Vec<Member>,
    /// The end of the person's visit before this one.
    last_visit: Option<StudyVisit>,
    /// The current time in milliseconds since 1970.
    now: i64,
}

async fn load(access: &RequestAccess) -> Result<OverviewFacts, Refusal> {
    let services = services();
    let (store, study, now) = (&services.store, &access.study, services.context.now_ms());
    let event = store.newest_event(study.id).await.map_err(refuse)?;
    let event = event.unwrap_or(0);

    let wanted = study.settings.wanted_raters();
    let progress = services.live.progress(store, study.id, wanted).await;
    let last_visit = store.previous_visit(study.id, access.person.id, now).await;

    let facts = OverviewFacts {
        event,
        progress: progress.map_err(refuse)?,
        members: store.members(study.id).await.map_err(refuse)?,
        last_visit: last_visit.map_err(refuse)?,
        now,
    };

    // A page that fetches itself is not a visit.
    if !flash::is_in_background() {
        let visit = StudyVisit { at: now, event };
        // The page is useful even if nothing can be stored.
        if let Err(error) = store.note_visit(study.id, access.person.id, visit).await {
            tracing::warn!(%error, "a visit was not noted");
        }
    }

    Ok(facts)
}

async fn overview(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let store = services().store;
    let study = access.study.clone();
    let facts = load(&access).await?;
    let leads = access.require_lead().is_ok();

    let pace = match study.closed_at {
        None => Some(load_pace(&study, &facts).await?),
        Some(_) => None,
    };

    let since = since(&study, &facts).await?;
    let events = store
        .latest_events(study.id, EVENTS)
        .await
        .map_err(refuse)?;
    let metrics = store.metrics(study.id).await.map_err(refuse)?;

    let (to_do, aligning) = match leads {
        true => for_lead(&study, &facts).await?,
        false => (None, None),
    };

    let slug = study.slug.to_string();
    let OverviewFacts {
        event,
        progress,
        members,
        ..
    } = facts;
    let mut holds = progress.overview.clone();
    if study.settings.protocol.only_writes() {
        holds.count_texts();
    }
    let judgements = judgement_words(&study.settings.protocol);

    // Researchers see pseudonyms only.
    let members = if leads { members } else { vec![] };
    let names = RaterNames::from_members(&members);
    let people = members.iter();
    let people = people.map(|member| (member.person.to_string(), member.name.clone()));
    let people = people.collect();

    Ok(view! {
        <div class="title-row">
            <h1>{study.name.clone()}</h1>
            <LiveSign slug=slug.clone() event/>
            {(leads && study.archived_at.is_none()).then(|| view! { <OpenOrClosed study=study.clone()/> })}
        </div>
        {study.archived_at.map(|at| view! { <ArchivedNote slug=slug.clone() at leads/> })}
        {study.closed_at.filter(|_| study.archived_at.is_none()).map(|at| view! {
            <p class="caution">
                "This study has been closed since " <Moment ms=at/>
                ". Annotators get no more sources, and answers can no longer change. "
                <RetentionState study=study.clone()/>
            </p>
        })}
        <Unreadable rows=store.unreadable_rows(study.id)/>
        <div id="since" data-live>{since}</div>
        <div id="to-do-card" data-live>{to_do}</div>
        {aligning}
        <div id="held" data-live>
            <ProgressPanel settings=study.settings.clone() holds=holds.clone() pace names=names.clone() judgements/>
            <StudyContent holds slug=slug.clone() judgements/>
        </div>
        <div id="events" data-live>
            <Activity slug events people names metrics/>
        </div>
    })
}

/// The remaining work and its forecast.
async fn load_pace(
    study: &Study,
    facts: &OverviewFacts,
) -> Result<ShownFigure<StudyPace>, Refusal> {
    let wanted = study.settings.wanted_raters();
    let (progress, now) = (facts.progress.clone(), facts.now);
    let pace = compute(move || {
        StudyPace::compute(&progress.overview, &wanted, &progress.assignments, now)
    });
    figure_or_notice(pace.await)
}

/// The news since the person's last visit; `None` on the first visit.
async fn since(
    study: &Study,
    facts: &OverviewFacts,
) -> Result<Option<impl IntoView + use<>>, Refusal> {
    let Some(visit) = facts.last_visit else {
        return Ok(None);
    };

    let work = services().store.work_since(study.id, visit.event).await;
    let wanted = study.settings.wanted_raters();
    let finished = count_finished(
        &facts.progress.overview,
        &wanted,
        &facts.progress.assignments,
        visit.at,
    );
    let joined = count_joined(&facts.members, visit.at);
    let words = judgement_words(&study.settings.protocol);

    let news = list_news(work.map_err(refuse)?, words, finished, joined);
    Ok(Some(view! { <SinceLastVisit visit news/> }))
}

/// The lead's tasks, and the progress of an alignment.
async fn for_lead(
    study: &Study,
    facts: &OverviewFacts,
) -> Result<(Option<AnyView>, Option<AnyView>), Refusal> {
    let store = services().store;
    let waiting = waiting(study, &facts.members).await?;
    let reading = store.comprehension_settings(study.id).await;
    let reading = reading.map_err(refuse)?;
    let jobs = store.jobs(study.id, JOBS).await.map_err(refuse)?;
    let aligning = alignment_progress(study, &jobs).map(IntoAny::into_any);

    let facts = TaskFacts {
        study: study.clone(),
        holds: facts.progress.overview.clone(),
        members: facts.members.clone(),
        assignments: facts.progress.assignments.clone(),
        discussions: store.discussions(study.id).await.map_err(refuse)?,
        jobs,
        uninformed_readers: reading.is_some_and(|settings| settings.information.is_empty()),
        last_visit: facts.last_visit.map(|visit| visit.at),
        now: facts.now,
    };

    let to_do = view! { <ToDo facts waiting/> }.into_any();
    Ok((Some(to_do), aligning))
}

/// The progress of the study's alignment, while there is one.
fn alignment_progress(study: &Study, jobs: &[Job]) -> Option<impl IntoView + use<>> {
    let job = jobs
        .iter()
        .find(|job| job.kind == JobKind::Align && !job.state.is_over())?;
    let slug = study.slug.to_string();

    let (title, consequence) = match study.settings.protocol.needs_edits() {
        true => (
            "Highlights are being prepared",
            "Sources that were already assigned, and corrected highlights, stay as they are.",
        ),
        false => (
            "Outputs are being compared with their sources",
            "Annotators need not wait for it.",
        ),
    };

    Some(view! {
        <section class="card stack under-way" aria-labelledby="aligning">
            <h2 id="aligning">{title}</h2>
            <JobProgress
                slug
                job=job.id.to_string()
                doing="Aligning words".to_owned()
                percent=percent(job).to_string()
            />
            <p class="soft">{consequence}</p>
        </section>
    })
}

/// The content of the study in figures.
#[component]
fn StudyContent(holds: StudyOverview, slug: String, judgements: JudgementWords) -> impl IntoView {
    let sources = StudyPage::Sources.address(&slug);

    let figure = |number: u32, one: &'static str, many: &'static str| {
        let unit = if number == 1 { one } else { many };
        view! { <div><dt>{unit}</dt><dd>{format_thousands(number)}</dd></div> }
    };

    let raters = u32::try_from(holds.raters.len()).unwrap_or(u32::MAX);
    let counted = holds.imported_judgements + holds.handed_in_judgements;
    let active_ms: u64 = holds.raters.iter().map(|rater| rater.active_ms).sum();
    let active = match active_ms {
        0 => "none yet".to_owned(),
        active_ms => format_duration(active_ms),
    };

    view! {
        <section aria-labelledby="holds">
            <h2 id="holds">"Content"</h2>
            <dl class="facts">
                {figure(holds.sources, "source", "sources")}
                {figure(holds.outputs, "output", "outputs")}
                {figure(holds.systems, "system", "systems")}
                {figure(raters, "rater", "raters")}
                {figure(counted, judgements.one, judgements.many)}
                <div><dt>"active time"</dt><dd>{active}</dd></div>
            </dl>
            <p><a href=sources>"See the sources"</a></p>
        </section>
    }
}

/// The notice of an archived study, with the way out of the archive.
#[component]
fn ArchivedNote(slug: String, at: i64, leads: bool) -> impl IntoView {
    let settings = format!("{}#archive", StudyPage::Settings.address(&slug));
    view! {
        <p class="caution">
            "This study has been archived since " <Moment ms=at/>
            ". Its figures and exports stay; nothing in it can be changed. "
            {leads.then(|| view! { <a href=settings>"Take it out of the archive"</a> })}
        </p>
    }
}

/// The form to close the study, or to open it again.
#[component]
fn OpenOrClosed(study: Study) -> impl IntoView {
    let (close, reopen) = (
        links::action::<CloseStudy>(),
        links::action::<ReopenStudy>(),
    );
    let slug = study.slug.to_string();

    if study.closed_at.is_some() {
        return view! {
            <EnhancedForm action=reopen class="inline" label="Open the study again">
                <input type="hidden" name="slug" value=slug/>
                <button>"Open again"</button>
            </EnhancedForm>
        }
        .into_any();
    }

    view! {
        <details class="sure">
            <summary>"Close the study…"</summary>
            <EnhancedForm action=close label="Close the study">
                <input type="hidden" name="slug" value=slug/>
                <p>"Annotators get no more sources and can no longer change answers. You can open the study again."</p>
                <button class="danger">"Close the study"</button>
            </EnhancedForm>
        </details>
    }
    .into_any()
}

/// A number with a thousands separator: 2,400.
pub(super) fn format_thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::format_thousands;

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (2400, "2,400"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(format_thousands(number), text);
        }
    }
}
