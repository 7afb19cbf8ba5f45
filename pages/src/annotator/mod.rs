//! An annotator's home in a study: the introduction, the next step and past work.

mod break_hint;
mod consistency;
mod experiment_parts;
mod guidelines;
mod information_sheet;
mod next_action;
mod next_step;
mod pace;
mod preparing;
mod queue;
mod sources;
mod state;
mod withdrawal;

use domain::{
    ids::StudyId,
    study::{AssignmentState, QualificationRule, Role},
};
use leptos::prelude::*;
use store::{
    assignments::{AssignmentEntry, UpcomingAssignment, UpcomingWork},
    experiments::ExperimentPart,
};

use self::{
    consistency::{OwnConsistency, describe_consistency},
    experiment_parts::{ExperimentParts, draw_end_of_part},
    information_sheet::InformationSheet,
    next_step::NextStep,
    sources::MySources,
    state::{AnnotatorState, closed_sentence},
    withdrawal::WithdrawalForm,
};
use crate::{
    consensus::AgreeWithOthers,
    crowd_rater::{ContinueElsewhere, find_ended_work},
};
use app::{
    components::Moment,
    error::Refusal,
    layout::{StudyTab, study_page},
    request::{RequestAccess, refuse},
    services,
};

pub use break_hint::BreakHint;
pub use guidelines::Guidelines;
pub use pace::{AnnotatorPace, load_pace};

/// An annotator's home in a study.
#[component]
pub fn Work() -> impl IntoView {
    study_page("Work", StudyTab::Work, require_annotator_role, work)
}

/// Lets annotators pass, including those who have withdrawn.
fn require_annotator_role(access: &RequestAccess) -> Result<(), Refusal> {
    if access.role == Some(Role::Annotator) {
        Ok(())
    } else {
        Err(Refusal::NotAllowed)
    }
}

async fn work(access: RequestAccess) -> Result<AnyView, Refusal> {
    if access.person.is_crowd
        && let Some(ended) = find_ended_work(&access).await?
    {
        return Ok(ended);
    }
    if let Some(at) = access.withdrawn_at {
        return Ok(view! { <Withdrawn at/> }.into_any());
    }
    if access.must_consent() {
        return Ok(view! { <InformationSheet access/> }.into_any());
    }

    let services = services();
    let (store, study, me) = (services.store, access.study.id, access.person.id);
    let outlook = store
        .upcoming_work(study, me, services.context.now_ms())
        .await
        .map_err(refuse)?;
    let outlook = outlook.ok_or(Refusal::NotFound)?;
    if outlook.next == UpcomingAssignment::Preparing {
        services.job_monitor.request_alignment_check();
    }

    let mine = store.assignments_of(study, me).await.map_err(refuse)?;
    let pace = load_pace(study, me).await?;
    let agreeable = match access.study.settings.annotators_agree {
        true => store.own_consensus_list(study, me).await.map_err(refuse)?,
        false => vec![],
    };
    let consistency = describe_consistency(&access).await?;
    let protocol = access.study.settings.protocol.clone();
    let parts = store.experiment_parts(me).await.map_err(refuse)?;
    let slug = access.study.slug.to_string();

    let state = describe_state(&access, outlook, &mine, pace, services.context.now_ms());
    let closed = state.closed;
    let is_done = closed.is_some() || state.outlook.next == UpcomingAssignment::Nothing;
    let unfinished = match is_done {
        true => find_unfinished_parts(&access, &parts).await?,
        false => vec![],
    };
    let end_of_part = match is_done {
        true => draw_end_of_part(study, &parts, &unfinished),
        false => None,
    };

    let resume_key = match access.person.is_crowd {
        true => store.crowd_resume_key(me).await.map_err(refuse)?,
        false => None,
    };
    let hint = pace.long_session.filter(|_| closed.is_none());

    Ok(view! {
        <h1>{access.study.name.clone()}</h1>
        {hint.map(|session| view! { <BreakHint session/> })}
        <NextStep slug=slug.clone() state end_of_part/>
        {resume_key.map(|key| view! { <ContinueElsewhere key/> })}
        <ExperimentParts study parts/>
        <MySources slug=slug.clone() protocol outlook mine is_closed=closed.is_some()/>
        <AgreeWithOthers slug=slug.clone() entries=agreeable/>
        {consistency.map(|sentence| view! { <OwnConsistency sentence/> })}
        <WithdrawalForm slug/>
    }
    .into_any())
}

/// The other open parts of the study's experiment in which the annotator has something left.
async fn find_unfinished_parts(
    access: &RequestAccess,
    parts: &[ExperimentPart],
) -> Result<Vec<StudyId>, Refusal> {
    let (services, study) = (services(), access.study.id);
    let own = parts.iter().find(|part| part.study == study);
    let Some(experiment) = own.map(|part| part.experiment) else {
        return Ok(vec![]);
    };

    let now_ms = services.context.now_ms();
    let mut unfinished = vec![];
    let others = parts.iter().filter(|part| part.study != study);
    for part in others.filter(|part| part.experiment == experiment && !part.is_closed) {
        let upcoming = services
            .store
            .upcoming_assignment(part.study, access.person.id, now_ms);
        let upcoming = upcoming.await.map_err(refuse)?;
        if upcoming.is_some_and(|next| next != UpcomingAssignment::Nothing) {
            unfinished.push(part.study);
        }
    }

    Ok(unfinished)
}

fn describe_state(
    access: &RequestAccess,
    outlook: UpcomingWork,
    mine: &[AssignmentEntry],
    pace: AnnotatorPace,
    now_ms: i64,
) -> AnnotatorState {
    let next = match outlook.next {
        UpcomingAssignment::Open(assignment, _) => Some(assignment),
        _ => None,
    };
    let open = mine
        .iter()
        .find(|entry| entry.state == AssignmentState::Open && Some(entry.assignment) == next);

    let closed = closed_sentence(&access.study);
    let waits_for_nobody = matches!(
        access.study.settings.qualification,
        QualificationRule::Answers { .. }
    );
    let nothing_left = closed.is_some()
        || outlook.next == UpcomingAssignment::Nothing
        || (outlook.next == UpcomingAssignment::AwaitsAdmission && waits_for_nobody);

    AnnotatorState {
        can_finish: access.person.is_crowd && nothing_left,
        outlook,
        closed,
        has_guidelines: !access.study.guidelines.trim().is_empty(),
        has_begun: !mine.is_empty(),
        kept_until: open
            .map(|entry| entry.leased_until)
            .filter(|until| *until > now_ms && closed.is_none()),
        source_ms: pace.source_ms,
        has_skipped: mine
            .iter()
            .any(|entry| entry.state == AssignmentState::Skipped),
    }
}

#[component]
fn Withdrawn(at: i64) -> impl IntoView {
    view! {
        <h1>"You have withdrawn"</h1>
        <p class="lead">
            "You left this study on " <Moment ms=at/> ". What you submitted does not count. \
             Thank you for your time."
        </p>
    }
}
