//! From bytes to lines and records, with bounded memory.

mod guarded;
mod lines;
mod table;

pub(crate) use guarded::{Guarded, Look};
pub(crate) use lines::Lines;
pub(crate) use table::{Header, NUL, Record, Table};

/// A row (a line, or a record with quoted line breaks) of more bytes than this is refused.
pub const MAX_ROW_BYTES: usize = 1 << 20;
