//! Active time in the steps, as tabs report it.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::{
    ids::AssignmentId,
    work::activity::{ActiveDuration, ActivityReport, MOST_TABS},
};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::{
    Result,
    bulk::{self, BulkQuery},
    columns::{BindId, TableRow},
};

/// Tabs' reports to store, each with the longest time that a step can have taken, in milliseconds.
#[derive(Debug, Default)]
pub(super) struct NewActivity(Vec<(AssignmentId, ActivityReport, u64)>);

impl NewActivity {
    /// Adds a tab's report; `longest_ms` is the time since the assignment was given, in milliseconds.
    pub(super) fn add(
        &mut self,
        assignment: AssignmentId,
        report: ActivityReport,
        longest_ms: u64,
    ) {
        self.0.push((assignment, report, longest_ms));
    }

    /// Stores the times of known tabs, and of new tabs while there is room.
    pub(super) async fn store(&self, tx: &mut AnyConnection) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }

        let mut tabs = self.load_tabs(tx).await?;
        let mut times = BTreeMap::<(AssignmentId, Uuid, &'static str), ActiveDuration>::new();
        for (assignment, report, longest_ms) in &self.0 {
            let known = tabs.entry(*assignment).or_default();
            let is_full = i64::try_from(known.len()).is_ok_and(|tabs| tabs >= MOST_TABS);
            if is_full && !known.contains(&report.tab) {
                continue;
            }
            known.insert(report.tab);

            for (step, ms) in report.spent() {
                let time = ActiveDuration::at_most(ms, *longest_ms);
                let stored = times.entry((*assignment, report.tab, step.name()));
                stored
                    .and_modify(|stored| *stored = time.max(*stored))
                    .or_insert(time);
            }
        }

        let rows: Vec<_> = times.into_iter().collect();
        bulk::insert_on_conflict(
            tx,
            "activity (assignment_id, tab, step, active_ms)",
            "ON CONFLICT (assignment_id, tab, step) DO UPDATE SET active_ms = excluded.active_ms
             WHERE activity.active_ms < excluded.active_ms",
            &rows,
            |query, ((assignment, tab, step), time)| {
                query
                    .bind_id(assignment)
                    .bind_id(tab)
                    .bind(*step)
                    .bind(time.get())
            },
        )
        .await
    }

    /// The tabs that have reported, by assignment.
    async fn load_tabs(
        &self,
        tx: &mut AnyConnection,
    ) -> Result<HashMap<AssignmentId, HashSet<Uuid>>> {
        let assignments: HashSet<_> = self.0.iter().map(|(assignment, ..)| *assignment).collect();
        let assignments: Vec<_> = assignments.into_iter().collect();
        let query = "SELECT DISTINCT v.assignment_id, v.tab
                     FROM keys k JOIN activity v ON v.assignment_id = k.id";
        let bind = |query: BulkQuery, id: &AssignmentId| query.bind_id(id);
        let rows = bulk::select(tx, "id", query, &assignments, bind).await?;

        let mut tabs = HashMap::<_, HashSet<_>>::new();
        for row in &rows {
            let row = TableRow::keyed("activity", row, "assignment_id")?;
            let tabs = tabs.entry(row.parse("assignment_id")?).or_default();
            tabs.insert(row.parse("tab")?);
        }

        Ok(tabs)
    }
}
