//! The types and levels of spans that a study can begin with.

use domain::span_marks::taxonomy::{EditForm, MarkLevel, MarkedSides, SpanTaxonomy, SpanType};

use EditForm::{Deletion, Insertion, Phrase, Split, Word};
use MarkedSides::{Both, Output, Source};

fn types(list: &[(&str, MarkedSides, &[EditForm], &str)]) -> Vec<SpanType> {
    let of =
        |(name, sides, prefill, description): &(&str, MarkedSides, &[EditForm], &str)| SpanType {
            name: (*name).to_owned(),
            sides: *sides,
            description: (*description).to_owned(),
            prefill: prefill.to_vec(),
        };
    list.iter().map(of).collect()
}

fn levels(list: &[(&str, f64, &str)]) -> Vec<MarkLevel> {
    let of = |(name, value, description): &(&str, f64, &str)| MarkLevel {
        name: (*name).to_owned(),
        value: *value,
        description: (*description).to_owned(),
    };
    list.iter().map(of).collect()
}

/// The rules of paper 004 (table 2), in our own words: a change makes a text simpler if it follows one of them.
const PLAIN_LANGUAGE: [&str; 16] = [
    "Say who does what: active instead of passive sentences.",
    "Use the plainest form of a verb: simple present or past instead of “would have” or “will be doing”.",
    "Use verbs for actions: “decide” instead of “make a decision”.",
    "Write abbreviations out.",
    "Choose shorter and more common words.",
    "Leave out words that add nothing.",
    "Call the same thing by the same name each time.",
    "Avoid words of law, science, trades or other languages.",
    "Use simple punctuation: full stops instead of semicolons, dashes and brackets.",
    "Make sentences shorter.",
    "Keep subject, verb and object next to each other.",
    "Avoid double negatives, and exceptions from exceptions.",
    "Begin with the main point; conditions and exceptions come after it.",
    "Put one main idea into each sentence.",
    "Avoid figures of speech.",
    "Write numbers as digits.",
];

/// The transformations of paper 004, each correct, half correct or wrong by the rules of plain language.
pub(super) fn transformations() -> SpanTaxonomy {
    SpanTaxonomy {
        types: types(&[
            ("Word", Both, &[Word], "One word stands for one word."),
            (
                "Phrase",
                Both,
                &[Phrase],
                "A group of words was put in other words.",
            ),
            (
                "Reordering",
                Both,
                &[],
                "Words of one clause are in another order.",
            ),
            (
                "Splitting",
                Output,
                &[Split],
                "A sentence ends where the source goes on.",
            ),
            (
                "Removal",
                Source,
                &[Deletion],
                "Information of the source is gone.",
            ),
            (
                "Addition",
                Output,
                &[Insertion],
                "The output tells something that the source does not.",
            ),
        ]),
        levels: levels(&[
            (
                "correct",
                1.0,
                "It keeps the meaning, is good English, and is simpler by one of the rules.",
            ),
            (
                "half correct",
                0.5,
                "It keeps the meaning and is simpler, with a small slip of grammar.",
            ),
            (
                "wrong",
                0.0,
                "It changes the meaning, is not simpler, or is bad English.",
            ),
        ]),
        rules: PLAIN_LANGUAGE.map(str::to_owned).to_vec(),
    }
}

/// Edits of meaning, of sentences and of words, each with a level for how much it helps or harms.
pub(super) fn edit_quality() -> SpanTaxonomy {
    SpanTaxonomy {
        types: types(&[
            (
                "Added information",
                Output,
                &[Insertion],
                "The output tells more than the source.",
            ),
            (
                "Left out",
                Source,
                &[Deletion],
                "Words of the source have no counterpart.",
            ),
            (
                "Split",
                Output,
                &[Split],
                "A sentence ends where the source goes on.",
            ),
            (
                "Reordering",
                Both,
                &[],
                "Parts of a sentence changed places.",
            ),
            (
                "Structure",
                Both,
                &[],
                "The grammar changed: passive to active, another tense, a clause to a phrase.",
            ),
            (
                "Word choice",
                Both,
                &[Word, Phrase],
                "Other words for the same.",
            ),
        ]),
        levels: levels(&[
            (
                "helps a lot",
                2.0,
                "Without it, the text would be much harder.",
            ),
            ("helps", 1.0, "The text is a little easier with it."),
            ("no difference", 0.0, "As good as before."),
            (
                "harms",
                -1.0,
                "The text is a little harder, or a little less true.",
            ),
            (
                "harms a lot",
                -2.0,
                "The text is much harder to understand, or says something false.",
            ),
        ]),
        rules: vec![],
    }
}

/// Errors, each minor or major.
pub(super) fn errors() -> SpanTaxonomy {
    SpanTaxonomy {
        types: types(&[
            (
                "Changed meaning",
                Both,
                &[],
                "It says something else than the source.",
            ),
            (
                "Left out",
                Source,
                &[],
                "Readers need this, and it is gone.",
            ),
            ("Made up", Output, &[], "The source does not say it."),
            (
                "Bad English",
                Output,
                &[],
                "Grammar, spelling, or words that do not go together.",
            ),
            (
                "Still hard",
                Output,
                &[],
                "Words or a sentence that learners would not understand.",
            ),
        ]),
        levels: levels(&[
            (
                "minor",
                1.0,
                "Readers may stumble, but they get the right idea.",
            ),
            ("major", 5.0, "Readers get a wrong idea, or none."),
        ]),
        rules: vec![],
    }
}
