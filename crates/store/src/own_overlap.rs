//! A source's own number of annotators, in place of the study's.

use domain::ids::{SourceId, StudyId};

use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, TableRow, bad_row},
    event, lock,
};

impl Store {
    /// Gives main sources of the study a number of annotators of their own; with `None`, they get
    /// as many as the study asks for. Annotators who have one of them keep it, even if there are
    /// more of them.
    ///
    /// # Errors
    /// Refused where one of them is not a main source that the study shows, or the study is closed;
    /// then nothing is changed.
    pub async fn set_own_overlap(
        &self,
        study: StudyId,
        sources: &[SourceId],
        own_overlap: Option<u32>,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;

            for source in sources {
                let changed = sqlx::query(
                    "UPDATE stored_source SET own_overlap = $3 WHERE id =
                        (SELECT s.id FROM source s WHERE s.study_id = $1 AND s.id = $2 AND s.purpose = 'main')",
                )
                .bind_id(study)
                .bind_id(*source)
                .bind(own_overlap.map(i64::from))
                .execute(&mut *tx)
                .await?
                .rows_affected();
                if changed == 0 {
                    return Err(Error::Refused(
                        "Only sources that annotators judge for the study can have a number of annotators of their \
                         own, and this is none, or no longer there. Reload the page."
                            .into(),
                    ));
                }

                event::record(&mut tx, study, EventKind::Source, source, now_ms).await?;
            }
        })
    }
}

/// A source's own number of annotators; `None` if it is the study's.
pub(crate) fn read_own_overlap(row: &TableRow<'_>) -> Result<Option<u32>> {
    let number = row.get::<Option<i64>>("own_overlap")?;
    let number = number.map(u32::try_from).transpose();
    number.map_err(|error| bad_row("source", row.id(), "own_overlap", error))
}
