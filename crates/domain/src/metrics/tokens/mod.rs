//! How the field's metrics cut texts into words. Our own tokens ([`crate::text::tokenise`]) are finer;
//! a metric has to cut as its authors' program does, or its figures cannot be compared.

mod mteval;
mod treebank;

pub use mteval::mteval_13a;
pub use treebank::treebank_words;
