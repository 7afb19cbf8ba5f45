//! Erasing studies, people, participants, and personal data that was kept long enough.
//!
//! This is the one place where answers and events that others have seen are deleted. Anything that may be
//! large is first hidden, in one short transaction, and then deleted in pieces. What a killed process
//! leaves behind is found by [`Store::finish_erasures`].

mod account;
mod participant;
mod personal_data;
mod raters;
mod study;

pub use self::{
    account::{AccountErasure, AccountStudy},
    study::StudyHoldings,
};
use crate::{Result, Store};

impl Store {
    /// Deletes what is left of studies and raters that were erased, in short transactions, and tells how
    /// many there were. Nobody sees any of it.
    ///
    /// # Errors
    /// When the database fails; what is left is deleted the next time.
    pub async fn finish_erasures(&self) -> Result<u64> {
        Ok(self.delete_erased_studies().await? + self.delete_erased_raters().await?)
    }
}
