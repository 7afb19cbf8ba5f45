//! Erasing studies, people, participants, and personal data that was kept long enough.
//!
//! This is the one place where answers and events that others have seen are deleted. Anything that may be
//! large is first hidden, in one short transaction, and then deleted in pieces. What a killed process
//! leaves behind is found by [`Store::finish_erasures`].

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
    /// Deletes what is left of studies and raters that were erased, in short transactions, and tells how
    /// many there were. Nobody sees any of it. One that fails does not keep the others.
    ///
    /// # Errors
    /// When the database fails; what is left is deleted the next time.
    pub async fn finish_erasures(&self) -> Result<u64> {
        let studies = self.delete_erased_studies().await;
        let raters = self.delete_erased_raters().await;
        Ok(studies? + raters?)
    }
}

/// The failures of several erasures, of which each is tried.
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
