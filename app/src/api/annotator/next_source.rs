//! The next source to judge.

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives the annotator the next source and leads to it, or back where there is none now.
///
/// # Errors
/// [`Refusal::NotAllowed`] for others than annotators, [`Refusal::Invalid`] before consent or where
/// the study is closed.
#[server(endpoint = "next-source")]
pub async fn next_source(
    /// The study's short name.
    slug: String,
) -> Result<(), Refusal> {
    use domain::ids::{AssignmentId, RaterId};
    use store::assignments::{NewAssignment, Next};

    use crate::{
        api::{access, refuse, see_other, services},
        layout::flash::{self, Flash},
    };

    let access = access(&slug).await?;
    access.annotates()?;
    if access.must_consent() {
        return Err(Refusal::invalid(
            "Read the information sheet first, and say that you agree.",
        ));
    }
    let services = services();
    let new = NewAssignment {
        id: AssignmentId((services.new_id)()),
        rater: RaterId((services.new_id)()),
        seed: (services.new_id)().as_u64_pair().1.cast_signed(),
        now_ms: (services.now_ms)(),
    };
    let next = services
        .store
        .next_assignment(access.study.id, access.person.id, new)
        .await;
    let home = format!("/s/{}/work", access.study.slug);
    match next.map_err(refuse)? {
        Next::Assignment(assignment) => see_other(&format!("{home}/{assignment}")),
        Next::AwaitsAdmission | Next::Nothing => {
            flash::leave(&Flash::Done(
                "There is nothing for you to judge at the moment.".into(),
            ));
            see_other(&home);
        }
    }
    Ok(())
}
