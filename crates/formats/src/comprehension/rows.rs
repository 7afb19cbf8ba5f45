//! CSV and JSONL whose rows each hold a text, a question, an answer, or several of these.
//!
//! A row names its passage. A row with a text names the condition; a row with the words of a question has
//! its four answers; a row with an answer names condition and question, and has the question itself or
//! follows a row that does.

use std::collections::BTreeMap;

use domain::{
    comprehension::{EvidenceSpans, MaterialName, NonBlankText, Passage, Question},
    work::activity::LONGEST_MS,
};

use super::{
    ComprehensionBuilder, ComprehensionField, ComprehensionFileAnswer, ComprehensionMapping,
    assemble, spans::read_spans,
};
use crate::{
    assignment_status::{is_rejected, is_status_column},
    error::{BadRow, FatalReadError, not_an_object},
    field_mapping::{find_columns, missing_column},
    input::{CsvHeader, CsvTable, LineReader, NUL},
    json_line::without_python_numbers,
    numbers::is_missing,
    visible_form,
};

/// Reads CSV.
pub(super) fn read_csv(
    table: &mut CsvTable<'_>,
    mapping: &ComprehensionMapping,
) -> Result<ComprehensionBuilder, FatalReadError> {
    let header = table.header().clone();
    let places = find_field_columns(&header, mapping)?;

    let mut builder = ComprehensionBuilder::default();
    let names = header.names().iter().enumerate();
    let status: Vec<_> = names.filter(|(_, name)| is_status_column(name)).collect();
    let mut rejected_answers = 0;
    let mut is_empty = true;

    while let Some(record) = table.read_record()? {
        is_empty = false;
        let is_used = |place| places.iter().any(|(_, own)| *own == place);
        let is_row_rejected = status.iter().any(|(place, name)| {
            let status = record.cells.get(*place);
            status.is_some_and(|status| is_rejected(name, status))
        });

        let checked = header.check_record(record);
        let checked = checked.and_then(|()| record.check_formulas(&header, is_used));
        let row = checked.and_then(|()| {
            let mut cell = |(field, place): &(ComprehensionField, usize)| {
                let text = record.cells.get(*place)?;
                if text.trim().is_empty() {
                    return None;
                }
                if is_row_rejected && *field == ComprehensionField::Answer {
                    rejected_answers += 1;
                    return None;
                }
                Some((*field, text.to_owned()))
            };
            let cells = places.iter().filter_map(&mut cell).collect();
            ComprehensionRow {
                line: record.line,
                mapping,
                cells,
            }
            .add_to_file(&mut builder)
        });
        builder.bad_rows.extend(row.err());
    }

    if rejected_answers > 0 {
        builder.notes.push(format!(
            "{rejected_answers} answers are left out, since the assignment was rejected or not completed. To count \
             them, remove the column that says so."
        ));
    }

    match is_empty {
        true => Err(FatalReadError::NoRows),
        false => Ok(builder),
    }
}

/// Whether a header has the required columns.
pub(super) fn has_columns(header: &CsvHeader, mapping: &ComprehensionMapping) -> bool {
    find_field_columns(header, mapping).is_ok()
}

/// The places of the fields; refuses a file in which a mapped column or the passage is missing.
fn find_field_columns(
    header: &CsvHeader,
    mapping: &ComprehensionMapping,
) -> Result<Vec<(ComprehensionField, usize)>, FatalReadError> {
    let mut places = Vec::new();
    for field in ComprehensionField::ALL {
        let columns = find_columns(header, mapping, field)?;
        if columns.is_empty() && field == ComprehensionField::Passage {
            return Err(missing_column(header, field));
        }
        places.extend(columns.into_iter().map(|place| (field, place)));
    }
    Ok(places)
}

/// Reads JSONL.
pub(super) fn read_jsonl(
    mut lines: LineReader<'_>,
    mapping: &ComprehensionMapping,
) -> Result<ComprehensionBuilder, FatalReadError> {
    let mut builder = ComprehensionBuilder::default();
    while let Some((line, text)) = lines.read_line()? {
        if !text.trim().is_empty() {
            let row =
                parse_object(line, &text, mapping).and_then(|row| row.add_to_file(&mut builder));
            builder.bad_rows.extend(row.err());
        }
    }
    Ok(builder)
}

fn parse_object<'m>(
    line: u64,
    text: &str,
    mapping: &'m ComprehensionMapping,
) -> Result<ComprehensionRow<'m>, BadRow> {
    let keys: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(&without_python_numbers(text))
            .map_err(|error| BadRow::new(line, None, not_an_object(&error)))?;

    let mut cells = BTreeMap::new();
    for field in ComprehensionField::ALL {
        let Some(key) = mapping.columns_or_default(field).next() else {
            continue;
        };
        let text = match keys.get(key) {
            None | Some(serde_json::Value::Null) => continue,
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(serde_json::Value::Number(number)) => number.to_string(),
            Some(_) => {
                let reason = "is not a text: write it in quotation marks";
                return Err(BadRow::new(line, Some(key), reason));
            }
        };

        if text.contains('\0') {
            return Err(BadRow::new(line, Some(key), NUL));
        }
        if !text.trim().is_empty() {
            cells.insert(field as usize, (field, text));
        }
    }

    let cells = cells.into_values().collect();
    Ok(ComprehensionRow {
        line,
        mapping,
        cells,
    })
}

/// The fields of a row that are not blank.
struct ComprehensionRow<'m> {
    line: u64,
    mapping: &'m ComprehensionMapping,
    cells: Vec<(ComprehensionField, String)>,
}

impl ComprehensionRow<'_> {
    fn get(&self, field: ComprehensionField) -> Option<&str> {
        let mut cells = self.cells.iter();
        let (_, text) = cells.find(|(own, _)| *own == field)?;
        Some(text)
    }

    fn bad_row(&self, field: ComprehensionField, reason: impl ToString) -> BadRow {
        let column = self.mapping.columns_or_default(field).next();
        let column = column.unwrap_or(field.name());
        BadRow::new(self.line, Some(column), reason)
    }

    fn require(&self, field: ComprehensionField, why: &str) -> Result<&str, BadRow> {
        let missing = || self.bad_row(field, format!("is missing: {why}"));
        self.get(field).ok_or_else(missing)
    }

    fn parse_name(&self, field: ComprehensionField, why: &str) -> Result<MaterialName, BadRow> {
        let text = visible_form(self.require(field, why)?);
        text.parse().map_err(|error| self.bad_row(field, error))
    }

    /// Adds all of the row, or nothing.
    fn add_to_file(&self, builder: &mut ComprehensionBuilder) -> Result<(), BadRow> {
        let name = self.parse_name(ComprehensionField::Passage, "every row names its passage")?;
        let title = self.get(ComprehensionField::Title).unwrap_or_default();
        let answer = builder.add_to_passage(
            &name,
            title.trim(),
            |passage| self.add_to_passage(passage),
            |field, reason| self.bad_row(field, reason),
        )?;
        if let Some(answer) = answer {
            builder.add_answer(answer);
        }
        Ok(())
    }

    /// Adds the row to its passage and returns the answer that it holds. After an error, part of the row may be there.
    fn add_to_passage(
        &self,
        passage: &mut Passage,
    ) -> Result<Option<ComprehensionFileAnswer>, BadRow> {
        if let Some(purpose) = self.parse_field(ComprehensionField::Purpose)? {
            passage.purpose = purpose;
        }

        if let Some(text) = self.get(ComprehensionField::Text) {
            let condition = self.parse_name(
                ComprehensionField::Condition,
                "a text is one of a condition",
            )?;
            let text = NonBlankText::try_from(text.to_owned())
                .map_err(|e| self.bad_row(ComprehensionField::Text, e))?;
            assemble::add_text(passage, &condition, text)
                .map_err(|reason| self.bad_row(ComprehensionField::Text, reason))?;
        }

        // A row of an answer may repeat the words of its question without the four answers.
        let repeats = self.get(ComprehensionField::Answer).is_some()
            && self.get(ComprehensionField::A).is_none();
        if let Some(words) = self.get(ComprehensionField::Asked).filter(|_| !repeats) {
            let question = self.build_question(words)?;
            assemble::add_question(passage, &self.question_name()?, question)
                .map_err(|reason| self.bad_row(ComprehensionField::Asked, reason))?;
        }

        if self.get(ComprehensionField::Critical).is_some()
            || self.get(ComprehensionField::Distractor).is_some()
        {
            self.add_evidence(passage)?;
        }

        Ok(match self.get(ComprehensionField::Answer) {
            None => None,
            Some(answer) => {
                let own = self.question_name()?;
                let question = passage.questions.iter().find(|(name, _)| *name == own);
                let Some((_, question)) = question else {
                    let reason = "is not known: put the row with its words and answers before this";
                    return Err(self.bad_row(ComprehensionField::Question, reason));
                };

                let choice = assemble::parse_choice(question, answer)
                    .map_err(|reason| self.bad_row(ComprehensionField::Answer, reason))?;
                Some(ComprehensionFileAnswer {
                    line: self.line,
                    passage: passage.name.clone(),
                    question: own,
                    condition: self
                        .parse_name(ComprehensionField::Condition, "an answer is to a text")?,
                    participant: self
                        .get(ComprehensionField::Participant)
                        .map(|_| self.parse_name(ComprehensionField::Participant, ""))
                        .transpose()?,
                    choice,
                    order: self.parse_field(ComprehensionField::Order)?,
                    active_ms: self.parse_active_ms()?,
                })
            }
        })
    }

    fn parse_active_ms(&self) -> Result<Option<u64>, BadRow> {
        match self.parse_field(ComprehensionField::ActiveMs)? {
            Some(active_ms) if active_ms > LONGEST_MS => Err(self.bad_row(
                ComprehensionField::ActiveMs,
                "is more than 30 days: write milliseconds, at most 2592000000",
            )),
            active_ms => Ok(active_ms),
        }
    }

    /// Adds the evidence for the question in the text of the condition.
    fn add_evidence(&self, passage: &mut Passage) -> Result<(), BadRow> {
        let condition = self.parse_name(ComprehensionField::Condition, "spans are of a text")?;
        let question = self.question_name()?;

        let mut texts = passage.texts.iter();
        let Some((_, text)) = texts.find(|(own, _)| *own == condition) else {
            let reason = "has no text yet: put the row with the text before its spans";
            return Err(self.bad_row(ComprehensionField::Condition, reason));
        };

        let spans = |field| {
            let cell = self.get(field).unwrap_or_default();
            read_spans(text.as_str(), cell).map_err(|reason| self.bad_row(field, reason))
        };
        let spans = EvidenceSpans {
            critical: spans(ComprehensionField::Critical)?,
            distractor: spans(ComprehensionField::Distractor)?,
        };
        assemble::add_spans(passage, &condition, &question, spans);
        Ok(())
    }

    /// The question's name, or else its words, cut to 200 characters.
    fn question_name(&self) -> Result<MaterialName, BadRow> {
        let field = match self.get(ComprehensionField::Question) {
            Some(_) => ComprehensionField::Question,
            None => ComprehensionField::Asked,
        };
        let words = visible_form(self.require(field, "name the question")?);
        let words: String = words.chars().take(200).collect();
        words.parse().map_err(|error| self.bad_row(field, error))
    }

    fn build_question(&self, words: &str) -> Result<Question, BadRow> {
        let mut answers = Vec::new();
        for field in [
            ComprehensionField::A,
            ComprehensionField::B,
            ComprehensionField::C,
            ComprehensionField::D,
        ] {
            answers.push(self.require(field, "a question has four answers")?);
        }
        Question::new(words, &answers)
            .map_err(|error| self.bad_row(ComprehensionField::Asked, error))
    }

    fn parse_field<T: std::str::FromStr<Err: ToString>>(
        &self,
        field: ComprehensionField,
    ) -> Result<Option<T>, BadRow> {
        let text = self.get(field).map(str::trim);
        let parsed = text.filter(|text| !is_missing(text)).map(str::parse);
        let parsed = parsed.transpose();
        parsed.map_err(|error: T::Err| self.bad_row(field, error))
    }
}
