//! Bootstrap intervals over sources.

use super::{
    super::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions, percentile_interval, resample},
        require,
    },
    BradleyTerryFit, ComparisonTable, bradley_terry,
};

/// Percentile intervals of the figures of systems, in the order of the table's systems.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonIntervals {
    /// The intervals of log strengths.
    pub strengths: Vec<Result<BootstrapInterval, UndefinedReason>>,
    /// The intervals of expected win shares.
    pub win_shares: Vec<Result<BootstrapInterval, UndefinedReason>>,
    /// The interval of Davidson's tie parameter.
    pub tie_parameter: Result<BootstrapInterval, UndefinedReason>,
    /// The intervals of the scores by counting the best and the worst.
    pub best_worst: Vec<Result<BootstrapInterval, UndefinedReason>>,
}

impl<S> ComparisonTable<S> {
    /// The intervals of all figures of systems, from the same resamples of sources, each with all of its
    /// comparisons. A resample that does not connect the systems has no strengths; one in which some never lose
    /// has penalised ones, as [`bradley_terry()`] says.
    ///
    /// Below two sources all are undefined, with [`UndefinedReason::TooFew`]. The interval of a figure that no
    /// resample has is undefined with the reason of the first.
    #[must_use]
    pub fn intervals(&self, resampling: ResamplingOptions) -> ComparisonIntervals {
        let (systems, sources) = (self.systems().len(), self.sources());
        let mut strengths = vec![Vec::new(); systems];
        let mut win_shares = vec![Vec::new(); systems];
        let mut best_worst = vec![Vec::new(); systems];
        let mut tie_parameter = Vec::new();
        let enough = require(2, sources);

        let mut sample = Vec::with_capacity(sources);
        for replicate in (0..resampling.replicates as u64).filter(|_| enough.is_ok()) {
            resample(resampling.seed, replicate, sources, &mut sample);
            let fit = bradley_terry(&self.win_matrix_of(sample.iter().copied()));
            let shares = value(&fit, BradleyTerryFit::win_shares);
            let choices = self.best_worst_of(sample.iter().copied());

            for system in 0..systems {
                strengths[system].push(value(&fit, |fit| fit.strengths[system]));
                win_shares[system].push(value(&shares, |shares| shares[system]));
                best_worst[system].push(choices[system].score());
            }
            tie_parameter.push(value(&fit, |fit| fit.tie_parameter));
        }

        let interval = |replicates: Vec<_>| {
            enough.and_then(|()| percentile_interval(replicates, resampling.confidence))
        };
        ComparisonIntervals {
            strengths: strengths.into_iter().map(interval).collect(),
            win_shares: win_shares.into_iter().map(interval).collect(),
            tie_parameter: interval(tie_parameter),
            best_worst: best_worst.into_iter().map(interval).collect(),
        }
    }
}

fn value<T, V>(
    figures: &Result<T, UndefinedReason>,
    figure: impl FnOnce(&T) -> V,
) -> Result<V, UndefinedReason> {
    figures.as_ref().map(figure).map_err(|reason| *reason)
}
