//! Reopening a finished consensus.

use leptos::prelude::*;

use crate::error::Refusal;

/// Opens a finished consensus again, so that its answers can be changed.
///
/// # Errors
/// [`Refusal::NotAllowed`] for members who neither lead nor annotate; [`Refusal::NotFound`] where there is none, or the
/// annotator takes no part in it.
#[server(endpoint = "reopen-consensus")]
pub async fn reopen_consensus(slug: String, source: String) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{parse, refuse, see_other_with},
        services,
    };

    let (access, person) = super::consensus_person(&slug).await?;

    let (services, source) = (services(), parse::id(&source)?);
    let now = services.context.now_ms();

    let reopened = services
        .store
        .reopen_consensus(access.study.id, source, person, now);
    reopened.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    see_other_with(
        &StudyPage::SourceConsensus(source).path(&slug),
        "The consensus is open again. It does not count until it is finished.",
    );
    Ok(())
}
