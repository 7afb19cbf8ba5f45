//! The signature of a score.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A description of how a score was computed, stored with every score: two scores of one name are the
/// same measure if their signatures are equal.
///
/// The format is sacreBLEU's: `sari|variant:easse-f1|tok:13a|case:lc|nrefs:10|version:…`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MetricSignature {
    /// The metric's name on the command line.
    pub name: String,
    /// The variant, with everything else that determines the value, such as an encoder and its layer.
    pub variant: String,
    /// The tokeniser; `none` without one.
    pub tokeniser: String,
    /// The treatment of upper case.
    pub case: LetterCase,
    /// The number of references; 0 for a metric that uses none.
    pub references: ReferenceCount,
    /// The version of this program.
    pub version: String,
}

/// The treatment of upper case before a metric is computed.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum LetterCase {
    /// Case is kept.
    #[default]
    Mixed,
    /// Texts are lower-cased.
    Lower,
}

/// The number of references of the sources that were scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReferenceCount {
    /// All have this many.
    Each(usize),
    /// The smallest and the largest number.
    Between(usize, usize),
}

impl ReferenceCount {
    /// The number of references of sources that have these numbers of them; `Each(0)` without sources.
    #[must_use]
    pub fn from_counts(numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut numbers = numbers.into_iter();
        let first = numbers.next().unwrap_or(0);
        let (least, most) = numbers.fold((first, first), |(least, most), number| {
            (least.min(number), most.max(number))
        });
        if least == most {
            Self::Each(least)
        } else {
            Self::Between(least, most)
        }
    }
}

impl MetricSignature {
    /// The signature of a metric of this program's version.
    #[must_use]
    pub fn new(
        name: &str,
        variant: impl Into<String>,
        tokeniser: &str,
        case: LetterCase,
        references: ReferenceCount,
    ) -> Self {
        Self {
            name: name.to_owned(),
            variant: variant.into(),
            tokeniser: tokeniser.to_owned(),
            case,
            references,
            version: concat!("rankrate-", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

impl fmt::Display for MetricSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = match self.case {
            LetterCase::Mixed => "mixed",
            LetterCase::Lower => "lc",
        };
        write!(
            f,
            "{}|variant:{}|tok:{}|case:{case}|nrefs:{}|version:{}",
            self.name, self.variant, self.tokeniser, self.references, self.version
        )
    }
}

impl fmt::Display for ReferenceCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Each(number) => write!(f, "{number}"),
            Self::Between(least, most) => write!(f, "{least}-{most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_sacrebleu_writes_its_own() {
        let signature = |numbers: &[usize]| {
            let references = ReferenceCount::from_counts(numbers.iter().copied());
            MetricSignature::new("sari", "easse-f1", "13a", LetterCase::Lower, references)
                .to_string()
        };
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(
            signature(&[10, 10]),
            format!("sari|variant:easse-f1|tok:13a|case:lc|nrefs:10|version:rankrate-{version}")
        );
        assert!(signature(&[10, 2, 3]).contains("|nrefs:2-10|"));
        assert!(signature(&[]).contains("|nrefs:0|"));
    }
}
