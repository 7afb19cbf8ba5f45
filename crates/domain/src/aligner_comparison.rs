//! The comparison of two aligners on the same gold alignments.

use serde::{Deserialize, Serialize};

use crate::{
    statistics::bootstrap::{BootstrapInterval, ResamplingOptions, bootstrap},
    text::align::evaluate::{AlignmentEvaluation, AlignmentTally},
    undefined::UndefinedReason,
};

/// The sums of one source's pairs, by the links of two aligners.
#[derive(Debug, Clone, Copy, Default)]
pub struct SourceTallies {
    /// The sums of the new aligner, which did not learn from the source.
    pub new: AlignmentTally,
    /// The sums of the aligner in use, which did not learn from it either.
    pub current: AlignmentTally,
}

/// A new aligner compared with the one in use, on sources that neither learned from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AlignerComparison {
    /// The figures of the new aligner.
    pub new: AlignmentEvaluation,
    /// The figures of the one in use.
    pub current: AlignmentEvaluation,
    /// The number of sources.
    pub sources: usize,
    /// The percentile interval of the difference (new minus current) of F1 on links, over resampled sources.
    pub f1: BootstrapInterval,
    /// The interval of the difference of the exact share, on the same resampled sources.
    pub exact: BootstrapInterval,
    /// The interval of the difference of F1 on edits, likewise.
    pub edits_f1: BootstrapInterval,
}

impl AlignerComparison {
    /// The fewest sources on which a difference can be certain, as for metrics: with fewer, the interval of the
    /// bootstrap is too narrow.
    pub const FEWEST_SOURCES: usize = 10;

    /// Compares the aligners by the sums of each source.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] below two sources.
    pub fn from_sources(
        sources: &[SourceTallies],
        resampling: ResamplingOptions,
    ) -> Result<Self, UndefinedReason> {
        let (new, current) = evaluate(sources, 0..sources.len());

        Ok(Self {
            new,
            current,
            sources: sources.len(),
            f1: difference_interval(sources, resampling, |figures| figures.f1)?,
            exact: difference_interval(sources, resampling, |figures| figures.exact)?,
            edits_f1: difference_interval(sources, resampling, |figures| figures.edits_f1)?,
        })
    }

    /// Whether the new aligner is certainly better, on [`Self::FEWEST_SOURCES`] or more: the interval of the difference
    /// of F1 on edits is above zero, and that of F1 on links is not below zero. Edits are what annotators correct; how
    /// the words within one are linked does not show.
    #[must_use]
    pub fn is_better(&self) -> bool {
        self.sources >= Self::FEWEST_SOURCES && self.edits_f1.low > 0.0 && self.f1.high >= 0.0
    }
}

/// The figures of both aligners, new and current, over the sources at these positions.
fn evaluate(
    sources: &[SourceTallies],
    positions: impl Iterator<Item = usize>,
) -> (AlignmentEvaluation, AlignmentEvaluation) {
    let (mut new, mut current) = (AlignmentTally::default(), AlignmentTally::default());
    for at in positions {
        new += sources[at].new;
        current += sources[at].current;
    }
    (new.evaluation(), current.evaluation())
}

/// The interval of the difference (new minus current) of a figure, over resampled sources.
fn difference_interval(
    sources: &[SourceTallies],
    resampling: ResamplingOptions,
    figure: fn(&AlignmentEvaluation) -> f64,
) -> Result<BootstrapInterval, UndefinedReason> {
    bootstrap(sources.len(), resampling, |drawn| {
        let (new, current) = evaluate(sources, drawn.iter().copied());
        Ok(figure(&new) - figure(&current))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::align::{gold::GoldPair, pharaoh::parse_links};

    /// The sums of a source with one pair, of links by each aligner; the gold links are `0-0 1-1`.
    fn tallies(new: &str, current: &str) -> SourceTallies {
        let pair = GoldPair::parse("0\told boats\t\told ships\t\t1\t1\t0-0 1-1");
        let pair = pair.expect("a gold pair");
        let tally = |links: &str| {
            let mut tally = AlignmentTally::default();
            tally.add(
                &pair,
                &parse_links(links).expect("links"),
                &pair.all_links(),
            );
            tally
        };
        SourceTallies {
            new: tally(new),
            current: tally(current),
        }
    }

    fn compare(sources: &[SourceTallies]) -> AlignerComparison {
        AlignerComparison::from_sources(sources, ResamplingOptions::default()).expect("sources")
    }

    #[test]
    fn an_aligner_that_is_better_on_every_source_is_better() {
        let comparison = compare(&[tallies("0-0 1-1", "0-0"); 10]);
        assert_eq!(comparison.new.exact, 1.0);
        // Precision 1, recall one half.
        assert!((comparison.current.f1 - 2.0 / 3.0).abs() < 1e-12);
        assert!(
            (comparison.f1.low - 1.0 / 3.0).abs() < 1e-12,
            "{comparison:?}"
        );
        assert!(comparison.is_better());
        let nine = compare(&[tallies("0-0 1-1", "0-0"); 9]);
        assert!(!nine.is_better(), "on nine sources nothing is certain");
    }

    #[test]
    fn what_helps_on_some_sources_and_harms_on_others_is_not_certain() {
        let (better, worse) = (tallies("0-0 1-1", "0-0"), tallies("0-0", "0-0 1-1"));
        let mixed: Vec<_> = (0..20)
            .map(|at| if at % 3 == 0 { worse } else { better })
            .collect();
        let comparison = compare(&mixed[..12]);
        assert!(comparison.new.f1 > comparison.current.f1);
        assert!(comparison.edits_f1.low < 0.0 && !comparison.is_better());
        let certain = compare(&[better; 12]);
        let worse_links = AlignerComparison {
            f1: BootstrapInterval {
                low: -0.2,
                high: -0.1,
                ..certain.f1
            },
            ..certain
        };
        assert!(certain.is_better() && !worse_links.is_better());
        let same = compare(&[tallies("0-0", "0-0"); 12]);
        assert_eq!((same.f1.low, same.f1.high), (0.0, 0.0));
        assert!(!same.is_better());
        assert!(AlignerComparison::from_sources(&[better], ResamplingOptions::default()).is_err());
    }
}
