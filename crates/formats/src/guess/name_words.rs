//! Guesses by the words in a column's name.

use super::{ColumnGuess, GuessOrigin};
use crate::mapping::{FileField, names_dimension};

const IDENTIFIERS: &[&str] = &[
    "id", "ids", "item", "key", "number", "nr", "no", "num", "index", "idx",
];
const SENTENCES: &[&str] = &[
    "sentence",
    "sent",
    "text",
    "segment",
    "seg",
    "doc",
    "paragraph",
    "item",
];
const RATERS: &[&str] = &[
    "rater",
    "annotator",
    "worker",
    "judge",
    "evaluator",
    "coder",
    "participant",
    "assessor",
];
const SYSTEMS: &[&str] = &["system", "sys", "model", "method", "approach", "generator"];
const SOURCES: &[&str] = &[
    "complex", "source", "src", "original", "orig", "input", "normal",
];
const OUTPUTS: &[&str] = &[
    "output",
    "generation",
    "generated",
    "hypothesis",
    "hyp",
    "prediction",
    "predicted",
    "candidate",
    "rewrite",
];
const REFERENCES: &[&str] = &["reference", "references", "ref", "refs", "gold"];
const RATINGS: &[&str] = &[
    "rating", "ratings", "score", "scores", "rate", "likert", "stars",
];
const PRECEDING: &[&str] = &["before", "previous", "preceding", "left"];
const FOLLOWING: &[&str] = &["after", "next", "following", "right"];
const DIMENSIONS: &[&str] = &["dimension", "aspect", "criterion", "criteria"];
const CATEGORIES: &[&str] = &["category", "operation", "strategy"];
/// Words of columns that hold none of the fields.
const OTHERS: &[&str] = &[
    "z",
    "zscore",
    "time",
    "timestamp",
    "date",
    "duration",
    "seconds",
    "comment",
    "comments",
    "note",
    "notes",
    "status",
    "url",
    "email",
    "count",
    "length",
    "rank",
];

/// The guess that a column's name allows.
pub(super) fn guess_by_name(name: &str) -> Option<ColumnGuess> {
    let words = split_words(name);
    let own = words.join("_");
    if let Some(field) = FileField::ALL.into_iter().find(|field| field.name() == own) {
        let origin = GuessOrigin::FieldName;
        return Some(ColumnGuess { field, origin });
    }

    // In files from crowdsourcing platforms, every column begins with one of these two.
    let prefixed = match &words[..] {
        [first, rest @ ..] if !rest.is_empty() => match first.as_str() {
            "answer" => guess_field(rest, true),
            "input" => guess_field(rest, false),
            _ => None,
        },
        _ => None,
    };

    let field = prefixed.or_else(|| guess_field(&words, false))?;
    let origin = GuessOrigin::Words;
    Some(ColumnGuess { field, origin })
}

fn guess_field(words: &[String], is_answer: bool) -> Option<FileField> {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let is_rating = is_answer || has(RATINGS) || names_dimension(&words.join(" ")) || rates(words);
    let is_output = has(OUTPUTS) || words.iter().any(|word| is_simplification(word));
    let is_type = has(&["type", "kind", "class"]);

    let field = if has(OTHERS) {
        return None;
    } else if has(&["context"]) || has(SENTENCES) && (has(PRECEDING) || has(FOLLOWING)) {
        return match (has(PRECEDING), has(FOLLOWING)) {
            (true, false) => Some(FileField::ContextBefore),
            (false, true) => Some(FileField::ContextAfter),
            _ => None,
        };
    } else if has(IDENTIFIERS) {
        return guess_identifier(words, is_output || is_rating || has(REFERENCES));
    } else if is_rating {
        FileField::Rating
    } else if has(DIMENSIONS) {
        FileField::Dimension
    } else if has(SYSTEMS) && is_type {
        FileField::Kind
    } else if has(CATEGORIES) || has(SENTENCES) && is_type {
        FileField::Category
    } else if has(REFERENCES) {
        FileField::Reference
    } else if is_output {
        FileField::Output
    } else if has(RATERS) {
        FileField::Rater
    } else if has(SYSTEMS) {
        FileField::System
    } else if has(SOURCES) {
        FileField::Source
    } else {
        return None;
    };
    Some(field)
}

/// The field of a name with a word such as *id*: the names of raters, systems or sources, but not of outputs.
fn guess_identifier(words: &[String], is_of_output: bool) -> Option<FileField> {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let is_alone = words.iter().all(|word| {
        IDENTIFIERS.contains(&word.as_str()) || word.bytes().all(|b| b.is_ascii_digit())
    });

    if is_of_output {
        None
    } else if has(RATERS) {
        Some(FileField::Rater)
    } else if has(SYSTEMS) {
        Some(FileField::System)
    } else if is_alone || has(SOURCES) || has(SENTENCES) {
        Some(FileField::SourceId)
    } else {
        None
    }
}

/// Whether one of the words is the name of a dimension that simplifications are rated on.
fn rates(words: &[String]) -> bool {
    let is_text = words.iter().any(|word| SENTENCES.contains(&word.as_str()));
    !is_text && words.iter().any(|word| names_dimension(word))
}

/// Whether the word is one for a simplification, and not for simplicity.
fn is_simplification(word: &str) -> bool {
    word == "simp" || word.starts_with("simpl") && !word.starts_with("simplic")
}

/// The words of a name in lower case, split at other signs, between letters and digits, and where a capital
/// follows a small letter.
fn split_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for sign in name.chars() {
        let continues = before.is_alphabetic()
            && sign.is_alphabetic()
            && !(before.is_lowercase() && sign.is_uppercase())
            || before.is_ascii_digit() && sign.is_ascii_digit();
        if sign.is_alphanumeric() {
            if !continues {
                words.push(String::new());
            }
            let word = words.last_mut().expect("one was begun");
            word.extend(sign.to_lowercase());
        }
        before = sign;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_people_see_words() {
        for (name, words) in [
            ("Complex sentence", "complex sentence"),
            ("WorkerId", "worker id"),
            ("simp_sent-2", "simp sent 2"),
            ("RATING", "rating"),
            ("  Input.original ", "input original"),
            ("ref1", "ref 1"),
        ] {
            assert_eq!(split_words(name).join(" "), words, "{name}");
        }
    }
}
