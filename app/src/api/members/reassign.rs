//! Giving an annotator's source to another one.

use leptos::prelude::*;

use crate::error::Refusal;

/// Takes an open source back and gives it to another annotator.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`]
/// where it is not open any more, or the other one has it already.
#[server(endpoint = "reassign")]
pub async fn reassign(
    /// The study's short name.
    slug: String,
    /// The assignment.
    assignment: String,
    /// Who gets the source.
    to: String,
) -> Result<(), Refusal> {
    use domain::ids::{AssignmentId, PersonId, RaterId};
    use store::NewAssignment;

    use super::{find_assignment, redirect_to_members};
    use crate::{
        request::{access, parse, refuse},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let assignment = find_assignment(&access, &assignment).await?;
    let to: PersonId = parse::id(&to)?;
    let services = services();
    let fresh = RaterId(services.context.new_id());
    let to = services
        .store
        .ensure_rater(access.study.id, to, fresh)
        .await
        .map_err(refuse)?;
    let seed = services
        .context
        .random_bytes()
        .first_chunk()
        .map_or(0, |bytes| i64::from_le_bytes(*bytes));
    let (id, now_ms) = (
        AssignmentId(services.context.new_id()),
        services.context.now_ms(),
    );
    let new = NewAssignment {
        id,
        rater: to,
        seed,
        now_ms,
    };
    let given = services
        .store
        .reassign(assignment, to, new)
        .await
        .map_err(refuse)?;
    redirect_to_members(
        &slug,
        given.is_some(),
        "The source is given to the other annotator.",
    )
}
