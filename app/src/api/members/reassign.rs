//! Moving a source to another annotator.

use leptos::prelude::*;

use crate::error::Refusal;

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
    use domain::ids::{AssignmentId, PersonId, RaterId};
    use store::NewAssignment;

    use super::{find_assignment, redirect_to_assignments};
    use crate::{
        request::{lead_access, parse, refuse},
        services,
    };

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

    let (id, now_ms) = (
        AssignmentId(services.context.new_id()),
        services.context.now_ms(),
    );
    let new = NewAssignment {
        id,
        rater: to,
        seed: services.context.new_seed(),
        now_ms,
    };
    let new_assignment = services
        .store
        .reassign(assignment, to, new)
        .await
        .map_err(refuse)?;

    redirect_to_assignments(
        &slug,
        new_assignment.is_some(),
        "The source has been moved to the other annotator.",
    )
}
