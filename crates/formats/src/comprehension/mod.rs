//! Files of reading comprehension: passages with a text a condition, questions, answers.
//!
//! - OneStopQA's JSON: the levels become the conditions Advanced, Intermediate and Elementary.
//! - ATS-EVAL's CSV: a row is a text with three questions and what one unnamed reader answered.
//! - Any CSV or JSONL with a text, a question or an answer a row, by a [`Mapping`].
//!
//! Files are read whole, for the rows of a study refer to each other; of more than
//! [`MAX_FILE_BYTES`] none is.

mod assemble;
pub mod ats_eval;
mod mapping;
mod onestop;
mod python_list;
mod rows;
mod spans;
mod write;

use std::{collections::HashSet, fmt, io::Read};

use domain::comprehension::{
    AnswerChoice, AnswerTable, ChoiceOrder, MaterialName, Passage, PassagePurpose, ReaderAnswer,
};

use crate::{
    error::{BadRow, FatalReadError},
    input::{ContentKind, CsvTable, LineReader, Utf8Reader},
};
use assemble::ComprehensionBuilder;
pub use mapping::{ComprehensionField, ComprehensionMapping, ComprehensionMappingError};
pub use spans::write_spans;
pub use write::{
    ComprehensionAnswerRow, ComprehensionAnswerWriter, ParticipantRow, ParticipantWriter,
    UNANSWERABLE,
};

/// A file of more bytes than this is refused.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// How the rows of a file are written.
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
    /// Whether a [`Mapping`] says what its columns or keys are.
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

/// What a file says.
#[derive(Debug, Clone)]
pub struct ComprehensionFile {
    /// What it turned out to be.
    pub format: ComprehensionFormat,
    /// Passages with texts and questions, in the order of the file.
    pub passages: Vec<Passage>,
    /// Answers, in the order of the file.
    pub answers: Vec<ComprehensionFileAnswer>,
    /// What people should know, as sentences.
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
    /// The condition that was read.
    pub condition: MaterialName,
    /// Who answered, where the file says.
    pub participant: Option<MaterialName>,
    /// What was answered.
    pub choice: AnswerChoice,
    /// The order in which the answers were shown, where the file says.
    pub order: Option<ChoiceOrder>,
    /// Active time on the question in milliseconds, where the file says.
    pub active_ms: Option<u64>,
}

impl ComprehensionFile {
    /// The conditions, in the order in which passages name them.
    #[must_use]
    pub fn conditions(&self) -> Vec<MaterialName> {
        let mut seen = HashSet::new();
        let all = self.passages.iter().flat_map(|passage| &passage.texts);
        all.filter(|(condition, _)| seen.insert(condition))
            .map(|(condition, _)| condition.clone())
            .collect()
    }

    /// The answers as figures are computed from them: those to main passages.
    #[must_use]
    pub fn main_answers(&self) -> AnswerTable {
        let conditions = self.conditions();
        let mut table = AnswerTable::with_conditions(conditions.iter().map(MaterialName::as_str));
        let others = self.passages.iter();
        let others = others.filter(|passage| passage.purpose != PassagePurpose::Main);
        let others: HashSet<&MaterialName> = others.map(|passage| &passage.name).collect();
        let counted = |given: &&ComprehensionFileAnswer| !others.contains(&given.passage);
        table.extend(
            self.answers
                .iter()
                .filter(counted)
                .map(|given| ReaderAnswer {
                    condition: given.condition.as_str(),
                    passage: given.passage.as_str(),
                    question: given.question.as_str(),
                    participant: given.participant.as_ref().map(MaterialName::as_str),
                    choice: given.choice,
                    place: given.order.map(|order| order.place_of(given.choice)),
                }),
        );
        table
    }
}

/// Reads a file of any of the formats. `mapping` is for CSV and JSONL; where something is mapped, a
/// CSV file is read by it, whatever its header looks like.
///
/// # Errors
/// [`Fatal`] where the file is empty, no UTF-8 text, too large, or has the wrong header.
pub fn read_comprehension(
    input: impl Read,
    mapping: &ComprehensionMapping,
) -> Result<ComprehensionFile, FatalReadError> {
    let mut bytes = Vec::new();
    input.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(FatalReadError::FileTooLarge(MAX_FILE_BYTES));
    }
    if let Some(found) = onestop::read(&bytes)? {
        return Ok(found);
    }
    let input = Utf8Reader::open(&bytes[..])?;
    match input.content_kind() {
        ContentKind::Array => Err(FatalReadError::JsonArray),
        ContentKind::Objects => {
            Ok(rows::read_jsonl(LineReader::new(input), mapping)?
                .finish(ComprehensionFormat::Jsonl))
        }
        ContentKind::Cells(_) => {
            let mut table = CsvTable::open(input)?;
            if mapping.is_empty() && ats_eval::has_ats_eval_header(table.header()) {
                return ats_eval::read(&mut table);
            }
            Ok(rows::read_csv(&mut table, mapping)?.finish(ComprehensionFormat::Csv))
        }
    }
}
