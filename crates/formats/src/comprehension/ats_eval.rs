//! The answers of ATS-EVAL: a row is a text with three questions and one reader's answers.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use domain::comprehension::{AnswerChoice, MaterialName, NonBlankText, Passage, Question};

use super::{
    ComprehensionBuilder, ComprehensionFile, ComprehensionFileAnswer, ComprehensionFormat,
    UNANSWERABLE, assemble, python_list,
};
use crate::{
    csv_writer::FormulaEscaping,
    error::{BadRow, FatalReadError, inner_error},
    input::{CsvHeader, CsvRecord, CsvTable},
};

/// The columns, in the order of the released file.
pub(super) const COLUMNS: [&str; 27] = [
    "article_id",
    "title",
    "paragraph",
    "model_name",
    "answer_1",
    "answer_2",
    "answer_3",
    "comments",
    "question_1",
    "question_2",
    "question_3",
    "non_answer",
    "correct_answer_1",
    "correct_answer_2",
    "correct_answer_3",
    "correct_count",
    "is_correct_answer_1",
    "is_correct_answer_2",
    "is_correct_answer_3",
    "non_answer_1",
    "non_answer_2",
    "non_answer_3",
    "all_options_1",
    "all_options_2",
    "all_options_3",
    "para_id",
    "Model",
];

/// The columns that are read; they identify the header.
const REQUIRED_COLUMNS: [&str; 13] = [
    "article_id",
    "para_id",
    "paragraph",
    "Model",
    "question_1",
    "question_2",
    "question_3",
    "answer_1",
    "answer_2",
    "answer_3",
    "all_options_1",
    "all_options_2",
    "all_options_3",
];

/// Whether a header is that of ATS-EVAL.
pub(super) fn has_ats_eval_header(header: &CsvHeader) -> bool {
    REQUIRED_COLUMNS.iter().all(|name| header.has(name))
}

/// Reads the rows. A passage is named after article and paragraph, such as `26_p1`; its questions are
/// `q1`, `q2` and `q3`; the condition is the column `Model`. Readers have no names.
pub(super) fn read(table: &mut CsvTable<'_>) -> Result<ComprehensionFile, FatalReadError> {
    let header = table.header().clone();
    let at = |name: &str| {
        header
            .find_column(name)
            .map(|place| place.unwrap_or(usize::MAX))
    };
    let three = |name: &str| -> Result<[usize; 3], FatalReadError> {
        let numbered = |number| at(&format!("{name}_{number}"));
        Ok([numbered(1)?, numbered(2)?, numbered(3)?])
    };

    let columns = AtsEvalColumns {
        article: at("article_id")?,
        paragraph: at("para_id")?,
        title: header.find_column("title")?,
        text: at("paragraph")?,
        condition: at("Model")?,
        questions: three("question")?,
        answers: three("answer")?,
        options: three("all_options")?,
    };

    let mut builder = ComprehensionBuilder::default();
    let mut seen = HashMap::new();
    while let Some(record) = table.read_record()? {
        let row = header
            .check_record(record)
            .and_then(|()| record.check_formulas(&header, |_| true))
            .and_then(|()| columns.add_record(&mut builder, record));
        match row {
            Err(bad) => builder.bad_rows.push(bad),
            Ok(()) => {
                let cells: Vec<_> = record.cells.iter().map(str::to_owned).collect();
                if let Some(first) = seen.insert(cells, record.line) {
                    builder.notes.push(format!(
                        "Line {} is the same as line {first}: both count.",
                        record.line
                    ));
                }
            }
        }
    }

    if !builder.answers.is_empty() {
        builder.notes.push(
            "The file does not name who answered: its answers count in every figure of a condition \
             and in none about participants."
                .to_owned(),
        );
    }
    Ok(builder.finish(ComprehensionFormat::AtsEval))
}

struct AtsEvalColumns {
    article: usize,
    paragraph: usize,
    title: Option<usize>,
    text: usize,
    condition: usize,
    questions: [usize; 3],
    answers: [usize; 3],
    options: [usize; 3],
}

impl AtsEvalColumns {
    /// Adds all of a row, or nothing.
    fn add_record(
        &self,
        builder: &mut ComprehensionBuilder,
        record: &CsvRecord,
    ) -> Result<(), BadRow> {
        let line = record.line;
        let cell = |place: usize| record.cells.get(place).unwrap_or_default();
        let bad = |column: &str, reason: &dyn ToString| {
            BadRow::new(line, Some(column), reason.to_string())
        };

        let name = format!(
            "{}_p{}",
            cell(self.article).trim(),
            cell(self.paragraph).trim()
        );
        let passage: MaterialName = name.parse().map_err(|error| bad("article_id", &error))?;
        let condition: MaterialName = cell(self.condition)
            .parse()
            .map_err(|error| bad("Model", &error))?;
        let text =
            NonBlankText::try_from(cell(self.text).to_owned()).map_err(|e| bad("paragraph", &e))?;

        let mut questions = Vec::new();
        let mut answers = Vec::new();
        for number in 0..3 {
            let column = |name: &str| format!("{name}_{}", number + 1);
            let options = python_list::parse_list(cell(self.options[number]))
                .ok_or_else(|| bad(&column("all_options"), &"is not a Python list of texts"))?;
            let question = Question::new(cell(self.questions[number]), &options)
                .map_err(|error| bad(&column("all_options"), &error))?;
            let choice = assemble::parse_choice(&question, cell(self.answers[number]))
                .map_err(|error| bad(&column("answer"), &error))?;
            let name: MaterialName = format!("q{}", number + 1)
                .parse()
                .expect("a letter and a digit are a name");
            questions.push((name.clone(), question));
            answers.push(ComprehensionFileAnswer {
                line,
                passage: passage.clone(),
                question: name,
                condition: condition.clone(),
                participant: None,
                choice,
                order: None,
                active_ms: None,
            });
        }

        let title = self.title.map_or("", cell);
        let add = |passage: &mut Passage| {
            for (name, question) in questions {
                assemble::add_question(passage, &name, question)
                    .map_err(|error| bad("question_1", &error))?;
            }
            assemble::add_text(passage, &condition, text).map_err(|error| bad("paragraph", &error))
        };

        // Each passage here has three questions, so only the conditions can exceed their limit.
        let refuse = |_, reason: String| bad("Model", &reason);
        builder.add_to_passage(&passage, title.trim(), add, refuse)?;
        builder.answers.extend(answers);
        Ok(())
    }
}

/// One reader's answers on one text.
#[derive(Debug, Clone, Copy)]
pub struct AtsEvalRow<'a> {
    /// The article.
    pub article_id: &'a str,
    /// The paragraph within it.
    pub para_id: &'a str,
    /// The article's title.
    pub title: &'a str,
    /// The text.
    pub paragraph: &'a str,
    /// The condition, as a file of outputs calls it.
    pub model_name: &'a str,
    /// The condition.
    pub model: &'a str,
    /// The final comment, with the line end that it has in the released file.
    pub comments: &'a str,
    /// The questions with their answers.
    pub answers: [(&'a Question, AnswerChoice); 3],
}

/// Writes rows in the shape of the released file: CRLF, lists as Python writes them.
pub struct AtsEvalWriter<W: Write> {
    csv: csv::Writer<W>,
    escaping: FormulaEscaping,
}

impl<W: Write> AtsEvalWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new(out: W, cells: FormulaEscaping) -> io::Result<Self> {
        let mut csv = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .from_writer(out);
        csv.write_record(COLUMNS).map_err(inner_error)?;
        Ok(Self {
            csv,
            escaping: cells,
        })
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn write(&mut self, row: &AtsEvalRow<'_>) -> io::Result<()> {
        let answer = |(question, choice): (&Question, AnswerChoice)| {
            question.answer(choice).unwrap_or(UNANSWERABLE).to_owned()
        };
        let flag = |yes: bool| if yes { "True" } else { "False" }.to_owned();
        let count = |counted: AnswerChoice| {
            let equal = row.answers.iter().filter(|(_, choice)| *choice == counted);
            equal.count().to_string()
        };

        let answers = row.answers;
        let mut cells: Vec<String> = [row.article_id, row.title, row.paragraph, row.model_name]
            .map(str::to_owned)
            .into();
        cells.extend(answers.map(answer));
        cells.push(row.comments.to_owned());
        cells.extend(answers.map(|(question, _)| question.text().to_owned()));
        cells.push(count(AnswerChoice::Unanswerable));
        cells.extend(answers.map(|(question, _)| question.answers()[0].clone()));
        cells.push(count(AnswerChoice::A));
        cells.extend(answers.map(|(_, choice)| flag(choice == AnswerChoice::A)));
        cells.extend(answers.map(|(_, choice)| flag(choice == AnswerChoice::Unanswerable)));
        cells.extend(answers.map(|(question, _)| python_list::format_list(question.answers())));
        cells.extend([row.para_id, row.model].map(str::to_owned));

        let cells = cells.iter().map(|cell| self.escaping.apply(cell));
        for cell in cells {
            self.csv.write_field(cell.as_bytes()).map_err(inner_error)?;
        }
        self.csv.write_record(None::<&[u8]>).map_err(inner_error)
    }

    /// Writes what is buffered and returns the output.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn finish(self) -> io::Result<W> {
        self.csv
            .into_inner()
            .map_err(csv::IntoInnerError::into_error)
    }
}
