//! How far a text supports a question, as a predictor of *unanswerable*.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::{AnswerChoice, AnswerTable, IndexedAnswer, Passage};
use crate::{
    statistics::{
        UndefinedReason,
        roc::{RocCurve, roc},
    },
    text::tokenise::tokenise,
};

/// The words that are looked up in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SupportTarget {
    /// The question.
    Question,
    /// Its right answer, A.
    Answer,
    /// The product of both.
    Both,
}

impl SupportTarget {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Question, Self::Answer, Self::Both];

    /// The name in files and addresses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Answer => "answer",
            Self::Both => "both",
        }
    }
}

/// A variant of the support measure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupportVariant<'a> {
    /// The texts whose words are looked up.
    pub target: SupportTarget,
    /// Stop words, which do not count; `None` if all words count.
    pub without: Option<&'a StopWords>,
}

/// A named list of words that carry no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopWords {
    name: String,
    words: BTreeSet<String>,
}

impl StopWords {
    /// A custom list, in lower case.
    pub fn new<T: AsRef<str>>(name: &str, words: impl IntoIterator<Item = T>) -> Self {
        let words = words
            .into_iter()
            .map(|word| word.as_ref().trim().to_lowercase());
        Self {
            name: name.to_owned(),
            words: words.filter(|word| !word.is_empty()).collect(),
        }
    }

    /// English function words: articles, pronouns, prepositions, conjunctions, auxiliaries, and the
    /// clitics that the tokeniser cuts off.
    #[must_use]
    pub fn english() -> Self {
        let words = ENGLISH.iter().flat_map(|line| line.split_whitespace());
        Self::new("English function words", words)
    }

    /// The label shown with a figure.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

const ENGLISH: [&str; 8] = [
    "a an the this that these those each every either neither some any all both few many much more \
     most other such no none own same",
    "i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his \
     himself she her hers herself it its itself they them their theirs themselves one",
    "who whom whose which what when where why how",
    "about above after against along among around at before behind below beneath beside between \
     beyond by down during except for from in inside into near of off on onto out outside over past \
     since through throughout to toward towards under until up upon with within without",
    "and or but nor so yet if because as while although though unless than whether",
    "be am is are was were been being have has had having do does did doing will would shall should \
     can could may might must",
    "not only just very too then once again here there now also",
    "'s ’s s' 'm ’m 're ’re 've ’ve 'd ’d 'll ’ll n't n’t ' ’ s t d m ll re ve",
];

/// The share of tokens of `wanted` that occur in `text`, from 0 to 1: the number of *distinct* tokens
/// in both, over all tokens of `wanted`; 0 if none is left to look up. Tokens are lower-cased and
/// produced by [`tokenise()`], punctuation included; stop words are removed from `wanted` only.
///
/// Source: Agrawal and Carpuat (2024), section 5.3, after Sugawara et al. (2018). Their tokens are
/// NLTK's, which makes `’s` two tokens, `cannot` two words, and leaves a full stop at the word before
/// it where it sees no end of a sentence. On the released half of their answers, with NLTK's stop
/// words, 4 to 18 of 711 cells differ and no area by more than 0.002.
#[must_use]
pub fn support(text: &str, wanted: &str, without: Option<&StopWords>) -> f64 {
    let mut wanted_tokens = tokens(wanted);
    if let Some(stop) = without {
        wanted_tokens.retain(|token| !stop.words.contains(token));
    }
    if wanted_tokens.is_empty() {
        return 0.0;
    }

    let text_tokens: BTreeSet<_> = tokens(text).into_iter().collect();
    let all = wanted_tokens.len() as f64;
    let shared: BTreeSet<_> = wanted_tokens
        .into_iter()
        .filter(|token| text_tokens.contains(token))
        .collect();
    shared.len() as f64 / all
}

/// An answer with its text and question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerEvidence<'a> {
    /// The text that was read.
    pub text: &'a str,
    /// The question.
    pub question: &'a str,
    /// Its right answer.
    pub right: &'a str,
    /// The answer.
    pub choice: AnswerChoice,
}

/// How well low support predicts *unanswerable*, over the answers that are right or
/// *unanswerable*; those to B, C and D are left out, as in the paper. Pass the answers in the
/// systems' conditions: human texts are a different population.
///
/// # Errors
/// [`UndefinedReason::TooFew`] without both kinds of answers.
pub fn predict_unanswerable(
    answers: &[AnswerEvidence<'_>],
    variant: SupportVariant<'_>,
) -> Result<RocCurve, UndefinedReason> {
    // Many answers share a question and a text, so each pair is computed once.
    let mut computed = HashMap::new();
    let items = answers.iter().filter_map(|answer| {
        let unanswerable = match answer.choice {
            AnswerChoice::A => false,
            AnswerChoice::Unanswerable => true,
            AnswerChoice::B | AnswerChoice::C | AnswerChoice::D => return None,
        };

        let key = (answer.text, answer.question, answer.right);
        let support = *computed
            .entry(key)
            .or_insert_with(|| answer.support(variant));
        Some((support, unanswerable))
    });
    roc(&items.collect::<Vec<_>>())
}

/// Each answer with its text and question, except those in the conditions `left_out`
/// (indices into [`AnswerTable::conditions`]) and those whose text or question is not among the passages.
#[must_use]
pub fn collect_answer_evidence<'a>(
    answers: &AnswerTable,
    passages: impl IntoIterator<Item = &'a Passage>,
    left_out: &[usize],
) -> Vec<AnswerEvidence<'a>> {
    let passages: HashMap<&str, &Passage> = passages
        .into_iter()
        .map(|passage| (passage.name.as_str(), passage))
        .collect();

    let evidence = answers
        .answers()
        .iter()
        .filter(|answer| !left_out.contains(&answer.condition))
        .filter_map(|answer| {
            let passage = *passages.get(&*answers.passages()[answer.passage])?;
            find_evidence(answer, answers, passage)
        });
    evidence.collect()
}

fn find_evidence<'a>(
    answer: &IndexedAnswer,
    answers: &AnswerTable,
    passage: &'a Passage,
) -> Option<AnswerEvidence<'a>> {
    let condition = &answers.conditions()[answer.condition];
    let mut texts = passage.texts.iter();
    let (_, text) = texts.find(|(name, _)| name.as_str() == condition)?;

    let (_, question) = &answers.questions()[answer.question];
    let mut questions = passage.questions.iter();
    let (_, question) = questions.find(|(name, _)| name.as_str() == question)?;

    Some(AnswerEvidence {
        text: text.as_str(),
        question: question.text(),
        right: question.answer(AnswerChoice::A)?,
        choice: answer.choice,
    })
}

impl AnswerEvidence<'_> {
    /// The support of the variant, from 0 to 1.
    #[must_use]
    pub fn support(&self, variant: SupportVariant<'_>) -> f64 {
        match variant.target {
            SupportTarget::Question => support(self.text, self.question, variant.without),
            SupportTarget::Answer => support(self.text, self.right, variant.without),
            SupportTarget::Both => {
                support(self.text, self.question, variant.without)
                    * support(self.text, self.right, variant.without)
            }
        }
    }
}

fn tokens(text: &str) -> Vec<String> {
    let token_texts = tokenise(text)
        .into_iter()
        .filter_map(|token| token.span.slice(text));
    token_texts.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_tokens_count_once_wanted_ones_as_often_as_they_stand() {
        let text = "The cat sat on the mat.";
        // the cat and the dog → the, cat of five.
        assert_eq!(support(text, "The cat and the dog", None), 0.4);
        let stop = StopWords::english();
        assert_eq!(support(text, "The cat and the dog", Some(&stop)), 0.5);
        assert_eq!(support(text, "and the", Some(&stop)), 0.0);
        assert_eq!(support(text, "", None), 0.0);
        assert_eq!(support("", "cat", None), 0.0);
    }
}
