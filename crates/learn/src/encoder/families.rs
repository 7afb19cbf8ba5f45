//! The families of models, as messages name them.

/// The families that can be computed; the help of `--encoder` names them as well.
pub(super) const FAMILIES: &str = "BERT, RoBERTa, XLM-RoBERTa, CamemBERT or MPNet";
/// The families that can be trained.
pub(crate) const TRAINED_FAMILIES: &str = "BERT, RoBERTa, XLM-RoBERTa or CamemBERT";
