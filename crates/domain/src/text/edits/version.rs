//! The version of automatic edits.

use std::{fmt, str::FromStr};

use super::VERSION;
use crate::text::align::{AlignerGrade, Alignment};

/// The program that made automatic edits; greater is better.
///
/// It is stored as text beside the edits: `encoder v1 edits v1`, with ` banded` if the texts were
/// too long to compare every word with every other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EditsVersion {
    /// The aligner's grade.
    pub grade: AlignerGrade,
    /// The aligner's version within its grade.
    pub aligner: u32,
    /// The version of the code that derives edits from links.
    pub edits: u32,
    /// Whether the texts were compared window by window.
    pub banded: bool,
}

/// A text that is not a comparable version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is no version of automatic edits, such as `string v1 edits v1`")]
pub struct EditsVersionError(String);

impl EditsVersion {
    /// The version of edits made now by an aligner of this grade and version.
    #[must_use]
    pub const fn new(grade: AlignerGrade, aligner: u32) -> Self {
        Self {
            grade,
            aligner,
            edits: VERSION,
            banded: false,
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
        let rank = |version: Self| (version.grade, version.aligner, version.edits);
        rank(self) < rank(other)
    }
}

impl fmt::Display for EditsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let banded = if self.banded { " banded" } else { "" };
        let (grade, aligner, edits) = (self.grade, self.aligner, self.edits);
        write!(f, "{grade} v{aligner} edits v{edits}{banded}")
    }
}

impl FromStr for EditsVersion {
    type Err = EditsVersionError;

    fn from_str(text: &str) -> Result<Self, EditsVersionError> {
        let error = || EditsVersionError(text.to_owned());
        let words: Vec<&str> = text.split(' ').collect();
        let [grade, aligner, "edits", edits, rest @ ..] = words.as_slice() else {
            return Err(error());
        };
        let number = |word: &str| word.strip_prefix('v')?.parse().ok();
        let named = |grade_kind: &AlignerGrade| grade_kind.name() == *grade;
        Ok(Self {
            grade: AlignerGrade::ALL
                .into_iter()
                .find(named)
                .ok_or_else(error)?,
            aligner: number(aligner).ok_or_else(error)?,
            edits: number(edits).ok_or_else(error)?,
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
        ] {
            assert_eq!(version(text).to_string(), text);
        }
        for text in [
            "",
            "file",
            "string 1 edits v1",
            "tree v1 edits v1",
            "grid v1 edits v1 odd",
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
}
