//! The end of a consensus.

use leptos::prelude::*;

use crate::error::Refusal;

/// Finishes the consensus on a source, so that figures of consensus count it.
///
/// # Errors
/// [`Refusal::Invalid`] while questions are open; [`Refusal::NotAllowed`] for members who neither lead nor annotate;
/// [`Refusal::NotFound`] where there is none, or the annotator takes no part in it.
#[server(endpoint = "finish-consensus")]
pub async fn finish_consensus(slug: String, source: String) -> Result<(), Refusal> {
    use service::wording::count_noun;

    use crate::{
        links::StudyPage,
        request::{parse, refuse, see_other_with},
        services,
    };

    let (access, person) = super::consensus_person(&slug).await?;
    let (services, source) = (services(), parse::id(&source)?);
    let now = services.context.now_ms();
    let finished = services
        .store
        .finish_consensus(access.study.id, source, person, now);
    let open = finished.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    if !open.is_empty() {
        return Err(Refusal::invalid(format!(
            "The consensus cannot be finished yet: {} left to decide.",
            match open.len() {
                1 => "one question is".to_owned(),
                many => format!("{} are", count_noun(many, "question")),
            }
        )));
    }
    see_other_with(
        &StudyPage::Consensus.path(&slug),
        "The consensus is finished.",
    );
    Ok(())
}
