//! Joining a study by an invitation, with an existing account.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes the person who is signed in a member of the study that the link invites to.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work.
#[server(endpoint = "join")]
pub async fn join(
    /// The token at the end of the link.
    token: String,
) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{audited, refuse, see_other, signed_in},
        services,
    };
    use service::accounts::SecretToken;
    use store::audit::{AuditKind, AuditSubject};

    let person = signed_in().await?;

    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let now = services.context.now_ms();

    // The link determines the study.
    let joined = audited(
        AuditKind::MemberJoined,
        None,
        AuditSubject::Member(person.id),
    )
    .redeem_invitation(&token, person.id, now)
    .await;
    let invited = joined.map_err(refuse)?;

    see_other(&StudyPage::entrance(Some(invited.role)).path(&invited.slug));
    Ok(())
}
