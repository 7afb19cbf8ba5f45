//! The perplexity of sources and outputs, by a language model made of the texts that are learned from.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    random::SeededRandom,
    text::{tokenise::fold_token, tokenised_text::TokenisedText},
};
use serde::{Deserialize, Serialize};

use super::{
    candidates::{CandidatePair, CandidateSet, PretrainingText, collect_set},
    language_model::{LanguageModel, WordSequence, WordVocabulary},
};
use crate::metric::fingerprint;

/// The number of sources from which a word is in the vocabulary.
const MIN_SOURCES: usize = 2;
/// The bytes of text that are counted at most, some four million words, so that counts take a few hundred megabytes.
const MAX_BYTES: usize = 24 << 20;
/// The random seed by which sources are taken where there are more.
const SOURCE_SEED: u64 = 1;

/// The texts of a language model by their source: the source itself and its candidates, none of them made worse.
#[derive(Debug, Default)]
pub(super) struct LanguageTexts(BTreeMap<String, BTreeSet<String>>);

/// The texts that a language model was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LanguageModelCard {
    /// The SHA-256 of its texts.
    pub data: String,
    /// The number of sources whose texts it was made of.
    pub sources: usize,
    /// The number of their words.
    pub words: usize,
    /// The size of its vocabulary.
    pub vocabulary: usize,
}

/// The logarithms of the perplexities of a candidate's source and output.
pub(super) type PairPerplexity = [f64; 2];

impl LanguageTexts {
    /// The texts of these sources; as many as are counted, taken at random.
    pub(super) fn new<'a>(
        texts: impl IntoIterator<Item = &'a PretrainingText>,
        zipf: &dyn Fn(&str) -> f32,
    ) -> Self {
        let mut texts: Vec<&PretrainingText> = texts.into_iter().collect();
        SeededRandom::new(SOURCE_SEED).shuffle(&mut texts);
        let mut own = Self::default();
        let mut bytes = 0;
        for text in texts {
            let candidates = collect_set(text, zipf).candidates.into_iter();
            let all = candidates
                .map(|one| one.output)
                .chain([text.source.clone()]);
            let of_source = own.0.entry(text.source.clone()).or_default();
            for text in all {
                bytes += text.len();
                of_source.insert(text);
            }
            if bytes >= MAX_BYTES {
                break;
            }
        }
        own
    }

    /// The perplexities of the candidates of each set, given with its source, by a model of these texts. A set is judged
    /// without the texts of its own source: they would seem more fluent than those of sources that are not learned from.
    pub(super) fn compute_perplexities(
        &self,
        sets: &[(&str, &CandidateSet)],
    ) -> (Vec<Vec<PairPerplexity>>, LanguageModelCard) {
        let vocabulary = self.build_vocabulary();
        let mut model = LanguageModel::new(vocabulary.len());
        let number = |texts: &BTreeSet<String>| -> Vec<WordSequence> {
            let texts = texts.iter();
            texts.map(|text| vocabulary.number_words(text)).collect()
        };
        let mut words = 0;
        for text in self.0.values().flat_map(number) {
            words += text.len();
            model.add(&text);
        }
        let perplexities = sets.iter().map(|(source, set)| {
            let own = self.0.get(*source).map(number).unwrap_or_default();
            own.iter().for_each(|text| model.remove(text));
            let judge = |text: &str| model.log_perplexity(&vocabulary.number_words(text));
            let judge = |pair: &CandidatePair| [judge(&pair.source), judge(&pair.output)];
            let judged = set.candidates.iter().map(judge).collect();
            own.iter().for_each(|text| model.add(text));
            judged
        });
        let perplexities = perplexities.collect();
        let card = LanguageModelCard {
            data: fingerprint(serde_json::to_string(&self.0).expect("texts are plain data")),
            sources: self.0.len(),
            words,
            vocabulary: vocabulary.len(),
        };
        (perplexities, card)
    }

    /// The words of texts of several sources, in alphabetical order.
    fn build_vocabulary(&self) -> WordVocabulary {
        let mut sources_with: BTreeMap<String, usize> = BTreeMap::new();
        for texts in self.0.values() {
            let texts = texts.iter().map(|text| TokenisedText::new(text));
            let words: BTreeSet<String> = texts
                .flat_map(|text| text.words().map(fold_token).collect::<Vec<_>>())
                .collect();
            for word in words {
                *sources_with.entry(word).or_default() += 1;
            }
        }
        let known = sources_with.into_iter();
        WordVocabulary::new(
            known
                .filter(|(_, sources)| *sources >= MIN_SOURCES)
                .map(|(word, _)| word),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: [&str; 4] = [
        "The ship sank in the sea.",
        "The boat sank in the lake.",
        "The ship was in the lake.",
        "The cat was in the boat.",
    ];

    fn texts(sources: &[&str]) -> LanguageTexts {
        let text = |source: &&str| PretrainingText {
            source: (*source).to_owned(),
            outputs: Vec::new(),
            references: Vec::new(),
        };
        let texts: Vec<PretrainingText> = sources.iter().map(text).collect();
        LanguageTexts::new(&texts, &|_| 0.0)
    }

    fn judge(texts: &LanguageTexts, source: &str, output: &str) -> PairPerplexity {
        let set = CandidateSet {
            candidates: vec![CandidatePair {
                source: source.to_owned(),
                output: output.to_owned(),
                own_reference: None,
            }],
            references: Vec::new(),
        };
        // Twice: the texts of a source are counted again after it was judged.
        let judged = texts
            .compute_perplexities(&[(source, &set), (source, &set)])
            .0;
        assert_eq!(judged[0], judged[1]);
        judged[0][0]
    }

    #[test]
    fn words_out_of_order_are_less_fluent() {
        let texts = texts(&SOURCES);
        let [source, output] = judge(
            &texts,
            "The ship sank in the lake.",
            "The sank lake ship the in.",
        );
        assert!(source + 0.5 < output, "{source} {output}");
    }

    #[test]
    fn a_source_is_judged_without_its_own_texts() {
        let all = texts(&SOURCES);
        let [own, _] = judge(&all, SOURCES[0], "The ship sank.");
        let [seen, _] = judge(&all, "another", SOURCES[0]);
        assert_ne!(own.to_bits(), seen.to_bits());
        // No word is known only by it, so that the vocabulary of the others is the same.
        let mut more = SOURCES.to_vec();
        more.push("The sea was in the lake.");
        more.push("The cat was in the sea.");
        more.push("The ship sank.");
        let with = judge(&texts(&more), SOURCES[0], "The ship sank.");
        let without = judge(&texts(&more[1..]), SOURCES[0], "The ship sank.");
        assert_eq!(with.map(f64::to_bits), without.map(f64::to_bits));
    }

    #[test]
    fn the_card_says_what_a_model_was_made_of() {
        let (_, card) = texts(&SOURCES).compute_perplexities(&[]);
        // “cat” and “sea” are in one text only: 8 words and signs, 7 kinds of others, and the end.
        assert_eq!((card.sources, card.words, card.vocabulary), (4, 28, 16));
        let (_, other) = texts(&SOURCES[1..]).compute_perplexities(&[]);
        assert_ne!(card.data, other.data);
    }
}
