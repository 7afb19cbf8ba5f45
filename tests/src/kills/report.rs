//! The result of a kill test.

use std::{fmt, time::Duration};

use domain::ids::AnnotationId;

use super::{HistoryViolation, KillSettings, ViolationKind};

/// The most violations that a report shows.
const MAX_SHOWN: usize = 50;

/// The result of a kill test.
#[derive(Debug)]
pub struct KillReport {
    /// Its settings.
    pub settings: KillSettings,
    /// How many servers were killed, those at the end included.
    pub kills: usize,
    /// How many were started again.
    pub restarts: usize,
    /// The longest time from the start of a server to its first answer.
    pub longest_restart: Duration,
    /// How many changes were acknowledged.
    pub acknowledged: usize,
    /// How many hand-ins were acknowledged.
    pub hand_ins: usize,
    /// How many reports of active times were acknowledged.
    pub times: usize,
    /// The answer that was deleted to see whether it is missed.
    pub planted: Option<AnnotationId>,
    /// The differences; none in a sound database.
    pub violations: Vec<HistoryViolation>,
}

impl KillReport {
    fn count(&self, kind: ViolationKind) -> usize {
        let of_kind = self.violations.iter().filter(|found| found.kind == kind);
        of_kind.count()
    }
}

impl fmt::Display for KillReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for violation in self.violations.iter().take(MAX_SHOWN) {
            writeln!(f, "{violation}")?;
        }
        if let Some(more) = self.violations.len().checked_sub(MAX_SHOWN + 1) {
            writeln!(f, "… and {} more", more + 1)?;
        }
        if let Some(planted) = self.planted {
            writeln!(f, "planted: the change {planted} was deleted")?;
        }

        let KillSettings { servers, seed, .. } = self.settings;
        writeln!(
            f,
            "seed {seed}, servers: {servers}, kills: {}, restarts: {}, longest restart: {:.1} s, \
             acknowledged changes: {}, hand-ins: {}, active times: {}",
            self.kills,
            self.restarts,
            self.longest_restart.as_secs_f64(),
            self.acknowledged,
            self.hand_ins,
            self.times,
        )?;
        write!(
            f,
            "lost: {}, wrong: {}, duplicate: {}, damaged: {}",
            self.count(ViolationKind::Lost),
            self.count(ViolationKind::Wrong),
            self.count(ViolationKind::Duplicate),
            self.count(ViolationKind::Damaged),
        )
    }
}
