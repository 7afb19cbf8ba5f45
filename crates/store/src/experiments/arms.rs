//! A new arm of an experiment.

use domain::ids::{ExperimentId, StudyId};
use sqlx::AnyConnection;

use super::{
    MOST_ARMS, MemberEntry, find_experiment, load_arm_studies, lock_experiment, members::ArmMembers,
};
use crate::{
    Error, EventKind, NewStudy, Result, Store,
    audit::StoredAuditEntry,
    columns::{BindId, parse_count},
    event, lock, source_priorities,
    studies::insert_study,
};

/// A study that will become an arm.
pub struct NewArm<'a> {
    /// The id of the experiment, if the first study is in none yet.
    pub experiment: ExperimentId,
    /// The study.
    pub study: NewStudy<'a>,
    /// The information sheet to which annotators consent, as Markdown; empty if there is none.
    pub information: &'a str,
    /// Makes the entry of the log of changes for each person who becomes a member.
    pub member_entry: &'a MemberEntry<'a>,
}

impl Store {
    /// Creates a study without sources as a new arm of the experiment of `first`, or of a new
    /// experiment that begins with `first`. The members of `first` become its members. The sources
    /// of all arms lose their columns of the square; [`Store::place_sources`] gives them new ones
    /// for the new number of arms.
    ///
    /// # Errors
    /// Refused where a main source has been given out or rated in one of the arms, an arm is
    /// closed, or there are [`MOST_ARMS`] already; [`Error::Taken`] where another study has the
    /// short name.
    pub async fn create_arm(&self, first: StudyId, new: &NewArm<'_>, now_ms: i64) -> Result<()> {
        let stored: Result<Vec<StoredAuditEntry>> = in_transaction!(self, |tx| {
            let existing = match find_experiment(&mut tx, first).await? {
                Some(experiment) => load_arm_studies(&mut tx, experiment).await?,
                None => vec![(first, 0)],
            };
            for (study, _) in &existing {
                lock::lock_open_study(&mut tx, *study).await?;
                refuse_begun(&mut tx, *study).await?;
            }

            let experiment = match find_experiment(&mut tx, first).await? {
                Some(experiment) => experiment,
                None => {
                    insert_experiment(&mut tx, new.experiment, now_ms).await?;
                    insert_arm(&mut tx, new.experiment, first, 0).await?;
                    new.experiment
                }
            };
            lock_experiment(&mut tx, experiment).await?;

            let arms = load_arm_studies(&mut tx, experiment).await?;
            let arm = (0..MOST_ARMS)
                .find(|free| arms.iter().all(|(_, arm)| arm != free))
                .ok_or_else(|| {
                    Error::Refused(format!(
                        "An experiment compares {MOST_ARMS} protocols at most."
                    ))
                })?;

            insert_study(&mut tx, &new.study, now_ms).await?;
            sqlx::query("UPDATE study SET information = $2 WHERE id = $1")
                .bind_id(new.study.id)
                .bind(new.information)
                .execute(&mut *tx)
                .await?;
            insert_arm(&mut tx, experiment, new.study.id, arm).await?;
            sqlx::query("UPDATE protocol_experiment SET arms = $2 WHERE id = $1 AND arms < $2")
                .bind_id(experiment)
                .bind(arm as i64 + 1)
                .execute(&mut *tx)
                .await?;

            let members = ArmMembers {
                study: new.study.id,
                settings: new.study.settings,
            };
            let stored = members
                .copy(&mut tx, first, None, new.member_entry, now_ms)
                .await?;

            event::record(
                &mut tx,
                new.study.id,
                EventKind::Study,
                new.study.id,
                now_ms,
            )
            .await?;

            for (study, _) in &arms {
                sqlx::query("UPDATE stored_source SET square_column = NULL WHERE study_id = $1")
                    .bind_id(study)
                    .execute(&mut *tx)
                    .await?;
                event::record(&mut tx, *study, EventKind::Study, *study, now_ms).await?;
            }

            stored
        });
        stored?.iter().for_each(StoredAuditEntry::log);
        Ok(())
    }
}

async fn insert_experiment(
    tx: &mut AnyConnection,
    experiment: ExperimentId,
    now_ms: i64,
) -> Result<()> {
    sqlx::query("INSERT INTO protocol_experiment (id, arms, created_at) VALUES ($1, 1, $2)")
        .bind_id(experiment)
        .bind(now_ms)
        .execute(tx)
        .await?;
    Ok(())
}

async fn insert_arm(
    tx: &mut AnyConnection,
    experiment: ExperimentId,
    study: StudyId,
    arm: usize,
) -> Result<()> {
    sqlx::query("INSERT INTO experiment_arm (study_id, experiment_id, arm) VALUES ($1, $2, $3)")
        .bind_id(study)
        .bind_id(experiment)
        .bind(arm as i64)
        .execute(&mut *tx)
        .await?;
    // All arms give out sources in the same order.
    source_priorities::forget_priorities(tx, study).await
}

/// Refuses if a main source of the study was given out or rated before: such work does not follow
/// the square.
async fn refuse_begun(tx: &mut AnyConnection, study: StudyId) -> Result<()> {
    let row = sqlx::query(
        "SELECT (SELECT COUNT(*) FROM source s WHERE s.study_id = $1 AND s.purpose = 'main' AND (
                    EXISTS (SELECT 1 FROM assignment x WHERE x.source_id = s.id)
                    OR EXISTS (SELECT 1 FROM stored_annotation a WHERE a.source_id = s.id))) AS begun",
    )
    .bind_id(study)
    .fetch_one(tx)
    .await?;
    match parse_count(&row, "begun")? {
        0 => Ok(()),
        begun => Err(Error::Refused(format!(
            "{begun} sources have been given out or rated already, so nobody can be given them by the experiment’s plan. \
             Clone the study under Settings, import the sources there, and begin the experiment with the clone.",
        ))),
    }
}
