use domain::{
    crowd::CompletionCodes,
    ids::PersonId,
    rater_groups::RaterGroup,
    study::{QualificationRule, Role},
};
use leptos::prelude::*;
use store::{Member, crowd::CrowdRater, overview::RaterProgress};

use crate::{
    crowd::{describe_end, platform_ids},
    members::WaitingAnnotator,
};
use app::{
    api::{Admit, RemoveMember, SetMemberGroup, SetRole},
    components::{GroupOptions, Moment, MomentForm, format_duration, role_title},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// The members of a study, each with their role, admission and work.
#[component]
pub fn People(
    slug: String,
    /// The person who views the page.
    me: PersonId,
    /// All members.
    members: Vec<Member>,
    /// The members' work.
    progress: Vec<RaterProgress>,
    /// The annotators who are waiting to be admitted.
    waiting: Vec<WaitingAnnotator>,
    /// The crowd raters among them, and those who never began.
    crowd: Vec<CrowdRater>,
    /// The codes that crowd raters get.
    codes: CompletionCodes,
    /// The admission rule.
    qualification: QualificationRule,
    /// The groups of annotators.
    groups: Vec<RaterGroup>,
    /// Whether there is an information sheet to consent to.
    informed: bool,
) -> impl IntoView {
    let has_groups = !groups.is_empty();

    let row = |member: Member| {
        let crowd_rater = crowd
            .iter()
            .find(|rater| rater.person == Some(member.person))
            .cloned();
        let rater = member.rater.as_ref().map(|(rater, _)| *rater);
        let work = progress.iter().find(|entry| Some(entry.rater) == rater);
        let waits = qualification != QualificationRule::None;
        let result = waiting
            .iter()
            .find(|annotator| annotator.person == member.person)
            .cloned();

        view! {
            <tr>
                <th scope="row" data-label="Name">
                    {crowd_rater.as_ref().map_or_else(|| member.name.clone(), |rater| rater.label.clone())}
                    {(member.person == me).then_some(" (you)")}
                    {member.disabled.then(|| view! { <span class="tag">"account deactivated"</span> })}
                </th>
                <td data-label="Role">
                    {match &crowd_rater {
                        Some(rater) => view! { <CrowdRole rater=rater.clone()/> }.into_any(),
                        None => view! { <RoleForm slug=slug.clone() member=member.clone()/> }.into_any(),
                    }}
                </td>
                {has_groups.then(|| view! {
                    <td data-label="Group">
                        <GroupForm
                            slug=slug.clone()
                            name=crowd_rater.as_ref().map_or_else(|| member.name.clone(), |rater| rater.label.clone())
                            member=member.clone()
                            groups=groups.clone()
                        />
                    </td>
                })}
                <td data-label="Pseudonym">
                    {member.rater.clone().map_or_else(|| "–".to_owned(), |(_, label)| label)}
                </td>
                <td data-label="State">
                    {match &crowd_rater {
                        Some(rater) => view! { <CrowdState rater=rater.clone() codes=codes.clone()/> }.into_any(),
                        None => view! { <State member=member.clone() informed waits/> }.into_any(),
                    }}
                </td>
                <td data-label="Submitted" class="number">{work.map(|work| work.handed_in)}</td>
                <td data-label="In progress" class="number">{work.map(|work| work.open)}</td>
                <td data-label="Active time" class="number">
                    {work.map(|work| format_duration(work.active_ms))}
                </td>
                <td data-label="Actions">
                    {match crowd_rater {
                        Some(rater) => {
                            let label = format!("Manage {}", rater.label);
                            let page = StudyPage::Crowd.address(&slug);
                            view! { <a href=page aria-label=label>"Manage"</a> }.into_any()
                        }
                        None => view! { <Actions slug=slug.clone() member waits result/> }.into_any(),
                    }}
                </td>
            </tr>
        }
    };

    view! {
        <section aria-labelledby="members">
            <h2 id="members">"Roles and progress"</h2>
            <div class="table-scroll" role="group" aria-labelledby="members" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Name"</th>
                            <th scope="col">"Role"</th>
                            {has_groups.then(|| view! { <th scope="col">"Group"</th> })}
                            <th scope="col">"Pseudonym"</th>
                            <th scope="col">"State"</th>
                            <th scope="col" class="number">"Submitted"</th>
                            <th scope="col" class="number">"In progress"</th>
                            <th scope="col" class="number">"Active time"</th>
                            <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                        </tr>
                    </thead>
                    <tbody>{members.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
        </section>
    }
}

/// The role of a crowd rater, which is always the same, with their id on the platform.
#[component]
fn CrowdRole(rater: CrowdRater) -> impl IntoView {
    let id = rater.platform_id.is_some().then(|| platform_ids(&rater));
    view! {
        "Annotator " <span class="tag">"crowd rater"</span>
        {id.map(|id| view! { <p class="soft">{id}</p> })}
    }
}

/// The state of a crowd rater, with the code that they got.
#[component]
fn CrowdState(rater: CrowdRater, codes: CompletionCodes) -> impl IntoView {
    let code = rater.end.and_then(|end| codes.code(end)).map(str::to_owned);
    view! {
        {describe_end(&rater)}
        {code.map(|code| view! { <p class="soft">"code " {code}</p> })}
    }
}

/// The member's role, with a form to change it.
#[component]
fn RoleForm(slug: String, member: Member) -> impl IntoView {
    let action = links::action::<SetRole>();
    let label = format!("Role of {}", member.name);
    let now = member.role;
    let option = move |role: Role| {
        view! { <option value=role.name() selected=role == now>{role_title(role)}</option> }
    };

    view! {
        <EnhancedForm action=action class="inline">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="person" value=member.person.to_string()/>
            <select name="role" aria-label=label>
                {Role::ALL.iter().copied().map(option).collect_view()}
            </select>
            <button>"Change"</button>
        </EnhancedForm>
    }
}

/// The group of an annotator, with a form to change it.
#[component]
fn GroupForm(
    slug: String,
    /// The member's name on the page.
    name: String,
    member: Member,
    groups: Vec<RaterGroup>,
) -> impl IntoView {
    if member.role != Role::Annotator {
        return view! { <span class="soft">"–"</span> }.into_any();
    }

    let action = links::action::<SetMemberGroup>();

    view! {
        <EnhancedForm action=action class="inline">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="person" value=member.person.to_string()/>
            <select name="group" aria-label=format!("Group of {name}")>
                <GroupOptions groups chosen=member.group/>
            </select>
            <button aria-label=format!("Change the group of {name}")>"Change"</button>
        </EnhancedForm>
    }
    .into_any()
}

/// An annotator's state between joining and judging.
#[component]
fn State(member: Member, informed: bool, waits: bool) -> impl IntoView {
    if member.role != Role::Annotator {
        return view! { <span class="soft">"–"</span> }.into_any();
    }

    let (state, since) = if let Some(at) = member.withdrawn_at {
        ("withdrew", at)
    } else if informed && member.consented_at.is_none() {
        ("not consented yet; joined", member.joined_at)
    } else if let Some(at) = member.admitted_at {
        ("admitted", at)
    } else if waits {
        ("waiting to be admitted; joined", member.joined_at)
    } else {
        ("joined", member.joined_at)
    };

    view! { {state} " " <span class="soft"><Moment ms=since form=MomentForm::Relative/></span> }
        .into_any()
}

/// The actions on a member: admitting and removing.
#[component]
fn Actions(
    slug: String,
    member: Member,
    waits: bool,
    /// The qualification result of a member who is waiting for the lead.
    result: Option<WaitingAnnotator>,
) -> impl IntoView {
    let (admit, remove) = (links::action::<Admit>(), links::action::<RemoveMember>());
    let waiting = waits
        && member.role == Role::Annotator
        && member.admitted_at.is_none()
        && member.withdrawn_at.is_none();

    let evidence = result.map(|annotator| {
        let page = StudyPage::Qualification(annotator.person).address(&slug);
        let label = format!("See the answers of {}", annotator.name);
        let answers = annotator
            .answered
            .then(|| view! { " " <a href=page aria-label=label>"See the answers"</a> });
        view! { <p class="soft evidence">{annotator.result} {answers}</p> }
    });

    let fields = {
        let person = member.person.to_string();
        move || {
            view! {
                <input type="hidden" name="slug" value=slug.clone()/>
                <input type="hidden" name="person" value=person.clone()/>
            }
        }
    };
    let (to_admit, to_remove) = (fields(), fields());
    let name = member.name;
    let admit_them = format!("Admit {name}");
    let remove_them = format!("Remove {name}");

    let approve = waiting.then(|| {
        view! {
            <EnhancedForm action=admit class="inline" label=admit_them>
                {to_admit}
                <button>"Admit"</button>
            </EnhancedForm>
        }
    });

    view! {
        {evidence}
        <div class="row-actions">
            {approve}
            <details class="sure">
                <summary aria-label=remove_them.clone()>"Remove…"</summary>
                <EnhancedForm action=remove label=remove_them>
                    {to_remove}
                    <p>"Sources in progress go back to the study. Submitted answers are kept and count."</p>
                    <button class="danger">"Remove " {name}</button>
                </EnhancedForm>
            </details>
        </div>
    }
}
