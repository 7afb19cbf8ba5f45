//! English abbreviations: words whose period is not, or not always, the end of a sentence.

/// The meaning of a period after a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AbbreviationKind {
    /// The word is not a known abbreviation.
    Unknown,
    /// Something always follows: `Mr.`, `e.g.`, `vs.`.
    Leading,
    /// A number follows: `No. 5`, `p. 12`; without one it is an ordinary word.
    BeforeNumber,
    /// It may end a sentence too: `Inc.`, `etc.`, `U.S.`, an initial.
    Open,
}

const LEADING: &[&str] = &[
    "adm", "brig", "ca", "capt", "cf", "cmdr", "col", "dr", "e.g", "fr", "gen", "gov", "hon",
    "i.e", "lt", "maj", "messrs", "mlle", "mme", "mr", "mrs", "ms", "msgr", "mt", "pres", "prof",
    "rep", "rev", "sen", "sgt", "st", "supt", "viz", "vs",
];

const BEFORE_NUMBER: &[&str] = &[
    "art", "ch", "chap", "eq", "fig", "figs", "no", "nos", "op", "p", "pp", "sec", "vol", "vols",
];

const OPEN: &[&str] = &[
    "al", "apr", "approx", "assn", "aug", "ave", "blvd", "bros", "co", "corp", "dec", "dept",
    "dist", "ed", "eds", "est", "etc", "feb", "ft", "hwy", "inc", "jan", "jr", "ltd", "nov", "oct",
    "ph.d", "rd", "sept", "sq", "sr", "univ",
];

/// The meaning of a period after `word`, which is given without it.
///
/// A single letter is an initial, except *I* and *a*, which end far more sentences (`World War I.`)
/// than they abbreviate; single letters joined by periods (`U.S`, `a.m`) are an acronym.
#[must_use]
pub fn classify_abbreviation(word: &str) -> AbbreviationKind {
    let lower = word.to_lowercase();
    let listed = |list: &[&str]| list.contains(&lower.as_str());
    if listed(LEADING) {
        AbbreviationKind::Leading
    } else if listed(BEFORE_NUMBER) && word != "P" {
        AbbreviationKind::BeforeNumber
    } else if listed(OPEN) || (is_letters_with_periods(word) && !matches!(word, "I" | "i" | "a")) {
        AbbreviationKind::Open
    } else {
        AbbreviationKind::Unknown
    }
}

/// `F`, `U.S`, `a.m`: single letters with a period between any two.
fn is_letters_with_periods(word: &str) -> bool {
    word.split('.').all(|part| {
        let mut letters = part.chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_initials_and_acronyms_are_told_apart() {
        for (word, expected) in [
            ("Mr", AbbreviationKind::Leading),
            ("e.g", AbbreviationKind::Leading),
            ("No", AbbreviationKind::BeforeNumber),
            ("Inc", AbbreviationKind::Open),
            ("U.S", AbbreviationKind::Open),
            ("F", AbbreviationKind::Open),
            ("p", AbbreviationKind::BeforeNumber),
            ("P", AbbreviationKind::Open),
            ("I", AbbreviationKind::Unknown),
            ("army", AbbreviationKind::Unknown),
            ("", AbbreviationKind::Unknown),
        ] {
            assert_eq!(classify_abbreviation(word), expected, "{word}");
        }
    }
}
