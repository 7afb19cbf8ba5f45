//! Joining a study by an invitation, with the account that one has.

use leptos::prelude::*;

use crate::error::Refusal;

/// Makes whoever is signed in a member of the study that the link invites to.
///
/// # Errors
/// [`Refusal::Invalid`] where the link does not work.
#[server(endpoint = "join")]
pub async fn join(
    /// The end of the link.
    token: String,
) -> Result<(), Refusal> {
    use crate::{
        links::study_entrance,
        request::{refuse, see_other, signed_in},
        services,
    };
    use service::accounts::SecretToken;

    let person = signed_in().await?;
    let (services, token) = (services(), SecretToken::from_text(&token).hash());
    let now = services.context.now_ms();
    let joined = services
        .store
        .redeem_invitation(&token, person.id, now)
        .await;
    let invited = joined.map_err(refuse)?;
    see_other(&study_entrance(&invited.slug, Some(invited.role)));
    Ok(())
}
