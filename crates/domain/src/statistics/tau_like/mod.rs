//! Kendall-tau-like: how often a metric orders two outputs as raters do.

mod breakdown;
mod preferences;
mod threshold;

use serde::{Deserialize, Serialize};

pub use breakdown::TauLikeBreakdown;
pub use preferences::{Consensus, OutputPreferences, PreferenceRule};
pub use threshold::{TieThreshold, UnknownThreshold};

use super::UndefinedReason;

/// The agreement of a metric's order with the raters' over pairs of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct TauLike {
    /// Pairs on which the metric and the raters prefer the same output.
    pub concordant: usize,
    /// Pairs on which they do not, metric ties included.
    pub discordant: usize,
    /// Pairs that the metric scores the same; these are among the discordant ones.
    pub metric_ties: usize,
    /// Pairs without a preference of the raters; they do not count. Where a rater is held against the others, also
    /// those without a preference of that rater.
    pub skipped: usize,
}

impl TauLike {
    /// (concordant − discordant)/(concordant + discordant), from −1 to 1.
    ///
    /// # Errors
    /// [`UndefinedReason::NoPreference`] if the raters prefer no output over another.
    pub fn tau(&self) -> Result<f64, UndefinedReason> {
        let (agree, differ) = (self.concordant as f64, self.discordant as f64);
        if agree + differ == 0.0 {
            return Err(UndefinedReason::NoPreference);
        }
        Ok((agree - differ) / (agree + differ))
    }

    /// The number of pairs that count.
    #[must_use]
    pub const fn pairs(&self) -> usize {
        self.concordant + self.discordant
    }

    /// The sum of both counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            concordant: self.concordant + other.concordant,
            discordant: self.discordant + other.discordant,
            metric_ties: self.metric_ties + other.metric_ties,
            skipped: self.skipped + other.skipped,
        }
    }
}
