//! The choices for the card of an exported dataset folder.

use std::{fmt, str::FromStr};

/// The choices for a dataset's card that do not follow from the study.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatasetOptions {
    /// The licence of the dataset; `None` if none was given.
    pub license: Option<DatasetLicense>,
    /// The languages of the texts.
    pub languages: DatasetLanguages,
}

/// A licence: an identifier of the Hugging Face Hub, such as `cc-by-4.0`, or any other name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetLicense(String);

/// A text that cannot be the name of a licence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” cannot be the name of a licence: use one line of 1 to {LONGEST_LICENSE} characters, such as cc-by-4.0"
)]
pub struct BadLicense(String);

const LONGEST_LICENSE: usize = 100;

impl DatasetLicense {
    /// The identifier in the form of the Hub; `None` if the name cannot be one.
    #[must_use]
    pub fn identifier(&self) -> Option<String> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        let is_identifier = self.0.chars().all(is_allowed);
        is_identifier.then(|| self.0.to_ascii_lowercase())
    }
}

impl fmt::Display for DatasetLicense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for DatasetLicense {
    type Err = BadLicense;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim();
        let length = name.chars().count();

        if !(1..=LONGEST_LICENSE).contains(&length) || name.contains(char::is_control) {
            return Err(BadLicense(name.chars().take(40).collect()));
        }
        Ok(Self(name.to_owned()))
    }
}

/// The languages of texts, by their codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetLanguages(Vec<String>);

/// A text that is not a list of languages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is not a language code: write codes of two or three letters (ISO 639) with commas between them, such as en \
     or de,fr"
)]
pub struct BadLanguages(String);

impl DatasetLanguages {
    /// The codes, in lower case.
    #[must_use]
    pub fn codes(&self) -> &[String] {
        &self.0
    }
}

impl Default for DatasetLanguages {
    fn default() -> Self {
        Self(vec!["en".to_owned()])
    }
}

impl fmt::Display for DatasetLanguages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

impl FromStr for DatasetLanguages {
    type Err = BadLanguages;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut codes: Vec<String> = vec![];
        for code in text.split(',').map(str::trim) {
            let is_letters = code.chars().all(|c| c.is_ascii_alphabetic());
            if !(2..=3).contains(&code.len()) || !is_letters {
                return Err(BadLanguages(code.chars().take(40).collect()));
            }

            let code = code.to_ascii_lowercase();
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        Ok(Self(codes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_an_identifier_or_another_name() {
        for (text, expect) in [
            ("cc-by-4.0", Ok(Some("cc-by-4.0"))),
            (" CC-BY-4.0 ", Ok(Some("cc-by-4.0"))),
            ("gpl-3.0+", Ok(Some("gpl-3.0+"))),
            ("Free for research", Ok(None)),
            ("", Err("")),
            ("a\nb", Err("a\nb")),
        ] {
            let licence = text.parse::<DatasetLicense>();
            let actual = licence.map(|licence| licence.identifier());
            let expect = expect.map(|id| id.map(str::to_owned));
            assert_eq!(actual, expect.map_err(|text| BadLicense(text.to_owned())));
        }

        assert!("x".repeat(101).parse::<DatasetLicense>().is_err());
    }

    #[test]
    fn languages_are_codes_each_named_once() {
        for (text, expect) in [
            ("en", Ok("en")),
            ("DE, fr,de", Ok("de,fr")),
            ("english", Err("english")),
            ("en,", Err("")),
            ("e1", Err("e1")),
        ] {
            let actual = text.parse::<DatasetLanguages>();
            let actual = actual.map(|languages| languages.to_string());
            let expect = expect.map(str::to_owned);
            assert_eq!(actual, expect.map_err(|text| BadLanguages(text.to_owned())));
        }
    }
}
