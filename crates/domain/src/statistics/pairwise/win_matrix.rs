//! Counts of outcomes by pair of systems.

use super::WinTieLoss;

/// How often each system beat, tied with and lost to each other one. Systems are numbered from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WinMatrix {
    systems: usize,
    /// Row by row, the outcomes of the row's system against the column's. The diagonal is empty.
    counts: Vec<WinTieLoss>,
}

impl WinMatrix {
    /// A matrix without comparisons.
    #[must_use]
    pub fn new(systems: usize) -> Self {
        Self {
            systems,
            counts: vec![WinTieLoss::default(); systems * systems],
        }
    }

    /// Adds comparisons of `a` with `b`; `counts` are a's.
    ///
    /// # Panics
    /// If a system is not below [`WinMatrix::systems`], or both are the same.
    pub fn add(&mut self, a: usize, b: usize, counts: WinTieLoss) {
        assert!(
            a < self.systems && b < self.systems && a != b,
            "two of {} systems",
            self.systems
        );
        for (row, column, counts) in [(a, b, counts), (b, a, counts.reversed())] {
            let cell = &mut self.counts[row * self.systems + column];
            *cell = cell.plus(counts);
        }
    }

    /// The number of systems.
    #[must_use]
    pub const fn systems(&self) -> usize {
        self.systems
    }

    /// The outcomes of `a` against `b`.
    ///
    /// # Panics
    /// If a system is not below [`WinMatrix::systems`].
    #[must_use]
    pub fn counts(&self, a: usize, b: usize) -> WinTieLoss {
        self.counts[a * self.systems..][..self.systems][b]
    }

    /// The outcomes of one system against all others.
    ///
    /// # Panics
    /// If the system is not below [`WinMatrix::systems`].
    #[must_use]
    pub fn totals(&self, system: usize) -> WinTieLoss {
        let row = &self.counts[system * self.systems..][..self.systems];
        row.iter()
            .fold(WinTieLoss::default(), |sum, counts| sum.plus(*counts))
    }

    /// The pairs (a, b) with a < b that were compared, with a's outcomes.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, WinTieLoss)> {
        let all = (0..self.systems).flat_map(|a| (a + 1..self.systems).map(move |b| (a, b)));
        let counted = all.map(|(a, b)| (a, b, self.counts(a, b)));
        counted.filter(|(_, _, counts)| counts.total() > 0)
    }
}
