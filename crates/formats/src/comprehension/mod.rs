//! Files of reading comprehension: passages with a text for each condition, questions, answers.
//!
//! - OneStopQA's JSON: the levels become the conditions Advanced, Intermediate and Elementary.
//! - ATS-EVAL's CSV: a row is a text with three questions and the answers of one unnamed reader.
//! - Any CSV or JSONL with a text, a question or an answer per row, by a [`ComprehensionMapping`].
//!
//! Files are read whole, since the rows of a study refer to each other, up to [`MAX_FILE_BYTES`].

mod assemble;
pub mod ats_eval;
mod mapping;
mod onestop;
mod python_list;
mod rows;
mod spans;
mod write;

use std::{
    collections::HashSet,
    fmt,
    io::{Cursor, Read as _},
};

use domain::comprehension::{
    AnswerChoice, AnswerTable, ChoiceOrder, MaterialName, Passage, PassagePurpose, ReaderAnswer,
};

use crate::{
    error::{BadRow, FatalReadError},
    input::{ContentKind, CsvHeader, DecodedContent, FileInput},
    preview::{FilePreview, preview_opened},
};
use assemble::ComprehensionBuilder;
pub use mapping::{ComprehensionField, ComprehensionMapping, ComprehensionMappingError};
pub use spans::write_spans;
pub use write::{
    ComprehensionAnswerRow, ComprehensionAnswerWriter, ParticipantRow, ParticipantWriter,
    UNANSWERABLE,
};

/// The most bytes of a file.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComprehensionFormat {
    /// OneStopQA's JSON.
    OneStopQa,
    /// The answers of ATS-EVAL.
    AtsEval,
    /// Any CSV, by mapping.
    Csv,
    /// One JSON object a line.
    Jsonl,
}

impl ComprehensionFormat {
    /// Whether its columns or keys are found by a [`ComprehensionMapping`].
    #[must_use]
    pub const fn is_mapped(self) -> bool {
        matches!(self, Self::Csv | Self::Jsonl)
    }
}

impl fmt::Display for ComprehensionFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneStopQa => "OneStopQA",
            Self::AtsEval => "ATS-EVAL",
            Self::Csv => "CSV",
            Self::Jsonl => "JSONL",
        })
    }
}

/// The contents of a file.
#[derive(Debug, Clone)]
pub struct ComprehensionFile {
    /// The format that was recognised.
    pub format: ComprehensionFormat,
    /// Passages with texts and questions, in the order of the file.
    pub passages: Vec<Passage>,
    /// Answers, in the order of the file.
    pub answers: Vec<ComprehensionFileAnswer>,
    /// Remarks for the user, as sentences.
    pub notes: Vec<String>,
    /// Rows that were left out.
    pub bad_rows: Vec<BadRow>,
}

/// One answer in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComprehensionFileAnswer {
    /// The line of its row, from 1.
    pub line: u64,
    /// The passage, by name.
    pub passage: MaterialName,
    /// The question, by name.
    pub question: MaterialName,
    /// The condition of the text.
    pub condition: MaterialName,
    /// The participant, where the file names one.
    pub participant: Option<MaterialName>,
    /// The answer.
    pub choice: AnswerChoice,
    /// The order in which the answers were shown, where the file states it.
    pub order: Option<ChoiceOrder>,
    /// Active time on the question in milliseconds, where the file states it.
    pub active_ms: Option<u64>,
}

impl ComprehensionFile {
    /// The conditions, in the order in which passages name them.
    #[must_use]
    pub fn conditions(&self) -> Vec<MaterialName> {
        let mut seen = HashSet::new();
        let texts = self.passages.iter().flat_map(|passage| &passage.texts);
        texts
            .filter(|(condition, _)| seen.insert(condition))
            .map(|(condition, _)| condition.clone())
            .collect()
    }

    /// The answers that figures are computed from: those to main passages.
    #[must_use]
    pub fn main_answers(&self) -> AnswerTable {
        let conditions = self.conditions();
        let mut table = AnswerTable::with_conditions(conditions.iter().map(MaterialName::as_str));

        let other_passages = self
            .passages
            .iter()
            .filter(|passage| passage.purpose != PassagePurpose::Main);
        let other_names: HashSet<&MaterialName> =
            other_passages.map(|passage| &passage.name).collect();
        let is_main = |answer: &&ComprehensionFileAnswer| !other_names.contains(&answer.passage);

        let answers = self.answers.iter().filter(is_main);
        let answers: Vec<_> = answers
            .map(|answer| ReaderAnswer {
                condition: answer.condition.as_str(),
                passage: answer.passage.as_str(),
                question: answer.question.as_str(),
                participant: answer.participant.as_ref().map(MaterialName::as_str),
                choice: answer.choice,
                place: answer.order.map(|order| order.place_of(answer.choice)),
            })
            .collect();

        let passages = self.passages.iter();
        table.extend_in_order(passages.map(|passage| passage.name.as_str()), &answers);
        table
    }
}

/// Reads a file of any of the formats. `mapping` is for CSV and JSONL; unless it is empty, a CSV file is read by it
/// even with ATS-EVAL's header.
///
/// # Errors
/// [`FatalReadError`] where the file is empty, not text, too large, or has the wrong header.
pub fn read_comprehension<'r>(
    input: impl Into<FileInput<'r>>,
    mapping: &ComprehensionMapping,
) -> Result<ComprehensionFile, FatalReadError> {
    let mut decoded = input.into().decode(|header| has_columns(header, mapping))?;
    if let DecodedContent::Text(text) = &mut decoded.content {
        let mut bytes = Vec::new();
        text.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(FatalReadError::FileTooLarge(MAX_FILE_BYTES));
        }
        if let Some(file) = onestop::read(&bytes)? {
            return Ok(file);
        }
        decoded.content = DecodedContent::Text(Box::new(Cursor::new(bytes)));
    }

    let input = decoded.open()?;
    let notes: Vec<_> = input
        .description
        .sheet_notes
        .iter()
        .map(ToString::to_string)
        .collect();

    let mut file = match input.content_kind() {
        ContentKind::Array => return Err(FatalReadError::JsonArray),
        ContentKind::Objects => {
            rows::read_jsonl(input.into_lines()?, mapping)?.finish(ComprehensionFormat::Jsonl)
        }
        ContentKind::Cells(_) => {
            let mut table = input.into_table()?;
            match is_ats_eval(table.header(), mapping) {
                true => ats_eval::read(&mut table)?,
                false => rows::read_csv(&mut table, mapping)?.finish(ComprehensionFormat::Csv),
            }
        }
    };

    file.notes.splice(..0, notes);
    Ok(file)
}

/// Reads the first `count` rows of a file called `name`; of a workbook, those of the sheet that [`read_comprehension`]
/// reads.
///
/// # Errors
/// As [`crate::preview()`].
pub fn preview<'r>(
    name: &str,
    input: impl Into<FileInput<'r>>,
    count: usize,
) -> Result<FilePreview, FatalReadError> {
    let mapping = ComprehensionMapping::default();
    let input = input.into();
    preview_opened(
        name,
        input.open_fitting(|header| has_columns(header, &mapping))?,
        count,
    )
}

fn has_columns(header: &CsvHeader, mapping: &ComprehensionMapping) -> bool {
    is_ats_eval(header, mapping) || rows::has_columns(header, mapping)
}

/// Whether a table is read as ATS-EVAL's.
fn is_ats_eval(header: &CsvHeader, mapping: &ComprehensionMapping) -> bool {
    mapping.is_empty() && ats_eval::has_ats_eval_header(header)
}
