//! Erasing studies, people, participants, and personal data after its retention period.
//!
//! Apart from the rows of undone imports, answers and events that others have seen are deleted only
//! here. Large data is first hidden, in one short transaction, and then deleted in pieces.
//! [`Store::finish_erasures`] deletes the rest that a killed process leaves behind.

mod account;
mod log;
mod participant;
mod personal_data;
mod raters;
mod study;

use std::fmt::Display;

pub use self::{
    account::{AccountErasure, AccountStudy},
    study::StudyHoldings,
};
use crate::{Error, Result, Store};

impl Store {
    /// Deletes the rest of studies and raters that were erased, in short transactions, and returns
    /// their number. Nobody can see any of it. A failure does not stop the others.
    ///
    /// # Errors
    /// When the database fails; what is left is deleted the next time.
    pub async fn finish_erasures(&self) -> Result<u64> {
        let studies = self.delete_erased_studies().await;
        let raters = self.delete_erased_raters().await;
        Ok(studies? + raters?)
    }
}

/// The failures of several erasures, each of which is attempted.
#[derive(Debug, Default)]
struct ErasureFailures {
    first: Option<Error>,
}

impl ErasureFailures {
    fn note(&mut self, what: &str, id: impl Display, error: Error) {
        tracing::warn!(what, %id, error = error.chain(), "an erasure failed");
        self.first.get_or_insert(error);
    }

    fn result<T>(self, value: T) -> Result<T> {
        self.first.map_or(Ok(value), Err)
    }
}
