//! Sources and outputs that a lead takes out of a study: removed if they were not judged, else
//! hidden.
//!
//! Answers about hidden data are kept. Views leave both out (`migrations/0010_imports.sql`), so no
//! annotator is given it, and no figure or export contains it, until it is shown again.

mod outputs;
mod source_use;
mod sources;

pub use self::{outputs::HiddenOutput, sources::HiddenSource};
