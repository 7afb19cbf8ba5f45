//! Consensus: raters who judged the same source agree on one judgement.

mod begin_consensus;
mod decide_consensus;
#[cfg(feature = "ssr")]
mod decision_text;
mod reopen_consensus;

pub use begin_consensus::{BeginConsensus, begin_consensus};
pub use decide_consensus::{
    AddedMarkFields, CHOSEN, DIFFERENCES, DecideConsensus, DecisionField, FINISH, WRITTEN,
    decide_consensus,
};
#[cfg(feature = "ssr")]
pub use decision_text::{LEFT_OUT, answer_text, level_text, mark_text};
pub use reopen_consensus::{ReopenConsensus, reopen_consensus};

/// The person's part in a consensus of the study: its lead, or an annotator if the study lets annotators
/// agree. The store checks whether an annotator has judged the source.
#[cfg(feature = "ssr")]
async fn consensus_person(
    slug: &str,
) -> Result<
    (
        crate::request::RequestAccess,
        store::consensus::ConsensusPerson,
    ),
    crate::error::Refusal,
> {
    use store::consensus::ConsensusPerson;

    let access = crate::request::access(slug).await?;

    let person = access.person.id;
    let person = match access.require_lead() {
        Ok(()) => ConsensusPerson::Lead(person),
        Err(_) => {
            access.require_annotator()?;
            ConsensusPerson::Annotator(person)
        }
    };
    Ok((access, person))
}
