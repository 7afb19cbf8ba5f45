//! The tokenisers of published metrics. Our own tokens ([`crate::text::tokenise`]) are finer, but a
//! metric must tokenise as its authors' program does, or its figures cannot be compared.

mod international;
mod mteval;
mod treebank;

pub use international::mteval_14_international;
pub use mteval::mteval_13a;
pub use treebank::treebank_words;
