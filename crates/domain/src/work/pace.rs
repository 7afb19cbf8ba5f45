//! The time that a source takes an annotator, and the time that they have worked without a break.

use crate::statistics::describe::quantile;

/// The active time after which a break is due: 50 minutes.
const BREAK_AFTER_MS: u64 = 50 * MINUTE_MS;

/// A time without work that counts as a break: 15 minutes.
const BREAK_MS: u64 = 15 * MINUTE_MS;

const MINUTE_MS: u64 = 60_000;

/// Estimates the active time of one more source, in milliseconds: the median of the annotator's own
/// times, or of others' before they have any. Sources without a recorded time do not count;
/// `None` if none has one.
#[must_use]
pub fn estimate_source_ms(own: &[u64], of_others: impl FnOnce() -> Vec<u64>) -> Option<u64> {
    median_ms(own).or_else(|| median_ms(&of_others()))
}

/// The median of the times above 0.
fn median_ms(times: &[u64]) -> Option<u64> {
    let mut times: Vec<f64> = times
        .iter()
        .filter(|ms| **ms > 0)
        .map(|ms| *ms as f64)
        .collect();
    times.sort_unstable_by(f64::total_cmp);
    (!times.is_empty()).then(|| quantile(&times, 0.5).round() as u64)
}

/// The time of each source in words: `4 minutes each`.
#[must_use]
pub fn each_in_words(source_ms: u64) -> String {
    match (source_ms + MINUTE_MS / 2) / MINUTE_MS {
        0 => "less than a minute each".to_owned(),
        1 => "1 minute each".to_owned(),
        minutes => format!("{minutes} minutes each"),
    }
}

/// A longer time in words, roughly: `less than 5 minutes`, `about 25 minutes`, `about 2 hours`.
#[must_use]
pub fn total_in_words(ms: u64) -> String {
    let fives = (ms + 5 * MINUTE_MS / 2) / (5 * MINUTE_MS);
    match fives {
        _ if ms < 5 * MINUTE_MS => "less than 5 minutes".to_owned(),
        0..=1 => "about 5 minutes".to_owned(),
        2..=10 => format!("about {} minutes", fives * 5),
        11..=17 => "about an hour".to_owned(),
        _ => format!("about {} hours", (fives + 6) / 12),
    }
}

/// A source that an annotator finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishedSource {
    /// Whether it belongs to the study itself, and was submitted rather than skipped.
    pub counts: bool,
    /// The time at which it was submitted or skipped, in milliseconds since 1970.
    pub ended_at_ms: i64,
    /// Its active time, in milliseconds.
    pub active_ms: u64,
}

/// Work without a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkSession {
    /// The time at which its first source was finished, in milliseconds since 1970; it identifies the session.
    pub since_ms: i64,
    /// Its active time, in milliseconds.
    pub active_ms: u64,
}

impl WorkSession {
    /// The annotator's current session; `None` if they are having a break or have finished nothing.
    /// `finished` is in the order of time. A source belongs to the session of the one before it if less
    /// than 15 minutes passed between them, apart from its active time.
    #[must_use]
    pub fn current(finished: &[FinishedSource], now_ms: i64) -> Option<Self> {
        let last = finished.last()?;
        if elapsed_ms(last.ended_at_ms, now_ms) >= BREAK_MS {
            return None;
        }

        let mut session = Self {
            since_ms: last.ended_at_ms,
            active_ms: last.active_ms,
        };
        for pair in finished.windows(2).rev() {
            let [before, after] = pair else { break };
            let passed = elapsed_ms(before.ended_at_ms, after.ended_at_ms);
            if passed.saturating_sub(after.active_ms) >= BREAK_MS {
                break;
            }
            session.since_ms = before.ended_at_ms;
            session.active_ms = session.active_ms.saturating_add(before.active_ms);
        }
        Some(session)
    }

    /// Whether it is time for a break: after 50 minutes of activity.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.active_ms >= BREAK_AFTER_MS
    }

    /// Its active time in whole minutes.
    #[must_use]
    pub const fn minutes(&self) -> u64 {
        self.active_ms / MINUTE_MS
    }
}

/// The milliseconds between two times; 0 where the second comes first.
fn elapsed_ms(from: i64, to: i64) -> u64 {
    u64::try_from(to.saturating_sub(from)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    #[test]
    fn a_source_takes_as_long_as_ones_own_did() {
        let none = || -> Vec<u64> { unreachable!("own times come first") };
        assert_eq!(estimate_source_ms(&[9, 0, 5, 7], none), Some(7));
        assert_eq!(estimate_source_ms(&[0], || vec![10, 20]), Some(15));
        assert_eq!(estimate_source_ms(&[], Vec::new), None);
    }

    #[test]
    fn times_are_told_in_everyday_words() {
        for (ms, words) in [
            (0, "less than a minute each"),
            (29_999, "less than a minute each"),
            (30_000, "1 minute each"),
            (235_000, "4 minutes each"),
        ] {
            assert_eq!(each_in_words(ms), words);
        }
        for (minutes, words) in [
            (1, "less than 5 minutes"),
            (5, "about 5 minutes"),
            (12, "about 10 minutes"),
            (44, "about 45 minutes"),
            (54, "about an hour"),
            (85, "about an hour"),
            (95, "about 2 hours"),
            (400, "about 7 hours"),
        ] {
            assert_eq!(total_in_words(minutes * MINUTE_MS), words, "{minutes}");
        }
    }

    /// Sources by (minutes before now at which they ended, minutes of activity).
    fn finished(all: &[(u64, u64)]) -> Vec<FinishedSource> {
        let source = |(ago, active): &(u64, u64)| FinishedSource {
            counts: true,
            ended_at_ms: NOW - i64::try_from(ago * MINUTE_MS).unwrap(),
            active_ms: active * MINUTE_MS,
        };
        all.iter().map(source).collect()
    }

    #[test]
    fn a_session_ends_with_a_break() {
        let minutes = |all: &[(u64, u64)]| {
            WorkSession::current(&finished(all), NOW).map(|session| session.minutes())
        };
        assert_eq!(minutes(&[]), None);
        // It has ended: nothing for 15 minutes.
        assert_eq!(minutes(&[(15, 40)]), None);
        // Worked through, with a pause of five minutes.
        assert_eq!(minutes(&[(60, 10), (30, 25), (1, 29)]), Some(64));
        // The last source was given the day before, and worked on now.
        assert_eq!(minutes(&[(900, 55), (1, 10)]), Some(10));
    }

    #[test]
    fn a_break_is_due_after_fifty_minutes() {
        let session = |active| WorkSession::current(&finished(&[(1, active)]), NOW).unwrap();
        assert!(!session(49).is_long());
        assert!(session(50).is_long());
        let long = WorkSession::current(&finished(&[(60, 10), (30, 25), (1, 29)]), NOW).unwrap();
        assert_eq!(long.since_ms, NOW - 3_600_000);
    }
}
