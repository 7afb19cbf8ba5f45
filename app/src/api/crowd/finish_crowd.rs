//! The end of a crowd rater's work.

use leptos::prelude::*;

use crate::error::Refusal;

/// Ends a crowd rater's work and stores their comment; the next page shows their code.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person is a crowd rater; [`Refusal::Invalid`] where there is still
/// something to judge.
#[server(endpoint = "crowd/finish")]
pub async fn finish_crowd(
    slug: String,
    /// An optional comment.
    #[server(default)]
    comment: String,
) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{access, parse, refuse, see_other},
        services,
    };

    let access = access(&slug).await?;
    if !access.person.is_crowd {
        return Err(Refusal::NotAllowed);
    }

    let comment = parse::text(&comment, "The comment")?;

    let services = services();
    let now = services.context.now_ms();
    services
        .store
        .finish_crowd_work(access.study.id, access.person.id, &comment, now)
        .await
        .map_err(refuse)?;

    see_other(&StudyPage::Work.path(&access.study.slug));
    Ok(())
}
