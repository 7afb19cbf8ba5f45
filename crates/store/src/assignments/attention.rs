//! Attention items among a rater's sources.

use domain::{
    ids::RaterId,
    work::attention::{AttentionProgress, AttentionSchedule},
};
use sqlx::AnyConnection;

use super::{source_candidates::CandidateQuery, upcoming_work::PurposeProgress};
use crate::{
    Result,
    columns::{BindId, TableRow},
};

/// A rater's place in their schedule of attention items.
#[derive(Debug, Clone, Copy)]
pub(super) struct RaterAttention {
    /// `None` if the study gives out no attention items.
    schedule: Option<AttentionSchedule>,
    progress: AttentionProgress,
    /// The number of attention items that the rater has open or is asked about.
    open: u32,
}

impl RaterAttention {
    pub(super) async fn load(tx: &mut AnyConnection, query: &CandidateQuery) -> Result<Self> {
        let (progress, open) = load_progress(tx, query.rater).await?;
        Ok(Self {
            schedule: AttentionSchedule::for_rater(query.rater, query.attention_every),
            progress,
            open,
        })
    }

    /// Whether the rater's next source is an attention item.
    pub(super) fn is_due(self) -> bool {
        self.schedule
            .is_some_and(|schedule| schedule.is_due(self.progress))
    }

    /// The counts of the study's sources with the attention items mixed in, so that raters cannot
    /// tell them apart.
    pub(super) fn hide_among(
        self,
        main: PurposeProgress,
        items: PurposeProgress,
    ) -> PurposeProgress {
        let new = items.available.saturating_sub(self.open);
        let later = self.schedule.map_or(0, |schedule| {
            schedule.remaining(self.progress, main.available)
        });
        let ahead = self.open + later.min(new);

        PurposeProgress {
            sources: main.sources + items.done + ahead,
            done: main.done + items.done,
            available: main.available + ahead,
        }
    }
}

/// How far the rater is, and the number of attention items that they have open or are asked about.
/// Items hidden since then still count.
async fn load_progress(tx: &mut AnyConnection, rater: RaterId) -> Result<(AttentionProgress, u32)> {
    let row = sqlx::query(
        "WITH mine AS (
            SELECT x.id, x.state, x.created_at, s.purpose
            FROM assignment x JOIN stored_source s ON s.id = x.source_id
            WHERE x.rater_id = $1 AND s.purpose IN ('main', 'attention')
         ), newest AS (
            SELECT MAX(created_at) AS given_at FROM mine WHERE purpose = 'attention'
         )
         SELECT $1 AS id,
                (SELECT COUNT(*) FROM newest WHERE given_at IS NOT NULL) AS met,
                (SELECT COUNT(*) FROM mine
                 WHERE purpose = 'main' AND state IN ('handed-in', 'skipped')) AS done,
                (SELECT COUNT(*) FROM mine, newest
                 WHERE purpose = 'main' AND state IN ('handed-in', 'skipped')
                   AND created_at <= given_at) AS before_last,
                (SELECT COUNT(*) FROM mine
                 WHERE purpose = 'attention' AND (state = 'open' OR EXISTS (
                    SELECT 1 FROM open_question q WHERE q.assignment_id = mine.id))) AS open_items",
    )
    .bind_id(rater)
    .fetch_one(tx)
    .await?;

    let row = TableRow::new("assignment", &row)?;
    let before_last = row.count("before_last")?;
    let progress = AttentionProgress {
        done: row.count("done")?,
        done_before_last: (row.count("met")? > 0).then_some(before_last),
    };
    Ok((progress, row.count("open_items")?))
}
