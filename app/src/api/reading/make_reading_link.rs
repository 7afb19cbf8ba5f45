//! Links by which participants take part.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a link by which people without an account take part, one session each. It is shown once.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out of
/// range.
#[server(endpoint = "make-reading-link")]
pub async fn make_reading_link(
    /// The study's short name.
    slug: String,
    /// What the lead calls it; may be empty.
    #[server(default)]
    label: String,
    /// How many sessions it may begin.
    uses: String,
    /// For how many days it works.
    days: String,
) -> Result<(), Refusal> {
    use store::comprehension::NewLink;

    use crate::{
        accounts::Token,
        api::{absolute, access, parse, refuse, see_other, services},
        layout::flash::{self, Flash},
    };

    let access = access(&slug).await?;
    access.leads()?;
    let label = parse::optional_line(&label, "The label", 80)?;
    let uses = parse::whole(&uses, "The number of participants", 1..=10_000)?;
    let days: i64 = parse::whole(&days, "The number of days", 1..=365)?;
    let services = services();
    let (token, now) = (Token::new((services.random)()), (services.now_ms)());
    let hash = token.hash();
    let new = NewLink {
        token_hash: &hash,
        label: &label,
        expires_at: now + days * 24 * 60 * 60 * 1000,
        uses,
    };
    let made = services
        .store
        .create_reading_link(access.study.id, &new, now)
        .await;
    made.map_err(refuse)?;
    flash::leave(&Flash::Link(
        "This is the link. It is shown this once: copy it now, and send it to whoever shall read."
            .to_owned(),
        absolute(&format!("/take/{}", token.secret())),
    ));
    see_other(&format!("/s/{slug}/reading"));
    Ok(())
}
