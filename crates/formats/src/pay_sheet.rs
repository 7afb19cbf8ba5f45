//! The pay sheet: who is to be paid for what.

use std::io::{self, Write};

use crate::csv_writer::{CsvWriter, FormulaEscaping};

/// A person to be paid.
#[derive(Debug, Clone, Copy)]
pub struct PayRow<'a> {
    /// The name in the study's lists.
    pub participant: &'a str,
    /// The id by which the platform knows them; empty where it gave none.
    pub platform_id: &'a str,
    /// The platform's study.
    pub platform_study: &'a str,
    /// The platform's session.
    pub platform_session: &'a str,
    /// Sources that they submitted.
    pub sources: u32,
    /// Active time, in milliseconds.
    pub active_ms: u64,
    /// The code that they got; empty for none.
    pub code: &'a str,
    /// The state of their work.
    pub state: &'a str,
}

/// Writes a pay sheet as CSV.
pub struct PaySheetWriter<W: Write>(CsvWriter<W>);

impl<W: Write> PaySheetWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn new(out: W, cells: FormulaEscaping) -> io::Result<Self> {
        let columns = [
            "participant",
            "platform_id",
            "platform_study",
            "platform_session",
            "sources",
            "active_minutes",
            "code",
            "state",
        ];
        CsvWriter::new(out, columns, cells).map(Self)
    }

    /// Writes a row; minutes have one decimal place.
    ///
    /// # Errors
    /// Where `out` fails.
    pub fn write(&mut self, row: &PayRow<'_>) -> io::Result<()> {
        let tenths = row.active_ms.saturating_add(3_000) / 6_000;
        self.0.write([
            row.participant,
            row.platform_id,
            row.platform_study,
            row.platform_session,
            &row.sources.to_string(),
            &format!("{}.{}", tenths / 10, tenths % 10),
            row.code,
            row.state,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_rounded_and_formulas_are_text() {
        let mut sheet = PaySheetWriter::new(vec![], FormulaEscaping::Guarded).unwrap();
        let row = PayRow {
            participant: "participant 1",
            platform_id: "=1+1",
            platform_study: "s",
            platform_session: "x",
            sources: 3,
            active_ms: 62_999,
            code: "DONE",
            state: "finished",
        };
        sheet.write(&row).unwrap();
        sheet
            .write(&PayRow {
                platform_id: "",
                active_ms: 63_000,
                ..row
            })
            .unwrap();
        let text = String::from_utf8(sheet.finish().unwrap()).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1], "participant 1,'=1+1,s,x,3,1.0,DONE,finished");
        assert_eq!(lines[2], "participant 1,,s,x,3,1.1,DONE,finished");
    }
}
