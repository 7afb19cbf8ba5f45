//! Counts that add up to a corpus, of every metric that is made of counts.

use super::{
    BleuCounts, ChrfCounts, DeletionMeasure, FkglCounts, LetterCase, PreparedSource, SariCounts,
    TextMetric,
};

/// The counts of outputs from which the score of these outputs as one corpus follows. They take the same room however
/// many outputs there are.
#[derive(Debug, Clone, Copy)]
pub struct CorpusCounts {
    metric: TextMetric,
    sum: CountSum,
}

#[derive(Debug, Clone, Copy)]
enum CountSum {
    Sari(SariCounts),
    Bleu(BleuCounts),
    Chrf(ChrfCounts),
    Fkgl(FkglCounts),
}

impl CorpusCounts {
    /// The counts of no output yet; `None` for a metric that is not made of counts.
    #[must_use]
    pub fn new(metric: TextMetric) -> Option<Self> {
        use TextMetric::{Bleu, Chrf, Fkgl, Sari, SariAdd, SariDelete, SariKeep, SelfBleu};
        let sum = match metric {
            Sari | SariAdd | SariKeep | SariDelete => CountSum::Sari(SariCounts::default()),
            Bleu(_) | SelfBleu => CountSum::Bleu(BleuCounts::default()),
            Chrf => CountSum::Chrf(ChrfCounts::default()),
            Fkgl => CountSum::Fkgl(FkglCounts::default()),
            _ => return None,
        };
        Some(Self { metric, sum })
    }

    /// Adds those of an output.
    pub fn add(&mut self, side: &PreparedSource, output: &str) {
        match &mut self.sum {
            CountSum::Sari(sum) => *sum = sum.plus(&SariCounts::new(side, output)),
            CountSum::Bleu(sum) => {
                let counts = match self.metric {
                    TextMetric::Bleu(tokenisation) => BleuCounts::new(side, output, tokenisation),
                    _ => BleuCounts::to_source(side, output, LetterCase::Mixed),
                };
                *sum = sum.plus(&counts);
            }
            CountSum::Chrf(sum) => *sum = sum.plus(&ChrfCounts::new(side, output)),
            CountSum::Fkgl(sum) => *sum = sum.plus(&FkglCounts::new(output)),
        }
    }

    /// The score of all of them.
    #[must_use]
    pub fn score(&self) -> f64 {
        match &self.sum {
            CountSum::Sari(sum) => self.metric.sari_part(sum.sari(DeletionMeasure::F1)),
            CountSum::Bleu(sum) => sum.corpus().score,
            CountSum::Chrf(sum) => sum.chrf(),
            CountSum::Fkgl(sum) => sum.fkgl(),
        }
    }
}
