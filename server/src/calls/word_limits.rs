//! Limits on the text of a call, by the kind of its metrics: those with a model compare each word with each
//! other.

use domain::text::{limits::check_size, tokenise::tokenise};

use super::CallError;
use crate::metrics::MetricKind;

/// The most words that texts may have, for one kind of metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WordLimits {
    /// The kind, as the subject of a sentence.
    metrics: &'static str,
    /// The limit of a text.
    text: usize,
    /// The limit of a source, its output and its references together.
    pair: usize,
    /// The limit of a source's candidates together, times their number: each is compared with each other.
    candidates: usize,
}

impl WordLimits {
    /// The limits for metrics with a model: a text may be about as long as encoders take at once.
    pub(crate) const MODELS: Self = Self {
        metrics: "metrics with a model",
        text: 512,
        pair: 5_000,
        candidates: 100_000,
    };
    const TEXTS: Self = Self {
        metrics: "metrics without a model",
        text: 10_000,
        pair: 100_000,
        candidates: 0,
    };

    /// The limits for these metrics together.
    pub(crate) fn for_metrics(metrics: &[MetricKind]) -> Self {
        match metrics.iter().any(|metric| metric.has_model()) {
            true => Self::MODELS,
            false => Self::TEXTS,
        }
    }

    /// Refuses a source, its output and its references if they are too long to compare.
    ///
    /// # Errors
    /// A sentence on the text that is too long; `place` names the pair.
    pub(crate) fn check_pair(
        self,
        place: &str,
        source: &str,
        output: &str,
        references: &[String],
    ) -> Result<(), CallError> {
        let texts = [("the source", source), ("the output", output)].into_iter();
        let texts = texts.chain(references.iter().map(|text| ("a reference", text.as_str())));

        let mut sum = 0;
        for (name, text) in texts {
            sum += self.check_text(place, name, text)?;
        }
        if sum <= self.pair {
            return Ok(());
        }

        let Self { metrics, pair, .. } = self;
        Err(CallError::bad_arguments(format!(
            "{place}: source, output and references have {sum} words, and {metrics} take at most {pair} together: send \
             fewer references"
        )))
    }

    /// Refuses the candidates of a source if they are too long to compare with each other.
    ///
    /// # Errors
    /// A sentence on the text that is too long, or on all of them; `place` names the source.
    pub(crate) fn check_candidates(
        self,
        place: &str,
        source: &str,
        candidates: &[String],
    ) -> Result<(), CallError> {
        self.check_text(place, "the source", source)?;

        let mut sum = 0;
        for text in candidates {
            sum += self.check_text(place, "a candidate", text)?;
        }
        if sum * candidates.len() <= self.candidates {
            return Ok(());
        }

        let (count, most) = (candidates.len(), self.candidates / candidates.len());
        Err(CallError::bad_arguments(format!(
            "{place}: its {count} candidates have {sum} words, and that many may have at most {most} together: \
             send fewer or shorter ones"
        )))
    }

    /// Counts the words of a text, and refuses one that is too long.
    fn check_text(self, place: &str, name: &str, text: &str) -> Result<usize, CallError> {
        let Self {
            metrics,
            text: most,
            ..
        } = self;

        let words = count_words(text);
        if words > most {
            return Err(CallError::bad_arguments(format!(
                "{place}: {name} has {words} words, and {metrics} take at most {most} a text: shorten it, or split it \
                 into several texts"
            )));
        }

        if self == Self::MODELS {
            check_size(text)
                .map_err(|fault| CallError::bad_arguments(format!("{place}: {name} {fault}")))?;
        }
        Ok(words)
    }
}

/// The number of words and punctuation marks of a text.
fn count_words(text: &str) -> usize {
    tokenise(text).len()
}

#[cfg(test)]
mod tests {
    use domain::metrics::TextMetric;

    use super::*;
    use crate::metrics::EmbeddingMetric;

    fn words(count: usize) -> String {
        "word ".repeat(count)
    }

    #[test]
    fn metrics_with_a_model_take_shorter_texts() {
        let text = WordLimits::for_metrics(&[MetricKind::Text(TextMetric::Sari)]);
        let models = WordLimits::for_metrics(&[
            MetricKind::Text(TextMetric::Sari),
            MetricKind::Embedding(EmbeddingMetric::BertScoreF1),
        ]);
        let refusal = |limits: WordLimits, output: String, references: Vec<String>| {
            let checked = limits.check_pair("pair 0", &words(10), &output, &references);
            checked.err().map(|error| error.message)
        };
        for (output, references, expect) in [
            (words(512), vec![], None),
            (
                words(513),
                vec![],
                Some("pair 0: the output has 513 words, and metrics with a model"),
            ),
            (
                words(9),
                vec![words(600)],
                Some("pair 0: a reference has 600 words"),
            ),
            (words(9), vec![words(500); 10], Some("have 5019 words")),
            (
                "x".repeat(501),
                vec![],
                Some("the output has a word of more than 500 letters"),
            ),
        ] {
            let found = refusal(models, output.clone(), references.clone());
            match expect {
                None => assert_eq!(found, None),
                Some(part) => assert!(
                    found.as_ref().is_some_and(|found| found.contains(part)),
                    "{found:?}"
                ),
            }
            assert_eq!(refusal(text, output, references), None);
        }

        assert!(refusal(text, words(9), vec![words(9_999); 11]).is_some());
    }

    #[test]
    fn candidates_are_counted_by_their_comparisons() {
        let check = |count: usize, length: usize| {
            let candidates = vec![words(length); count];
            WordLimits::MODELS.check_candidates("source 0", &words(10), &candidates)
        };
        assert!(check(64, 24).is_ok());
        assert!(check(10, 512).is_ok());
        let refused = check(64, 25).expect_err("64 times 1,600 words").message;
        assert!(
            refused.contains("its 64 candidates have 1600 words"),
            "{refused}"
        );
        assert!(refused.contains("at most 1562 together"), "{refused}");
        assert!(check(2, 513).is_err());
    }
}
