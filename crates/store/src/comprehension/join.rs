//! Taking part: a session by a link, then texts by the design.

use domain::{
    comprehension::ComprehensionSettings,
    ids::{ParticipantId, StudyId},
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::{
    assigned_texts::{assign_cells, insert_texts, with_practice},
    design_load::lapsed_before,
    lock_active_participant,
    material::{load_material, load_settings},
};
use crate::{
    Error, EventKind, Result, Store,
    columns::BindId,
    event,
    invitations::{count_use, find_comprehension_link},
    lock,
};

/// Ids given by the platform that sent a participant.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlatformIds<'a> {
    /// The participant; a second participation under the same id is refused.
    pub participant: Option<&'a str>,
    /// The platform's study.
    pub study: &'a str,
    /// The platform's session.
    pub session: &'a str,
}

/// A session that is to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewParticipant<'a> {
    /// The id.
    pub id: ParticipantId,
    /// SHA-256 of the cookie's value.
    pub session_hash: &'a str,
    /// SHA-256 of the link's token.
    pub link_hash: &'a str,
    /// Who they are elsewhere.
    pub platform: PlatformIds<'a>,
    /// The seed that shuffles texts and answers.
    pub seed: i64,
}

impl Store {
    /// Begins a session by a link; texts are given by [`Store::begin_comprehension`].
    ///
    /// # Errors
    /// Refused where the link does not work, the study is closed, or the platform's participant has
    /// taken part before.
    pub async fn join_comprehension(
        &self,
        new: &NewParticipant<'_>,
        now_ms: i64,
    ) -> Result<StudyId> {
        in_transaction!(self, |tx| {
            let (study, _) = find_comprehension_link(&mut tx, new.link_hash).await?;
            lock::lock_open_study(&mut tx, study).await?;
            // Once more: others may have used it while we waited.
            let (_, link) = find_comprehension_link(&mut tx, new.link_hash).await?;
            link.check(now_ms)?;
            let label = next_label(&mut tx, study).await?;
            sqlx::query(
                "INSERT INTO participant (id, study_id, label, session_hash, external_id,
                     external_study, external_session, joined_at, seen_at, seed)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)",
            )
            .bind_id(new.id)
            .bind_id(study)
            .bind(label)
            .bind(new.session_hash)
            .bind(new.platform.participant)
            .bind(new.platform.study)
            .bind(new.platform.session)
            .bind(now_ms)
            .bind(new.seed)
            .execute(&mut *tx)
            .await
            .map_err(|error| match Error::from(error) {
                error if error.is_unique_violation() => Error::Taken(
                    "You have taken part in this study before: each person may once.".into(),
                ),
                error => error,
            })?;
            count_use(&mut tx, new.link_hash).await?;
            event::record(&mut tx, study, EventKind::Participant, new.id, now_ms).await?;
            study
        })
    }

    /// Records consent and the answers to the screening questions, and gives the participant their
    /// texts: practice first, attention checks in the middle. Asked again it changes nothing. How
    /// many texts were given; 0 where all texts have their participants, and then nothing is recorded.
    ///
    /// Participants who began, did not finish and were not seen for the study's lease make room first.
    ///
    /// # Errors
    /// Refused where the session has ended or the study is closed.
    pub async fn begin_comprehension(
        &self,
        session_hash: &str,
        screening: &[String],
        new_id: impl Fn() -> Uuid,
        now_ms: i64,
    ) -> Result<u32> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            let Some(settings) = load_settings(&mut tx, seat.study).await? else {
                return Err(Error::Refused("This study has nothing to read.".into()));
            };
            if !seat.begun {
                end_lapsed_sessions(&mut tx, &settings, seat.study, now_ms).await?;
                let material = load_material(&mut tx, seat.study).await?;
                let cells = assign_cells(&mut tx, &seat, &settings, &material).await?;
                if cells.is_empty() {
                    return Ok(0);
                }
                let cells = with_practice(cells, &material);
                insert_texts(&mut tx, &seat, &material, &cells, &new_id).await?;
                sqlx::query("UPDATE participant SET begun_at = $2, screening = $3 WHERE id = $1")
                    .bind_id(seat.participant)
                    .bind(now_ms)
                    .bind(crate::columns::to_json(&screening))
                    .execute(&mut *tx)
                    .await?;
                sqlx::query("UPDATE comprehension SET begun = begun + 1 WHERE study_id = $1")
                    .bind_id(seat.study)
                    .execute(&mut *tx)
                    .await?;
                seat.record_event(&mut tx, now_ms).await?;
            }
            let reading_count: i64 =
                sqlx::query("SELECT COUNT(*) FROM reading WHERE participant_id = $1")
                    .bind_id(seat.participant)
                    .fetch_one(&mut *tx)
                    .await?
                    .try_get(0)?;
            u32::try_from(reading_count).unwrap_or(u32::MAX)
        })
    }
}

/// The next pseudonym: none that a participant has, and none that an erased one had. The study must be
/// held.
async fn next_label(tx: &mut AnyConnection, study: StudyId) -> Result<String> {
    loop {
        let number: i64 = sqlx::query(
            "UPDATE study SET participants_joined = participants_joined + 1
             WHERE id = $1 RETURNING participants_joined",
        )
        .bind_id(study)
        .fetch_one(&mut *tx)
        .await?
        .try_get(0)?;
        let label = format!("participant {number}");
        // A file may have brought participants who are called so.
        let taken = sqlx::query("SELECT 1 FROM participant WHERE study_id = $1 AND label = $2")
            .bind_id(study)
            .bind(&label)
            .fetch_optional(&mut *tx)
            .await?;
        if taken.is_none() {
            return Ok(label);
        }
    }
}

/// Ends the sessions of those who began and were not seen for the study's lease.
async fn end_lapsed_sessions(
    tx: &mut AnyConnection,
    settings: &ComprehensionSettings,
    study: StudyId,
    now_ms: i64,
) -> Result<()> {
    let rows = sqlx::query(
        "UPDATE participant SET left_at = $3, left_as = 'lapsed'
         WHERE study_id = $1 AND begun_at IS NOT NULL AND finished_at IS NULL AND left_at IS NULL
           AND seen_at < $2 RETURNING id",
    )
    .bind_id(study)
    .bind(lapsed_before(settings, now_ms))
    .bind(now_ms)
    .fetch_all(&mut *tx)
    .await?;
    for row in rows {
        event::record(
            tx,
            study,
            EventKind::Participant,
            row.try_get::<&str, _>("id")?,
            now_ms,
        )
        .await?;
    }
    Ok(())
}
