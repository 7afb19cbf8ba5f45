//! The mapping of the columns (or JSON keys) of a file to fields, for any set of fields.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    error::{FatalReadError, HeaderAdvice, clip},
    input::CsvHeader,
};

/// A field that a column (or JSON key) can hold. `mapped_fields!` implements it.
pub trait MappedField: Copy + Eq + fmt::Debug + fmt::Display + Send + Sync + 'static {
    /// All fields, in the order in which a user fills them in.
    const FIELDS: &'static [Self];

    /// The field's name on the command line, and the default name of its column.
    fn name(self) -> &'static str;

    /// The contents of its column in words, such as “the outputs”.
    fn contents(self) -> &'static str;

    /// Whether several columns may hold this field.
    fn is_repeatable(self) -> bool;
}

/// Defines an enum of fields with their names, and implements what a mapping needs.
macro_rules! mapped_fields {
    (
        $(#[$meta:meta])*
        pub enum $Field:ident { $($(#[$doc:meta])* $variant:ident => $name:literal, $contents:literal;)+ }
        repeatable: [$($repeatable:ident),*];
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $Field { $($(#[$doc])* $variant,)+ }

        impl $Field {
            /// All fields, in the order in which a user fills them in.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name on the command line, and the default name of the field's column.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        impl $crate::field_mapping::MappedField for $Field {
            const FIELDS: &'static [Self] = &Self::ALL;

            fn name(self) -> &'static str {
                Self::name(self)
            }

            fn contents(self) -> &'static str {
                match self { $(Self::$variant => $contents),+ }
            }

            fn is_repeatable(self) -> bool {
                let repeatable: &[Self] = &[$(Self::$repeatable),*];
                repeatable.contains(&self)
            }
        }

        impl ::std::fmt::Display for $Field {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(Self::name(*self))
            }
        }

        impl ::std::str::FromStr for $Field {
            type Err = $crate::field_mapping::FieldMappingError<Self>;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::field_mapping::find_field(name)
            }
        }
    };
}
pub(crate) use mapped_fields;

/// The columns that hold the fields `F`. A field that is not mapped comes from the column of its own
/// name, if the file has one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldMapping<F> {
    pairs: Vec<(F, String)>,
    /// Whether fields that are not mapped have no column at all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    whole: bool,
}

/// The reason for refusing a mapping.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldMappingError<F: MappedField> {
    /// The pair lacks a `=`.
    #[error("“{0}” is not a mapping: write FIELD=COLUMN")]
    NotAPair(String),
    /// The field is unknown.
    #[error("“{0}” is not a field: use one of {fields}", fields = field_names::<F>())]
    UnknownField(String),
    /// The field has two columns.
    #[error("“{0}” is mapped to two columns: keep one")]
    MappedTwice(F),
}

fn field_names<F: MappedField>() -> String {
    let names: Vec<_> = F::FIELDS.iter().map(|field| field.name()).collect();
    names.join(", ")
}

/// The field of that name.
pub(crate) fn find_field<F: MappedField>(name: &str) -> Result<F, FieldMappingError<F>> {
    let field = F::FIELDS.iter().find(|field| field.name() == name);
    field
        .copied()
        .ok_or_else(|| FieldMappingError::UnknownField(clip(name)))
}

impl<F> Default for FieldMapping<F> {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            whole: false,
        }
    }
}

impl<F: MappedField> FieldMapping<F> {
    /// Reads pairs written as `FIELD=COLUMN`.
    ///
    /// # Errors
    /// [`FieldMappingError`] for the first pair that lacks a `=`, names an unknown field, or maps a field
    /// that already has its only column.
    pub fn parse<T: AsRef<str>>(
        pairs: impl IntoIterator<Item = T>,
    ) -> Result<Self, FieldMappingError<F>> {
        let mut mapping = Self::default();
        for pair in pairs {
            let pair = pair.as_ref();
            let (field, column) = pair
                .split_once('=')
                .ok_or_else(|| FieldMappingError::NotAPair(clip(pair)))?;
            mapping.add(find_field(field.trim())?, column.trim())?;
        }
        Ok(mapping)
    }

    /// Maps `field` to `column`.
    ///
    /// # Errors
    /// [`FieldMappingError::MappedTwice`] where the field already has a column and may not have two.
    pub fn add(&mut self, field: F, column: &str) -> Result<(), FieldMappingError<F>> {
        if !field.is_repeatable() && self.is_mapped(field) {
            return Err(FieldMappingError::MappedTwice(field));
        }
        self.pairs.push((field, column.to_owned()));
        Ok(())
    }

    /// The same mapping without defaults: a field that is not mapped has no column.
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

    /// The columns that a field is mapped to.
    pub fn columns(&self, field: F) -> impl Iterator<Item = &str> {
        let pairs = self.pairs.iter();
        let own_pairs = pairs.filter(move |(mapped, _)| *mapped == field);
        own_pairs.map(|(_, column)| column.as_str())
    }

    /// The columns that a field is taken from: those mapped, else the one of its own name.
    pub(crate) fn columns_or_default(&self, field: F) -> impl Iterator<Item = &str> {
        let has_default = !self.whole && !self.is_mapped(field);
        let default = has_default.then_some(field.name());
        self.columns(field).chain(default)
    }

    fn is_mapped(&self, field: F) -> bool {
        self.columns(field).next().is_some()
    }
}

/// The places of a field's columns. `Err` where a mapped column is not in the file.
pub(crate) fn find_columns<F: MappedField>(
    header: &CsvHeader,
    mapping: &FieldMapping<F>,
    field: F,
) -> Result<Vec<usize>, FatalReadError> {
    let mut places = Vec::new();
    for column in mapping.columns_or_default(field) {
        match header.find_column(column)? {
            Some(place) => places.push(place),
            None if mapping.is_mapped(field) => {
                return Err(wrong_column(header, field, column, Some(column.into())));
            }
            None => {}
        }
    }
    Ok(places)
}

/// The fault of a file without a column for a required field.
pub(crate) fn missing_column<F: MappedField>(header: &CsvHeader, field: F) -> FatalReadError {
    wrong_column(header, field, field.name(), None)
}

fn wrong_column<F: MappedField>(
    header: &CsvHeader,
    field: F,
    column: &str,
    missing: Option<Box<str>>,
) -> FatalReadError {
    header.wrong_header(
        &format!("a column “{}” for the field {field}", clip(column)),
        HeaderAdvice::MapField {
            field: field.name(),
            contents: field.contents(),
            missing,
        },
    )
}
