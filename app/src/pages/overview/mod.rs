//! The lead's tasks, the content of a study, and its progress.

mod activity;
mod pace;
mod progress;
mod to_do;
mod unreadable;

use leptos::prelude::*;
use store::{JobKind, Study, overview::StudyOverview};

use crate::{
    api::{CloseStudy, ReopenStudy, percent},
    components::{Moment, format_duration},
    error::Refusal,
    islands::{EnhancedForm, JobProgress},
    layout::{LiveSign, StudyTab, study_page},
    links::{self, StudyPage},
    pages::{members::waiting, settings::RetentionState},
    request::{RequestAccess, refuse},
    services,
};

use self::{
    activity::Activity, pace::StudyPace, progress::ProgressPanel, to_do::ToDo,
    unreadable::Unreadable,
};

/// The number of events shown.
const EVENTS: u32 = 200;

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

async fn overview(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let store = services().store;
    let study = access.study.clone();
    let overlap = study.settings.overlap;
    // Read the number first: what is read after it is at least as new.
    let event = store.newest_event(study.id).await.map_err(refuse)?;
    let event = event.unwrap_or(0);
    let holds = store
        .study_overview(study.id, overlap)
        .await
        .map_err(refuse)?;
    let members = store.members(study.id).await.map_err(refuse)?;
    let assignments = store.assignments(study.id).await.map_err(refuse)?;
    let pace = StudyPace::compute(&holds, overlap, &assignments, services().context.now_ms());
    let events = store
        .latest_events(study.id, EVENTS)
        .await
        .map_err(refuse)?;
    let leads = access.require_lead().is_ok();
    let to_do = if leads {
        let waiting = waiting(&study, &members).await?;
        let reading = store
            .comprehension_settings(study.id)
            .await
            .map_err(refuse)?;
        let uninformed_readers = reading.is_some_and(|settings| settings.information.is_empty());
        Some(view! {
            <ToDo
                study=study.clone()
                holds=holds.clone()
                members=members.clone()
                waiting
                uninformed_readers
            />
        })
    } else {
        None
    };
    let metrics = store.metrics(study.id).await.map_err(refuse)?;
    let aligning = match leads {
        true => alignment_progress(&study).await?,
        false => None,
    };
    Ok(view! {
        <div class="title-row">
            <h1>{study.name.clone()}</h1>
            <LiveSign slug=study.slug.to_string() event/>
            {leads.then(|| view! { <OpenOrClosed study=study.clone()/> })}
        </div>
        {study.closed_at.map(|at| view! {
            <p class="caution">
                "This study has been closed since " <Moment ms=at/>
                ". Annotators get no more sources, and answers can no longer change. "
                <RetentionState study=study.clone()/>
            </p>
        })}
        <Unreadable rows=store.unreadable_rows(study.id)/>
        <div id="to-do-card" data-live>{to_do}</div>
        {aligning}
        <div id="held" data-live>
            <StudyContent holds=holds.clone() slug=study.slug.to_string()/>
            <ProgressPanel overlap holds pace members=if leads { members } else { vec![] }/>
        </div>
        <div id="events" data-live>
            <Activity slug=study.slug.to_string() events assignments metrics/>
        </div>
    })
}

/// The most jobs of a study that are searched for an alignment.
const JOBS: u32 = 5;

/// The progress of the study's alignment, while there is one.
async fn alignment_progress(study: &Study) -> Result<Option<impl IntoView + use<>>, Refusal> {
    let jobs = services()
        .store
        .jobs(study.id, JOBS)
        .await
        .map_err(refuse)?;
    let job = jobs
        .into_iter()
        .find(|job| job.kind == JobKind::Align && !job.state.is_over());
    let slug = study.slug.to_string();
    Ok(job.map(|job| {
        view! {
            <section class="card stack under-way" aria-labelledby="aligning">
                <h2 id="aligning">"Highlights are being prepared"</h2>
                <JobProgress
                    slug
                    job=job.id.to_string()
                    doing="Aligning words".to_owned()
                    percent=percent(&job).to_string()
                />
                <p class="soft">
                    "Sources that were already assigned, and corrected highlights, stay as they are."
                </p>
            </section>
        }
    }))
}

/// The content of the study in figures.
#[component]
fn StudyContent(holds: StudyOverview, slug: String) -> impl IntoView {
    let sources = StudyPage::Sources.address(&slug);
    let figure = |number: u32, one: &'static str, many: &'static str| {
        let unit = if number == 1 { one } else { many };
        view! { <div><dt>{unit}</dt><dd>{format_thousands(number)}</dd></div> }
    };
    let raters = u32::try_from(holds.raters.len()).unwrap_or(u32::MAX);
    let ratings = holds.imported_ratings + holds.handed_in_ratings;
    let active_ms = holds.raters.iter().map(|rater| rater.active_ms).sum();
    view! {
        <section aria-labelledby="holds">
            <h2 id="holds">"Content"</h2>
            <dl class="facts">
                {figure(holds.sources, "source", "sources")}
                {figure(holds.outputs, "output", "outputs")}
                {figure(holds.systems, "system", "systems")}
                {figure(raters, "rater", "raters")}
                {figure(ratings, "rating that counts", "ratings that count")}
                <div><dt>"of active time"</dt><dd>{format_duration(active_ms)}</dd></div>
            </dl>
            <p><a href=sources>"Look at the sources"</a></p>
        </section>
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
