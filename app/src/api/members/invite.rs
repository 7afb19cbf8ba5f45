//! Links by which people join a study, or read for it.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes a link by which people join the study, or read for it without an account, each once. It is
/// shown once, on the page that follows.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] for numbers out
/// of range.
#[server(endpoint = "invite")]
pub async fn invite(
    /// The study's short name.
    slug: String,
    /// What the link makes of whoever follows it: a role, or `participant`.
    role: String,
    /// What the lead calls it, such as a course; may be empty.
    #[server(default)]
    label: String,
    /// How many people may follow it.
    uses: String,
    /// For how many days it works.
    days: String,
) -> Result<(), Refusal> {
    use domain::comprehension::ParticipantCapacity;
    use store::{InvitationTarget, NewInvitation};

    use crate::{
        flash::{self, Flash},
        request::{absolute, access, parse, refuse, see_other},
        services,
    };
    use service::accounts::SecretToken;

    let access = access(&slug).await?;
    access.require_lead()?;
    let opens: InvitationTarget = parse::choice(&role)?;
    let label = parse::optional_line(&label, "The label", 80)?;
    let uses = parse::integer(&uses, "The number of people", 1..=10_000)?;
    let days = parse::integer(&days, "The number of days", 1..=365)?;
    let services = services();
    let mut warning = String::new();
    let now = services.context.now_ms();
    if opens == InvitationTarget::Comprehension {
        let (store, study) = (&services.store, access.study.id);
        let settings = store.comprehension_settings(study).await.map_err(refuse)?;
        if settings.is_none_or(|it| it.information.is_empty()) {
            return Err(Refusal::invalid(
                "Readers have no information sheet: write it under Set-up on this page, then make \
                 the link.",
            ));
        }
        let outlook = store
            .comprehension_outlook(study, ParticipantCapacity::MAX_PLACES, now)
            .await
            .map_err(refuse)?;
        let places = i64::from(outlook.unwrap_or_default().places);
        if uses > places && places < i64::from(ParticipantCapacity::MAX_PLACES) {
            warning = format!(
                "Only {places} of the {uses} people can take part: there are no more places. The \
                 others are told so before they begin. "
            );
        }
    }
    let token = SecretToken::new(services.context.random_bytes());
    let hash = token.hash();
    let new = NewInvitation {
        token_hash: &hash,
        target: opens,
        label: &label,
        uses,
        expires_at: now + days * 24 * 60 * 60 * 1000,
        created_by: Some(access.person.id),
    };
    services
        .store
        .create_invitation(access.study.id, &new, now)
        .await
        .map_err(refuse)?;
    let (shall, path, back) = match opens {
        InvitationTarget::Membership(_) => ("join", "invite", "members"),
        InvitationTarget::Comprehension => ("read", "take", "reading"),
    };
    flash::set(&Flash::Link(
        format!(
            "{warning}This is the link. It is shown this once: copy it now, and send it to whoever shall \
             {shall}."
        ),
        absolute(&format!("/{path}/{}", token.secret())),
    ));
    see_other(&format!("/s/{slug}/{back}"));
    Ok(())
}
