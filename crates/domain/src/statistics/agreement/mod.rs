//! Inter-rater agreement: Krippendorff's alpha.

mod alpha;
mod bootstrap;
mod counts;
mod gwet;
mod kappa;
mod level;
mod raters;
mod sequence;
mod sums;

use serde::{Deserialize, Serialize};

use super::{RatingTable, UndefinedReason, mean};
pub use bootstrap::AlphaBootstrap;
pub use gwet::GwetAgreement;
pub use kappa::{KappaWeights, cohen_kappa, mean_pairwise_kappa, percent_agreement};
pub use level::{MeasurementLevel, UnknownLevel};
pub use raters::{PairAlpha, leave_one_out, pairwise_alpha};
pub use sequence::{AgreementPoint, RatingSequence};

/// The α from which conclusions can be relied on, by convention.
///
/// Source: Krippendorff (2019), Content Analysis, section 12.4: rely on α ≥ .800; where tentative
/// conclusions are still acceptable, α ≥ .667 is the lowest conceivable limit.
pub const FIRM_ALPHA: f64 = 0.8;
/// The α from which tentative conclusions are acceptable, by the same convention.
pub const TENTATIVE_ALPHA: f64 = 0.667;

/// Krippendorff's α with the counts on which it is based.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// 1 is full agreement, 0 chance agreement, below 0 systematic disagreement.
    pub alpha: Result<f64, UndefinedReason>,
    /// The scale that differences were measured on.
    pub level: MeasurementLevel,
    /// Raters with at least one rating.
    pub raters: usize,
    /// Units with at least one rating.
    pub units: usize,
    /// Ratings in all.
    pub ratings: usize,
    /// Units with at least two ratings: the only ones that count.
    pub pairable_units: usize,
    /// Ratings on those units.
    pub pairable_values: usize,
}

/// Krippendorff's α = 1 − Dₒ/Dₑ over all units with two or more ratings.
///
/// Missing ratings are allowed. The observed disagreement Dₒ is the mean squared difference within
/// a unit, each of its nᵤ ratings compared with the others and weighted by 1/(nᵤ−1); the expected
/// disagreement Dₑ is the mean squared difference between any two pairable ratings. See
/// [`MeasurementLevel`] for the differences. Time is linear in the ratings at the interval level, and
/// n log n at the others, plus the square of the number of *distinct* values at the ratio level.
///
/// Source: Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; (2019), chapter 12.
/// Pass z-scores ([`super::standardise()`]) for the α that Rank & Rate reports.
#[must_use]
pub fn agreement<R, U>(ratings: &RatingTable<R, U>, level: MeasurementLevel) -> Agreement {
    compute_agreement(ratings.active_raters(), ratings.unit_values(), level)
}

/// The unweighted mean of several α, for instance over dimensions.
///
/// # Errors
/// The reason of the first α that is undefined: a mean over some of the dimensions could be
/// mistaken for one over all. [`UndefinedReason::TooFew`] for an empty sequence.
pub fn mean_alpha<'a>(
    agreements: impl IntoIterator<Item = &'a Agreement>,
) -> Result<f64, UndefinedReason> {
    let alphas = agreements
        .into_iter()
        .map(|a| a.alpha)
        .collect::<Result<Vec<_>, _>>()?;
    if alphas.is_empty() {
        return Err(UndefinedReason::TooFew {
            found: 0,
            needed: 1,
        });
    }
    Ok(mean(&alphas))
}

fn compute_agreement<'a>(
    raters: usize,
    units: impl Iterator<Item = &'a [f64]> + Clone,
    level: MeasurementLevel,
) -> Agreement {
    let mut agreement = Agreement {
        alpha: alpha::alpha(units.clone().filter(|values| values.len() > 1), level),
        level,
        raters,
        units: 0,
        ratings: 0,
        pairable_units: 0,
        pairable_values: 0,
    };

    for values in units {
        let pairable = usize::from(values.len() > 1);
        agreement.units += 1;
        agreement.ratings += values.len();
        agreement.pairable_units += pairable;
        agreement.pairable_values += pairable * values.len();
    }
    agreement
}
