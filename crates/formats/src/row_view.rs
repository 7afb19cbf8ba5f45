//! A row that borrows its texts, mostly from the record that it was read from.

use std::{borrow::Cow, ops::Deref, sync::Arc};

use domain::{
    category::Category, score::RatingScale, source_context::SourceContext, study::SystemKind,
    text::limits::check_size,
};

use crate::{
    archived_answers::ArchivedAnswers,
    error::BadRow,
    row::{FileOutput, FileRating, FileRow, FileSource, NumberView},
};

/// A [`FileRow`] without its verbatim cells. Reading one allocates next to nothing. Names have their visible form.
pub(crate) struct RowView<'a> {
    pub(crate) line: u64,
    pub(crate) key: Option<Cow<'a, str>>,
    pub(crate) source: &'a str,
    /// The text before and after the source.
    pub(crate) context: [&'a str; 2],
    pub(crate) references: Vec<&'a str>,
    pub(crate) output: Option<OutputView<'a>>,
}

/// A [`FileOutput`].
pub(crate) struct OutputView<'a> {
    pub(crate) text: &'a str,
    pub(crate) system: Option<Cow<'a, str>>,
    pub(crate) kind: Option<SystemKind>,
    pub(crate) category: Option<Category>,
    pub(crate) ratings: Vec<RatingView<'a>>,
    pub(crate) archived: Option<&'a ArchivedAnswers>,
}

/// A [`FileRating`].
pub(crate) struct RatingView<'a> {
    pub(crate) rater: Option<Cow<'a, str>>,
    pub(crate) column: NameView<'a>,
    pub(crate) dimension: NameView<'a>,
    pub(crate) scale: Option<RatingScale>,
    pub(crate) value: NumberView<'a>,
    pub(crate) z: Option<NumberView<'a>>,
    pub(crate) shared: bool,
    pub(crate) recorded_at: Option<&'a str>,
    /// The category that the rater gave the output, if the row states it with the rating.
    pub(crate) category: Option<Category>,
}

/// A name in a cell, or one that many rows share.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NameView<'a> {
    Cell(&'a str),
    Shared(&'a Arc<str>),
}

impl RowView<'_> {
    /// Refuses a row with a text that is too large to compare.
    pub(crate) fn check_size(self) -> Result<Self, BadRow> {
        let [before, after] = self.context;
        let source = [
            ("the source", self.source),
            ("the text before the source", before),
            ("the text after the source", after),
        ];
        let output = self.output.iter().map(|output| ("the output", output.text));
        let references = self.references.iter();
        let references = references.map(|reference| ("a reference", *reference));
        let mut texts = source.into_iter().chain(output).chain(references);

        let problem = texts.find_map(|(label, text)| {
            let error = check_size(text).err()?;
            Some(format!("{label} {error}"))
        });

        match problem {
            Some(reason) => Err(BadRow::new(self.line, None, reason)),
            None => Ok(self),
        }
    }

    pub(crate) fn to_row(&self, verbatim: Vec<(Arc<str>, String)>) -> FileRow {
        FileRow {
            line: self.line,
            source: FileSource {
                key: self.key.as_deref().map(str::to_owned),
                text: self.source.to_owned(),
                context: SourceContext {
                    before: self.context[0].to_owned(),
                    after: self.context[1].to_owned(),
                },
                references: self.references.iter().copied().map(str::to_owned).collect(),
            },
            output: self.output.as_ref().map(OutputView::to_output),
            verbatim,
        }
    }
}

impl<'a> From<&'a FileRow> for RowView<'a> {
    fn from(row: &'a FileRow) -> Self {
        let rating = |rating: &'a FileRating| RatingView {
            rater: rating.rater.as_deref().map(Cow::Borrowed),
            column: NameView::Shared(&rating.column),
            dimension: NameView::Shared(&rating.dimension),
            scale: rating.scale,
            value: (&rating.value).into(),
            z: rating.z.as_ref().map(Into::into),
            shared: rating.shared,
            recorded_at: rating.recorded_at.as_deref(),
            category: None,
        };

        let output = |output: &'a FileOutput| OutputView {
            text: &output.text,
            system: output.system.as_deref().map(Cow::Borrowed),
            kind: output.kind,
            category: output.category,
            ratings: output.ratings.iter().map(rating).collect(),
            archived: output.archived.as_deref(),
        };

        Self {
            line: row.line,
            key: row.source.key.as_deref().map(Cow::Borrowed),
            source: &row.source.text,
            context: [&row.source.context.before, &row.source.context.after],
            references: row.source.references.iter().map(String::as_str).collect(),
            output: row.output.as_ref().map(output),
        }
    }
}

impl OutputView<'_> {
    fn to_output(&self) -> FileOutput {
        FileOutput {
            text: self.text.to_owned(),
            system: self.system.as_deref().map(str::to_owned),
            kind: self.kind,
            category: self.category,
            ratings: self.ratings.iter().map(RatingView::to_rating).collect(),
            archived: self.archived.cloned().map(Box::new),
        }
    }
}

impl RatingView<'_> {
    fn to_rating(&self) -> FileRating {
        FileRating {
            rater: self.rater.as_deref().map(str::to_owned),
            column: self.column.to_shared(),
            dimension: self.dimension.to_shared(),
            scale: self.scale,
            value: self.value.into(),
            z: self.z.map(Into::into),
            shared: self.shared,
            recorded_at: self.recorded_at.map(str::to_owned),
        }
    }
}

impl NameView<'_> {
    fn to_shared(self) -> Arc<str> {
        match self {
            Self::Cell(name) => name.into(),
            Self::Shared(name) => Arc::clone(name),
        }
    }
}

impl Deref for NameView<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Cell(name) => name,
            Self::Shared(name) => name,
        }
    }
}
