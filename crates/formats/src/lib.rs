//! Readers and writers of the files that the field exchanges: bytes in, rows out.
//!
//! Nothing here opens a file: readers take any [`std::io::Read`], writers any [`std::io::Write`].
//! All of it streams, and no file makes a reader take more memory than some rows of at most
//! [`MAX_ROW_BYTES`].
//!
//! # Reading
//! - [`open`] takes one file: SimpEval (past, 2022), direct assessment, Likert, ASSET's ratings, any
//!   CSV (by a [`Mapping`], delimiter `,`, `;` or tab) and JSONL. It tells which from the content,
//!   within what [`Reading`] says. [`open_texts`] takes the files of a text folder (call it where
//!   one is called `NAME.orig`).
//! - Both give [`Opened`]: the [`Format`], [`Note`]s for people, and [`Rows`], an iterator of
//!   `Result<Row, Problem>`. After a [`Problem::Row`] the rows go on; a [`Problem::Fatal`] is the
//!   last item, and whoever stored rows before it takes them back.
//! - A [`Row`] is a source, mostly with an [`Output`] and its [`Rating`]s. What a file says beyond
//!   that is in [`Row::verbatim`]; numbers keep their text ([`Number`]).
//! - [`preview()`] shows the beginning of a file with a suggested mapping; [`survey()`] reads all of it
//!   and tells which dimensions and systems it would bring.
//! - [`read_ratings`] makes the two tables, raw and z, that agreement and scores of systems are
//!   computed from, and tells whose output each unit is; [`read_dimensions`] does so for each dimension
//!   of a file of any format. [`SourceReferences`] are the references to
//!   score its outputs with, [`ScoreFile`] the scores that were computed elsewhere.
//!
//! Texts are UTF-8, with or without a byte-order mark, and hold no NUL.
//!
//! - [`comprehension::read_comprehension()`] reads passages, questions and answers of reading
//!   comprehension: OneStopQA, ATS-EVAL, and CSV or JSONL by its own mapping.
//!
//! # Writing
//! - [`simpeval::PastWriter`], [`simpeval::Writer2022`] and the companion [`simpeval::RaterWriter`]
//!   write what the readers read, byte for byte: numbers are handed to them as texts.
//! - [`CsvWriter`] writes any table; [`write_line`] any serialisable value as a line of JSON.
//! - Every CSV writer guards cells that a spreadsheet would run where [`Cells::Guarded`] is asked.
//!
//! # The shape of JSONL
//! The keys are the names of the fields of a [`Mapping`] (or what it maps them to); only `source`
//! is needed, `null` is as good as nothing, and other keys are kept verbatim:
//!
//! ```json
//! {"source": "…", "source_id": "12", "references": ["…"], "output": "…", "system": "…",
//!  "kind": "machine", "category": "split",
//!  "ratings": [{"rater": "annotator 1", "value": 87, "z": 0.41,
//!               "dimension": "overall", "scale": {"low": 0, "high": 100}}]}
//! ```
//! (on one line). `reference` may be one text; one rating may be written as `rating`, `rater` and
//! `dimension` beside the others.

mod agreement;
mod assessments;
mod columns;
pub mod comprehension;
mod csv_writer;
mod error;
mod format;
mod input;
mod jsonl;
mod mapping;
mod preview;
mod reference_rows;
mod references;
mod row;
mod row_reader;
mod score_file;
mod score_rows;
pub mod simpeval;
mod size_limit;
mod source_key;
mod survey;
mod text_files;

pub use agreement::{FileRatings, RatedOutput, RatingsWarning, read_dimensions, read_ratings};
pub use csv_writer::{CsvWriter, FormulaEscaping, is_formula};
pub use error::{BadRow, FatalReadError, ReadError};
pub use format::{FileFormat, FormatFamily};
pub use input::MAX_ROW_BYTES;
pub use jsonl::write_line;
pub use mapping::{ColumnMapping, ColumnMappingError, FileField, StatedScales};
pub use preview::{FilePreview, preview};
pub use reference_rows::open_references;
pub use references::{
    NearestText, ReferenceReport, ReferencedText, SourceReferences, UnmatchedSource,
};
pub use row::{FileOutput, FileRating, FileRow, FileSource, InvalidNumber, WrittenNumber};
pub use row_reader::{FileNote, FileReadOptions, OpenedFile, RowIterator, open};
pub use score_file::{MatchedScores, ScoreFile};
pub use score_rows::{OutputIdentifier, ScoreRow, ScoreRows, open_scores};
pub use survey::{FileSurvey, SurveyedSystem, survey};
pub use text_files::{SimplificationUse, TextFile, open_texts};
