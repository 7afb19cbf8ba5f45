//! Splits calls into slices of about a second each. Between two slices, others get their turn, and a caller
//! who has hung up is noticed.

use domain::metrics::ReferenceCount;

use super::{
    CallError, RerankCall, RerankResult, ScoreCall, ScoreResult, arguments::check_lengths,
};

/// The most pairs in a slice.
const MAX_PAIRS: usize = 32;
/// The most bytes of text in a slice of several pairs: some 5,000 words.
const MAX_BYTES: usize = 32_000;

impl ScoreCall {
    /// Splits the call into slices, in order; a call without outputs is one slice. Slices have no corpus
    /// scores: see [`score_corpus`](super::score_corpus).
    ///
    /// # Errors
    /// When the lists have different lengths.
    pub(crate) fn into_slices(self) -> Result<Vec<Self>, CallError> {
        self.check_lengths()?;
        let lists = self.references.as_deref();
        let references_of = |at: usize| lists.map_or(&[][..], |lists| &lists[at]);
        let whole =
            ReferenceCount::from_counts((0..self.sources.len()).map(|at| references_of(at).len()));
        let pairs = self.sources.iter().zip(&self.outputs).enumerate();
        let lengths: Vec<usize> = pairs
            .map(|(at, (source, output))| {
                source.len() + output.len() + count_bytes(references_of(at))
            })
            .collect();

        let (mut sources, mut outputs) = (self.sources.into_iter(), self.outputs.into_iter());
        let mut references = self.references.map(Vec::into_iter);
        let slices = slice_lengths(&lengths).into_iter().map(|pairs| Self {
            metrics: self.metrics.clone(),
            sources: sources.by_ref().take(pairs).collect(),
            outputs: outputs.by_ref().take(pairs).collect(),
            references: references
                .as_mut()
                .map(|lists| lists.by_ref().take(pairs).collect()),
            meaning: self.meaning,
            corpus: false,
            whole: Some(whole),
        });
        Ok(slices.collect())
    }
}

impl ScoreResult {
    /// Adds the scores of the next slice.
    pub(crate) fn append(&mut self, next: Self) {
        for (all, more) in self.scores.iter_mut().zip(next.scores) {
            all.values.extend(more.values);
            all.meanings.extend(more.meanings);
        }
    }
}

impl RerankCall {
    /// Splits the call into slices, in order; a call without sources is one slice.
    ///
    /// # Errors
    /// When the lists have different lengths.
    pub(crate) fn into_slices(self) -> Result<Vec<Self>, CallError> {
        check_lengths(&self.sources, self.candidates.len(), "lists of candidates")?;
        let lengths = self.candidates.iter().map(|texts| count_bytes(texts));
        let lengths: Vec<usize> = lengths.collect();

        let (mut sources, mut candidates) = (self.sources.into_iter(), self.candidates.into_iter());
        let slices = slice_lengths(&lengths).into_iter().map(|count| Self {
            sources: sources.by_ref().take(count).collect(),
            candidates: candidates.by_ref().take(count).collect(),
            model: self.model.clone(),
        });
        Ok(slices.collect())
    }
}

impl RerankResult {
    /// Adds the choices of the next slice.
    pub(crate) fn append(&mut self, next: Self) {
        self.choices.extend(next.choices);
    }
}

fn count_bytes(texts: &[String]) -> usize {
    texts.iter().map(String::len).sum()
}

/// The number of items in each slice, given the bytes of each item.
fn slice_lengths(bytes: &[usize]) -> Vec<usize> {
    let (mut lengths, mut length, mut sum) = (vec![], 0, 0);
    for more in bytes {
        if length > 0 && (length == MAX_PAIRS || sum + more > MAX_BYTES) {
            lengths.push(length);
            (length, sum) = (0, 0);
        }
        length += 1;
        sum += more;
    }
    lengths.push(length);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        calls::{CallSession, score_corpus},
        learned_metric::testing::empty_settings,
        progress::ProgressDisplay::Hidden,
    };

    #[test]
    fn slices_have_few_pairs_and_short_texts() {
        for (bytes, expect) in [
            (vec![], vec![0]),
            (vec![10; 32], vec![32]),
            (vec![10; 70], vec![32, 32, 6]),
            (vec![16_000; 5], vec![2, 2, 1]),
            (vec![60_000, 1, 60_000], vec![1, 1, 1]),
            (vec![31_999, 1, 1], vec![2, 1]),
        ] {
            assert_eq!(slice_lengths(&bytes), expect, "{bytes:?}");
        }
    }

    /// Pairs without references and pairs with two, so that a slice on its own would have another signature.
    fn call(meaning: bool) -> ScoreCall {
        let texts = |word: &str| {
            let texts = (0..80).map(|at| format!("The {word} number {at} sank."));
            texts.collect::<Vec<_>>()
        };

        let references = (0..80).map(|at| match at < 40 {
            true => vec![],
            false => vec![format!("Boat {at} sank."), "It sank.".to_owned()],
        });

        let metrics = ["compression", "sari", "bleu"].map(str::to_owned).to_vec();
        let (sources, outputs) = (texts("vessel"), texts("boat"));
        ScoreCall {
            meaning,
            ..ScoreCall::new(metrics, sources, outputs, Some(references.collect()))
        }
    }

    #[test]
    fn the_scores_of_slices_are_those_of_the_whole() {
        let session = CallSession::new(&empty_settings());
        for meaning in [false, true] {
            let whole_call = ScoreCall {
                corpus: meaning,
                ..call(meaning)
            };
            let whole = session.score(&whole_call, Hidden).expect("scored");

            let slices = call(meaning).into_slices().expect("the lists fit");
            assert_eq!(slices.len(), 3);
            let mut slices = slices
                .into_iter()
                .map(|slice| session.score(&slice, Hidden).expect("scored"));
            let mut joined = slices.next().expect("a slice");
            slices.for_each(|next| joined.append(next));

            if whole_call.corpus {
                joined = score_corpus(&whole_call, joined).expect("scored");
                assert!(joined.scores[1].corpus.is_some(), "SARI is made of counts");
            }

            let json = |result: &ScoreResult| serde_json::to_value(result).expect("plain data");
            assert_eq!(json(&joined), json(&whole));
        }
    }

    #[test]
    fn lists_of_different_lengths_are_refused() {
        let mut short = call(false);
        short.outputs.pop();
        assert!(short.into_slices().is_err());
        let mut short = call(false);
        short.references = Some(vec![vec![]]);
        assert!(short.into_slices().is_err());
        let reranked = RerankCall::by_default_model(vec!["a".to_owned()], vec![]);
        assert!(reranked.into_slices().is_err());
    }
}
