//! The end of work for crowd raters who fail attention items.

use domain::{
    crowd::{CrowdEnd, fails_check},
    ids::{ParticipantId, PersonId, RaterId, StudyId},
    study::StudySettings,
};
use sqlx::AnyConnection;

use super::ending::record_end;
use crate::{
    Result,
    columns::{BindId, TableRow},
    quality::{count_failed_attention, load_rater_checks},
};

/// Ends the work of a crowd rater who has failed as many attention items as the study's rule says.
/// Does nothing for other people. The study must be held.
pub(crate) async fn apply_failed_checks(
    tx: &mut AnyConnection,
    study: StudyId,
    rater: RaterId,
    person: PersonId,
    settings: &StudySettings,
    now_ms: i64,
) -> Result<()> {
    let rule = settings.crowd.failed_checks;
    if rule.from == 0 {
        return Ok(());
    }

    let row = sqlx::query(
        "SELECT id, checks_after FROM participant
         WHERE study_id = $1 AND person_id = $2 AND left_at IS NULL AND finished_at IS NULL",
    )
    .bind_id(study)
    .bind_id(person)
    .fetch_optional(&mut *tx)
    .await?;
    let Some(row) = row else { return Ok(()) };

    let row = TableRow::new("participant", &row)?;
    let participant: ParticipantId = row.parse("id")?;
    let (failed, shown) = count_failed(tx, rater, settings, row.get("checks_after")?).await?;

    if let Some(end) = rule.end(failed) {
        let reason = format!("{failed} of {shown} attention items failed");
        record_end(tx, study, participant, person, end, &reason, now_ms).await?;
    }
    Ok(())
}

/// The number of attention items that the rater failed, and the number shown, in sources submitted
/// after a time: outputs for quality control, and sources that the lead wrote. Scores and
/// comparisons count only on the first dimension that the rater was asked for.
async fn count_failed(
    tx: &mut AnyConnection,
    rater: RaterId,
    settings: &StudySettings,
    after_ms: i64,
) -> Result<(u32, u32)> {
    let (mut failed, mut shown) = count_failed_attention(tx, rater, settings, after_ms).await?;

    for check in load_rater_checks(tx, rater, settings, after_ms).await? {
        let dimensions = settings.dimensions_for(check.group.as_deref());
        let Some(dimension) = dimensions.first() else {
            continue;
        };
        // Marks have no dimension.
        if !check.dimension.is_empty() && check.dimension != dimension.name {
            continue;
        }

        if let Some(fails) = fails_check(check.purpose, check.outcome, dimension.scale) {
            shown += 1;
            failed += u32::from(fails);
        }
    }

    Ok((failed, shown))
}

/// Whether ratings no longer count after this end.
pub(super) const fn takes_ratings_out(end: CrowdEnd) -> bool {
    matches!(end, CrowdEnd::FailedChecks | CrowdEnd::Excluded)
}
