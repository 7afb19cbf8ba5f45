//! Writers of answers, one per row, as CSV and JSONL, and of participants as CSV.

use std::io::{self, Write};

use domain::comprehension::{AnswerChoice, ChoiceOrder};
use serde::Serialize;

use crate::csv_writer::{CsvWriter, FormulaEscaping};

/// The wording of *unanswerable* in the paper and its released answers.
pub const UNANSWERABLE: &str =
    "The question or the answer options are not supported by the passage.";

/// One answer with all its details. The names of the fields are the columns and keys.
#[derive(Debug, Clone, Serialize)]
pub struct ComprehensionAnswerRow<'a> {
    /// The participant's pseudonym; absent where it is unknown.
    pub participant: Option<&'a str>,
    /// The passage.
    pub passage: &'a str,
    /// Its title.
    pub title: &'a str,
    /// The condition of the text.
    pub condition: &'a str,
    /// The question.
    pub question: &'a str,
    /// The words of the question.
    pub question_text: &'a str,
    /// The answer.
    pub answer: AnswerChoice,
    /// The words of the answer.
    pub answer_text: &'a str,
    /// Whether it is A.
    pub correct: bool,
    /// The order in which the answers were shown.
    pub order: Option<ChoiceOrder>,
    /// The place of the answer on the page, from 1 to 5.
    pub place: Option<u8>,
    /// Active time on the question, in milliseconds.
    pub active_ms: Option<u64>,
    /// Active time on the passage, in milliseconds.
    pub passage_active_ms: Option<u64>,
    /// Whether the participant was excluded or withdrew. Such answers enter no figure.
    pub left_out: bool,
    /// When it was recorded, in milliseconds since 1970.
    pub recorded_at: Option<i64>,
}

const COLUMNS: [&str; 15] = [
    "participant",
    "passage",
    "title",
    "condition",
    "question",
    "question_text",
    "answer",
    "answer_text",
    "correct",
    "order",
    "place",
    "active_ms",
    "passage_active_ms",
    "left_out",
    "recorded_at",
];

/// Writes answers as CSV; as JSONL they are written by [`crate::write_line`].
pub struct ComprehensionAnswerWriter<W: Write>(CsvWriter<W>);

impl<W: Write> ComprehensionAnswerWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new(out: W, cells: FormulaEscaping) -> io::Result<Self> {
        CsvWriter::new(out, COLUMNS, cells).map(Self)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn write(&mut self, row: &ComprehensionAnswerRow<'_>) -> io::Result<()> {
        let number =
            |value: Option<u64>| value.map(|number| number.to_string()).unwrap_or_default();

        self.0.write([
            row.participant.unwrap_or_default(),
            row.passage,
            row.title,
            row.condition,
            row.question,
            row.question_text,
            row.answer.name(),
            row.answer_text,
            if row.correct { "true" } else { "false" },
            &row.order.map(|order| order.to_string()).unwrap_or_default(),
            &number(row.place.map(u64::from)),
            &number(row.active_ms),
            &number(row.passage_active_ms),
            if row.left_out { "true" } else { "false" },
            &row.recorded_at.map(|at| at.to_string()).unwrap_or_default(),
        ])
    }

    /// Writes what is buffered and returns the output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

/// One participant. The names of its fields are the columns.
#[derive(Debug, Clone)]
pub struct ParticipantRow<'a> {
    /// The pseudonym.
    pub participant: &'a str,
    /// When they joined, in milliseconds since 1970.
    pub joined_at: i64,
    /// When they consented.
    pub begun_at: Option<i64>,
    /// When they finished.
    pub finished_at: Option<i64>,
    /// Texts given.
    pub texts: u32,
    /// Texts done.
    pub done: u32,
    /// Active time on main texts, in milliseconds.
    pub active_ms: u64,
    /// Answers to attention checks.
    pub checks: u32,
    /// Right answers to them.
    pub checks_passed: u32,
    /// How they left; empty where they did not leave.
    pub left: &'a str,
    /// Why they were left out.
    pub reason: &'a str,
    /// Their comment at the end.
    pub comment: &'a str,
}

/// Writes participants as CSV.
pub struct ParticipantWriter<W: Write>(CsvWriter<W>);

impl<W: Write> ParticipantWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new(out: W, cells: FormulaEscaping) -> io::Result<Self> {
        let columns = [
            "participant",
            "joined_at",
            "begun_at",
            "finished_at",
            "texts",
            "done",
            "active_ms",
            "checks",
            "checks_passed",
            "left",
            "reason",
            "comment",
        ];
        CsvWriter::new(out, columns, cells).map(Self)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn write(&mut self, row: &ParticipantRow<'_>) -> io::Result<()> {
        let moment = |value: Option<i64>| value.map(|at| at.to_string()).unwrap_or_default();
        self.0.write([
            row.participant,
            &row.joined_at.to_string(),
            &moment(row.begun_at),
            &moment(row.finished_at),
            &row.texts.to_string(),
            &row.done.to_string(),
            &row.active_ms.to_string(),
            &row.checks.to_string(),
            &row.checks_passed.to_string(),
            row.left,
            row.reason,
            row.comment,
        ])
    }

    /// Writes what is buffered and returns the output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}
