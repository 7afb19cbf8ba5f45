//! Members of a study and their assignments, as changed by its lead.

use leptos::prelude::*;

use crate::error::Refusal;

#[cfg(feature = "ssr")]
use {
    super::ssr::*,
    domain::{
        ids::{AssignmentId, PersonId, RaterId},
        study::Role,
    },
    store::NewAssignment,
};

/// Admits an annotator to the study's sources, whatever they have answered so far.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where they are already
/// admitted, have left, or are not annotators.
#[server(endpoint = "admit")]
pub async fn admit(slug: String, person: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let person: PersonId = parse::id(&person)?;
    let (study, now) = (access.study.id, services().context.now_ms());

    let subject = AuditSubject::Member(person);
    let admitted = audited(AuditKind::MemberAdmitted, Some(study), subject)
        .admit(study, person, now)
        .await;
    if !admitted.map_err(refuse)? {
        return Err(Refusal::invalid(
            "This annotator cannot be admitted: they are already admitted, have left, or are no longer an \
             annotator. Reload the page.",
        ));
    }

    redirect_with(
        StudyPage::Members,
        &slug,
        "The annotator has been admitted.",
    )
}

/// Gives a member another role. Their open sources are taken back where the new role does not judge.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where the study would have no lead left; [`Refusal::ConfirmPassword`] where the password was typed too
/// long ago.
#[server(endpoint = "set-role")]
pub async fn set_role(slug: String, person: String, role: String) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;
    require_confirmed()?;

    let person: PersonId = parse::id(&person)?;
    let role: Role = parse::choice(&role)?;

    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Member(person);
    let is_member = audited(AuditKind::RoleChanged, Some(study), subject)
        .set_role(study, person, role, now)
        .await
        .map_err(refuse)?;
    require_found(is_member)?;

    redirect_with(StudyPage::Members, &slug, "The role has been changed.")
}

/// Puts an annotator into a group of the study, or into none. Sources that they have been given stay theirs.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the study has no such group.
#[server(endpoint = "set-member-group")]
pub async fn set_member_group(
    slug: String,
    person: String,
    /// The id of the group; empty for none.
    #[server(default)]
    group: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let person: PersonId = parse::id(&person)?;
    let (study, now) = (access.study.id, services().context.now_ms());
    let subject = AuditSubject::Member(person);
    let group = Some(group.as_str()).filter(|group| !group.is_empty());

    let is_annotator = audited(AuditKind::MemberGroupChanged, Some(study), subject)
        .set_member_group(study, person, group, now)
        .await
        .map_err(refuse)?;
    require_found(is_annotator)?;

    redirect_with(StudyPage::Members, &slug, "The group has been changed.")
}

/// Removes a member from the study and takes back their open sources. Their ratings stay and count.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where the study would have no lead left; [`Refusal::ConfirmPassword`] where the password was typed too
/// long ago.
#[server(endpoint = "remove-member")]
pub async fn remove_member(slug: String, person: String) -> Result<(), Refusal> {
    let access = lead_access_to_any(&slug).await?;
    require_confirmed()?;

    let person: PersonId = parse::id(&person)?;
    let (study, now) = (access.study.id, services().context.now_ms());

    let subject = AuditSubject::Person(person);
    let was_member = audited(AuditKind::MemberRemoved, Some(study), subject)
        .remove_member(study, person, now)
        .await
        .map_err(refuse)?;
    require_found(was_member)?;

    redirect_with(
        StudyPage::Members,
        &slug,
        "The member has been removed. Their submitted answers are kept and count.",
    )
}

/// Takes back an open source, so that another annotator can get it. Answers so far are kept.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it isn't open any more.
#[server(endpoint = "release")]
pub async fn release(
    slug: String,
    assignment: String,
    /// The reason shown to the annotator; may be empty.
    #[server(default)]
    reason: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let assignment = find_assignment(&access, &assignment).await?;
    let reason = parse::optional_line(&reason, "The reason", 200)?;
    let reason = if reason.is_empty() {
        "revoked by the lead"
    } else {
        &reason
    };

    let (store, now) = store_and_now();
    let released = store
        .release(assignment, reason, now)
        .await
        .map_err(refuse)?;
    require_found(released.is_some())?;

    redirect_with(
        StudyPage::Assignments,
        &slug,
        "The assignment has been revoked. Another annotator can get the source now.",
    )
}

/// Takes back an open source and assigns it to another annotator.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it isn't open any
/// more, or the other annotator already has it.
#[server(endpoint = "reassign")]
pub async fn reassign(
    slug: String,
    assignment: String,
    /// The annotator who gets the source.
    to: String,
) -> Result<(), Refusal> {
    let access = lead_access(&slug).await?;

    let assignment = find_assignment(&access, &assignment).await?;
    let to: PersonId = parse::id(&to)?;

    let services = services();
    let fresh = RaterId(services.context.new_id());
    let to = services
        .store
        .ensure_rater(access.study.id, to, fresh)
        .await
        .map_err(refuse)?;

    let new = NewAssignment {
        id: AssignmentId(services.context.new_id()),
        rater: to,
        seed: services.context.new_seed(),
        now_ms: services.context.now_ms(),
    };
    let new_assignment = services
        .store
        .reassign(assignment, to, new)
        .await
        .map_err(refuse)?;
    require_found(new_assignment.is_some())?;

    redirect_with(
        StudyPage::Assignments,
        &slug,
        "The source has been moved to the other annotator.",
    )
}

/// Parses the id of an assignment that must belong to the study.
#[cfg(feature = "ssr")]
async fn find_assignment(access: &RequestAccess, id: &str) -> Result<AssignmentId, Refusal> {
    let id: AssignmentId = parse::id(id)?;
    let place = services().store.assignment(id).await.map_err(refuse)?;
    match place {
        Some(place) if place.study == access.study.id => Ok(id),
        _ => Err(Refusal::NotFound),
    }
}
