//! The choice of a study's answers that count, on the command line.

use service::figures::RatingScope;

/// The choice of answers, the same for every command that reads a study's figures.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct ScopeArgs {
    /// Include sources still in progress, not only submitted ones.
    #[arg(long)]
    in_work: bool,
    /// Take the answers on which the raters of a source agreed, in place of their own.
    #[arg(long, conflicts_with = "in_work")]
    consensus: bool,
}

impl ScopeArgs {
    /// The answers that count.
    pub(super) const fn scope(self) -> RatingScope {
        match (self.consensus, self.in_work) {
            (true, _) => RatingScope::Consensus,
            (false, true) => RatingScope::IncludingOpen,
            (false, false) => RatingScope::HandedIn,
        }
    }
}
