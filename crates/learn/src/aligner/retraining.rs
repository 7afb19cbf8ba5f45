//! Retraining on the corrections of a study, with every source held out once.

use std::path::Path;

use domain::{
    aligner_comparison::SourceTallies,
    edit::Edit,
    random::SeededRandom,
    text::{
        align::{
            Alignment,
            edit_links::{BaseAlignments, MAX_OUTPUT_CELLS, links_from_corrections},
            evaluate::AlignmentTally,
            gold::GoldPair,
            grid::AlignmentStyle,
            pharaoh::link_set,
        },
        tokenised_text::TokenisedText,
    },
};

use super::{
    Aligner, AlignerError, AlignerExample, AlignerModel, AlignerModelError, AlignerProgress,
    AlignerTrainingOptions, continue_training,
};
use crate::encoder::EncoderError;

/// The number of folds; each source is held out in one of them.
const FOLDS: usize = 5;

/// A source, and those of its outputs whose edits annotators checked.
#[derive(Debug, Clone)]
pub struct CheckedTexts<'a> {
    /// The source's text.
    pub source: &'a str,
    /// Each output's text with the edits that each annotator left.
    pub outputs: Vec<(&'a str, &'a [Vec<Edit>])>,
}

/// The checked alignments of a source.
#[derive(Debug, Clone, Default)]
struct CheckedSource {
    pairs: Vec<CheckedPair>,
    examples: Vec<AlignerExample>,
}

/// An annotator's alignment of an output. The texts are those that the edits were made in. The gold pair joins all its
/// words with spaces, so an aligner can link its words differently.
#[derive(Debug, Clone)]
struct CheckedPair {
    source: TokenisedText,
    output: TokenisedText,
    gold: GoldPair,
}

/// The checked alignments of a study, and the aligner from which training on them starts.
#[derive(Debug)]
pub struct AlignerRetraining<'a> {
    base: &'a Aligner,
    current: &'a Aligner,
    sources: Vec<CheckedSource>,
    seed: u64,
    left_out: usize,
}

/// Reasons why a retraining fails.
#[derive(Debug, thiserror::Error)]
pub enum RetrainingError {
    /// The encoder failed.
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    /// A network and the encoder do not belong together.
    #[error(transparent)]
    Aligner(#[from] AlignerError),
    /// A network that an earlier run left behind cannot be read.
    #[error("a network of an earlier run cannot be read: {0}")]
    Network(#[from] AlignerModelError),
    /// A network was not written, or not read back.
    #[error("the training’s files were not written: {0}")]
    Files(#[from] std::io::Error),
    /// The base aligner lacks a network.
    #[error("an aligner without a network cannot learn")]
    NoNetwork,
    /// No output has an alignment to learn from.
    #[error("no output with checked edits is short enough to learn from")]
    NoPair,
    /// The caller stopped it.
    #[error("the training was stopped")]
    Stopped,
}

/// The progress of a retraining.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetrainingProgress {
    /// The network that is trained, from 0; the last one learns from all sources.
    pub network: usize,
    /// The number of networks.
    pub networks: usize,
    /// The steps of this one.
    pub step: AlignerProgress,
}

impl<'a> AlignerRetraining<'a> {
    /// Derives alignments from the edits. Edits that annotators left as `current`, the aligner in use, made them keep
    /// the links of `current`, which counts as right there: a new aligner can be better only on what they changed.
    ///
    /// Training starts from `base`. `on_source` is called before each source and stops the preparation by returning
    /// false.
    ///
    /// # Errors
    /// If the encoder fails, no output can be learned from, `on_source` returned false, or `base` lacks a network.
    pub fn prepare(
        (base, current): (&'a Aligner, &'a Aligner),
        sources: &[CheckedTexts<'_>],
        seed: u64,
        mut on_source: impl FnMut(usize) -> bool,
    ) -> Result<Self, RetrainingError> {
        if base.network().is_none() {
            return Err(RetrainingError::NoNetwork);
        }

        let mut retraining = Self {
            base,
            current,
            sources: Vec::with_capacity(sources.len()),
            seed,
            left_out: 0,
        };

        for (at, source) in sources.iter().enumerate() {
            if !on_source(at) {
                return Err(RetrainingError::Stopped);
            }
            let pairs = retraining.derive_pairs(source)?;
            let gold: Vec<_> = pairs.iter().map(|pair| pair.gold.clone()).collect();
            let examples = base.examples(&gold, AlignmentStyle::Word)?;
            retraining.sources.push(CheckedSource { pairs, examples });
        }

        if retraining.pairs() == 0 {
            return Err(RetrainingError::NoPair);
        }
        Ok(retraining)
    }

    /// The number of pairs of texts, one for each annotator who checked an output.
    #[must_use]
    pub fn pairs(&self) -> usize {
        self.sources.iter().map(|source| source.pairs.len()).sum()
    }

    /// The number of outputs that are too long to learn from.
    #[must_use]
    pub const fn left_out(&self) -> usize {
        self.left_out
    }

    fn derive_pairs(&mut self, texts: &CheckedTexts<'_>) -> Result<Vec<CheckedPair>, EncoderError> {
        let source = TokenisedText::new(texts.source);
        let mut pairs = Vec::new();
        for (text, reviews) in &texts.outputs {
            let output = TokenisedText::new(text);
            let cells = source.len().saturating_mul(output.len());
            if !(1..=MAX_OUTPUT_CELLS).contains(&cells) {
                self.left_out += 1;
                continue;
            }

            let within = self.align_pair(&source, &output, AlignmentStyle::Phrasal)?;
            let outside = self.align_pair(&source, &output, AlignmentStyle::Word)?;

            let base = BaseAlignments {
                within: &within,
                outside: &outside,
            };
            pairs.extend(reviews.iter().map(|edits| {
                let links = links_from_corrections(&source, &output, edits, base);
                CheckedPair {
                    gold: GoldPair::from_texts(&source, &output, links),
                    source: source.clone(),
                    output: output.clone(),
                }
            }));
        }
        Ok(pairs)
    }

    /// The alignment by the aligner in use.
    fn align_pair(
        &self,
        source: &TokenisedText,
        output: &TokenisedText,
        style: AlignmentStyle,
    ) -> Result<Alignment, EncoderError> {
        let mut alignments = self.current.align(&[(source, output)], style)?;
        Ok(alignments.pop().expect("one pair, one alignment"))
    }

    /// Trains a network on all sources, and for each fold one on the sources outside of it, which then aligns the
    /// sources of the fold. Returns the first, and for each source the tallies of its fold's network and of the aligner
    /// in use.
    ///
    /// Networks are kept in `folder`, so that an interrupted run continues with the next one.
    ///
    /// # Errors
    /// If the encoder or a file fails, or `on_progress` returned false.
    pub fn run(
        &self,
        folder: &Path,
        mut on_progress: impl FnMut(RetrainingProgress) -> bool,
    ) -> Result<(AlignerModel, Vec<SourceTallies>), RetrainingError> {
        let folds = self.assign_folds();
        let count = folds.iter().max().map_or(0, |last| last + 1);
        let networks = count + 1;

        let current_tallies = self.tally(self.current, |_| true)?;
        let mut tallies: Vec<_> = current_tallies
            .into_iter()
            .map(|current| SourceTallies {
                new: AlignmentTally::default(),
                current,
            })
            .collect();

        for fold in 0..count {
            let examples = self.examples_where(|at| folds[at] != fold);
            let network = self.train_network(
                &examples,
                &folder.join(format!("fold-{fold}.safetensors")),
                |step| {
                    on_progress(RetrainingProgress {
                        network: fold,
                        networks,
                        step,
                    })
                },
            )?;
            let aligner = Aligner::new(network, self.base.open_encoder().cloned())?;
            let held_out = self.tally(&aligner, |at| folds[at] == fold)?;
            for (tallies, new) in tallies.iter_mut().zip(held_out) {
                tallies.new += new;
            }
        }

        let all = self.examples_where(|_| true);
        let path = folder.join("all.safetensors");
        let model = self.train_network(&all, &path, |step| {
            on_progress(RetrainingProgress {
                network: count,
                networks,
                step,
            })
        })?;
        Ok((model, tallies))
    }

    /// The fold of each source: random, with sizes that differ by at most one.
    fn assign_folds(&self) -> Vec<usize> {
        let folds = FOLDS.min(self.sources.len());
        let mut order: Vec<usize> = (0..self.sources.len()).collect();
        SeededRandom::new(self.seed).shuffle(&mut order);

        let mut assigned = vec![0; order.len()];
        for (place, at) in order.into_iter().enumerate() {
            assigned[at] = place % folds;
        }
        assigned
    }

    fn examples_where(&self, is_chosen: impl Fn(usize) -> bool) -> Vec<&AlignerExample> {
        let sources = self.sources.iter().enumerate();
        sources
            .filter(|(at, _)| is_chosen(*at))
            .flat_map(|(_, source)| &source.examples)
            .collect()
    }

    /// The tallies of an aligner on each source; empty for sources that are not chosen.
    fn tally(
        &self,
        aligner: &Aligner,
        is_chosen: impl Fn(usize) -> bool,
    ) -> Result<Vec<AlignmentTally>, EncoderError> {
        let sources = self.sources.iter().enumerate();
        sources
            .map(|(at, source)| match is_chosen(at) {
                true => tally_source(aligner, &source.pairs),
                false => Ok(AlignmentTally::default()),
            })
            .collect()
    }

    /// The network of an earlier run, or a new one, which is written to `path`.
    fn train_network(
        &self,
        examples: &[&AlignerExample],
        path: &Path,
        mut on_step: impl FnMut(AlignerProgress) -> bool,
    ) -> Result<AlignerModel, RetrainingError> {
        if path.exists() {
            return Ok(AlignerModel::read(&std::fs::read(path)?)?);
        }
        let network = self.base.network().ok_or(RetrainingError::NoNetwork)?;
        if examples.is_empty() {
            return Ok(network.clone());
        }

        let options = AlignerTrainingOptions::for_corrections(network, self.seed);
        let mut stopped = false;
        let trained = continue_training(network, examples, &options, |step| {
            stopped = !on_step(step);
            !stopped
        });
        if stopped {
            return Err(RetrainingError::Stopped);
        }

        // Whole or not at all: a process can be killed at any moment.
        let unfinished = path.with_extension("part");
        std::fs::write(&unfinished, trained.write())?;
        std::fs::rename(&unfinished, path)?;
        Ok(trained)
    }
}

fn tally_source(aligner: &Aligner, pairs: &[CheckedPair]) -> Result<AlignmentTally, EncoderError> {
    let texts = pairs.iter().map(|pair| (&pair.source, &pair.output));
    let alignments = aligner.align(&texts.collect::<Vec<_>>(), AlignmentStyle::Word)?;
    let mut tally = AlignmentTally::default();
    for (CheckedPair { gold, .. }, alignment) in pairs.iter().zip(alignments) {
        tally.add(gold, &link_set(&alignment.links), &gold.all_links());
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use domain::{
        aligner_comparison::AlignerComparison, statistics::bootstrap::ResamplingOptions,
        text::edits::derive_edits,
    };

    use super::*;

    /// The edits that the aligner makes of two texts.
    fn automatic_edits(aligner: &Aligner, source: &str, output: &str) -> Vec<Edit> {
        let (source, output) = (TokenisedText::new(source), TokenisedText::new(output));
        let alignments = aligner.align(&[(&source, &output)], AlignmentStyle::Word);
        derive_edits(&source, &output, &alignments.expect("no encoder")[0])
    }

    #[test]
    fn the_aligner_in_use_is_right_wherever_annotators_accepted_its_edits() {
        let texts = [
            ("The old boat sank in the bay.", "The ship went down."),
            (
                "It rained all day on the hill.",
                "The hill was wet, very wet.",
            ),
            ("The council withdrew its plan.", "The town gave up."),
            ("A storm destroyed the harbour.", "Wind broke the port."),
            ("She purchased a large house.", "She bought a home."),
            ("They commenced the journey.", "They began the trip."),
            ("It sank, it burned.", "It sank. It burned."),
            ("He is a writer of books.", "He writes books."),
            ("Nobody knew where it was.", "Where it was, nobody knew."),
            ("The judge dismissed the case.", "The case ended."),
        ];
        let aligner = Aligner::grid();
        let reviews = texts.map(|(source, output)| [automatic_edits(&aligner, source, output)]);
        let checked = texts.iter().zip(&reviews);
        let checked = checked.map(|((source, output), reviews)| CheckedTexts {
            source,
            outputs: vec![(output, reviews)],
        });
        let checked: Vec<_> = checked.collect();
        let retraining = AlignerRetraining::prepare((&aligner, &aligner), &checked, 1, |_| true);
        let folder = tempfile::tempdir().expect("a folder");
        let trained = retraining.and_then(|all| all.run(folder.path(), |_| true));
        let (_, tallies) = trained.expect("a network");
        let comparison = AlignerComparison::from_sources(&tallies, ResamplingOptions::default());
        let comparison = comparison.expect("ten sources");
        let current = comparison.current;
        assert_eq!(
            (current.f1, current.exact, current.edits_f1),
            (1.0, 1.0, 1.0)
        );
        assert!(!comparison.is_better(), "{comparison:?}");
    }
}
