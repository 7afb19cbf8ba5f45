//! Active time in the steps, as tabs report it.

use domain::{
    ids::{AssignmentId, PersonId},
    study::AssignmentState,
    work::{
        activity::{ActiveDuration, ActivityReport, MOST_TABS},
        change::AnnotationStep,
    },
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::own_assignment::lock_own_assignment;
use crate::{
    Result, Store,
    assignments::{lease_end, renew_lease},
    columns::BindId,
};

impl Store {
    /// Stores how long the tabs of the annotator's browser were active in each step, all in one commit:
    /// their totals so far, so that a report may be lost, come late or twice. Renews the lease. `None`
    /// where the person has no such assignment. Not counted is what comes after it was handed in, also where
    /// single outputs were given back, what comes of a person who is no longer an annotator of the study, and
    /// any tab past the first [`MOST_TABS`].
    ///
    /// # Errors
    /// When the database fails.
    pub async fn save_activity(
        &self,
        person: PersonId,
        assignment: AssignmentId,
        reports: &[ActivityReport],
        now_ms: i64,
    ) -> Result<Option<()>> {
        in_transaction!(self, |tx| {
            match lock_own_assignment(&mut tx, person, assignment).await? {
                None => None,
                Some(own) => {
                    if own.place.state == AssignmentState::Open && own.barred_reason.is_none() {
                        renew_lease(&mut tx, assignment, lease_end(&own.settings, now_ms)).await?;
                        let longest = max_step_ms(&mut tx, assignment, now_ms).await?;
                        for report in reports {
                            store_report(&mut tx, assignment, report, longest).await?;
                        }
                    }
                    Some(())
                }
            }
        })
    }
}

/// Stores a tab's times, where there is room for them.
async fn store_report(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
    report: &ActivityReport,
    longest_ms: u64,
) -> Result<()> {
    if has_room(tx, assignment, report.tab).await? {
        for (step, ms) in report.spent() {
            let active = ActiveDuration::at_most(ms, longest_ms);
            store_activity(tx, assignment, report.tab, step, active).await?;
        }
    }
    Ok(())
}

/// Whether the tab's time is stored: it has reported before, or few enough others have.
async fn has_room(tx: &mut AnyConnection, assignment: AssignmentId, tab: Uuid) -> Result<bool> {
    let row = sqlx::query(
        "SELECT COUNT(DISTINCT tab) AS tabs FROM activity WHERE assignment_id = $1 AND tab <> $2",
    )
    .bind_id(assignment)
    .bind_id(tab)
    .fetch_one(tx)
    .await?;
    Ok(row.try_get::<i64, _>("tabs")? < MOST_TABS)
}

/// The longest that a step can have taken: the time since the assignment was given, in milliseconds.
async fn max_step_ms(tx: &mut AnyConnection, assignment: AssignmentId, now_ms: i64) -> Result<u64> {
    let row = sqlx::query("SELECT created_at FROM assignment WHERE id = $1")
        .bind_id(assignment)
        .fetch_one(tx)
        .await?;
    let given_at: i64 = row.try_get("created_at")?;
    Ok(u64::try_from(now_ms.saturating_sub(given_at)).unwrap_or(0))
}

async fn store_activity(
    tx: &mut AnyConnection,
    assignment: AssignmentId,
    tab: Uuid,
    step: AnnotationStep,
    active: ActiveDuration,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO activity (assignment_id, tab, step, active_ms) VALUES ($1, $2, $3, $4)
         ON CONFLICT (assignment_id, tab, step) DO UPDATE SET active_ms = excluded.active_ms
         WHERE activity.active_ms < excluded.active_ms",
    )
    .bind_id(assignment)
    .bind_id(tab)
    .bind(match step {
        AnnotationStep::Categorise => "categorise",
        AnnotationStep::Highlight => "highlight",
        AnnotationStep::Rate => "rate",
    })
    .bind(active.get())
    .execute(tx)
    .await?;
    Ok(())
}
