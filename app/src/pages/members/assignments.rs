use domain::study::{AssignmentState, Role};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::{AssignmentEntry, Member};

use crate::{
    api::{Reassign, Release},
    components::{Moment, MomentForm, format_duration},
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};

/// Which annotator has which source.
#[component]
pub fn AssignmentsPage() -> impl IntoView {
    let all = use_query_map().with_untracked(|query| query.get("show").is_some());
    study_page(
        "Assignments",
        StudyTab::Assignments,
        RequestAccess::require_lead,
        move |access| assignments(access, all),
    )
}

async fn assignments(access: RequestAccess, all: bool) -> Result<impl IntoView, Refusal> {
    let services = services();
    let (store, study, now) = (&services.store, access.study.id, services.context.now_ms());
    let members = store.members(study).await.map_err(refuse)?;
    let assignments = store.assignments(study).await.map_err(refuse)?;
    Ok(view! { <Assignments slug=access.study.slug.to_string() members assignments all now/> })
}

/// All assignments with their state and progress; open ones can be revoked or given to another annotator.
#[component]
fn Assignments(
    slug: String,
    /// All members of the study.
    members: Vec<Member>,
    assignments: Vec<AssignmentEntry>,
    /// Whether ended assignments are shown too.
    all: bool,
    /// Now, in milliseconds since 1970.
    now: i64,
) -> impl IntoView {
    let open = assignments
        .iter()
        .filter(|entry| entry.state == AssignmentState::Open)
        .count();
    let count = assignments.len();
    let shown: Vec<_> = assignments
        .into_iter()
        .filter(|entry| all || entry.state == AssignmentState::Open)
        .collect();
    let table = if shown.is_empty() {
        let message = if count == 0 {
            "No sources have been assigned yet. Annotators get their first source when they begin."
        } else {
            "No sources are open at the moment."
        };
        view! { <p class="empty">{message}</p> }.into_any()
    } else {
        let row = |it: AssignmentEntry| {
            view! { <Row slug=slug.clone() members=members.clone() it now/> }
        };
        view! {
            <div class="table-scroll" role="group" aria-label="Assignments" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Annotator"</th>
                            <th scope="col">"Source"</th>
                            <th scope="col">"State"</th>
                            <th scope="col">"Assigned"</th>
                            <th scope="col" class="number">"Rated"</th>
                            <th scope="col" class="number">"Active time"</th>
                            <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                        </tr>
                    </thead>
                    <tbody>{shown.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    let only_open = StudyPage::Assignments.address(&slug);
    let with_ended = format!("{only_open}?show=all");
    view! {
        <h1>"Assignments"</h1>
        <nav class="segments" aria-label="Which assignments">
            <a href=only_open aria-current=(!all).then_some("true")>{format!("Open ({open})")}</a>
            <a href=with_ended aria-current=all.then_some("true")>{format!("All ({count})")}</a>
        </nav>
        {table}
    }
}

#[component]
fn Row(slug: String, members: Vec<Member>, it: AssignmentEntry, now: i64) -> impl IntoView {
    let source = StudyPage::Source(it.source).address(&slug);
    let name = members
        .iter()
        .find(|member| {
            member
                .rater
                .as_ref()
                .is_some_and(|(rater, _)| *rater == it.rater)
        })
        .map(|member| member.name.clone());
    let open = it.state == AssignmentState::Open;
    let actions = open.then(|| {
        let others = others(&members, &it);
        view! { <Actions slug=slug.clone() it=it.clone() others/> }
    });
    view! {
        <tr class:past=!open>
            <th scope="row" data-label="Annotator">
                {it.label.clone()}
                {name.map(|name| view! { <span class="soft">" " {name}</span> })}
            </th>
            <td data-label="Source"><a href=source>{it.key.clone()}</a></td>
            <td data-label="State">{state(&it, now)}</td>
            <td data-label="Assigned"><Moment ms=it.created_at form=MomentForm::Relative/></td>
            <td data-label="Rated" class="number">
                {format!("{} of {}", it.progress.rated, it.progress.items)}
            </td>
            <td data-label="Active time" class="number">{format_duration(it.progress.active_ms)}</td>
            <td data-label="Actions">{actions}</td>
        </tr>
    }
}

/// The forms for revoking an assignment and giving the source to another annotator.
#[component]
fn Actions(slug: String, it: AssignmentEntry, others: Vec<Member>) -> impl IntoView {
    let (release, reassign) = (links::action::<Release>(), links::action::<Reassign>());
    let subject = format!("{} from {}", it.key, it.label);
    let fields = {
        let assignment = it.assignment.to_string();
        move || {
            view! {
                <input type="hidden" name="slug" value=slug.clone()/>
                <input type="hidden" name="assignment" value=assignment.clone()/>
            }
        }
    };
    let options = others
        .into_iter()
        .map(|member| view! { <option value=member.person.to_string()>{member.name}</option> })
        .collect::<Vec<_>>();
    let (to_give, to_release) = (fields(), fields());
    let (give_it, give_to) = (
        format!("Give {subject} to another annotator"),
        format!("Give {subject} to"),
    );
    let give = (!options.is_empty()).then(|| {
        view! {
            <EnhancedForm action=reassign class="inline" label=give_it>
                {to_give}
                <select name="to" aria-label=give_to>{options}</select>
                <button>"Reassign"</button>
            </EnhancedForm>
        }
    });
    view! {
        <div class="row-actions">
            {give}
            <EnhancedForm action=release class="inline" label=format!("Revoke {subject}")>
                {to_release}
                <button>"Revoke"</button>
            </EnhancedForm>
        </div>
    }
}

/// The other annotators who could get the source: those who have not withdrawn.
fn others(members: &[Member], it: &AssignmentEntry) -> Vec<Member> {
    let has_it = |member: &Member| {
        member
            .rater
            .as_ref()
            .is_some_and(|(rater, _)| *rater == it.rater)
    };
    members
        .iter()
        .filter(|member| member.role == Role::Annotator && member.withdrawn_at.is_none())
        .filter(|member| !has_it(member))
        .cloned()
        .collect()
}

/// The state of an assignment, with the reason why it ended where there is one.
fn state(it: &AssignmentEntry, now: i64) -> AnyView {
    let message = match it.state {
        AssignmentState::Open if it.leased_until <= now => "overdue since",
        AssignmentState::Open => "in progress, kept until",
        AssignmentState::HandedIn => "submitted",
        AssignmentState::Skipped => "skipped",
        AssignmentState::Released => "revoked",
    };
    let at = if it.state == AssignmentState::Open {
        Some(it.leased_until)
    } else {
        it.ended_at
    };
    let reason = (!it.reason.is_empty()).then(|| format!(" · {}", it.reason));
    view! { {message} " " {at.map(|ms| view! { <span class="soft"><Moment ms/></span> })} {reason} }
        .into_any()
}
