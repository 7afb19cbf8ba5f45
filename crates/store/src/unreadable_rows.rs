//! Rows that cannot be read: named, and left out where a page reads many.
//!
//! A row can be unreadable because another program wrote it, or a version of this one that knew
//! more. A page then shows all the others. Data that is read to be changed, or to leave the
//! platform as a file, is read strictly.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use domain::ids::StudyId;
use sqlx::any::AnyRow;

use crate::{Error, Result, Store, columns::TableRow};

/// The largest number of a study's rows that are named.
const MAX_NAMED_ROWS: usize = 50;

/// Rows found unreadable since the program started, one sentence each.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnreadableRows(Arc<Mutex<HashMap<StudyId, BTreeSet<String>>>>);

impl UnreadableRows {
    fn note(&self, study: StudyId, error: &Error) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_study = noted.entry(study).or_default();
        if of_study.len() < MAX_NAMED_ROWS && of_study.insert(error.to_string()) {
            tracing::error!(%study, error = error.chain(), "a row is left out");
        }
    }
}

impl Store {
    /// The rows of the study that were left out since the program started because they could not be
    /// read, at most 50 of them: a sentence each, with table, row and column.
    #[must_use]
    pub fn unreadable_rows(&self, study: StudyId) -> Vec<String> {
        let noted = self.unreadable.0.lock();
        let noted = noted.unwrap_or_else(PoisonError::into_inner);
        let of_study = noted.get(&study).into_iter().flatten();
        of_study.cloned().collect()
    }

    /// Reads rows of a table with the column `id`; names and leaves out those that cannot be read.
    pub(crate) fn readable_rows<T>(
        &self,
        table: &'static str,
        study: StudyId,
        rows: &[AnyRow],
        mut read: impl FnMut(&TableRow<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.readable(study, rows, |row| read(&TableRow::new(table, row)?))
    }

    /// Reads the rows; names and leaves out those that cannot be read.
    pub(crate) fn readable<T>(
        &self,
        study: StudyId,
        rows: &[AnyRow],
        read: impl FnMut(&AnyRow) -> Result<T>,
    ) -> Result<Vec<T>> {
        rows.iter()
            .map(read)
            .filter_map(|row| self.tolerate(study, row).transpose())
            .collect()
    }

    /// The value read from a row; `None` if it cannot be read, in which case the row is named.
    pub(crate) fn tolerate<T>(&self, study: StudyId, row: Result<T>) -> Result<Option<T>> {
        match row {
            Err(error) if error.concerns_row() => {
                self.unreadable.note(study, &error);
                Ok(None)
            }
            row => row.map(Some),
        }
    }
}
