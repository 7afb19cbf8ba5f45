//! Reproducible percentile bootstrap intervals, on any number of cores.
//!
//! A replicate depends only on the seed and its own number. So replicates may be computed in any
//! order and in parallel, and a run can be extended, without changing the interval.

use std::{num::NonZero, thread};

use chacha20::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::{Deserialize, Serialize};

use super::{UndefinedReason, describe::quantile};

/// The number of resamples, their seed, and the confidence of the interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ResamplingOptions {
    /// The number of resamples.
    pub replicates: usize,
    /// The seed that all of them are drawn from.
    pub seed: u64,
    /// The share of replicates inside the interval, between 0 and 1.
    pub confidence: f64,
}

impl Default for ResamplingOptions {
    /// 1,000 resamples, a fixed seed, 95 %.
    fn default() -> Self {
        Self {
            replicates: 1_000,
            seed: 1,
            confidence: 0.95,
        }
    }
}

/// A percentile interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct BootstrapInterval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The share of replicates inside.
    pub confidence: f64,
    /// The replicates that have a value.
    pub replicates: usize,
    /// The replicates without one (a constant resample, for instance), which are left out.
    pub undefined: usize,
}

/// The interval of `statistic` over `units` resampled units. The statistic gets `units` indices below
/// `units`, with repetitions. Replicates are distributed over the processor's cores if there are enough
/// draws to be worth it; the interval does not depend on this.
///
/// # Errors
/// [`UndefinedReason::TooFew`] below two units; the statistic's own reason where it is undefined for all units: an interval
/// over the resamples that happen to have a value would describe another figure.
pub fn bootstrap(
    units: usize,
    resampling: ResamplingOptions,
    statistic: impl Fn(&[usize]) -> Result<f64, UndefinedReason> + Sync,
) -> Result<BootstrapInterval, UndefinedReason> {
    super::require(2, units)?;
    statistic(&(0..units).collect::<Vec<_>>())?;

    let compute = |first: usize, part: &mut [Result<f64, UndefinedReason>]| {
        let mut indices = Vec::with_capacity(units);
        for (replicate, value) in (first as u64..).zip(part) {
            resample(resampling.seed, replicate, units, &mut indices);
            *value = statistic(&indices);
        }
    };

    let mut replicates = vec![Ok(0.0); resampling.replicates];
    let threads = thread_count(units.saturating_mul(resampling.replicates));
    let share = resampling.replicates.div_ceil(threads).max(1);
    thread::scope(|scope| {
        // This thread computes the first part itself.
        let mut parts = (0..).step_by(share).zip(replicates.chunks_mut(share));
        let own = parts.next();
        for (first, part) in parts {
            scope.spawn(move || compute(first, part));
        }
        if let Some((first, part)) = own {
            compute(first, part);
        }
    });

    percentile_interval(replicates, resampling.confidence)
}

/// The number of threads worth using for this many draws. In the browser it is one.
fn thread_count(draws: usize) -> usize {
    /// This many draws take far longer than the start of a thread, some tens of microseconds.
    const DRAWS_A_THREAD: usize = 1 << 16;
    let most = draws / DRAWS_A_THREAD;
    if most < 2 {
        return 1;
    }
    most.min(thread::available_parallelism().map_or(1, NonZero::get))
}

/// Draws `units` indices below `units` with replacement into `drawn`: the resample number
/// `replicate` of `seed`. The same on every machine: `ChaCha8` with the seed as its key and the
/// replicate as its stream.
pub fn resample(seed: u64, replicate: u64, units: usize, drawn: &mut Vec<usize>) {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut random = ChaCha8Rng::from_seed(key);
    random.set_stream(replicate);

    drawn.clear();
    // The high half of a 64 × 64 bit product is uniform up to units/2⁶⁴.
    drawn.extend(
        (0..units).map(|_| ((u128::from(random.next_u64()) * units as u128) >> 64) as usize),
    );
}

/// The percentile interval of replicates computed elsewhere: in parallel, or on given resample
/// indices. Quantiles are linear between neighbours ([`quantile`]).
///
/// # Errors
/// The first reason, if no replicate has a value; [`UndefinedReason::TooFew`] without replicates.
pub fn percentile_interval(
    replicates: impl IntoIterator<Item = Result<f64, UndefinedReason>>,
    confidence: f64,
) -> Result<BootstrapInterval, UndefinedReason> {
    let mut values = Vec::new();
    let mut reason = None;
    let mut undefined = 0;
    for replicate in replicates {
        match replicate {
            Ok(value) => values.push(value),
            Err(why) => {
                reason.get_or_insert(why);
                undefined += 1;
            }
        }
    }

    if values.is_empty() {
        return Err(reason.unwrap_or(UndefinedReason::TooFew {
            found: 0,
            needed: 1,
        }));
    }

    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Ok(BootstrapInterval {
        low: quantile(&values, tail),
        high: quantile(&values, 1.0 - tail),
        confidence,
        replicates: values.len(),
        undefined,
    })
}
