//! Comparisons of outputs of one source: which of two is better, or which of several are best and worst.

use serde::{Deserialize, Serialize};

/// The outcome of comparing two outputs, a and b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairOutcome {
    /// a is better.
    A,
    /// b is better.
    B,
    /// Neither is better.
    Tie,
}

impl PairOutcome {
    /// The outcome with a and b swapped.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
            Self::Tie => Self::Tie,
        }
    }
}

/// The reason why an answer is not a valid comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidComparison {
    /// Nothing to compare with.
    #[error("fewer than two are shown: name at least two")]
    TooFewShown,
    /// The same is shown twice.
    #[error("the same is shown twice: name each once")]
    ShownTwice,
    /// The answer names the better of two, but more are shown.
    #[error("is about two, and more are shown: name the best and the worst")]
    MoreThanTwo,
    /// The best is none of those shown.
    #[error("is none of those shown: name one of them")]
    BestNotShown,
    /// The worst is none of those shown.
    #[error("is none of those shown: name one of them")]
    WorstNotShown,
    /// The best is also the worst.
    #[error("is also the best: name another one")]
    BestIsWorst,
}

/// Two different outputs that were compared. `S` identifies an output, or the system that wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct ComparedPair<S> {
    a: S,
    b: S,
    outcome: PairOutcome,
}

impl<S: PartialEq> ComparedPair<S> {
    /// The comparison of a with b.
    ///
    /// # Errors
    /// [`InvalidComparison::ShownTwice`] where both are the same.
    pub fn new(a: S, b: S, outcome: PairOutcome) -> Result<Self, InvalidComparison> {
        if a == b {
            return Err(InvalidComparison::ShownTwice);
        }
        Ok(Self { a, b, outcome })
    }
}

impl<S> ComparedPair<S> {
    /// The first.
    pub const fn a(&self) -> &S {
        &self.a
    }

    /// The second.
    pub const fn b(&self) -> &S {
        &self.b
    }

    /// The outcome: which of them is better, if any.
    #[must_use]
    pub const fn outcome(&self) -> PairOutcome {
        self.outcome
    }
}

/// The best and the worst of several outputs that were shown together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct BestWorstChoice<S> {
    shown: Vec<S>,
    best: usize,
    worst: usize,
}

impl<S: PartialEq> BestWorstChoice<S> {
    /// The choice among two or more different outputs.
    ///
    /// # Errors
    /// [`InvalidComparison`] where fewer than two or the same twice are shown, or where best and worst are
    /// not two of them.
    pub fn new(shown: Vec<S>, best: &S, worst: &S) -> Result<Self, InvalidComparison> {
        if shown.len() < 2 {
            return Err(InvalidComparison::TooFewShown);
        }
        if (1..shown.len()).any(|at| shown[..at].contains(&shown[at])) {
            return Err(InvalidComparison::ShownTwice);
        }

        let best = shown.iter().position(|one| one == best);
        let best = best.ok_or(InvalidComparison::BestNotShown)?;
        let worst = shown.iter().position(|one| one == worst);
        let worst = worst.ok_or(InvalidComparison::WorstNotShown)?;
        if best == worst {
            return Err(InvalidComparison::BestIsWorst);
        }
        Ok(Self { shown, best, worst })
    }
}

impl<S> BestWorstChoice<S> {
    /// Those shown, in the order in which they were named.
    pub fn shown(&self) -> &[S] {
        &self.shown
    }

    /// The best of them.
    #[must_use]
    pub fn best(&self) -> &S {
        &self.shown[self.best]
    }

    /// The worst of them.
    #[must_use]
    pub fn worst(&self) -> &S {
        &self.shown[self.worst]
    }
}

/// An annotator's choice among outputs that are shown together, which may be incomplete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonChoice<S> {
    /// Neither of two is better.
    Tie,
    /// The better one of two.
    Better(S),
    /// Those that are best and worst of several, as far as they are chosen.
    BestWorst {
        /// The best.
        best: Option<S>,
        /// The worst.
        worst: Option<S>,
    },
}

impl<S: Copy + PartialEq> ComparisonChoice<S> {
    /// The answer that the choice makes, given the outputs shown; `None` while it is incomplete.
    ///
    /// # Errors
    /// [`InvalidComparison`] where the choice does not fit those shown.
    pub fn answer(self, shown: &[S]) -> Result<Option<ComparisonAnswer<S>>, InvalidComparison> {
        match self {
            Self::Tie => {
                let (a, b) = expect_pair(shown)?;
                let tie = ComparedPair::new(a, b, PairOutcome::Tie)?;
                Ok(Some(ComparisonAnswer::Pair(tie)))
            }
            Self::Better(better) => {
                let (a, b) = expect_pair(shown)?;
                require_shown(shown, Some(better), InvalidComparison::BestNotShown)?;

                let outcome = if better == a {
                    PairOutcome::A
                } else {
                    PairOutcome::B
                };
                Ok(Some(ComparisonAnswer::Pair(ComparedPair::new(
                    a, b, outcome,
                )?)))
            }
            Self::BestWorst { best, worst } => {
                require_shown(shown, best, InvalidComparison::BestNotShown)?;
                require_shown(shown, worst, InvalidComparison::WorstNotShown)?;

                let (Some(best), Some(worst)) = (best, worst) else {
                    return Ok(None);
                };
                let choice = BestWorstChoice::new(shown.to_vec(), &best, &worst)?;
                Ok(Some(ComparisonAnswer::BestWorst(choice)))
            }
        }
    }

    /// The same choice, with each output replaced by what `other` returns for it.
    #[must_use]
    pub fn map<T>(self, other: impl Fn(S) -> T) -> ComparisonChoice<T> {
        match self {
            Self::Tie => ComparisonChoice::Tie,
            Self::Better(better) => ComparisonChoice::Better(other(better)),
            Self::BestWorst { best, worst } => ComparisonChoice::BestWorst {
                best: best.map(&other),
                worst: worst.map(&other),
            },
        }
    }

    /// Whether nothing is left to choose.
    #[must_use]
    pub const fn is_complete(self) -> bool {
        !matches!(
            self,
            Self::BestWorst { best: None, .. } | Self::BestWorst { worst: None, .. }
        )
    }
}

/// The two outputs shown.
fn expect_pair<S: Copy>(shown: &[S]) -> Result<(S, S), InvalidComparison> {
    match shown {
        [a, b] => Ok((*a, *b)),
        [] | [_] => Err(InvalidComparison::TooFewShown),
        _ => Err(InvalidComparison::MoreThanTwo),
    }
}

/// Refuses with `error` an output that is not shown.
fn require_shown<S: PartialEq>(
    shown: &[S],
    output: Option<S>,
    error: InvalidComparison,
) -> Result<(), InvalidComparison> {
    match output {
        Some(output) if !shown.contains(&output) => Err(error),
        _ => Ok(()),
    }
}

/// A rater's answer about outputs of one source that were shown together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonAnswer<S> {
    /// The better of two, or a tie.
    Pair(ComparedPair<S>),
    /// The best and the worst of several.
    BestWorst(BestWorstChoice<S>),
}

impl<S> ComparisonAnswer<S> {
    /// Those that were shown.
    pub fn shown(&self) -> Vec<&S> {
        match self {
            Self::Pair(ComparedPair { a, b, .. }) => vec![a, b],
            Self::BestWorst(choice) => choice.shown.iter().collect(),
        }
    }

    /// The pairs that the answer decides. Of k shown these are 2k − 3: the best beats each of the others, and each of
    /// those beats the worst; it says nothing about pairs among the rest.
    pub fn pairs(&self) -> Vec<ComparedPair<&S>> {
        let choice = match self {
            Self::Pair(ComparedPair { a, b, outcome }) => {
                let outcome = *outcome;
                return vec![ComparedPair { a, b, outcome }];
            }
            Self::BestWorst(choice) => choice,
        };

        let (best, worst) = (choice.best(), choice.worst());
        let mut pairs = vec![win(best, worst)];
        for (place, other) in choice.shown.iter().enumerate() {
            if place != choice.best && place != choice.worst {
                pairs.extend([win(best, other), win(other, worst)]);
            }
        }
        pairs
    }
}

/// The pair in which `better` beats `worse`.
const fn win<'a, S>(better: &'a S, worse: &'a S) -> ComparedPair<&'a S> {
    ComparedPair {
        a: better,
        b: worse,
        outcome: PairOutcome::A,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_among_four_decides_five_pairs() {
        let choice = BestWorstChoice::new(vec!["a", "b", "c", "d"], &"c", &"a").expect("valid");
        let four = ComparisonAnswer::BestWorst(choice);
        let pairs = four.pairs();
        let decided: Vec<_> = pairs.iter().map(|pair| (*pair.a, *pair.b)).collect();
        let expected = [("c", "a"), ("c", "b"), ("b", "a"), ("c", "d"), ("d", "a")];
        assert_eq!(decided, expected);
        assert!(pairs.iter().all(|pair| pair.outcome == PairOutcome::A));
        let two = BestWorstChoice::new(vec!["a", "b"], &"b", &"a").expect("valid");
        assert_eq!(ComparisonAnswer::BestWorst(two).pairs().len(), 1);
    }

    #[test]
    fn a_choice_is_an_answer_once_it_is_complete() {
        use ComparisonChoice::{BestWorst, Better, Tie};
        let outcome = |choice: ComparisonChoice<u8>, shown: &[u8]| {
            let answer = choice.answer(shown)?;
            let pairs = answer.iter().flat_map(ComparisonAnswer::pairs);
            Ok(pairs.map(|pair| (**pair.a(), pair.outcome())).collect())
        };
        let half = BestWorst {
            best: Some(1),
            worst: None,
        };
        let whole = BestWorst {
            best: Some(1),
            worst: Some(2),
        };
        for (choice, shown, expected) in [
            (Tie, &[1, 2][..], Ok(vec![(1, PairOutcome::Tie)])),
            (Better(2), &[1, 2], Ok(vec![(1, PairOutcome::B)])),
            (half, &[1, 2], Ok(vec![])),
            (whole, &[1, 2], Ok(vec![(1, PairOutcome::A)])),
            (Better(1), &[1, 2, 3], Err(InvalidComparison::MoreThanTwo)),
            (Better(3), &[1, 2], Err(InvalidComparison::BestNotShown)),
            (half, &[2, 3], Err(InvalidComparison::BestNotShown)),
        ] {
            assert_eq!(outcome(choice, shown), expected, "{choice:?} of {shown:?}");
        }
        assert!(
            whole.is_complete() && ComparisonChoice::<u8>::Tie.is_complete() && !half.is_complete()
        );
    }

    #[test]
    fn an_answer_that_contradicts_itself_is_refused() {
        use InvalidComparison::{
            BestIsWorst, BestNotShown, ShownTwice, TooFewShown, WorstNotShown,
        };
        for (shown, best, worst, expected) in [
            (&["a"][..], "a", "a", TooFewShown),
            (&["a", "b", "a"], "a", "b", ShownTwice),
            (&["a", "b"], "c", "b", BestNotShown),
            (&["a", "b"], "a", "c", WorstNotShown),
            (&["a", "b"], "a", "a", BestIsWorst),
        ] {
            let choice = BestWorstChoice::new(shown.to_vec(), &best, &worst);
            assert_eq!(choice, Err(expected), "{shown:?}");
        }
        let pair = ComparedPair::new("a", "a", PairOutcome::Tie);
        assert_eq!(pair, Err(ShownTwice));
    }
}
