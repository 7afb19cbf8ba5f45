use domain::{
    study::SourcePurpose,
    work::pace::{each_in_words, total_in_words},
};
use leptos::prelude::*;
use store::assignments::{PurposeProgress, UpcomingAssignment, UpcomingWork};

use super::{next_action::NextAction, state::AnnotatorState};
use crate::crowd_rater::FinishWork;
use app::{components::Moment, links::StudyPage};

/// The parts of the study, and the next thing to do.
#[component]
pub fn NextStep(
    slug: String,
    state: AnnotatorState,
    /// The way on from a part of an experiment, if nothing is left in it.
    end_of_part: Option<AnyView>,
) -> impl IntoView {
    let guidelines = StudyPage::Guidelines.address(&slug);
    let must_read = state.must_read_guidelines();
    let read = must_read.then(|| {
        view! {
            <p class="actions">
                <a class="button primary" href=guidelines.clone()>"Read the guidelines"</a>
                <span class="soft">"They explain how to judge. It is best to read them first."</span>
            </p>
        }
    });
    let reminder = (!must_read).then(|| {
        view! {
            <p class="soft">"The " <a href=guidelines.clone()>"guidelines"</a> " explain how to judge."</p>
        }
    });
    let kept_until = state.kept_until.map(|until| {
        view! {
            <p class="soft">
                "Everything you did is saved. You can leave at any time and come back: this source stays \
                 yours until " <Moment ms=until/> "."
            </p>
        }
    });

    let (next, closed, can_finish) = (state.outlook.next, state.closed, state.can_finish);
    let ended = closed.map(str::to_owned).or_else(|| state.all_done());

    view! {
        <section class="card ahead" aria-label="What to do next">
            <Stages state/>
            {read}
            <div class="next">
                {match (can_finish, end_of_part) {
                    (true, _) => view! { <FinishWork slug/> }.into_any(),
                    (false, Some(end)) => view! { {closed.map(|closed| view! { <p>{closed}</p> })} {end} }.into_any(),
                    (false, None) => view! { <NextAction slug next ended primary=!must_read/> }.into_any(),
                }}
            </div>
            {kept_until}
            {reminder}
        </section>
    }
}

/// One part of the study in the list of parts.
struct StudyStage {
    title: &'static str,
    progress: String,
    is_done: bool,
    is_current: bool,
}

/// The parts of the study in order, with the annotator's progress.
#[component]
fn Stages(state: AnnotatorState) -> impl IntoView {
    let stages = list_stages(&state);
    let stage = |(at, stage): (usize, StudyStage)| {
        let tick = stage
            .is_done
            .then(|| view! { <span class="tick" aria-hidden="true">"✓ "</span> });
        view! {
            <li aria-current=stage.is_current.then_some("step") class:done=stage.is_done>
                <b>{at + 1} " " {stage.title}</b>
                <span class="soft numbers">{tick}{stage.progress}</span>
            </li>
        }
    };
    view! { <ol class="stages">{stages.into_iter().enumerate().map(stage).collect_view()}</ol> }
}

fn list_stages(state: &AnnotatorState) -> Vec<StudyStage> {
    let outlook = &state.outlook;
    let must_read = state.must_read_guidelines();
    let mut stages = vec![];

    if state.has_guidelines {
        stages.push(StudyStage {
            title: "Read the guidelines",
            progress: if must_read { "not yet read" } else { "done" }.to_owned(),
            is_done: !must_read,
            is_current: must_read,
        });
    }

    let waits = outlook.next == UpcomingAssignment::AwaitsAdmission;
    let current = current_purpose(outlook.next).filter(|_| !must_read);
    for (title, part, purpose) in [
        ("Tutorial", outlook.tutorial, SourcePurpose::Tutorial),
        ("Training", outlook.training, SourcePurpose::Training),
        (
            "Qualification",
            outlook.qualification,
            SourcePurpose::Qualification,
        ),
    ] {
        let is_current = current == Some(purpose);
        let waits = waits && purpose == SourcePurpose::Qualification;
        if part.sources > 0 || waits {
            stages.push(prepared_stage(title, part, is_current, waits));
        }
    }

    stages.push(StudyStage {
        title: "Sources",
        progress: describe_sources(outlook, state.source_ms),
        is_done: false,
        is_current: current == Some(SourcePurpose::Main),
    });
    stages
}

fn prepared_stage(
    title: &'static str,
    part: PurposeProgress,
    is_current: bool,
    waits: bool,
) -> StudyStage {
    let is_done = part.done >= part.sources && !waits;
    StudyStage {
        title,
        progress: match (waits, is_done) {
            (true, _) => "waiting for the lead".to_owned(),
            (false, true) => "done".to_owned(),
            (false, false) => format!("{} of {}", part.done, part.sources),
        },
        is_done,
        is_current,
    }
}

/// The sources of the study: `3 done · about 8 more, 4 minutes each: about 30 minutes`.
fn describe_sources(outlook: &UpcomingWork, source_ms: Option<u64>) -> String {
    let (done, ahead) = (outlook.main.done, outlook.main.available);
    if ahead == 0 {
        return format!("{done} done");
    }
    let time = source_ms.map_or_else(String::new, |ms| {
        let total = total_in_words(ms.saturating_mul(u64::from(ahead)));
        format!(", {}: {total}", each_in_words(ms))
    });
    format!("{done} done · about {ahead} more{time}")
}

fn current_purpose(next: UpcomingAssignment) -> Option<SourcePurpose> {
    match next {
        UpcomingAssignment::Open(_, purpose) | UpcomingAssignment::Source(purpose) => Some(purpose),
        UpcomingAssignment::AwaitsAdmission => Some(SourcePurpose::Qualification),
        UpcomingAssignment::Preparing | UpcomingAssignment::Nothing => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(has_guidelines: bool, has_begun: bool) -> AnnotatorState {
        let part = |sources, done, available| PurposeProgress {
            sources,
            done,
            available,
        };
        AnnotatorState {
            outlook: UpcomingWork {
                next: UpcomingAssignment::Source(SourcePurpose::Tutorial),
                tutorial: part(1, 0, 1),
                training: part(0, 0, 0),
                qualification: part(1, 1, 0),
                main: part(9, 0, 8),
            },
            closed: None,
            has_guidelines,
            has_begun,
            kept_until: None,
            can_finish: false,
            source_ms: Some(240_000),
            has_skipped: false,
        }
    }

    #[test]
    fn who_has_been_through_all_sources_is_thanked() {
        let check = |sources, done, has_skipped, expect: Option<&str>| {
            let mut state = state(false, true);
            state.outlook.next = UpcomingAssignment::Nothing;
            state.outlook.main = PurposeProgress {
                sources,
                done,
                available: 0,
            };
            state.has_skipped = has_skipped;
            assert_eq!(state.all_done().as_deref(), expect);
        };
        check(
            5,
            5,
            false,
            Some("You have judged all 5 sources. Thank you!"),
        );
        check(
            5,
            5,
            true,
            Some("You have judged or skipped all 5 sources. Thank you!"),
        );
        check(
            1,
            1,
            false,
            Some("You have judged the only source. Thank you!"),
        );
        check(5, 4, false, None);
        check(0, 0, false, None);
        let mut state = state(false, true);
        state.outlook.main.done = state.outlook.main.sources;
        assert_eq!(state.all_done(), None, "a tutorial is left");
    }

    fn shown(state: &AnnotatorState) -> Vec<(&'static str, String, bool, bool)> {
        let stages = list_stages(state).into_iter();
        stages
            .map(|stage| (stage.title, stage.progress, stage.is_done, stage.is_current))
            .collect()
    }

    #[test]
    fn guidelines_come_before_the_tutorial() {
        let sources = "0 done · about 8 more, 4 minutes each: about 30 minutes";
        assert_eq!(
            shown(&state(true, false)),
            [
                (
                    "Read the guidelines",
                    "not yet read".to_owned(),
                    false,
                    true
                ),
                ("Tutorial", "0 of 1".to_owned(), false, false),
                ("Qualification", "done".to_owned(), true, false),
                ("Sources", sources.to_owned(), false, false),
            ]
        );
        let begun = shown(&state(true, true));
        assert_eq!(
            begun[..2],
            [
                ("Read the guidelines", "done".to_owned(), true, false),
                ("Tutorial", "0 of 1".to_owned(), false, true),
            ]
        );
        assert_eq!(shown(&state(false, false))[0].0, "Tutorial");
    }
}
