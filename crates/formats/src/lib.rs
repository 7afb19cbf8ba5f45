//! Readers and writers of the files that the field exchanges: bytes in, rows out.
//!
//! Nothing here opens a file: readers take any [`std::io::Read`], writers any [`std::io::Write`]. Rows are
//! streamed, so that reading them takes no more memory than some rows of at most [`MAX_ROW_BYTES`]; only a
//! sheet of a workbook is in memory as a whole, within limits that its fault states.
//!
//! # Reading
//! - [`open`] takes one file: SimpEval (past, 2022), direct assessment, Likert, ASSET's ratings, any
//!   CSV (by a [`ColumnMapping`], delimiter `,`, `;` or tab) and JSONL. It recognises the format by the
//!   content, within the limits of [`FileReadOptions`]. [`open_texts`] takes the files of a text folder,
//!   one of which is called `NAME.orig`.
//! - Both return an [`OpenedFile`]: the [`FileFormat`], [`FileNote`]s for the user, and a
//!   [`RowIterator`] of `Result<FileRow, ReadError>`. After a [`ReadError::Row`] the next rows follow; a
//!   [`ReadError::Fatal`] is the last item, and rows that were stored before it must be taken back.
//! - A [`FileRow`] is a source, usually with a [`FileOutput`] and its [`FileRating`]s. All other cells are
//!   in [`FileRow::verbatim`]; numbers keep their text ([`WrittenNumber`]).
//! - [`preview()`] shows the beginning of a file with a mapping that [`guess_columns`] suggests; [`survey()`] reads
//!   all of it and lists the dimensions and systems that an import would bring.
//! - [`read_ratings`] makes the two tables, raw and z, that agreement and scores of systems are
//!   computed from, with the output behind each unit; [`read_dimensions`] does so for each dimension of a
//!   file of any format.
//! - [`open_references`] reads references, and [`SourceReferences`] finds them by the text of a source.
//!   [`open_scores`] reads scores that were computed elsewhere, and [`ScoreFile`] matches them to outputs.
//! - [`read_comparisons`] reads pairwise and best-worst judgements, [`read_marked_spans`] marked spans.
//! - [`SharedSources`] finds the sources that several studies or files have in common, by text as well.
//! - [`comprehension::read_comprehension()`] reads passages, questions and answers of reading
//!   comprehension: OneStopQA, ATS-EVAL, and CSV or JSONL by a mapping of its own fields.
//!
//! Every reader takes a [`FileInput`], or any [`std::io::Read`]. It unpacks gzip (up to
//! [`MAX_UNPACKED_BYTES`]), reads the sheet of a workbook (.xlsx) that has rows under the required columns, and
//! decodes UTF-8 and UTF-16; [`InputOptions`] state another encoding, separator or sheet. Texts never contain NUL.
//!
//! # Writing
//! - [`simpeval::SimpEvalPastWriter`], [`simpeval::SimpEval2022Writer`] and the companion
//!   [`simpeval::SlotRaterWriter`] write what the readers read, byte for byte: they take numbers as texts.
//! - [`CsvWriter`] writes any table; [`write_line`] any serialisable value as a line of JSON.
//! - Every CSV writer guards cells that a spreadsheet would run, with [`FormulaEscaping::Guarded`].
//!
//! # The shape of JSONL
//! The keys are the names of the [`FileField`]s, or those that a [`ColumnMapping`] maps them to; only
//! `source` is required, `null` means absent, and other keys are kept verbatim:
//!
//! ```json
//! {"source": "…", "source_id": "12", "context_before": "…", "context_after": "…",
//!  "references": ["…"], "output": "…", "system": "…", "kind": "machine",
//!  "category": "split",
//!  "ratings": [{"rater": "annotator 1", "value": 87, "z": 0.41,
//!               "dimension": "overall", "scale": {"low": 0, "high": 100}}]}
//! ```
//! (on one line). `reference` may be one text; one rating may be written as `rating`, `rater` and
//! `dimension` next to the other keys. A line with the keys `event`, `output_id` and `automatic` comes from an
//! exported study, and [`ArchivedAnswers`] are read from it as well.

mod agreement;
mod archived_answers;
mod assessments;
mod assignment_status;
mod cells;
mod columns;
mod comparisons;
pub mod comprehension;
mod csv_writer;
mod dimension_places;
mod error;
mod exported_ratings;
mod field_mapping;
mod format;
mod guess;
mod input;
mod input_options;
mod json_line;
mod jsonl;
mod mapped_columns;
mod mapping;
mod marked_spans;
mod numbers;
mod pay_sheet;
mod preview;
mod references;
mod row;
mod row_iterator;
mod row_reader;
mod row_remarks;
mod row_view;
mod scales;
mod scores;
mod shared_sources;
mod sheet_notes;
pub mod simpeval;
mod size_limit;
mod slot_raters;
mod source_key;
mod survey;
mod text_files;
mod text_table;
mod visible_form;

pub use agreement::{
    FileRatings, RatedOutput, RatingsWarning, SharedRating, read_dimensions,
    read_dimensions_without_outputs, read_ratings,
};
pub use archived_answers::{ArchivedAnswers, ArchivedAutomatic};
pub use comparisons::{ComparedTexts, ComparisonFile, ComparisonRow, read_comparisons};
pub use csv_writer::{CsvWriter, FormulaEscaping, is_formula};
pub use error::{BadRow, FatalReadError, HeaderAdvice, ReadError};
pub use field_mapping::{FieldMapping, FieldMappingError, MappedField};
pub use format::{FileFormat, FormatFamily};
pub use guess::{ColumnGuess, GuessOrigin, guess_columns};
pub use input::{FileInput, MAX_ROW_BYTES, MAX_UNPACKED_BYTES};
pub use input_options::{
    ColumnSeparator, InputDescription, InputOptions, LineCount, TextEncoding, UnknownInputOption,
};
pub use jsonl::write_line;
pub use mapping::{ColumnMapping, FileField};
pub use marked_spans::{MarkedSpanFile, MarkedSpanRow, read_marked_spans};
pub use pay_sheet::{PayRow, PaySheetWriter};
pub use preview::{FilePreview, preview, read_line};
pub use references::{
    NearestText, ReferenceReport, ReferencedText, SourceReferences, UnmatchedSource,
    open_references,
};
pub use row::{FileOutput, FileRating, FileRow, FileSource, InvalidNumber, WrittenNumber};
pub use row_iterator::RowIterator;
pub use row_reader::{FileNote, FileReadOptions, OpenedFile, open};
pub use row_remarks::{RowRemark, RowRemarks};
pub use scales::StatedScales;
pub use scores::{MatchedScores, OutputIdentifier, ScoreFile, ScoreRow, ScoreRows, open_scores};
pub use shared_sources::SharedSources;
pub use sheet_notes::{SheetCell, SheetNote};
pub use source_key::{SourceSpellings, loose_key};
pub use survey::{FileSurvey, SurveyedSystem, survey};
pub use text_files::{SimplificationUse, TextFile, is_text_file, open_texts};
pub use visible_form::visible_form;
