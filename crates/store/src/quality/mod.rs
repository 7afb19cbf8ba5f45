//! Items of which it is known beforehand what an attentive annotator says.

mod checks;
pub(crate) mod items;

pub use self::checks::Check;
