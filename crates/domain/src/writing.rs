//! Writing: annotators write a simplification of a source, or post-edit one.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::{
    metrics::{LengthUnit, compression, fkgl},
    names::names,
};

/// The settings of a step in which annotators write a simplification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct WriteStep {
    // The browser skips what only a lead sets, so that the workspace transfers no code that reads it.
    /// The text that they begin with.
    #[cfg_attr(target_family = "wasm", serde(skip))]
    pub start: WritingStart,
    /// The system whose output they begin with, where they post-edit one.
    #[cfg_attr(target_family = "wasm", serde(skip))]
    pub start_system: String,
    /// The fewest words that the text should have. Like the other limits it is a hint and never prevents submitting.
    pub least_words: Option<u32>,
    /// The most words that the text should have.
    pub most_words: Option<u32>,
    /// The length that the text should have, in percent of the source's characters.
    pub target_percent: Option<u32>,
    /// The use of the texts once a lead adds them to the study.
    #[cfg_attr(target_family = "wasm", serde(skip))]
    pub becomes: WrittenUse,
    /// The name of the system whose outputs they become.
    #[cfg_attr(target_family = "wasm", serde(skip))]
    pub system: String,
}

/// The text with which annotators begin to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum WritingStart {
    /// No text.
    #[default]
    Blank,
    /// The source.
    Source,
    /// The output of a system.
    Output,
}

names!(WritingStart, "text to begin with", UnknownWritingStart,
    Blank => "blank", Source => "source", Output => "output");

/// The use of written texts in their study.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum WrittenUse {
    /// References of their sources.
    #[default]
    References,
    /// Outputs of a human system.
    Outputs,
}

names!(WrittenUse, "use of written texts", UnknownWrittenUse,
    References => "references", Outputs => "outputs");

/// The reason why the settings of a step are not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadWriting {
    /// Annotators are to begin with the output of a system that has no name.
    #[error("name the system whose output annotators begin with")]
    NoStartSystem,
    /// The texts are to become the outputs of a system that has no name.
    #[error("name the system whose outputs the texts become, such as “Written by annotators”")]
    NoSystem,
    /// The texts would become outputs of the system that they begin with.
    #[error("the texts cannot become outputs of “{0}”, with which they begin: choose another name")]
    SameSystem(String),
    /// A name is too long.
    #[error("the name of a system has at most {most} bytes", most = WriteStep::LONGEST_NAME)]
    LongName,
    /// A name has a character that cannot be stored.
    #[error("the name of a system cannot hold a NUL character")]
    NulInName,
    /// A number of words is too low or too high.
    #[error("a text cannot be held to {0} words: choose {low} to {high}", low = WriteStep::WORDS.start(), high = WriteStep::WORDS.end())]
    Words(u32),
    /// The fewest words are more than the most.
    #[error("the fewest words ({0}) are more than the most ({1})")]
    WordRange(u32, u32),
    /// A length is too low or too high.
    #[error("a text cannot have {0} % of the source's length as its target: choose {low} to {high}", low = WriteStep::PERCENT.start(), high = WriteStep::PERCENT.end())]
    Percent(u32),
}

/// The reason why a text cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadWrittenText {
    /// It is too long.
    #[error("the text is too long: at most {most} bytes, about {words} words, can be saved", most = WriteStep::LONGEST_TEXT, words = WriteStep::LONGEST_TEXT / 6)]
    TooLong,
    /// It has a character that cannot be stored.
    #[error("the text cannot hold a NUL character")]
    Nul,
}

impl WriteStep {
    /// The numbers of words that can be a limit.
    pub const WORDS: RangeInclusive<u32> = 1..=8_000;
    /// The lengths that can be a target, in percent of the source's.
    pub const PERCENT: RangeInclusive<u32> = 1..=500;
    /// The most bytes of a system's name.
    pub const LONGEST_NAME: usize = 200;
    /// The most bytes of a written text.
    pub const LONGEST_TEXT: usize = 50_000;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`BadWriting`] with the first fault.
    pub fn check(&self) -> Result<(), BadWriting> {
        let begins_with_output = self.start == WritingStart::Output;
        let become_outputs = self.becomes == WrittenUse::Outputs;

        for name in [&self.start_system, &self.system] {
            if name.len() > Self::LONGEST_NAME {
                return Err(BadWriting::LongName);
            }
            if name.contains('\0') {
                return Err(BadWriting::NulInName);
            }
        }

        if begins_with_output && self.start_system.trim().is_empty() {
            return Err(BadWriting::NoStartSystem);
        }
        if become_outputs && self.system.trim().is_empty() {
            return Err(BadWriting::NoSystem);
        }
        if begins_with_output && become_outputs && self.start_system == self.system {
            return Err(BadWriting::SameSystem(self.system.clone()));
        }

        let limits = [self.least_words, self.most_words];
        let mut limits = limits.into_iter().flatten();
        if let Some(words) = limits.find(|words| !Self::WORDS.contains(words)) {
            return Err(BadWriting::Words(words));
        }
        if let (Some(least), Some(most)) = (self.least_words, self.most_words)
            && least > most
        {
            return Err(BadWriting::WordRange(least, most));
        }

        match self.target_percent {
            Some(percent) if !Self::PERCENT.contains(&percent) => Err(BadWriting::Percent(percent)),
            _ => Ok(()),
        }
    }

    /// Checks a text that an annotator wrote; an empty one can be stored, but not submitted.
    ///
    /// # Errors
    /// [`BadWrittenText`] where it cannot be stored.
    pub fn check_text(text: &str) -> Result<(), BadWrittenText> {
        if text.len() > Self::LONGEST_TEXT {
            Err(BadWrittenText::TooLong)
        } else if text.contains('\0') {
            Err(BadWrittenText::Nul)
        } else {
            Ok(())
        }
    }

    /// The length that the settings ask for: `10 to 30 words, about 60 % of the source's length`; `None` for nothing.
    #[must_use]
    pub fn describe_limits(&self) -> Option<String> {
        let words = match (self.least_words, self.most_words) {
            (Some(least), Some(most)) => Some(format!("{least} to {most} words")),
            (Some(least), None) => Some(format!("at least {least} words")),
            (None, Some(most)) => Some(format!("at most {most} words")),
            (None, None) => None,
        };
        let percent = self.target_percent;
        let percent = percent.map(|percent| format!("about {percent} % of the source's length"));

        match (words, percent) {
            (Some(words), Some(percent)) => Some(format!("{words}, {percent}")),
            (words, percent) => words.or(percent),
        }
    }

    /// Whether a text of this many words is outside the limits.
    #[must_use]
    pub fn is_outside(&self, words: usize) -> bool {
        let words = u32::try_from(words).unwrap_or(u32::MAX);
        self.least_words.is_some_and(|least| words < least)
            || self.most_words.is_some_and(|most| words > most)
    }
}

/// The words of a text, separated by white space.
#[must_use]
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The characters of a text, without white space at its ends, in whole percent of the source's; `None` for an empty source.
#[must_use]
pub fn length_percent(source: &str, text: &str) -> Option<usize> {
    let whole = source.chars().count();
    let part = text.trim().chars().count();
    (part * 200 + whole).checked_div(whole * 2)
}

/// The figures of a written text that follow from the text and its source alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WrittenFigures {
    /// The words, separated by white space.
    pub words: usize,
    /// Its characters divided by the source's, as [`fn@compression`] has it; `None` for an empty source.
    pub compression: Option<f64>,
    /// The grade level, as [`fn@fkgl`] has it; `None` for a text without words.
    pub fkgl: Option<f64>,
}

impl WrittenFigures {
    /// The figures of a text. White space at its ends does not count: it is removed once the text is used.
    #[must_use]
    pub fn new(source: &str, text: &str) -> Self {
        let text = text.trim();
        let words = count_words(text);
        Self {
            words,
            compression: compression(source, text, LengthUnit::Characters),
            fkgl: (words > 0).then(|| fkgl(text)),
        }
    }
}

#[cfg(test)]
mod tests;
