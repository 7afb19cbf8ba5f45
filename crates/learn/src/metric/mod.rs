//! The learned metric: how good people would find an output, from ratings that were collected.
//!
//! Some hundred features of an output, beside its source and perhaps references, go to two parts: boosted
//! trees learn its mean z-score, and a logistic ranker learns which of two good outputs of a source is
//! better. [`table()`] makes the features of rated [`Source`]s, [`train()`] a [`Model`] of them, and a
//! [`Metric`] scores with it. `models/METRIC.md` says what the shipped one was trained on and how well it
//! agrees with people.
//!
//! *Architecture invariant*: a model file holds numbers and a description, and no code runs when it is
//! read. It names its sources by [`fingerprint`]s and holds no text.

mod features;
mod frequencies;
mod hybrid;
mod judge;
mod model;
pub mod ranker;
mod rated;
mod scorer;
mod table;
mod tensors;
mod train;
pub mod trees;
mod validate;

pub use domain::metrics::learned::{Comparison, CurvePoint, Figures};

pub(crate) use self::judge::{compared, guarded};
pub use self::{
    features::Means,
    frequencies::{FILE as FREQUENCIES_FILE, Frequencies, FrequenciesError},
    hybrid::Settings,
    model::{Card, KnownSource, Model, Seen},
    rated::{Group, Rated, Rating, Source, fingerprint},
    scorer::{Metric, shipped},
    table::Table,
    tensors::ModelError,
    train::{FEWEST, Plan, Step, TrainError, joined, table, train, training, worse},
    validate::{Validation, Worse, cross_validate},
};
