//! Tests of the difference of each two systems that were compared.

use super::{
    super::{
        UndefinedReason,
        significance::{SignTest, holm, sign_test},
        systems::FEWEST_SOURCES,
    },
    ComparisonTable, WinTieLoss,
};

/// A description of the tests of [`ComparisonTable::pair_tests`], printed with their figures.
pub const PAIR_TEST_DESCRIPTION: &str = "two-sided exact sign test over sources, each decided by the majority of its comparisons, \
     ties dropped; correction for many pairs: Holm (1979), over pairs on 6 sources or more";

/// The comparisons of two systems, with a test of whether one is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairTest {
    /// The first system, by index.
    pub a: usize,
    /// The second; a comes before b.
    pub b: usize,
    /// Comparisons that a won, tied and lost.
    pub comparisons: WinTieLoss,
    /// Sources on which a won more, as many, and fewer comparisons than b.
    pub sources: WinTieLoss,
    /// The sign test over these sources.
    pub sign: Result<SignTest, UndefinedReason>,
    /// Its p-value, corrected by [`holm`] among the pairs on at least [`FEWEST_SOURCES`] sources; `None` for
    /// the others, which can never be significant.
    pub sign_holm: Option<f64>,
}

impl<S> ComparisonTable<S> {
    /// Tests each pair of systems that was compared. It counts sources, not comparisons, because comparisons of one
    /// source depend on each other.
    #[must_use]
    pub fn pair_tests(&self) -> Vec<PairTest> {
        let mut tests: Vec<PairTest> = self
            .win_matrix()
            .pairs()
            .map(|(a, b, comparisons)| self.pair_test(a, b, comparisons))
            .collect();

        let p_values: Vec<f64> = tests.iter().filter_map(family_p_value).collect();
        let mut corrected = holm(&p_values).into_iter();
        for test in &mut tests {
            test.sign_holm = family_p_value(test).and_then(|_| corrected.next());
        }
        tests
    }

    fn pair_test(&self, a: usize, b: usize, comparisons: WinTieLoss) -> PairTest {
        let mut sources = WinTieLoss::default();
        for counts in self.sources.iter().filter_map(|of| of.pairs.get(&(a, b))) {
            sources.wins += usize::from(counts.wins > counts.losses);
            sources.ties += usize::from(counts.wins == counts.losses);
            sources.losses += usize::from(counts.wins < counts.losses);
        }

        PairTest {
            a,
            b,
            comparisons,
            sources,
            sign: sign_test(sources),
            sign_holm: None,
        }
    }
}

/// The p-value of a test that belongs to the family of corrected tests.
fn family_p_value(test: &PairTest) -> Option<f64> {
    let sign = test.sign.ok();
    let sign = sign.filter(|_| test.sources.total() >= FEWEST_SOURCES);
    sign.map(|sign| sign.p)
}
