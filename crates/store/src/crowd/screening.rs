//! Screening: whether a person may begin, and whose place they take.

use std::cmp::Reverse;

use domain::{
    crowd::CrowdSettings,
    ids::{ParticipantId, StudyId},
    screening::ScreeningOutcome,
    study::StudySettings,
};
use sqlx::AnyConnection;

use crate::{
    Error, EventKind, Result,
    assignments::away_before,
    columns::{BindId, read_rows},
    event,
};

/// A crowd rater who takes up a place for people with their answers.
struct PlaceHolder {
    id: ParticipantId,
    answers: Vec<String>,
    /// Whether they have been away for so long that another person may have the place.
    is_away: bool,
}

impl PlaceHolder {
    /// Whether they gave the same answer to that question.
    fn shares(&self, at: usize, answers: &[String]) -> bool {
        let own = self.answers.get(at);
        own.is_some() && own == answers.get(at)
    }
}

/// The outcome of screening, and the crowd raters who lose their places to it because they have
/// been away for the study's lease: as few as possible, those away longest first.
pub(super) struct ScreeningVerdict {
    pub(super) outcome: ScreeningOutcome,
    pub(super) leaving: Vec<ParticipantId>,
}

/// Judges the answers in a study that is held, so that two people who arrive at once cannot get the
/// same place.
pub(super) async fn judge_screening(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    answers: &[String],
    now_ms: i64,
) -> Result<ScreeningVerdict> {
    let CrowdSettings { screening, .. } = &settings.crowd;
    let mut leaving = vec![];
    let mut holders = match screening.questions().is_empty() {
        true => vec![],
        false => load_place_holders(tx, study, away_before(settings, now_ms)).await?,
    };

    loop {
        let taken = |at: usize, text: &str| {
            let alike = holders
                .iter()
                .filter(|holder| holder.answers.get(at).is_some_and(|answer| answer == text));
            u32::try_from(alike.count()).unwrap_or(u32::MAX)
        };
        let outcome = screening.judge(answers, taken).map_err(|question| {
            Error::Refused(format!("Choose an answer to “{}”.", question.question))
        })?;

        let full = match outcome {
            ScreeningOutcome::QuotaFull => screening.full_questions(answers, taken),
            _ => return Ok(ScreeningVerdict { outcome, leaving }),
        };

        match find_in_the_way(&holders, &full, answers) {
            Some(place) => leaving.push(holders.remove(place).id),
            // Nobody loses a place, because that would not be enough.
            None => {
                leaving.clear();
                return Ok(ScreeningVerdict { outcome, leaving });
            }
        }
    }
}

/// The index of the holder who is away and frees the most missing places; the first of several.
fn find_in_the_way(holders: &[PlaceHolder], full: &[usize], answers: &[String]) -> Option<usize> {
    let frees = |holder: &PlaceHolder| {
        let shared = full.iter().filter(|at| holder.shares(**at, answers));
        shared.count()
    };

    let away = holders
        .iter()
        .enumerate()
        .filter(|(_, holder)| holder.is_away);
    let most = away.max_by_key(|(place, holder)| (frees(holder), Reverse(*place)));
    most.filter(|(_, holder)| frees(holder) > 0)
        .map(|(place, _)| place)
}

async fn load_place_holders(
    tx: &mut AnyConnection,
    study: StudyId,
    away_before: i64,
) -> Result<Vec<PlaceHolder>> {
    // An excluded rater gives up their place to another; a paused rater keeps it, since the lead may let them continue.
    let rows = sqlx::query(
        "SELECT id, screening, finished_at, seen_at FROM participant
         WHERE study_id = $1 AND kind = 'rating' AND begun_at IS NOT NULL
           AND (left_as IS NULL OR left_as = 'paused')
         ORDER BY seen_at, id",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;

    read_rows("participant", &rows, |row| {
        Ok(PlaceHolder {
            id: row.parse("id")?,
            answers: row.json_optional("screening")?.unwrap_or_default(),
            is_away: !row.is_set("finished_at")? && row.get::<i64>("seen_at")? < away_before,
        })
    })
}

/// Ends the work of a crowd rater who is away.
pub(super) async fn end_away(
    tx: &mut AnyConnection,
    study: StudyId,
    participant: ParticipantId,
    now_ms: i64,
) -> Result<()> {
    sqlx::query("UPDATE participant SET left_at = $2, left_as = 'lapsed' WHERE id = $1")
        .bind_id(participant)
        .bind(now_ms)
        .execute(&mut *tx)
        .await?;
    event::record(tx, study, EventKind::Participant, participant, now_ms).await?;
    Ok(())
}
