//! The number of sources that a crowd rater gets.

use domain::{
    crowd::CrowdSettings,
    ids::{ParticipantId, PersonId, StudyId},
};
use sqlx::AnyConnection;

use super::{choice::SourceChoice, upcoming_work::PurposeProgress};
use crate::{
    Result,
    columns::{BindId, TableRow},
};

/// How much more work a person gets, within what the study has for them.
#[derive(Debug, Clone, Copy)]
pub(super) struct CrowdLimit {
    /// The crowd rater; `None` for other annotators, who have no limit.
    participant: Option<ParticipantId>,
    /// Whether their work has ended.
    has_ended: bool,
    /// The number of further sources of the study itself that they get, including attention items;
    /// `None` for no limit.
    left: Option<u32>,
}

impl CrowdLimit {
    pub(super) async fn load(
        tx: &mut AnyConnection,
        study: StudyId,
        person: PersonId,
        settings: &CrowdSettings,
    ) -> Result<Self> {
        let row = sqlx::query(
            "SELECT p.id, CASE WHEN p.left_at IS NULL AND p.finished_at IS NULL THEN 0 ELSE 1 END AS has_ended,
                    (SELECT COUNT(*) FROM assignment x
                     JOIN rater r ON r.id = x.rater_id JOIN source s ON s.id = x.source_id
                     WHERE r.study_id = $1 AND r.person_id = $2 AND x.state = 'handed-in'
                       AND s.purpose IN ('main', 'attention')) AS done
             FROM participant p WHERE p.study_id = $1 AND p.person_id = $2",
        )
        .bind_id(study)
        .bind_id(person)
        .fetch_optional(tx)
        .await?;

        let Some(row) = row else {
            return Ok(Self {
                participant: None,
                has_ended: false,
                left: None,
            });
        };
        let row = TableRow::new("participant", &row)?;
        let done = row.count("done")?;

        Ok(Self {
            participant: Some(row.parse("id")?),
            has_ended: row.flag("has_ended")?,
            left: match settings.sources_each {
                0 => None,
                most => Some(most.saturating_sub(done)),
            },
        })
    }

    /// Limits a choice: crowd raters finish what they have open, unless their work has ended.
    pub(super) fn apply(self, choice: SourceChoice) -> SourceChoice {
        match choice {
            _ if self.has_ended => SourceChoice::Nothing,
            SourceChoice::Resume(_) => choice,
            _ if self.left == Some(0) => SourceChoice::Nothing,
            _ => choice,
        }
    }

    /// Caps the available sources to what they can still be given.
    pub(super) fn cap(self, progress: PurposeProgress) -> PurposeProgress {
        let most = match self.has_ended {
            true => 0,
            false => self.left.unwrap_or(u32::MAX),
        };
        PurposeProgress {
            available: progress.available.min(most),
            ..progress
        }
    }

    /// Records that the crowd rater is here, so that nobody else gets their place.
    pub(super) async fn note_seen(self, tx: &mut AnyConnection, now_ms: i64) -> Result<()> {
        if let Some(participant) = self.participant {
            sqlx::query("UPDATE participant SET seen_at = $2 WHERE id = $1 AND seen_at < $2")
                .bind_id(participant)
                .bind(now_ms)
                .execute(tx)
                .await?;
        }
        Ok(())
    }
}
