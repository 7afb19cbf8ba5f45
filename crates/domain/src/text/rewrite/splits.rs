//! Splitting of sentences at clauses.

use super::{capitalise, split_end};

/// Words that join two main clauses after a comma; `and` is dropped where they become sentences.
const JOINTS: [&str; 4] = ["and", "but", "so", "yet"];

/// Words with which the second clause of two begins, rather than a member of a list.
const SUBJECTS: [&str; 11] = [
    "he", "she", "it", "they", "we", "you", "I", "this", "these", "those", "there",
];

/// Verbs after `which`, with the pronoun that takes its place.
const VERBS: [(&str, &str); 11] = [
    ("is", "It"),
    ("was", "It"),
    ("has", "It"),
    ("had", "It"),
    ("can", "It"),
    ("will", "It"),
    ("would", "It"),
    ("became", "It"),
    ("are", "They"),
    ("were", "They"),
    ("have", "They"),
];

/// The sentence, split at semicolons, before clauses with a subject of their own, and before a relative clause that
/// ends it.
pub(super) fn split_at_clauses(sentence: &str) -> String {
    let (body, end) = split_end(sentence);
    let clauses = body.split(';').map(str::trim);
    let clauses: Vec<&str> = clauses.filter(|clause| !clause.is_empty()).collect();
    if clauses.is_empty() {
        return sentence.to_owned();
    }

    let mut sentences = Vec::new();
    for (at, clause) in clauses.into_iter().enumerate() {
        let first = sentences.len();
        split_at_commas(clause, &mut sentences);
        if at > 0 {
            sentences[first] = capitalise(&sentences[first]);
        }
    }

    // Signs at the end belong to the last sentence.
    format!("{}{end}", sentences.join(". "))
}

fn split_at_commas(clause: &str, sentences: &mut Vec<String>) {
    let commas = clause.match_indices(", ");
    let second = commas.into_iter().find_map(|(at, _)| {
        let rest = &clause[at + 2..];
        second_sentence(rest).map(|second| (at, second))
    });
    match second {
        Some((at, second)) if at > 0 => {
            sentences.push(clause[..at].to_owned());
            split_at_commas(&second, sentences);
        }
        _ => sentences.push(clause.to_owned()),
    }
}

/// The text after a comma, as a sentence of its own, where it is one.
fn second_sentence(rest: &str) -> Option<String> {
    let mut words = rest.split(' ');
    let (first, second) = (words.next()?, words.next()?);
    // Two words alone do not make a sentence.
    words.next()?;

    if JOINTS.contains(&first) && SUBJECTS.contains(&second) {
        let rest = match first {
            "and" => &rest[first.len() + 1..],
            _ => rest,
        };
        return Some(capitalise(rest));
    }
    if first == "which" && !rest.contains(',') {
        let (_, pronoun) = VERBS.iter().find(|(verb, _)| *verb == second)?;
        return Some(format!("{pronoun}{}", &rest[first.len()..]));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_split_before_clauses() {
        for (sentence, expected) in [
            (
                "The storm was strong, and it tore off roofs.",
                "The storm was strong. It tore off roofs.",
            ),
            (
                "He called, but she did not hear, and they left; it rained.",
                "He called. But she did not hear. They left. It rained.",
            ),
            (
                "They crossed the bridges, which were old.",
                "They crossed the bridges. They were old.",
            ),
            (
                "It took the ferry, which was late, to sink.",
                "It took the ferry, which was late, to sink.",
            ),
            (
                "He likes apples, pears, and figs from Spain!",
                "He likes apples, pears, and figs from Spain!",
            ),
            (";", ";"),
        ] {
            assert_eq!(split_at_clauses(sentence), expected);
        }
    }
}
