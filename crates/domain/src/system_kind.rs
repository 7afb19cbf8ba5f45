//! A guess of a system's kind from its name alone.

use crate::study::SystemKind;

/// Words that indicate a person anywhere in a name.
const PEOPLE: [&str; 20] = [
    "human",
    "humans",
    "editor",
    "editors",
    "annotator",
    "annotators",
    "expert",
    "experts",
    "manual",
    "professional",
    "teacher",
    "writer",
    "writers",
    "turker",
    "turkers",
    "crowdworker",
    "crowdworkers",
    "reference",
    "references",
    "gold",
];

/// Collections of human simplifications. A program trained on one is often named after it, so these
/// count only if the rest of the name is in [`COLLECTION_COMPANIONS`].
const COLLECTIONS: [&str; 8] = [
    "asset",
    "turk",
    "turkcorpus",
    "hsplit",
    "simp",
    "ref",
    "refs",
    "wiki",
];

/// Words that may accompany the name of a collection.
const COLLECTION_COMPANIONS: [&str; 15] = [
    "corpus", "test", "valid", "dev", "set", "new", "first", "second", "third", "random", "simple",
    "english", "all", "tok", "lower",
];

/// Trivial procedures. A program may copy or shuffle, too, so these count only if the rest of the
/// name is in [`PROCEDURE_COMPANIONS`].
const PROCEDURES: [&str; 20] = [
    "copy",
    "copied",
    "copies",
    "identity",
    "identical",
    "source",
    "src",
    "original",
    "orig",
    "input",
    "unchanged",
    "scramble",
    "scrambled",
    "shuffle",
    "shuffled",
    "random",
    "truncate",
    "truncated",
    "truncation",
    "lead",
];

/// Words that may accompany the name of a trivial procedure.
const PROCEDURE_COMPANIONS: [&str; 12] = [
    "baseline",
    "word",
    "words",
    "token",
    "tokens",
    "sentence",
    "sentences",
    "text",
    "of",
    "the",
    "system",
    "lower",
];

/// The probable kind of a system, from its name: human by words such as `human`, `editor` or `reference`
/// and by the names of collections (`asset.test.simp`), baseline for trivial procedures such
/// as `copy` and `scramble_words`, and machine otherwise. It is a guess for the user to confirm.
#[must_use]
pub fn guess_kind(name: &str) -> SystemKind {
    let words = split_name(name);
    if words.iter().any(|word| PEOPLE.contains(&word.as_str()))
        || has_only(&words, &COLLECTIONS, &COLLECTION_COMPANIONS)
    {
        SystemKind::Human
    } else if has_only(&words, &PROCEDURES, &PROCEDURE_COMPANIONS) {
        SystemKind::Baseline
    } else {
        SystemKind::Machine
    }
}

/// Whether a name has a word of `core`, and otherwise only such words, companions, numbers and single letters.
fn has_only(words: &[String], core: &[&str], companions: &[&str]) -> bool {
    let has_core = words.iter().any(|word| core.contains(&word.as_str()));
    has_core
        && words.iter().all(|word| {
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            is_number
                || word.len() == 1
                || core.contains(&word.as_str())
                || companions.contains(&word.as_str())
        })
}

/// The words of a name in lower case: runs of letters or of digits, split where a capital follows a
/// lower-case letter.
fn split_name(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![];
    let mut before = ' ';
    for letter in name.chars() {
        let same_run = letter.is_alphabetic() && before.is_alphabetic()
            || letter.is_numeric() && before.is_numeric();
        let new_hump = before.is_lowercase() && letter.is_uppercase();

        if letter.is_alphanumeric() {
            match words.last_mut().filter(|_| same_run && !new_hump) {
                Some(word) => word.extend(letter.to_lowercase()),
                None => words.push(letter.to_lowercase().collect()),
            }
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use SystemKind::{Baseline, Human, Machine};

    #[test]
    fn names_of_released_files_are_told_apart() {
        let check = |kind, names: &[&str]| {
            for name in names {
                assert_eq!(guess_kind(name), kind, "{name}");
            }
        };
        // simpeval_past.csv
        check(
            Human,
            &[
                "asset.test.simp",
                "new_asset.test.simp.second",
                "new_simple_wiki",
                "new_turk_corpus_random",
            ],
        );
        check(Baseline, &["copy", "scramble_words"]);
        check(
            Machine,
            &[
                "ControlT5",
                "Dress-Ls.lower",
                "Hybrid.lower",
                "PBMT-R.lower",
                "RM+EX+LS+RO",
                "SBMT-SARI.lower",
                "SEMoses_all",
                "T5-3B",
                "T5-base",
                "T5-large",
                "UNMT",
                "UNTS",
                "access",
                "con_simplification",
                "editnts_w_split",
                "lstm_w_split",
                "muss_untokenized",
                "transformer_w_split",
            ],
        );
        // simplicity_DA.csv and structural_simplicity.csv
        check(
            Machine,
            &[
                "ACCESS",
                "DMASS-DCSS",
                "Hybrid",
                "PBMT-R",
                "DSS^m",
                "Moses",
                "NTS-h1_w2v_model",
                "SEMoses_LM^m",
                "SENTS-h4^m_default_model",
                "SETrain2-Moses_LM",
            ],
        );
        // The texts of ASSET as outputs, and the other names of its pairwise comparisons.
        check(
            Human,
            &["simp.0", "simp.9", "turkcorpus", "hsplit", "asset"],
        );
    }

    #[test]
    fn a_word_in_a_longer_name_decides_only_where_it_must() {
        for (name, kind) in [
            ("Human 1 Writing", Human),
            ("human-2", Human),
            ("Editor A", Human),
            ("annotator-3", Human),
            ("Reference", Human),
            ("ref_2", Human),
            ("TurkCorpus", Human),
            ("SimpleWiki", Human),
            ("MUSS (ASSET)", Machine),
            ("T5 on TurkCorpus", Machine),
            ("Identity", Baseline),
            ("source", Baseline),
            ("Copy baseline", Baseline),
            ("CopySource", Baseline),
            ("lead-3", Baseline),
            ("PointerCopy", Machine),
            ("random forest", Machine),
            ("GPT-3-zero-shot", Machine),
            ("", Machine),
            ("模型", Machine),
        ] {
            assert_eq!(guess_kind(name), kind, "{name}");
        }
    }
}
