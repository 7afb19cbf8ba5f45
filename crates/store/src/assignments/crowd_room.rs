//! Room for a new crowd rater.

use domain::{
    ids::{RaterId, StudyId},
    study::{SourcePurpose, StudySettings},
};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{
    away_before,
    source_candidates::{CandidateQuery, PurposeCounts, count_purposes},
};
use crate::{
    Result,
    columns::{BindId, TableRow},
};

/// The number of sources of the study itself that a new crowd rater of a group can count on; 0 if
/// nothing is left for them. Free places are kept for the crowd raters at work, who were promised
/// theirs, but not for those who have been away for as long as the study's lease.
pub(crate) async fn count_crowd_room(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    group: Option<&str>,
    now_ms: i64,
) -> Result<u32> {
    // A rater without any source.
    let nobody = RaterId(Uuid::nil());

    let query = CandidateQuery::new(study, nobody, group, settings, now_ms);
    let counts = count_purposes(tx, &query).await?;
    let main = counts
        .iter()
        .find(|counts| counts.purpose == SourcePurpose::Main);
    let Some(main) = main else { return Ok(0) };

    let each = match settings.crowd.sources_each {
        0 => u32::MAX,
        each => each,
    };
    let kept = count_kept_places(tx, &query, settings, main).await?;
    let free = main.free_places.saturating_sub(kept);
    Ok(each.min(main.progress.available).min(free))
}

/// The places that the crowd raters at work still need.
async fn count_kept_places(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    settings: &StudySettings,
    main: &PurposeCounts,
) -> Result<u32> {
    let rows = sqlx::query(
        "SELECT p.id,
                (SELECT COUNT(*) FROM assignment x
                 JOIN rater r ON r.id = x.rater_id JOIN source s ON s.id = x.source_id
                 WHERE r.study_id = p.study_id AND r.person_id = p.person_id
                   AND x.state IN ('open', 'handed-in') AND s.purpose IN ('main', 'attention')) AS given
         FROM participant p
         JOIN member x ON x.study_id = p.study_id AND x.person_id = p.person_id
         WHERE p.study_id = $1 AND p.kind = 'rating' AND p.begun_at IS NOT NULL AND p.left_at IS NULL
           AND p.finished_at IS NULL AND p.seen_at >= $2
           AND CASE WHEN $4 LIKE '%,' || x.group_id || ',%' THEN x.group_id ELSE '' END = $3",
    )
    .bind_id(query.study)
    .bind(away_before(settings, query.now_ms))
    .bind(query.counted_group.clone())
    .bind(query.all_counted.clone())
    .fetch_all(tx)
    .await?;

    // Without a limit, raters were promised something to do, but no number.
    let promised = match settings.crowd.sources_each {
        0 => 1,
        each => each,
    };
    let promised = promised.min(main.progress.sources);
    let mut kept = 0;
    for row in &rows {
        let given = TableRow::new("participant", row)?.count("given")?;
        kept += promised.saturating_sub(given);
    }
    Ok(kept)
}
