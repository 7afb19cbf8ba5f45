//! Self-BLEU: how much outputs resemble each other.

use super::{
    BleuCounts, PreparedSource,
    signature::{LetterCase, MetricSignature, ReferenceCount},
};

/// BLEU of each text with all others as its references (Zhu et al. 2018, *Texygen*), from 0 to 100, in
/// their order, as sacreBLEU's sentence BLEU gives it; the mean is self-BLEU, the lower the more
/// diverse. A text without others has 0.
#[must_use]
pub fn self_bleu<T: AsRef<str>>(texts: &[T], case: LetterCase) -> Vec<f64> {
    let score = |(at, text): (usize, &T)| {
        let others = texts.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<&str> = others.map(|(_, text)| text.as_ref()).collect();
        let side = PreparedSource::new("", &others);
        BleuCounts::new(&side, text.as_ref(), case).sentence().score
    };
    texts.iter().enumerate().map(score).collect()
}

/// The signature of [`fn@self_bleu`] among so many texts.
#[must_use]
pub fn self_bleu_signature(case: LetterCase, texts: usize) -> MetricSignature {
    let others = ReferenceCount::Each(texts.saturating_sub(1));
    MetricSignature::new("self-bleu", "sacrebleu-sentence-exp", "13a", case, others)
}
