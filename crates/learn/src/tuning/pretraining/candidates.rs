//! Candidates: outputs to learn from, some of them made worse.

use domain::{
    random::SeededRandom,
    text::{degrade::OutputDegradation, rewrite::make_rewrites},
};
use serde::{Deserialize, Serialize};

/// A source to pre-train on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PretrainingText {
    /// The text.
    pub source: String,
    /// Outputs of systems, if any.
    pub outputs: Vec<String>,
    /// Human simplifications; the second stage learns only from texts that have one.
    pub references: Vec<String>,
}

/// A source's candidates and references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CandidateSet {
    pub candidates: Vec<CandidatePair>,
    pub references: Vec<String>,
}

/// A pair of texts to learn from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CandidatePair {
    /// The text that counts as simplified; for a swapped pair, the output.
    pub source: String,
    /// Its simplification.
    pub output: String,
    /// The reference that it comes from, with which it is not compared.
    pub own_reference: Option<usize>,
}

impl CandidateSet {
    /// The numbers of the references that a candidate is compared with.
    pub(super) fn references_for(&self, candidate: &CandidatePair) -> Vec<usize> {
        let all = 0..self.references.len();
        all.filter(|at| candidate.own_reference != Some(*at))
            .collect()
    }
}

/// The candidates of each text: its outputs, the rewrites of its source by rules and, if there are two references or
/// more, these, each to be compared with the others. A text without any of them is its own candidate. Then the
/// `degraded` share of all candidates, taken at random, is made worse.
pub(super) fn make_candidates(
    texts: &[PretrainingText],
    degraded: f64,
    seed: u64,
    zipf: &dyn Fn(&str) -> f32,
) -> Vec<CandidateSet> {
    let mut sets: Vec<CandidateSet> = texts.iter().map(|text| collect_set(text, zipf)).collect();
    let mut places: Vec<(usize, usize)> = (0..sets.len())
        .flat_map(|set| (0..sets[set].candidates.len()).map(move |candidate| (set, candidate)))
        .collect();

    let mut random = SeededRandom::new(seed);
    random.shuffle(&mut places);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share of a count"
    )]
    places.truncate((places.len() as f64 * degraded).round() as usize);

    for (set, candidate) in places {
        let candidate = &mut sets[set].candidates[candidate];
        let degradation = OutputDegradation::draw(&mut random);
        (candidate.source, candidate.output) =
            degradation.apply(&candidate.source, &candidate.output, &mut random);
    }

    sets
}

/// The candidates of a text, none of them made worse.
pub(super) fn collect_set(text: &PretrainingText, zipf: &dyn Fn(&str) -> f32) -> CandidateSet {
    let mut candidates: Vec<CandidatePair> = Vec::new();
    let mut add = |output: &str, own_reference| {
        if !candidates.iter().any(|known| known.output == output) {
            candidates.push(CandidatePair {
                source: text.source.clone(),
                output: output.to_owned(),
                own_reference,
            });
        }
    };

    // References first: an output that equals a reference is not compared with it.
    if text.references.len() > 1 {
        for (number, reference) in text.references.iter().enumerate() {
            add(reference, Some(number));
        }
    }
    for output in &text.outputs {
        add(output, None);
    }
    for rewrite in make_rewrites(&text.source, zipf) {
        add(&rewrite, None);
    }

    if candidates.is_empty() {
        candidates.push(CandidatePair {
            source: text.source.clone(),
            output: text.source.clone(),
            own_reference: None,
        });
    }

    CandidateSet {
        candidates,
        references: text.references.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str, outputs: &[&str], references: &[&str]) -> PretrainingText {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        PretrainingText {
            source: source.to_owned(),
            outputs: owned(outputs),
            references: owned(references),
        }
    }

    fn outputs(set: &CandidateSet) -> Vec<&str> {
        set.candidates.iter().map(|one| &*one.output).collect()
    }

    #[test]
    fn outputs_rewrites_and_references_are_candidates() {
        let texts = [
            text(
                "It sank; it rained.",
                &["It sank."],
                &["It was lost.", "It sank."],
            ),
            text("It sank.", &[], &["It was lost."]),
        ];
        let sets = make_candidates(&texts, 0.0, 1, &|_| 0.0);
        assert_eq!(
            outputs(&sets[0]),
            ["It was lost.", "It sank.", "It sank. It rained."]
        );
        let compared = |at: usize| sets[0].references_for(&sets[0].candidates[at]);
        assert_eq!(
            [compared(0), compared(1), compared(2)],
            [vec![1], vec![0], vec![0, 1]]
        );
        // Nothing is simpler, and the only reference is what candidates are compared with.
        assert_eq!(outputs(&sets[1]), ["It sank."]);
    }

    #[test]
    fn the_share_of_candidates_is_made_worse_that_is_asked_for() {
        let source = |number: usize| format!("the number {number} has seven words here");
        let texts: Vec<PretrainingText> = (0..50)
            .map(|number| text(&source(number), &["one two three four five six seven"], &[]))
            .collect();
        let count = |degraded| {
            let sets = make_candidates(&texts, degraded, 3, &|_| 0.0);
            let changed = sets.iter().zip(&texts).filter(|(set, text)| {
                let candidate = &set.candidates[0];
                candidate.output != text.outputs[0] || candidate.source != text.source
            });
            changed.count()
        };
        assert_eq!([count(0.0), count(0.4), count(1.0)], [0, 20, 50]);
        assert_eq!(
            make_candidates(&texts, 0.4, 3, &|_| 0.0),
            make_candidates(&texts, 0.4, 3, &|_| 0.0)
        );
        assert_ne!(
            make_candidates(&texts, 0.4, 3, &|_| 0.0),
            make_candidates(&texts, 0.4, 4, &|_| 0.0)
        );
    }
}
