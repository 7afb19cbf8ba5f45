//! One text, one question, one answer a row, or several of them: CSV and JSONL.
//!
//! A row names its passage. Where it has a text it names the condition; where it has the words of a
//! question it has its four answers; where it has an answer it names condition and question, and says
//! the question itself or comes after a row that does.

use std::{collections::BTreeMap, io::Read};

use domain::{
    comprehension::{Name, Passage, Question, Spans, Text},
    work::activity::LONGEST_MS,
};

use super::{Assembler, Field, FileAnswer, Mapping, assemble, spans::read_spans};
use crate::{
    fault::{BadRow, Fatal, clip},
    input::{Header, Lines, NUL, Table},
};

/// Reads CSV.
pub(super) fn csv<R: Read>(table: &mut Table<R>, mapping: &Mapping) -> Result<Assembler, Fatal> {
    let header = table.header().clone();
    let places = places(&header, mapping)?;
    let mut all = Assembler::default();
    while let Some(record) = table.read()? {
        let row = header.check(&record).and_then(|()| {
            let cell = |(field, place): &(Field, usize)| {
                let text = record.cells.get(*place)?;
                (!text.trim().is_empty()).then(|| (*field, text.to_owned()))
            };
            let cells = places.iter().filter_map(cell).collect();
            Row {
                line: record.line,
                mapping,
                cells,
            }
            .take(&mut all)
        });
        all.bad_rows.extend(row.err());
    }
    Ok(all)
}

/// The places of the fields; refuses a file in which a mapped column or the passage is missing.
fn places(header: &Header, mapping: &Mapping) -> Result<Vec<(Field, usize)>, Fatal> {
    let mut places = Vec::new();
    for field in Field::ALL {
        let column = mapping.column(*field);
        let found = column.map(|column| header.find(column)).transpose()?;
        match found.flatten() {
            Some(place) => places.push((*field, place)),
            None if mapping.mapped(*field).is_some() || *field == Field::Passage => {
                let column = column.unwrap_or(field.name());
                let expected = format!("a column “{}” for the field {field}", clip(column));
                let advice = format!("map {field} to one of these columns (--map {field}=COLUMN)");
                return Err(header.wrong(&expected, &advice));
            }
            None => {}
        }
    }
    Ok(places)
}

/// Reads JSONL.
pub(super) fn jsonl<R: Read>(mut lines: Lines<R>, mapping: &Mapping) -> Result<Assembler, Fatal> {
    let mut all = Assembler::default();
    while let Some((line, text)) = lines.read()? {
        if !text.trim().is_empty() {
            let row = object(line, &text, mapping).and_then(|row| row.take(&mut all));
            all.bad_rows.extend(row.err());
        }
    }
    Ok(all)
}

fn object<'m>(line: u64, text: &str, mapping: &'m Mapping) -> Result<Row<'m>, BadRow> {
    let keys: BTreeMap<String, serde_json::Value> = serde_json::from_str(text)
        .map_err(|error| BadRow::new(line, None, format!("is no JSON object: {error}")))?;
    let mut cells = BTreeMap::new();
    for field in Field::ALL {
        let Some(key) = mapping.column(*field) else {
            continue;
        };
        let text = match keys.get(key) {
            None | Some(serde_json::Value::Null) => continue,
            Some(serde_json::Value::String(text)) => text.clone(),
            Some(serde_json::Value::Number(number)) => number.to_string(),
            Some(_) => {
                let reason = "is no text: write it in quotation marks";
                return Err(BadRow::new(line, Some(key), reason));
            }
        };
        if text.contains('\0') {
            return Err(BadRow::new(line, Some(key), NUL));
        }
        if !text.trim().is_empty() {
            cells.insert(*field as usize, (*field, text));
        }
    }
    let cells = cells.into_values().collect();
    Ok(Row {
        line,
        mapping,
        cells,
    })
}

/// The fields of a row that are not blank.
struct Row<'m> {
    line: u64,
    mapping: &'m Mapping,
    cells: Vec<(Field, String)>,
}

impl Row<'_> {
    fn get(&self, field: Field) -> Option<&str> {
        let found = self.cells.iter().find(|(own, _)| *own == field);
        found.map(|(_, text)| text.as_str())
    }

    fn bad(&self, field: Field, reason: impl ToString) -> BadRow {
        let column = self.mapping.column(field).unwrap_or(field.name());
        BadRow::new(self.line, Some(column), reason)
    }

    fn needed(&self, field: Field, why: &str) -> Result<&str, BadRow> {
        let missing = || self.bad(field, format!("is missing: {why}"));
        self.get(field).ok_or_else(missing)
    }

    fn name(&self, field: Field, why: &str) -> Result<Name, BadRow> {
        let text = self.needed(field, why)?;
        text.parse().map_err(|error| self.bad(field, error))
    }

    /// Takes all of the row, or nothing.
    fn take(&self, all: &mut Assembler) -> Result<(), BadRow> {
        let name = self.name(Field::Passage, "every row names its passage")?;
        let (is_known, mut passage) = all.take_out(&name);
        let before = (
            passage.texts.len(),
            passage.questions.len(),
            passage.spans.len(),
            passage.purpose,
        );
        let added = self.add_to(&mut passage);
        let added = added.and_then(|answer| {
            let limit = all.admit(&passage, before.0, before.1);
            limit.map_err(|(field, reason)| self.bad(field, reason))?;
            Ok(answer)
        });
        if added.is_err() {
            passage.texts.truncate(before.0);
            passage.questions.truncate(before.1);
            passage.spans.truncate(before.2);
            passage.purpose = before.3;
        }
        if is_known || added.is_ok() {
            let title = self.get(Field::Title).unwrap_or_default().trim();
            all.put_back(passage, if added.is_ok() { title } else { "" });
        }
        all.answers.extend(added?);
        Ok(())
    }

    /// Adds what the row says of its passage, and gives the answer that it holds. After an error some
    /// of it may be there.
    fn add_to(&self, passage: &mut Passage) -> Result<Option<FileAnswer>, BadRow> {
        if let Some(purpose) = self.parsed(Field::Purpose)? {
            passage.purpose = purpose;
        }
        if let Some(text) = self.get(Field::Text) {
            let condition = self.name(Field::Condition, "a text is one of a condition")?;
            let text = Text::try_from(text.to_owned()).map_err(|e| self.bad(Field::Text, e))?;
            assemble::add_text(passage, &condition, text)
                .map_err(|reason| self.bad(Field::Text, reason))?;
        }
        // A row of an answer may repeat the words of its question without the four answers.
        let repeats = self.get(Field::Answer).is_some() && self.get(Field::A).is_none();
        if let Some(asked) = self.get(Field::Asked).filter(|_| !repeats) {
            let question = self.question(asked)?;
            assemble::add_question(passage, &self.question_name()?, question)
                .map_err(|reason| self.bad(Field::Asked, reason))?;
        }
        if self.get(Field::Critical).is_some() || self.get(Field::Distractor).is_some() {
            self.evidence(passage)?;
        }
        Ok(match self.get(Field::Answer) {
            None => None,
            Some(written) => {
                let own = self.question_name()?;
                let question = passage.questions.iter().find(|(name, _)| *name == own);
                let Some((_, question)) = question else {
                    let reason = "is not known: put the row with its words and answers before this";
                    return Err(self.bad(Field::Question, reason));
                };
                let choice = assemble::choice(question, written)
                    .map_err(|reason| self.bad(Field::Answer, reason))?;
                Some(FileAnswer {
                    line: self.line,
                    passage: passage.name.clone(),
                    question: own,
                    condition: self.name(Field::Condition, "an answer is to a text")?,
                    participant: self
                        .get(Field::Participant)
                        .map(|_| self.name(Field::Participant, ""))
                        .transpose()?,
                    choice,
                    order: self.parsed(Field::Order)?,
                    active_ms: self.active_ms()?,
                })
            }
        })
    }

    fn active_ms(&self) -> Result<Option<u64>, BadRow> {
        match self.parsed(Field::ActiveMs)? {
            Some(active_ms) if active_ms > LONGEST_MS => Err(self.bad(
                Field::ActiveMs,
                "is more than 30 days: write milliseconds, at most 2592000000",
            )),
            active_ms => Ok(active_ms),
        }
    }

    /// Adds where the evidence for the question stands in the text of the condition.
    fn evidence(&self, passage: &mut Passage) -> Result<(), BadRow> {
        let condition = self.name(Field::Condition, "spans are of a text")?;
        let question = self.question_name()?;
        let mut texts = passage.texts.iter();
        let Some((_, text)) = texts.find(|(own, _)| *own == condition) else {
            let reason = "has no text yet: put the row with the text before its spans";
            return Err(self.bad(Field::Condition, reason));
        };
        let spans = |field| {
            let written = self.get(field).unwrap_or_default();
            read_spans(text.as_str(), written).map_err(|reason| self.bad(field, reason))
        };
        let spans = Spans {
            critical: spans(Field::Critical)?,
            distractor: spans(Field::Distractor)?,
        };
        assemble::add_spans(passage, &condition, &question, spans);
        Ok(())
    }

    /// What the question is called: its name, else its own words.
    fn question_name(&self) -> Result<Name, BadRow> {
        let field = match self.get(Field::Question) {
            Some(_) => Field::Question,
            None => Field::Asked,
        };
        let words: String = self
            .needed(field, "name the question")?
            .chars()
            .take(200)
            .collect();
        words.parse().map_err(|error| self.bad(field, error))
    }

    fn question(&self, asked: &str) -> Result<Question, BadRow> {
        let mut answers = Vec::new();
        for field in [Field::A, Field::B, Field::C, Field::D] {
            answers.push(self.needed(field, "a question has four answers")?);
        }
        Question::new(asked, &answers).map_err(|error| self.bad(Field::Asked, error))
    }

    fn parsed<T: std::str::FromStr<Err: ToString>>(
        &self,
        field: Field,
    ) -> Result<Option<T>, BadRow> {
        let text = self.get(field).map(str::trim);
        let parsed = text.map(str::parse).transpose();
        parsed.map_err(|error: T::Err| self.bad(field, error))
    }
}
