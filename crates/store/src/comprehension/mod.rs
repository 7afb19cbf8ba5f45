//! Reading comprehension: its texts, its participants and their answers.
//!
//! A participant has no account: a cookie, stored as a hash, is their session. Answers are
//! append-only. A participant who withdrew, was excluded or lapsed has left: they count neither in
//! figures nor for the quota of a text. Code that counts before it writes holds the study's row.

mod answers;
mod assigned_texts;
mod design_load;
mod import;
mod join;
mod leave;
mod material;
mod records;
mod session;

use domain::ids::{ParticipantId, StudyId};
use sqlx::AnyConnection;

pub use self::{
    answers::{NewParticipantAnswer, ParticipantAnswerOutcome, ParticipantTabTime},
    import::{ComprehensionImportAnswer, ComprehensionImportCounts},
    join::{NewParticipant, PlatformIds, ReadingStart},
    leave::ExitReason,
    material::{StoredPassage, StudyMaterial},
    records::{CellProgress, ParticipantAnswer, ParticipantEntry},
    session::{ParticipantQuestion, ParticipantSession, ParticipantText},
};
pub(crate) use self::{join::next_label, material::store_settings};
use crate::{Error, EventKind, Result, columns::TableRow, event};

/// A participant's place in the study, while it is held.
pub(crate) struct ParticipantState {
    pub(crate) study: StudyId,
    pub(crate) participant: ParticipantId,
    pub(crate) begun: bool,
    pub(crate) finished: bool,
    pub(crate) left: bool,
    pub(crate) seed: i64,
    /// When they joined, in milliseconds since 1970.
    pub(crate) joined_at: i64,
}

impl ParticipantState {
    /// Records that something about the participant changed.
    pub(crate) async fn record_event(&self, tx: &mut AnyConnection, now_ms: i64) -> Result<i64> {
        event::record(
            tx,
            self.study,
            EventKind::Participant,
            self.participant,
            now_ms,
        )
        .await
    }
}

/// The participant of the session; `None` if there is no such session.
pub(crate) async fn find_participant(
    tx: &mut AnyConnection,
    session_hash: &str,
) -> Result<Option<ParticipantState>> {
    let row = sqlx::query(
        "SELECT id, study_id, begun_at, finished_at, left_at, seed, joined_at FROM participant
         WHERE session_hash = $1",
    )
    .bind(session_hash)
    .fetch_optional(tx)
    .await?;

    let Some(row) = row else { return Ok(None) };
    let row = TableRow::new("participant", &row)?;
    let at = |column| row.get::<Option<i64>>(column);
    Ok(Some(ParticipantState {
        participant: row.parse("id")?,
        study: row.parse("study_id")?,
        begun: at("begun_at")?.is_some(),
        finished: at("finished_at")?.is_some(),
        left: at("left_at")?.is_some(),
        seed: row.get("seed")?,
        joined_at: row.get("joined_at")?,
    }))
}

/// The session's participant, who has not left. Holds their study, which must be open.
pub(crate) async fn lock_active_participant(
    tx: &mut AnyConnection,
    session_hash: &str,
) -> Result<ParticipantState> {
    let unknown = || Error::Refused("This session is not known: follow your link again.".into());
    let participant = find_participant(tx, session_hash)
        .await?
        .ok_or_else(unknown)?;

    crate::lock::lock_open_study(tx, participant.study).await?;
    // Read again: it may have ended while we waited.
    let participant = find_participant(tx, session_hash)
        .await?
        .ok_or_else(unknown)?;

    if participant.left {
        return Err(Error::Refused(
            "This session has ended: nothing more is saved in it.".into(),
        ));
    }
    Ok(participant)
}
