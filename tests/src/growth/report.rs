use std::{fmt, time::Duration};

use super::PageCost;

/// The measurements of a growth test.
#[derive(Debug, Clone)]
pub struct GrowthReport {
    /// Ratings in the study.
    pub ratings: usize,
    /// How long it took to make the study.
    pub filled: Duration,
    /// The memory of the server before the first page.
    pub idle_kib: u64,
    /// The memory of the server after the last page.
    pub memory_kib: u64,
    /// The memory of the study's figures for each rating, in bytes.
    pub snapshot_bytes: f64,
    /// How long it took to read the ratings into memory.
    pub reading: Duration,
    /// The processor time for it.
    pub reading_processor: Duration,
    /// The cost of each page.
    pub costs: Vec<PageCost>,
}

impl GrowthReport {
    /// The exponent with which the warm cost of a page grew since a study with fewer ratings: 1 if it is
    /// proportional to the ratings, 0 if it does not depend on them. `None` if too little was measured.
    fn exponent_since(&self, before: &Self, cost: &PageCost) -> Option<f64> {
        let old = before.costs.iter().find(|old| old.name == cost.name)?;
        let ratio = |new: f64, old: f64| (old > 0.0).then(|| (new / old).ln());
        let growth = ratio(
            cost.warm_processor.as_secs_f64(),
            old.warm_processor.as_secs_f64(),
        )?;
        Some(growth / ratio(self.ratings as f64, before.ratings as f64)?)
    }

    /// The report as lines, with exponents since a study with fewer ratings.
    #[must_use]
    pub fn lines(&self, before: Option<&Self>) -> String {
        let mut lines = self.to_string();
        for cost in &self.costs {
            let exponent = before.and_then(|before| self.exponent_since(before, cost));
            let exponent = exponent.map_or(String::new(), |exponent| format!("{exponent:.2}"));
            lines += &format!(
                "\n{:<16} cold {:>8.0} ms, {:>8.0} ms of processor time; warm {:>8.1} ms  {exponent}",
                cost.name,
                milliseconds(cost.cold),
                milliseconds(cost.cold_processor),
                milliseconds(cost.warm_processor),
            );
        }
        lines
    }
}

impl fmt::Display for GrowthReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ratings, made in {:.0} s, read in {:.2} s, {:.2} s of processor time; {:.0} bytes in memory per rating",
            self.ratings,
            self.filled.as_secs_f64(),
            self.reading.as_secs_f64(),
            self.reading_processor.as_secs_f64(),
            self.snapshot_bytes,
        )?;

        if self.costs.is_empty() {
            return Ok(());
        }

        write!(
            f,
            "; the server holds {} MiB, {} MiB after all pages",
            self.idle_kib / 1024,
            self.memory_kib / 1024,
        )
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
