//! Leaving: participants who withdraw, are excluded or lapse. Their answers stop counting.

use std::{fmt, str::FromStr};

use domain::{
    comprehension::PassagePurpose,
    ids::{ParticipantId, StudyId},
};

use super::{
    lock_active_participant,
    material::{load_material, load_settings},
};
use crate::{Error, EventKind, Result, Store, columns::BindId, event, lock};

/// How a participant left, or why they could not begin. Their answers no longer count, and their
/// texts go to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// By their own wish.
    Withdrawn,
    /// By the lead, with a reason.
    Excluded,
    /// They began, but were not seen for the study's lease (before their first answer, for half an
    /// hour) when another participant needed a text.
    Lapsed,
    /// An answer to a screening question is not accepted.
    ScreenedOut,
    /// Every place for people with their answer to a screening question was taken.
    QuotaFull,
}

impl fmt::Display for ExitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Withdrawn => "withdrawn",
            Self::Excluded => "excluded",
            Self::Lapsed => "lapsed",
            Self::ScreenedOut => "screened-out",
            Self::QuotaFull => "quota-full",
        })
    }
}

impl FromStr for ExitReason {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "withdrawn" => Ok(Self::Withdrawn),
            "excluded" => Ok(Self::Excluded),
            "lapsed" => Ok(Self::Lapsed),
            "screened-out" => Ok(Self::ScreenedOut),
            "quota-full" => Ok(Self::QuotaFull),
            other => Err(format!("“{other}” is not a way to leave")),
        }
    }
}

impl Store {
    /// Withdraws the participant's answers, as they wish.
    ///
    /// # Errors
    /// Refused where the session is unknown or has ended before, or the study is closed.
    pub async fn withdraw_participant(&self, session_hash: &str, now_ms: i64) -> Result<()> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            record_exit(
                &mut tx,
                seat.study,
                seat.participant,
                ExitReason::Withdrawn,
                "",
                now_ms,
            )
            .await?;
        })
    }

    /// Excludes a participant's answers, for the lead's reason. Returns false if the study has no
    /// such participant, or they left before.
    ///
    /// # Errors
    /// Refused without a reason.
    pub async fn exclude_participant(
        &self,
        study: StudyId,
        participant: ParticipantId,
        reason: &str,
        now_ms: i64,
    ) -> Result<bool> {
        if reason.trim().is_empty() {
            return Err(Error::Refused(
                "Say why: the reason is kept with it.".into(),
            ));
        }

        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;
            record_exit(
                &mut tx,
                study,
                participant,
                ExitReason::Excluded,
                reason.trim(),
                now_ms,
            )
            .await?
        })
    }

    /// Includes an excluded participant's answers again. Returns false if the study has no such
    /// participant, or they were not excluded.
    ///
    /// # Errors
    /// Refused where one of their texts has all of its participants by now.
    pub async fn include_participant(
        &self,
        study: StudyId,
        participant: ParticipantId,
        now_ms: i64,
    ) -> Result<bool> {
        change_in_transaction!(self, |tx| {
            lock::lock_unarchived_study(&mut tx, study).await?;

            let design = load_settings(&mut tx, study)
                .await?
                .unwrap_or_default()
                .design;
            let main = load_material(&mut tx, study).await?.passages.into_iter();
            let main = main.filter(|own| own.passage.purpose == PassagePurpose::Main);
            let order: Vec<String> = main.map(|own| own.id.to_string()).collect();

            let texts: Vec<(String, i64)> = sqlx::query_as(
                "SELECT mine.passage_id, COUNT(p.id) AS readers FROM reading mine
                 JOIN reading r
                   ON r.passage_id = mine.passage_id AND r.condition_id = mine.condition_id
                 LEFT JOIN participant p ON p.id = r.participant_id AND p.left_at IS NULL
                 WHERE mine.participant_id = $1 GROUP BY mine.passage_id",
            )
            .bind_id(participant)
            .fetch_all(&mut *tx)
            .await?;

            for (passage, readers) in texts {
                let place = order.iter().position(|own| *own == passage);
                if place.is_some_and(|place| readers >= i64::from(design.quota(place))) {
                    return Err(Error::Refused(
                        "Others have been given these texts in the meantime: all places are taken."
                            .into(),
                    ));
                }
            }

            let changed = sqlx::query(
                "UPDATE participant SET left_at = NULL, left_as = NULL, left_reason = ''
                 WHERE study_id = $1 AND id = $2 AND kind = 'reading' AND left_as = 'excluded'",
            )
            .bind_id(study)
            .bind_id(participant)
            .execute(&mut *tx)
            .await?
            .rows_affected();

            if changed > 0 {
                event::record(&mut tx, study, EventKind::Participant, participant, now_ms).await?;
            }

            changed > 0
        })
    }
}

pub(super) async fn record_exit(
    tx: &mut sqlx::AnyConnection,
    study: StudyId,
    participant: ParticipantId,
    how: ExitReason,
    reason: &str,
    now_ms: i64,
) -> Result<bool> {
    let changed = sqlx::query(
        "UPDATE participant SET left_at = $3, left_as = $4, left_reason = $5
         WHERE study_id = $1 AND id = $2 AND kind = 'reading' AND left_at IS NULL",
    )
    .bind_id(study)
    .bind_id(participant)
    .bind(now_ms)
    .bind(how.to_string())
    .bind(reason)
    .execute(&mut *tx)
    .await?
    .rows_affected();

    if changed > 0 {
        event::record(tx, study, EventKind::Participant, participant, now_ms).await?;
    }
    Ok(changed > 0)
}
