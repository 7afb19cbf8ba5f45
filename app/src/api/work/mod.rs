//! What the annotator's workspace asks of the server.

mod hand_in;
mod reopen;
mod save_changes;
mod skip;

pub use hand_in::{HandIn, Handed, hand_in};
pub use reopen::{Reopen, reopen};
pub use save_changes::{Batch, SaveChanges, Taken, save_changes};
pub use skip::{Skip, skip};

#[cfg(feature = "ssr")]
use crate::error::Refusal;

/// Where the annotator goes on after a source: the next one, or their own page of the study.
#[cfg(feature = "ssr")]
async fn onward(assignment: domain::ids::AssignmentId) -> Result<String, Refusal> {
    use domain::ids::{AssignmentId, RaterId};
    use store::assignments::{NewAssignment, Next};

    use super::{refuse, services, signed_in};

    let person = signed_in().await?;
    let services = services();
    let task = services
        .store
        .task(person.id, assignment)
        .await
        .map_err(refuse)?;
    let task = task.ok_or(Refusal::NotFound)?;
    let home = format!("/s/{}/work", task.slug);
    let new = NewAssignment {
        id: AssignmentId((services.new_id)()),
        rater: RaterId((services.new_id)()),
        seed: (services.new_id)().as_u64_pair().1.cast_signed(),
        now_ms: (services.now_ms)(),
    };
    let next = services
        .store
        .next_assignment(task.study, person.id, new)
        .await
        .map_err(refuse)?;
    let path = match next {
        Next::Assignment(next) => format!("{home}/{next}"),
        Next::AwaitsAdmission | Next::Nothing => home,
    };
    Ok(crate::links::to(&path))
}
