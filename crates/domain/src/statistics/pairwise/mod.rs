//! Figures from comparisons of outputs: scores of systems, win counts, tests and agreement.
//!
//! A [`ComparisonTable`] holds the raters' comparisons, source by source. Its [`WinMatrix`] counts them
//! by pair of systems, and [`bradley_terry()`] turns the counts into scores; a choice of the best and the
//! worst counts as the pairs that it decides ([`ComparisonAnswer::pairs`](crate::comparison::ComparisonAnswer::pairs)).
//! [`BestWorstCounts`] score such choices directly. Intervals resample sources.
//!
//! ```
//! use domain::{
//!     comparison::{ComparedPair, ComparisonAnswer, PairOutcome},
//!     statistics::pairwise::{ComparisonTable, bradley_terry},
//! };
//!
//! let answers = [
//!     ("annotator 1", "source 1", "T5", "BART", PairOutcome::A),
//!     ("annotator 2", "source 1", "T5", "BART", PairOutcome::A),
//!     ("annotator 1", "source 2", "BART", "T5", PairOutcome::A),
//!     ("annotator 2", "source 2", "BART", "T5", PairOutcome::B),
//! ];
//! let comparisons = answers.map(|(rater, source, a, b, outcome)| {
//!     let pair = ComparedPair::new(a, b, outcome).expect("two systems");
//!     (rater, source, ComparisonAnswer::Pair(pair))
//! });
//! let table = ComparisonTable::new(comparisons)?;
//! assert_eq!(table.systems(), ["BART", "T5"]);
//! let fit = bradley_terry(&table.win_matrix())?;
//! // T5 wins three times, BART once: the log odds are ln 3.
//! assert!((fit.strengths[1] - fit.strengths[0] - 3.0_f64.ln()).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod best_worst;
mod bradley_terry;
mod cholesky;
mod existence;
mod intervals;
mod pair_tests;
mod table;
mod uncertainty;
mod win_matrix;

pub use best_worst::BestWorstCounts;
pub use bradley_terry::{BradleyTerryFit, OutcomeProbabilities, PENALTY, bradley_terry};
pub use intervals::ComparisonIntervals;
pub use pair_tests::{PAIR_TEST_DESCRIPTION, PairTest};
pub use table::ComparisonTable;
pub use uncertainty::StrengthUncertainty;
pub use win_matrix::WinMatrix;

use super::{UndefinedReason, systems::WinTieLoss};
