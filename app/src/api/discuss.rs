//! Giving an output back to its raters.

use leptos::prelude::*;

use crate::error::Refusal;

/// Gives the source of an output back to everybody who handed it in, with what the lead asks.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] without a question,
/// or where nobody handed the source in.
#[server(endpoint = "discuss")]
pub async fn discuss(
    /// The study's short name.
    slug: String,
    /// The output.
    output: String,
    /// What the raters should look at.
    note: String,
) -> Result<(), Refusal> {
    use domain::ids::{DiscussionId, OutputId};
    use store::discussions::NewDiscussion;

    use crate::{
        flash::{self, Flash},
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    access.require_lead()?;
    let output: OutputId = parse::id(&output)?;
    let note = parse::line(&note, "The question", 300)?;
    let services = services();
    let new = NewDiscussion {
        id: DiscussionId(services.context.new_id()),
        output,
        note: &note,
        asked_by: access.person.id,
    };
    let now = services.context.now_ms();
    let found = services.store.discuss(access.study.id, new, now).await;
    let raters = found.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    let said = match raters {
        1 => "One rater has the source back.".to_owned(),
        many => format!("{many} raters have the source back."),
    };
    flash::set(&Flash::Done(said));
    see_other(&format!("/s/{slug}/ratings"));
    Ok(())
}
