//! The types and levels that a study offers for marked spans.

use serde::{Deserialize, Serialize};

use crate::{
    edit::{Edit, EditKind},
    names::names,
    span::Span,
    text::tokenise::tokenise,
};

/// The types and levels of marked spans, and the rules by which people judge them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SpanTaxonomy {
    /// The types, in the order in which annotators see them.
    pub types: Vec<SpanType>,
    /// The levels, in the order in which annotators see them; empty where a type is all that is asked for.
    pub levels: Vec<MarkLevel>,
    /// Rules that annotators can look up next to the text, one sentence each.
    pub rules: Vec<String>,
}

/// A type of marked spans.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct SpanType {
    /// Its name, which marks and exports hold.
    pub name: String,
    /// The text in which its words are.
    pub sides: MarkedSides,
    /// A sentence on the words that annotators mark with it.
    pub description: String,
    /// The automatic edits that become marks of this type, where the study begins with these.
    pub prefill: Vec<EditForm>,
}

/// A level of marked spans: how well a change is made, or how bad an error is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct MarkLevel {
    /// Its name, which marks and exports hold.
    pub name: String,
    /// The number for which it counts in sums and means: 1, .5 and 0 for correct, semi-correct and wrong, or a
    /// penalty.
    pub value: f64,
    /// When annotators choose it.
    pub description: String,
}

/// The text in which the words of a mark are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum MarkedSides {
    /// Words of the source, as for what was left out.
    Source,
    /// Words of the output, as for what was added.
    #[default]
    Output,
    /// Words of the source, and the words of the output that replace them.
    Both,
}

names!(MarkedSides, "place of marked words", UnknownMarkedSides,
    Source => "source", Output => "output", Both => "both");

/// The form of an automatic edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EditForm {
    /// One word for one word.
    Word,
    /// Some words for some words, more than one on either side.
    Phrase,
    /// Words of the output that replace none of the source.
    Insertion,
    /// Words of the source without a replacement in the output.
    Deletion,
    /// An added sentence end.
    Split,
}

names!(EditForm, "form of an automatic edit", UnknownEditForm,
    Word => "word", Phrase => "phrase", Insertion => "insertion", Deletion => "deletion", Split => "split");

impl EditForm {
    /// The form of an edit between these texts.
    #[must_use]
    pub fn from_edit(edit: &Edit, source: &str, output: &str) -> Self {
        match edit.kind {
            EditKind::Deletion => Self::Deletion,
            EditKind::Split => Self::Split,
            EditKind::Paraphrase if edit.source.is_empty() => Self::Insertion,
            EditKind::Paraphrase => {
                let counts = [(&edit.source, source), (&edit.output, output)]
                    .map(|(spans, text)| count_words(spans, text));
                match counts {
                    [1, 1] => Self::Word,
                    _ => Self::Phrase,
                }
            }
        }
    }
}

fn count_words(spans: &[Span], text: &str) -> usize {
    let texts = spans.iter().filter_map(|span| span.slice(text));
    texts.map(|words| tokenise(words).len()).sum()
}

/// The reason why types and levels are not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadTaxonomy {
    /// The list of types is empty.
    #[error("spans have no type: add at least one")]
    NoTypes,
    /// A type or level has no name, or a name that is too long.
    #[error("“{0}” cannot be the name of a type or level: give it 1 to {most} characters", most = SpanTaxonomy::LONGEST_NAME)]
    Name(String),
    /// Two types or two levels share a name.
    #[error("“{0}” is there twice")]
    Twice(String),
    /// There are more types, levels or rules than annotators can choose from.
    #[error("there are too many {0}: use at most {1}")]
    TooMany(&'static str, usize),
    /// A level's value is not a number in the range.
    #[error("the value of “{0}” is not between -{most} and {most}", most = SpanTaxonomy::LARGEST_VALUE)]
    Value(String),
    /// A type would be filled from edits that have no words where it needs them.
    #[error("an edit of the form “{1}” cannot become a mark of “{0}”: it lacks words there")]
    Prefill(String, EditForm),
    /// Two types would be filled from the same edits.
    #[error("edits of the form “{0}” would fill two types")]
    PrefilledTwice(EditForm),
}

impl SpanTaxonomy {
    /// The largest number of types: one for each of the keys 1 to 9 and 0, and a few more.
    pub const MOST_TYPES: usize = 24;
    /// The largest number of levels: one for each of the keys 1 to 9.
    pub const MOST_LEVELS: usize = 9;
    /// The largest number of rules.
    pub const MOST_RULES: usize = 60;
    /// The longest name, in characters.
    pub const LONGEST_NAME: usize = 60;
    /// The largest value of a level, on either side of 0.
    pub const LARGEST_VALUE: f64 = 1000.0;

    /// Checks that annotators can choose from it.
    ///
    /// # Errors
    /// [`BadTaxonomy`], with the first fault.
    pub fn check(&self) -> Result<(), BadTaxonomy> {
        if self.types.is_empty() {
            return Err(BadTaxonomy::NoTypes);
        }

        for (noun, count, most) in [
            ("types", self.types.len(), Self::MOST_TYPES),
            ("levels", self.levels.len(), Self::MOST_LEVELS),
            ("rules", self.rules.len(), Self::MOST_RULES),
        ] {
            if count > most {
                return Err(BadTaxonomy::TooMany(noun, most));
            }
        }

        check_names(self.types.iter().map(|marked| marked.name.as_str()))?;
        check_names(self.levels.iter().map(|level| level.name.as_str()))?;

        let range = -Self::LARGEST_VALUE..=Self::LARGEST_VALUE;
        let mut levels = self.levels.iter();
        if let Some(level) = levels.find(|level| !range.contains(&level.value)) {
            return Err(BadTaxonomy::Value(level.name.clone()));
        }

        self.check_prefill()
    }

    fn check_prefill(&self) -> Result<(), BadTaxonomy> {
        let mut prefilled_forms = vec![];
        for marked in &self.types {
            for form in &marked.prefill {
                let lacks_words = match marked.sides {
                    MarkedSides::Source => {
                        matches!(form, EditForm::Insertion | EditForm::Split)
                    }
                    MarkedSides::Output => matches!(form, EditForm::Deletion),
                    MarkedSides::Both => !matches!(form, EditForm::Word | EditForm::Phrase),
                };

                if lacks_words {
                    let name = marked.name.clone();
                    return Err(BadTaxonomy::Prefill(name, *form));
                }
                if prefilled_forms.contains(form) {
                    return Err(BadTaxonomy::PrefilledTwice(*form));
                }
                prefilled_forms.push(*form);
            }
        }
        Ok(())
    }

    /// The type of a name.
    #[must_use]
    pub fn find_type(&self, name: &str) -> Option<&SpanType> {
        self.types.iter().find(|marked| marked.name == name)
    }

    /// The level of a name.
    #[must_use]
    pub fn find_level(&self, name: &str) -> Option<&MarkLevel> {
        self.levels.iter().find(|level| level.name == name)
    }

    /// The type that automatic edits of a form become.
    #[must_use]
    pub fn find_prefilled(&self, form: EditForm) -> Option<&SpanType> {
        let mut types = self.types.iter();
        types.find(|marked| marked.prefill.contains(&form))
    }
}

fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), BadTaxonomy> {
    let mut unique_names = vec![];
    for name in names {
        let is_printable = !name.contains(char::is_control) && name.trim() == name;
        if !(1..=SpanTaxonomy::LONGEST_NAME).contains(&name.chars().count()) || !is_printable {
            return Err(BadTaxonomy::Name(name.to_owned()));
        }
        if unique_names.contains(&name) {
            return Err(BadTaxonomy::Twice(name.to_owned()));
        }
        unique_names.push(name);
    }
    Ok(())
}
