//! The version of automatic edits.

use std::{fmt, str::FromStr};

use super::VERSION;
use crate::text::align::{AlignerGrade, Alignment};

/// The program that made automatic edits; greater is better.
///
/// It is stored as text with the edits: `encoder v1 edits v1`, with ` banded` if the texts were too long to compare
/// every word with every other. For an aligner that a study trained, it holds the beginning of the hash of the
/// aligner's file: `encoder v2 study 00c0ffee edits v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditsVersion {
    /// The aligner's grade.
    pub grade: AlignerGrade,
    /// The aligner's version within its grade.
    pub aligner: u32,
    /// The study's own aligner: the first 32 bits of the SHA-256 of its file. `None` for the aligner of a server.
    pub study: Option<u32>,
    /// The version of the code that derives edits from links.
    pub edits: u32,
    /// Whether the texts were compared window by window.
    pub banded: bool,
}

/// A text that is not a comparable version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a version of automatic edits, such as `string v1 edits v1`")]
pub struct EditsVersionError(String);

impl EditsVersion {
    /// The version of edits made now by an aligner of this grade and version.
    #[must_use]
    pub const fn new(grade: AlignerGrade, aligner: u32) -> Self {
        Self {
            grade,
            aligner,
            study: None,
            edits: VERSION,
            banded: false,
        }
    }

    /// The version of edits made by a study's own aligner, whose file has this SHA-256 in hexadecimal.
    #[must_use]
    pub fn for_study_file(self, hash: &str) -> Self {
        let first = hash.get(..8).and_then(parse_study);
        Self {
            study: Some(first.unwrap_or_default()),
            ..self
        }
    }

    /// The version of this program's edits from `alignment`.
    #[must_use]
    pub const fn for_alignment(self, alignment: &Alignment) -> Self {
        Self {
            banded: alignment.banded,
            ..self
        }
    }

    /// Whether `other` would make better edits than this version did.
    #[must_use]
    pub fn is_older_than(self, other: Self) -> bool {
        self.rank() < other.rank()
    }

    const fn rank(self) -> (AlignerGrade, u32, u32) {
        (self.grade, self.aligner, self.edits)
    }

    /// Whether edits of this version are to be made again where a study uses the aligner of `current`: a different
    /// one than made them, or a better version of it. A study chooses its own aligner because it is better on its
    /// texts, and goes back to the server's by choice, so neither ranks above the other.
    #[must_use]
    pub fn is_replaced_by(self, current: Self) -> bool {
        self.study != current.study || self.is_older_than(current)
    }
}

/// A version number after its `v`.
fn parse_version(word: &str) -> Option<u32> {
    word.strip_prefix('v')?.parse().ok()
}

/// The eight hexadecimal digits that name a study's aligner.
fn parse_study(digits: &str) -> Option<u32> {
    let are_digits = digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_digits.then(|| u32::from_str_radix(digits, 16).ok())?
}

impl fmt::Display for EditsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let banded = if self.banded { " banded" } else { "" };
        let (grade, aligner, edits) = (self.grade, self.aligner, self.edits);
        write!(f, "{grade} v{aligner}")?;
        if let Some(study) = self.study {
            write!(f, " study {study:08x}")?;
        }
        write!(f, " edits v{edits}{banded}")
    }
}

impl FromStr for EditsVersion {
    type Err = EditsVersionError;

    fn from_str(text: &str) -> Result<Self, EditsVersionError> {
        let error = || EditsVersionError(text.to_owned());
        let words: Vec<&str> = text.split(' ').collect();
        let (made_by, study, edits, rest) = match words.as_slice() {
            [grade, aligner, "study", study, "edits", edits, rest @ ..] => {
                let study = parse_study(study).ok_or_else(error)?;
                ((grade, aligner), Some(study), edits, rest)
            }
            [grade, aligner, "edits", edits, rest @ ..] => ((grade, aligner), None, edits, rest),
            _ => return Err(error()),
        };

        let (grade, aligner) = made_by;
        let mut grades = AlignerGrade::ALL.into_iter();
        let grade = grades.find(|known| known.name() == *grade);
        Ok(Self {
            grade: grade.ok_or_else(error)?,
            aligner: parse_version(aligner).ok_or_else(error)?,
            study,
            edits: parse_version(edits).ok_or_else(error)?,
            banded: match rest {
                [] => false,
                ["banded"] => true,
                _ => return Err(error()),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> EditsVersion {
        text.parse().expect("a version")
    }

    #[test]
    fn a_version_is_read_as_it_is_written() {
        for text in [
            "string v1 edits v1",
            "grid v12 edits v3 banded",
            "encoder v2 edits v10",
            "encoder v2 study 00c0ffee edits v2",
            "grid v3 study ffffffff edits v2 banded",
        ] {
            assert_eq!(version(text).to_string(), text);
        }
        for text in [
            "",
            "file",
            "string 1 edits v1",
            "tree v1 edits v1",
            "grid v1 edits v1 odd",
            "grid v1 study edits v1",
            "grid v1 study c0ffee edits v1",
            "grid v1 study +0c0ffee edits v1",
        ] {
            assert!(text.parse::<EditsVersion>().is_err(), "{text}");
        }
    }

    #[test]
    fn grades_come_before_versions() {
        let older = |a: &str, b: &str| version(a).is_older_than(version(b));
        assert!(older("string v9 edits v1", "grid v1 edits v1"));
        assert!(older("encoder v1 edits v1", "encoder v2 edits v1"));
        assert!(older("encoder v1 edits v1", "encoder v1 edits v2"));
        assert!(!older("encoder v1 edits v1 banded", "encoder v1 edits v1"));
        assert!(!older("encoder v1 edits v1", "grid v2 edits v2"));
    }

    #[test]
    fn the_choice_of_a_study_comes_before_grades() {
        let replaced = |a: &str, b: &str| version(a).is_replaced_by(version(b));
        let (server, own) = ("encoder v1 edits v2", "encoder v2 study 00c0ffee edits v2");
        assert!(replaced(server, own) && replaced(own, server));
        assert!(replaced("encoder v2 study 00000001 edits v2", own));
        assert!(!replaced(own, own));
        assert!(!replaced("encoder v2 study 00c0ffee edits v3", own));
        assert!(replaced("encoder v2 study 00c0ffee edits v1", own));
        let hash = "00c0ffee5bc12b4cd6b3ab4b2d9f52a1a4b9f6a1";
        let named = EditsVersion::new(AlignerGrade::Encoder, 2).for_study_file(hash);
        assert_eq!(named.study, Some(0x00c0_ffee));
    }
}
