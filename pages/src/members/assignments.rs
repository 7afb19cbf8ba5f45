use domain::{
    protocol::StudyProtocol,
    study::{AssignmentState, Role},
};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::{
    AssignmentEntry, Member,
    assignments::{AssignmentCounts, AssignmentFilter},
};

use crate::rater_names::RaterNames;
use app::{
    api::{Reassign, Release},
    components::{
        Moment, MomentForm, Pages, describe_progress, format_duration, page_number, progress_title,
    },
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};

/// The number of assignments on a page.
const AT_ONCE: usize = 50;

/// The assignments of sources to annotators.
#[component]
pub fn AssignmentsPage() -> impl IntoView {
    let (filter, page) = use_query_map().with_untracked(|query| {
        let filter = match query.get("show") {
            Some(_) => AssignmentFilter::All,
            None => AssignmentFilter::Open,
        };
        (filter, page_number(query))
    });
    study_page(
        "Assignments",
        StudyTab::Assignments,
        RequestAccess::require_lead,
        move |access| assignments(access, filter, page),
    )
}

async fn assignments(
    access: RequestAccess,
    filter: AssignmentFilter,
    page: usize,
) -> Result<impl IntoView, Refusal> {
    let services = services();
    let (store, study, now) = (&services.store, access.study.id, services.context.now_ms());

    let members = store.members(study).await.map_err(refuse)?;
    let counts = store.count_assignments(study).await.map_err(refuse)?;
    let listed = match filter {
        AssignmentFilter::Open => counts.open,
        AssignmentFilter::All => counts.all,
    };

    let pages = (listed as usize).div_ceil(AT_ONCE).max(1);
    let page = page.min(pages);
    let shown = store.assignment_page(study, filter, (page - 1) * AT_ONCE, AT_ONCE);
    let shown = shown.await.map_err(refuse)?;

    let slug = access.study.slug.to_string();
    let protocol = access.study.settings.protocol.clone();
    Ok(view! { <Assignments slug protocol members shown counts filter page pages now/> })
}

/// A page of assignments with their state and progress; open ones can be revoked or given to another annotator.
#[component]
fn Assignments(
    slug: String,
    protocol: StudyProtocol,
    /// All members of the study.
    members: Vec<Member>,
    shown: Vec<AssignmentEntry>,
    counts: AssignmentCounts,
    filter: AssignmentFilter,
    /// The page, from 1.
    page: usize,
    /// The number of pages.
    pages: usize,
    /// The current time in milliseconds since 1970.
    now: i64,
) -> impl IntoView {
    let AssignmentCounts { open, all: count } = counts;
    let all = filter == AssignmentFilter::All;

    let table = if shown.is_empty() {
        let message = if count == 0 {
            "No sources have been assigned yet. Annotators get their first source when they begin."
        } else {
            "No sources are open at the moment."
        };
        view! { <p class="empty">{message}</p> }.into_any()
    } else {
        let row = |it: AssignmentEntry| {
            view! { <Row slug=slug.clone() protocol=protocol.clone() members=members.clone() it now/> }
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
                            <th scope="col" class="number">{progress_title(&protocol)}</th>
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
    let address = if all {
        with_ended.clone()
    } else {
        format!("{only_open}?")
    };

    view! {
        <h1>"Assignments"</h1>
        <nav class="segments" aria-label="Which assignments">
            <a class="button" href=only_open aria-current=(!all).then_some("true")>
                {format!("Open ({open})")}
            </a>
            <a class="button" href=with_ended aria-current=all.then_some("true")>
                {format!("All ({count})")}
            </a>
        </nav>
        {table}
        <Pages address page pages/>
    }
}

#[component]
fn Row(
    slug: String,
    protocol: StudyProtocol,
    members: Vec<Member>,
    it: AssignmentEntry,
    now: i64,
) -> impl IntoView {
    let source = StudyPage::Source(it.source).address(&slug);
    let annotator = RaterNames::from_members(&members).label(&it.label);
    let open = it.state == AssignmentState::Open;
    let actions = open.then(|| {
        let others = others(&members, &it);
        view! { <Actions slug=slug.clone() it=it.clone() others/> }
    });

    view! {
        <tr class:past=!open>
            <th scope="row" data-label="Annotator">{annotator}</th>
            <td data-label="Source"><a href=source>{it.key.clone()}</a></td>
            <td data-label="State">{state(&it, now)}</td>
            <td data-label="Assigned"><Moment ms=it.created_at form=MomentForm::Relative/></td>
            <td data-label=progress_title(&protocol) class="number">
                {describe_progress(&it.progress, &protocol)}
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

/// The state of an assignment, with the reason why it ended, if there is one.
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
