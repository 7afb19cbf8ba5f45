use std::{fmt, time::Duration};

use super::LoadSettings;

/// The measurements of a load test.
#[derive(Debug, Clone)]
pub struct LoadReport {
    /// Its settings.
    pub settings: LoadSettings,
    /// How long it lasted.
    pub lasted: Duration,
    /// The processor time of the servers; not that of a database server.
    pub processor_time: Duration,
    /// The memory that the servers held at the end, together.
    pub memory_kib: u64,
    /// How long each save took, the shortest first.
    pub waits: Vec<Duration>,
}

impl LoadReport {
    /// The time within which a share of the saves was acknowledged, in milliseconds; 0 where there are none.
    fn quantile_ms(&self, share: f64) -> f64 {
        let at = (self.waits.len() as f64 * share) as usize;
        let wait = self.waits.get(at).or(self.waits.last());
        wait.map_or(0.0, |wait| wait.as_secs_f64() * 1e3)
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let saves = self.waits.len() as f64;
        let LoadSettings {
            annotators,
            servers,
            think_ms,
            ..
        } = &self.settings;
        write!(
            f,
            "servers {servers}, annotators {annotators}, think {think_ms:?} ms: {:.0} saves/s, \
             {:.2} s of processor time per 1,000 saves, half within {:.1} ms, 99 of 100 within {:.1} ms, \
             all within {:.1} ms, {} MiB",
            saves / self.lasted.as_secs_f64(),
            self.processor_time.as_secs_f64() * 1e3 / saves.max(1.0),
            self.quantile_ms(0.5),
            self.quantile_ms(0.99),
            self.quantile_ms(1.0),
            self.memory_kib / 1024
        )
    }
}
