//! Kendall-tau-like: how often a metric orders two outputs as people do.

mod breakdown;
mod preferences;
mod threshold;

use serde::{Deserialize, Serialize};

pub use breakdown::TauLikeBreakdown;
pub use preferences::{Consensus, OutputPreferences, PreferenceRule};
pub use threshold::{TieThreshold, UnknownThreshold};

use super::UndefinedReason;

/// How a metric's order compares with people's on some pairs of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TauLike {
    /// Pairs on which the metric prefers what people prefer.
    pub concordant: usize,
    /// Pairs on which it does not, metric ties included.
    pub discordant: usize,
    /// Pairs that the metric scores the same; these are among the discordant ones.
    pub metric_ties: usize,
    /// Pairs that people do not tell apart; they do not count.
    pub skipped: usize,
}

impl TauLike {
    /// (concordant − discordant)/(concordant + discordant), from −1 to 1.
    ///
    /// # Errors
    /// [`Undefined::NoPreference`] where people tell no pair apart.
    pub fn tau(&self) -> Result<f64, UndefinedReason> {
        let (agree, differ) = (self.concordant as f64, self.discordant as f64);
        if agree + differ == 0.0 {
            return Err(UndefinedReason::NoPreference);
        }
        Ok((agree - differ) / (agree + differ))
    }

    /// The counts of both.
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
