//! Items of which it is known beforehand what an attentive annotator says.

mod checks;
mod items;

pub use self::checks::Check;
