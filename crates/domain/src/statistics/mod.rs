//! Figures computed from ratings: standardisation, agreement, correlation, tests, bootstrap; and from
//! comparisons of outputs ([`pairwise`]) and marked spans ([`spans`]).
//!
//! Every figure starts from raw ratings in a [`RatingTable`], which is keyed on the rater and never on
//! a column. A figure that is undefined for the data is an [`UndefinedReason`]; it is never shown as 0,
//! 1 or NaN.
//!
//! ```
//! use domain::statistics::{DeviationKind, MeasurementLevel, RatingTable, agreement, standardise};
//!
//! let ratings = RatingTable::new([
//!     ("annotator 1", "output 1", 80.0),
//!     ("annotator 1", "output 2", 40.0),
//!     ("annotator 2", "output 1", 95.0),
//!     ("annotator 2", "output 2", 75.0),
//! ])?;
//! let z = standardise(&ratings, DeviationKind::Population).z;
//! assert_eq!(agreement(&z, MeasurementLevel::Interval).alpha, Ok(1.0));
//! assert!(agreement(&ratings, MeasurementLevel::Interval).alpha? < 0.34);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod agreement;
pub mod bootstrap;
pub mod correlation;
pub mod describe;
mod distribution;
pub mod letters;
pub mod pairwise;
pub mod prediction_powered;
pub mod quality;
pub mod ranks;
pub mod ratings;
pub mod roc;
pub mod significance;
pub mod source_choice;
pub mod spans;
pub mod standardise;
pub mod systems;
pub mod tau_like;

pub use crate::undefined::UndefinedReason;
pub use agreement::{Agreement, MeasurementLevel, agreement};
pub use describe::mean;
pub use ratings::{IndexedRating, RatingTable, RatingTableError};
pub use standardise::{DeviationKind, StandardisedRatings, standardise};

use crate::undefined::{require, require_numbers};
