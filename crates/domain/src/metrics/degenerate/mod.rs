//! A check for metrics that are fooled by degenerate texts: good outputs against texts that are
//! obviously worse.

mod texts;

use serde::{Deserialize, Serialize};

use self::texts::{
    add_periods, add_sentence, delete_words, first_words, generic_sentence, swap_words,
    unrelated_sentence,
};
use crate::{
    statistics::UndefinedReason,
    text::perturb::{Perturbation, perturb},
};

/// A degenerate text to compare with a good output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DegenerateKind {
    /// The source, unchanged.
    Copy,
    /// The output's first six words.
    FirstWords,
    /// The output's words in another order.
    Scramble,
    /// The output without 30 % of its words, taken at random.
    Deletion,
    /// The output with a period after every fifth word.
    Periods,
    /// A sentence about something else.
    Unrelated,
    /// The output with 20 % of its words swapped.
    Swapped,
    /// A generic sentence without content.
    Generic,
    /// The output followed by a made-up sentence.
    Addition,
}

impl DegenerateKind {
    /// All nine kinds.
    pub const ALL: [Self; 9] = [
        Self::Copy,
        Self::FirstWords,
        Self::Scramble,
        Self::Deletion,
        Self::Periods,
        Self::Unrelated,
        Self::Swapped,
        Self::Generic,
        Self::Addition,
    ];

    /// The name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Copy => "Copy of the source",
            Self::FirstWords => "First six words",
            Self::Scramble => "Scrambled words",
            Self::Deletion => "30 % of the words deleted",
            Self::Periods => "A period every five words",
            Self::Unrelated => "An unrelated sentence",
            Self::Swapped => "20 % of the words swapped",
            Self::Generic => "A generic sentence",
            Self::Addition => "A made-up addition",
        }
    }

    /// The degenerate text; the same seed and texts give the same one.
    #[must_use]
    pub fn make(self, source: &str, output: &str, seed: u64) -> String {
        let seed = seed ^ digest(self, output);
        match self {
            Self::Copy => perturb(Perturbation::Copy, source, output, seed),
            Self::Scramble => perturb(Perturbation::Scramble, source, output, seed),
            Self::FirstWords => first_words(output, 6),
            Self::Deletion => delete_words(output, 0.3, seed),
            Self::Periods => add_periods(output, 5),
            Self::Unrelated => unrelated_sentence(source, seed),
            Self::Swapped => swap_words(output, 0.2, seed),
            Self::Generic => generic_sentence(seed),
            Self::Addition => add_sentence(output, seed),
        }
    }
}

/// Derives a seed for each perturbation and text, so that a case does not depend on earlier ones
/// (FNV-1a, which is the same on every platform).
fn digest(kind: DegenerateKind, text: &str) -> u64 {
    let bytes = text.bytes().chain([kind as u8]);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The seed of published figures.
pub const SEED: u64 = 1;

/// An output that counts as good: by its mean z-score, or because a person wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoodOutput<'a> {
    /// The source.
    pub source: &'a str,
    /// The output.
    pub output: &'a str,
}

/// A text to score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DegenerateProbe {
    /// The index of the good output that it is derived from; it is scored with the source and references of
    /// that output.
    pub case: usize,
    /// The perturbation; `None` for the good output itself.
    pub kind: Option<DegenerateKind>,
    /// The text.
    pub text: String,
}

/// How often good outputs outrank degenerate texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DegenerateReport {
    /// By perturbation, in the order of [`DegenerateKind::ALL`].
    pub by: Vec<OutrankCount>,
}

/// The cases of one perturbation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutrankCount {
    /// The perturbation.
    pub of: DegenerateKind,
    /// The cases in which the good output scores higher; ties do not count.
    pub outranked: usize,
    /// All cases.
    pub cases: usize,
    /// Outputs left out because the perturbation changes nothing, for example outputs that are copies
    /// already.
    pub unchanged: usize,
}

impl OutrankCount {
    /// The share, from 0 to 1.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] without cases.
    pub fn share(&self) -> Result<f64, UndefinedReason> {
        share(self.outranked, self.cases)
    }
}

impl DegenerateReport {
    /// The share over all cases, from 0 to 1; chance gives 0.5.
    ///
    /// # Errors
    /// [`UndefinedReason::TooFew`] without cases.
    pub fn share(&self) -> Result<f64, UndefinedReason> {
        let outranked = self.by.iter().map(|by| by.outranked).sum();
        let cases = self.by.iter().map(|by| by.cases).sum();
        share(outranked, cases)
    }
}

fn share(part: usize, whole: usize) -> Result<f64, UndefinedReason> {
    if whole == 0 {
        return Err(UndefinedReason::TooFew {
            found: 0,
            needed: 1,
        });
    }
    Ok(part as f64 / whole as f64)
}

/// Checks a metric against all nine kinds. `score` gets all texts at once and returns one number for
/// each, larger for better (negate the scores of a metric for which smaller is better). A `NaN` neither
/// outranks another score nor is outranked.
///
/// # Errors
/// Those of `score`.
///
/// # Panics
/// If `score` returns fewer numbers than there are texts.
pub fn run_degenerate_test<E>(
    outputs: &[GoodOutput<'_>],
    seed: u64,
    score: impl FnOnce(&[DegenerateProbe]) -> Result<Vec<f64>, E>,
) -> Result<DegenerateReport, E> {
    let probes = build_probes(outputs, seed);
    let scores = score(&probes)?;
    Ok(build_report(outputs.len(), &probes, &scores))
}

/// The texts to score: each good output and its degenerate variants, except those equal to it.
#[must_use]
pub fn build_probes(outputs: &[GoodOutput<'_>], seed: u64) -> Vec<DegenerateProbe> {
    let mut probes = Vec::new();
    for (case, good) in outputs.iter().enumerate() {
        probes.push(DegenerateProbe {
            case,
            kind: None,
            text: good.output.to_owned(),
        });
        for kind in DegenerateKind::ALL {
            let text = kind.make(good.source, good.output, seed);
            if text != good.output {
                let kind = Some(kind);
                probes.push(DegenerateProbe { case, kind, text });
            }
        }
    }
    probes
}

fn build_report(outputs: usize, probes: &[DegenerateProbe], scores: &[f64]) -> DegenerateReport {
    let mut counts = DegenerateKind::ALL.map(|kind| OutrankCount {
        of: kind,
        outranked: 0,
        cases: 0,
        unchanged: outputs,
    });

    // The score of the good output that the next probes are derived from.
    let mut good = f64::NAN;
    for (at, probe) in probes.iter().enumerate() {
        let Some(kind) = probe.kind else {
            good = scores[at];
            continue;
        };
        let count = &mut counts[kind as usize];
        count.cases += 1;
        count.unchanged -= 1;
        count.outranked += usize::from(good > scores[at]);
    }

    DegenerateReport {
        by: counts.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    const GOOD: GoodOutput<'_> = GoodOutput {
        source: "The vessel, which had foundered in the storm, was later recovered by divers.",
        output: "The boat sank in the storm. Later, divers brought it up again.",
    };

    #[test]
    fn who_knows_the_good_output_is_never_fooled() {
        let knows = |probes: &[DegenerateProbe]| {
            let scores = probes
                .iter()
                .map(|probe| f64::from(u8::from(probe.text == GOOD.output)));
            Ok::<_, Infallible>(scores.collect())
        };
        let Ok(report) = run_degenerate_test(&[GOOD, GOOD], SEED, knows);
        assert_eq!(report.share(), Ok(1.0));
        assert!(
            report
                .by
                .iter()
                .all(|by| (by.cases, by.unchanged) == (2, 0))
        );
    }

    #[test]
    fn ties_and_what_is_no_number_are_no_success() {
        let Ok(tied) = run_degenerate_test(&[GOOD], SEED, |probes| {
            Ok::<_, Infallible>(vec![1.0; probes.len()])
        });
        assert_eq!(tied.share(), Ok(0.0));
        let Ok(none) = run_degenerate_test(&[GOOD], SEED, |probes| {
            Ok::<_, Infallible>(vec![f64::NAN; probes.len()])
        });
        assert_eq!(none.share(), Ok(0.0));
        let Ok(empty) = run_degenerate_test(&[], SEED, |_| Ok::<_, Infallible>(Vec::new()));
        assert!(empty.share().is_err() && empty.by[0].share().is_err());
    }

    #[test]
    fn what_nothing_changes_is_left_out() {
        let copy = GoodOutput {
            source: "It sank.",
            output: "It sank.",
        };
        let kinds: Vec<_> = build_probes(&[copy], SEED)
            .iter()
            .filter_map(|probe| probe.kind)
            .collect();
        assert!(
            !kinds.contains(&DegenerateKind::Copy) && !kinds.contains(&DegenerateKind::FirstWords)
        );
        assert!(
            kinds.contains(&DegenerateKind::Addition) && kinds.contains(&DegenerateKind::Generic)
        );
    }
}
