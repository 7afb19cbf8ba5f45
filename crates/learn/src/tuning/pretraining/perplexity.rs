//! The perplexity of sources and outputs, by a language model of the training texts.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    random::SeededRandom,
    text::{tokenise::fold_token, tokenised_text::TokenisedText},
};
use serde::{Deserialize, Serialize};

use super::{
    candidates::{CandidateSet, PretrainingText, collect_set},
    language_model::{LanguageModel, WordSequence, WordVocabulary},
};
use crate::metric::fingerprint;

/// The number of sources that a word needs to be in the vocabulary.
const MIN_SOURCES: usize = 2;
/// The most bytes of text that are counted, some four million words, so that counts take a few hundred megabytes.
const MAX_BYTES: usize = 24 << 20;
/// The random seed by which sources are chosen if there are more.
const SOURCE_SEED: u64 = 1;

/// The texts of a language model by the key of their source: the source itself and its candidates before degradation.
#[derive(Debug, Default)]
pub(super) struct LanguageTexts(BTreeMap<String, BTreeSet<String>>);

/// A language model of texts, from which the texts of a source can be removed.
struct LanguageCounts<'a> {
    /// The texts by source.
    texts: Vec<&'a BTreeSet<String>>,
    /// The numbers of the sources, by their keys.
    sources: BTreeMap<&'a str, usize>,
    vocabulary: WordVocabulary,
    model: LanguageModel,
    /// For each source, the words that leave the vocabulary without it, each with the other sources that have it.
    rare_words: Vec<Vec<RareWord>>,
}

/// A word in just as many sources as it needs to be in the vocabulary.
#[derive(Clone)]
struct RareWord {
    number: u32,
    sources: Vec<usize>,
}

/// The texts of a language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LanguageModelCard {
    /// The SHA-256 of its texts.
    pub data: String,
    /// The number of sources of its texts.
    pub sources: usize,
    /// The number of their words.
    pub words: usize,
    /// The size of its vocabulary.
    pub vocabulary: usize,
}

/// The logarithms of the perplexities of a candidate's source and output.
pub(super) type PairPerplexity = [f64; 2];

impl LanguageTexts {
    /// The texts of these sources, identified by `source_key`; a random selection if they exceed the limit.
    pub(super) fn new<'a>(
        texts: impl IntoIterator<Item = &'a PretrainingText>,
        source_key: fn(&str) -> String,
        zipf: &dyn Fn(&str) -> f32,
    ) -> Self {
        let mut texts: Vec<&PretrainingText> = texts.into_iter().collect();
        SeededRandom::new(SOURCE_SEED).shuffle(&mut texts);
        let mut own = Self::default();
        let mut bytes = 0;

        for text in texts {
            let candidates = collect_set(text, zipf).candidates.into_iter();
            let outputs = candidates.map(|candidate| candidate.output);

            let source_texts = own.0.entry(source_key(&text.source)).or_default();
            for text in outputs.chain([text.source.clone()]) {
                bytes += text.len();
                source_texts.insert(text);
            }
            if bytes >= MAX_BYTES {
                break;
            }
        }
        own
    }

    /// The perplexities of the candidates of each set, given with the key of its source, by a model of these texts.
    /// Each set is judged by the model without its own source, which would otherwise seem more fluent than sources
    /// outside the training texts.
    pub(super) fn compute_perplexities(
        &self,
        sets: &[(String, &CandidateSet)],
    ) -> (Vec<Vec<PairPerplexity>>, LanguageModelCard) {
        let mut counts = LanguageCounts::new(self);
        let card = LanguageModelCard {
            data: fingerprint(serde_json::to_string(&self.0).expect("texts are plain data")),
            sources: self.0.len(),
            words: counts.count_words(),
            vocabulary: counts.vocabulary.len(),
        };
        let sets = sets.iter();
        let perplexities = sets.map(|(key, set)| counts.judge(key, set));
        (perplexities.collect(), card)
    }
}

impl<'a> LanguageCounts<'a> {
    fn new(texts: &'a LanguageTexts) -> Self {
        let keys = texts.0.keys().enumerate();
        let sources = keys.map(|(number, key)| (key.as_str(), number)).collect();
        let texts: Vec<_> = texts.0.values().collect();
        let (vocabulary, rare_words) = build_vocabulary(&texts);
        let mut model = LanguageModel::new(vocabulary.len());
        for text in texts.iter().copied().flatten() {
            model.add(&vocabulary.number_words(text, &BTreeSet::new()));
        }
        Self {
            texts,
            sources,
            vocabulary,
            model,
            rare_words,
        }
    }

    fn count_words(&self) -> usize {
        let texts = self.texts.iter().copied().flatten();
        let all_known = BTreeSet::new();
        texts
            .map(|text| self.vocabulary.number_words(text, &all_known).len())
            .sum()
    }

    /// The perplexities of a set by a model without the source of that key, if the model has it.
    fn judge(&mut self, key: &str, set: &CandidateSet) -> Vec<PairPerplexity> {
        let own = self.sources.get(key).copied();
        let rare = own.map_or(&[][..], |source| &self.rare_words[source]);
        let unknown: BTreeSet<u32> = rare.iter().map(|word| word.number).collect();
        let sharing_sources: BTreeSet<usize> =
            rare.iter().flat_map(|word| word.sources.clone()).collect();
        let all_known = BTreeSet::new();

        // Without this source, the other sources that share a rare word with it have that word as an unknown one.
        let sources = own.into_iter().chain(sharing_sources.iter().copied());
        let counted: Vec<_> = sources
            .flat_map(|source| self.number_texts(source, &all_known))
            .collect();
        let without: Vec<_> = sharing_sources
            .iter()
            .flat_map(|source| self.number_texts(*source, &unknown))
            .collect();

        let model = &mut self.model;
        model.set_vocabulary(self.vocabulary.len() - unknown.len());
        counted.iter().for_each(|text| model.remove(text));
        without.iter().for_each(|text| model.add(text));

        let perplexities = set
            .candidates
            .iter()
            .map(|pair| {
                [&pair.source, &pair.output]
                    .map(|text| model.log_perplexity(&self.vocabulary.number_words(text, &unknown)))
            })
            .collect();

        without.iter().for_each(|text| model.remove(text));
        counted.iter().for_each(|text| model.add(text));
        model.set_vocabulary(self.vocabulary.len());
        perplexities
    }

    fn number_texts(&self, source: usize, unknown: &BTreeSet<u32>) -> Vec<WordSequence> {
        self.texts[source]
            .iter()
            .map(|text| self.vocabulary.number_words(text, unknown))
            .collect()
    }
}

/// The vocabulary, words in alphabetical order, and for each source the words that leave it without this source.
fn build_vocabulary(texts: &[&BTreeSet<String>]) -> (WordVocabulary, Vec<Vec<RareWord>>) {
    let mut sources_with: BTreeMap<String, (usize, Vec<usize>)> = BTreeMap::new();
    for (source, texts) in texts.iter().enumerate() {
        let texts = texts.iter().map(|text| TokenisedText::new(text));
        let words: BTreeSet<String> = texts
            .flat_map(|text| text.words().map(fold_token).collect::<Vec<_>>())
            .collect();
        for word in words {
            let (count, first) = sources_with.entry(word).or_default();
            *count += 1;
            if first.len() < MIN_SOURCES {
                first.push(source);
            }
        }
    }

    sources_with.retain(|_, (count, _)| *count >= MIN_SOURCES);
    let vocabulary = WordVocabulary::new(sources_with.keys().cloned());

    let mut rare_words = vec![Vec::new(); texts.len()];
    for (word, (count, sources)) in sources_with {
        if count > MIN_SOURCES {
            continue;
        }
        let number = vocabulary.number(&word).expect("it is in the vocabulary");
        for source in &sources {
            let other_sources = sources.iter().copied().filter(|other| other != source);
            rare_words[*source].push(RareWord {
                number,
                sources: other_sources.collect(),
            });
        }
    }

    (vocabulary, rare_words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::pretraining::candidates::CandidatePair;

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
        LanguageTexts::new(&texts, |source| source.to_lowercase(), &|_| 0.0)
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
            .compute_perplexities(&[(source.to_lowercase(), &set), (source.to_lowercase(), &set)])
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

    /// “Sank” and “ship” are words of the first source and one other, which alone would not make them known.
    #[test]
    fn a_source_is_judged_as_if_it_were_not_learned_from() {
        for output in [SOURCES[0], "The ship sank.", "The boat was in the sea."] {
            let learned = judge(&texts(&SOURCES), SOURCES[0], output);
            let held_out = judge(&texts(&SOURCES[1..]), SOURCES[0], output);
            assert_eq!(learned.map(f64::to_bits), held_out.map(f64::to_bits));
            let seen = judge(&texts(&SOURCES), "Another.", output);
            assert_ne!(learned[1].to_bits(), seen[1].to_bits());
            let capitals = judge(&texts(&SOURCES), &SOURCES[0].to_uppercase(), output);
            assert_eq!(learned[1].to_bits(), capitals[1].to_bits());
        }
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
