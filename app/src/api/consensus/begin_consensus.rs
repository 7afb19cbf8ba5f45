//! The beginning of a consensus.

use leptos::prelude::*;

use crate::error::Refusal;

/// Begins the consensus on a source with what all of its raters said.
///
/// # Errors
/// [`Refusal::NotAllowed`] for members who neither lead nor annotate; [`Refusal::NotFound`] where fewer than
/// two raters submitted the source, or where the annotator did not.
#[server(endpoint = "begin-consensus")]
pub async fn begin_consensus(slug: String, source: String) -> Result<(), Refusal> {
    use crate::{
        links::StudyPage,
        request::{parse, refuse, see_other},
        services,
    };

    let (access, person) = super::consensus_person(&slug).await?;

    let (services, source) = (services(), parse::id(&source)?);
    let (context, now) = (services.context, services.context.now_ms());
    let new_id = || context.new_id();

    let begun = services
        .store
        .begin_consensus(access.study.id, source, person, new_id, now);
    begun.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;

    see_other(&StudyPage::SourceConsensus(source).path(&slug));
    Ok(())
}
