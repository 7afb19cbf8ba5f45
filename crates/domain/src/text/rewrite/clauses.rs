//! Deletion of clauses.

use super::{capitalise, split_end};

/// Words that begin a relative clause after a comma.
const RELATIVES: [&str; 6] = ["which", "who", "whose", "whom", "where", "when"];

/// Phrases that link a sentence to the one before it.
const LINKS: [&str; 14] = [
    "However, ",
    "Moreover, ",
    "Furthermore, ",
    "Additionally, ",
    "In addition, ",
    "Nevertheless, ",
    "Nonetheless, ",
    "Consequently, ",
    "Therefore, ",
    "Thus, ",
    "Hence, ",
    "Meanwhile, ",
    "In contrast, ",
    "As a result, ",
];

/// The fewest words that a sentence keeps.
const MIN_WORDS: usize = 3;

/// The sentence without brackets, relative clauses between commas and a link at its beginning. Each is deleted only
/// where at least [`MIN_WORDS`] are left.
pub(super) fn delete_clauses(sentence: &str) -> String {
    let mut shortened = sentence.to_owned();
    for delete in [delete_brackets, delete_relative, delete_link] {
        // Each call deletes the first case, so that no case within another is deleted twice.
        while let Some(shorter) = delete(&shortened) {
            if shorter.split_whitespace().count() < MIN_WORDS {
                break;
            }
            shortened = shorter;
        }
    }
    shortened
}

fn delete_brackets(sentence: &str) -> Option<String> {
    let close = sentence.find(')')?;
    let open = sentence[..close].rfind('(')?;
    let before = sentence[..open].trim_end();
    Some(format!("{before}{}", &sentence[close + 1..]))
}

fn delete_relative(sentence: &str) -> Option<String> {
    let (body, end) = split_end(sentence);
    let mut commas = body.match_indices(", ").map(|(at, _)| at);
    let start = commas.find(|at| begins_with_relative(&body[at + 2..]))?;
    let clause = &body[start + 2..];
    // Without a comma after it, the clause is the end of the sentence.
    let rest = clause.find(", ").map_or("", |comma| &clause[comma + 1..]);
    Some(format!("{}{rest}{end}", &body[..start]))
}

fn begins_with_relative(clause: &str) -> bool {
    let word = clause.split_whitespace().next();
    word.is_some_and(|word| RELATIVES.contains(&word))
}

fn delete_link(sentence: &str) -> Option<String> {
    let rest = LINKS.iter().find_map(|link| sentence.strip_prefix(link));
    rest.map(capitalise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_between_commas_and_at_the_end_are_deleted() {
        for (sentence, expected) in [
            (
                "The mayor, who had resigned, left the town.",
                "The mayor left the town.",
            ),
            (
                "The album, which sold 1,000 copies, was popular.",
                "The album was popular.",
            ),
            (
                "She moved to Oslo, where she taught music.",
                "She moved to Oslo.",
            ),
            (
                "The lake (the largest of all) froze over.",
                "The lake froze over.",
            ),
            (
                "However, the bridge was never built.",
                "The bridge was never built.",
            ),
            (
                "“They took the train, which was late.”",
                "“They took the train.”",
            ),
            (
                "Red, green and blue are colours.",
                "Red, green and blue are colours.",
            ),
        ] {
            assert_eq!(delete_clauses(sentence), expected);
        }
    }

    #[test]
    fn enough_is_left() {
        let sentence = "Oslo, which is large (and old).";
        assert_eq!(delete_clauses(sentence), "Oslo, which is large.");
        assert_eq!(delete_clauses("(See below.)"), "(See below.)");
        assert_eq!(delete_clauses(") and ("), ") and (");
    }
}
