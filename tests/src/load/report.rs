use std::{fmt, time::Duration};

use serde::Serialize;

use super::annotator::{AnnotatorRecord, SavedValue};

/// The measurements of a load test. Its fields are those of the JSON that `load-test --json` prints.
#[derive(Debug, Clone, Serialize)]
pub struct LoadReport {
    /// How many annotators saved at the same time.
    pub annotators: usize,
    /// How many people looked at live pages meanwhile.
    pub viewers: usize,
    /// Acknowledged saves in a second.
    pub saves_per_second: f64,
    /// The processor time of the servers for 1,000 saves, in seconds; not that of a database server.
    pub processor_seconds: f64,
    /// That of the database server, where there is one.
    pub database_processor_seconds: Option<f64>,
    /// The time within which shares of the saves were acknowledged.
    pub saves: WaitQuantiles,
    /// The memory that the servers held at the end, together.
    pub memory_mib: u64,
    /// Saves that were not acknowledged.
    pub failures: usize,
    /// The error of the first of them.
    pub first_failure: Option<String>,
    /// Fetches of live pages in a second.
    pub pages_per_second: f64,
    /// The time that shares of them took.
    pub pages: WaitQuantiles,
    /// The last rating of the first annotator, where it was acknowledged.
    pub last_saved: Option<SavedValue>,
}

/// Quantiles of waits, in milliseconds; 0 where there are none.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct WaitQuantiles {
    /// Half took no longer.
    pub p50_ms: f64,
    /// 99 of 100 took no longer.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

/// Measurements that are not summarised yet.
pub(super) struct LoadMeasurements {
    pub(super) lasted: Duration,
    /// By annotator, the first one first.
    pub(super) records: Vec<AnnotatorRecord>,
    /// How long each fetch of a live page took, by viewer.
    pub(super) page_waits: Vec<Vec<Duration>>,
    pub(super) processor_time: Duration,
    pub(super) database_processor_time: Option<Duration>,
    pub(super) memory_kib: u64,
}

impl LoadReport {
    pub(super) fn new(measured: LoadMeasurements) -> Self {
        let LoadMeasurements {
            records,
            page_waits,
            ..
        } = measured;

        let (annotators, viewers) = (records.len(), page_waits.len());
        let last_saved = records.first().and_then(|record| record.last_saved);
        let failures = records.iter().map(|record| record.failures).sum();
        let first_failure = records
            .iter()
            .find_map(|record| record.first_failure.clone());

        let waits: Vec<_> = records.into_iter().flat_map(|one| one.waits).collect();
        let page_waits: Vec<_> = page_waits.into_iter().flatten().collect();
        let seconds = measured.lasted.as_secs_f64();
        let per_thousand =
            |time: Duration| time.as_secs_f64() * 1e3 / (waits.len() as f64).max(1.0);

        Self {
            annotators,
            viewers,
            saves_per_second: waits.len() as f64 / seconds,
            processor_seconds: per_thousand(measured.processor_time),
            database_processor_seconds: measured.database_processor_time.map(per_thousand),
            pages_per_second: page_waits.len() as f64 / seconds,
            saves: WaitQuantiles::new(waits),
            pages: WaitQuantiles::new(page_waits),
            memory_mib: measured.memory_kib / 1024,
            failures,
            first_failure,
            last_saved,
        }
    }
}

impl WaitQuantiles {
    fn new(mut waits: Vec<Duration>) -> Self {
        waits.sort_unstable();
        let quantile_ms = |share: f64| {
            let at = (waits.len() as f64 * share) as usize;
            let wait = waits.get(at).or(waits.last());
            wait.map_or(0.0, |wait| wait.as_secs_f64() * 1e3)
        };
        Self {
            p50_ms: quantile_ms(0.5),
            p99_ms: quantile_ms(0.99),
            max_ms: quantile_ms(1.0),
        }
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} annotators: {:.0} saves/s, {:.2} s of processor time per 1,000 saves, {}, {} MiB",
            self.annotators,
            self.saves_per_second,
            self.processor_seconds,
            self.saves,
            self.memory_mib
        )?;

        if let Some(seconds) = self.database_processor_seconds {
            write!(f, "; the database server {seconds:.2} s per 1,000 saves")?;
        }
        if self.viewers > 0 {
            let (viewers, rate) = (self.viewers, self.pages_per_second);
            write!(f, "; {viewers} viewers: {rate:.0} pages/s, {}", self.pages)?;
        }

        match &self.first_failure {
            Some(first) => write!(f, "; {} saves failed, the first: {first}", self.failures),
            None => Ok(()),
        }
    }
}

impl fmt::Display for WaitQuantiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "half within {:.1} ms, 99 of 100 within {:.1} ms, all within {:.1} ms",
            self.p50_ms, self.p99_ms, self.max_ms
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_waits() {
        let waits = |count: u64| (1..=count).rev().map(Duration::from_millis).collect();
        for (count, expect) in [
            (0, [0.0, 0.0, 0.0]),
            (1, [1.0, 1.0, 1.0]),
            (100, [51.0, 100.0, 100.0]),
            (1_000, [501.0, 991.0, 1_000.0]),
        ] {
            let of = WaitQuantiles::new(waits(count));
            assert_eq!([of.p50_ms, of.p99_ms, of.max_ms], expect, "{count} waits");
        }
    }
}
