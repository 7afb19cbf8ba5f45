//! Which column (or JSON key) of a file of reading comprehension holds which field.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::error::clip;

macro_rules! fields {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)+) => {
        /// What a column can be.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum ComprehensionField { $($(#[$doc])* $variant,)+ }

        impl ComprehensionField {
            /// All of them, in the order of a file with one answer a row.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name on the command line, which is also that of the column taken when none is
            /// mapped.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

fields! {
    /// What the passage is called; always needed.
    Passage => "passage",
    /// Its title.
    Title => "title",
    /// What the passage is there for: `main`, `practice` or `check`; `main` where no row says.
    Purpose => "purpose",
    /// The condition.
    Condition => "condition",
    /// The text in that condition.
    Text => "text",
    /// What the question is called; of a row that asks without it, the question's own words.
    Question => "question",
    /// What is asked.
    Asked => "question_text",
    /// The right answer.
    A => "a",
    /// The answer that misreads the critical span.
    B => "b",
    /// The answer from elsewhere in the text.
    C => "c",
    /// The unsupported answer.
    D => "d",
    /// Where the critical span stands in the text of the condition, such as `12-40 55-60`.
    Critical => "critical",
    /// Where the distractor span stands.
    Distractor => "distractor",
    /// Who answered.
    Participant => "participant",
    /// What was answered: a letter, *unanswerable*, or the answer's own words.
    Answer => "answer",
    /// The order in which the four answers were shown, such as `CADB`.
    Order => "order",
    /// Active time on the question, in milliseconds.
    ActiveMs => "active_ms",
}

impl fmt::Display for ComprehensionField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which column holds which field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComprehensionMapping {
    pairs: Vec<(ComprehensionField, String)>,
    /// Whether a field that is not mapped has no column. Else it is taken from the column of its own
    /// name, where there is one.
    whole: bool,
}

/// A mapping that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComprehensionMappingError {
    /// There is no `=`.
    #[error("“{0}” is no mapping: write FIELD=COLUMN")]
    NotAPair(String),
    /// The field is unknown.
    #[error("“{0}” is no field: use one of {fields}", fields = field_names())]
    UnknownField(String),
    /// The field has two columns.
    #[error("“{0}” is mapped to two columns: keep one")]
    MappedTwice(ComprehensionField),
}

fn field_names() -> String {
    let names: Vec<_> = ComprehensionField::ALL
        .iter()
        .map(|field| field.name())
        .collect();
    names.join(", ")
}

impl FromStr for ComprehensionField {
    type Err = ComprehensionMappingError;

    fn from_str(text: &str) -> Result<Self, ComprehensionMappingError> {
        let found = Self::ALL.iter().find(|field| field.name() == text);
        found
            .copied()
            .ok_or_else(|| ComprehensionMappingError::UnknownField(clip(text)))
    }
}

impl ComprehensionMapping {
    /// Reads pairs written as `FIELD=COLUMN`.
    ///
    /// # Errors
    /// [`BadMapping`] for the first pair that is none, names no field, or maps a field twice.
    pub fn parse<T: AsRef<str>>(
        pairs: impl IntoIterator<Item = T>,
    ) -> Result<Self, ComprehensionMappingError> {
        let mut mapping = Self::default();
        for pair in pairs {
            let pair = pair.as_ref();
            let parts = pair.split_once('=');
            let (field, column) =
                parts.ok_or_else(|| ComprehensionMappingError::NotAPair(clip(pair)))?;
            let field = field.trim().parse()?;
            if mapping.mapped_column(field).is_some() {
                return Err(ComprehensionMappingError::MappedTwice(field));
            }
            mapping.pairs.push((field, column.trim().to_owned()));
        }
        Ok(mapping)
    }

    /// The same mapping with nothing beside it: a field that is not mapped has no column.
    #[must_use]
    pub fn without_defaults(self) -> Self {
        Self {
            whole: true,
            ..self
        }
    }

    /// Whether nothing is mapped.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The column that a field is mapped to.
    #[must_use]
    pub fn mapped_column(&self, field: ComprehensionField) -> Option<&str> {
        let found = self.pairs.iter().find(|(own, _)| *own == field);
        found.map(|(_, column)| column.as_str())
    }

    /// The column that a field is taken from.
    pub(super) fn column(&self, field: ComprehensionField) -> Option<&str> {
        let own = (!self.whole).then_some(field.name());
        self.mapped_column(field).or(own)
    }
}
