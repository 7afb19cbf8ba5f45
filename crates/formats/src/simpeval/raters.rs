//! The companion file that says who is behind each rating of a SimpEval file.

use std::{collections::HashMap, io::Read};

use crate::{
    columns::ColumnLayout,
    error::{BadRow, FatalReadError},
    input::{CsvHeader, CsvRecord, CsvTable, Utf8Reader},
};

/// The columns of the companion file: `slot` is the N of `rating_N`.
pub(super) const HEADER: [&str; 4] = ["original_id", "system", "slot", "rater"];

/// Who is behind each rating: a name for a source's key, a system and a slot.
///
/// Read from a CSV file with the header `original_id,system,slot,rater`, one row a rating; a slot is
/// the N of `rating_N` (the whole column name is taken too).
#[derive(Debug, Clone, Default)]
pub struct SlotRaters {
    by_output: HashMap<String, HashMap<u32, String>>,
}

impl SlotRaters {
    /// Reads a companion file to its end.
    ///
    /// # Errors
    /// [`Fatal`] at the first row that is wrong or that names another rater for the same rating.
    pub fn read(input: impl Read) -> Result<Self, FatalReadError> {
        Self::read_table(input).map_err(|fault| fault.in_file("file of raters"))
    }

    fn read_table(input: impl Read) -> Result<Self, FatalReadError> {
        let mut table = CsvTable::open(Utf8Reader::open(input)?)?;
        let header = table.header().clone();
        let mut places = [0; 4];
        for (place, name) in places.iter_mut().zip(HEADER) {
            *place = ColumnLayout::require(&header, name, &HEADER.join(","))?;
        }
        let mut raters = Self::default();
        while let Some(record) = table.read_record()? {
            raters
                .add(&header, places, &record)
                .map_err(FatalReadError::Row)?;
        }
        Ok(raters)
    }

    /// The rater behind a rating, if the file names one.
    #[must_use]
    pub fn rater_of(&self, source_key: &str, system: &str, slot: u32) -> Option<&str> {
        let slots = self.by_output.get(&output_key(source_key, system))?;
        slots.get(&slot).map(String::as_str)
    }

    fn add(
        &mut self,
        header: &CsvHeader,
        places: [usize; 4],
        record: &CsvRecord,
    ) -> Result<(), BadRow> {
        header.check_record(record)?;
        let cell = |index: usize| record.cells.get(places[index]).unwrap_or_default();
        let bad = |index: usize, why: &str| BadRow::new(record.line, Some(HEADER[index]), why);
        if let Some(empty) = [0, 1, 3]
            .into_iter()
            .find(|index| cell(*index).trim().is_empty())
        {
            return Err(bad(empty, "is empty: fill it in"));
        }
        let number = cell(2).trim();
        let number = number.strip_prefix("rating_").unwrap_or(number);
        let slot = number
            .parse()
            .map_err(|_| bad(2, "is no slot: write the number N of the column rating_N"))?;
        let slots = self
            .by_output
            .entry(output_key(cell(0), cell(1)))
            .or_default();
        if slots
            .iter()
            .any(|(other, rater)| *other != slot && rater == cell(3))
        {
            return Err(bad(3, "is behind two ratings of one output: keep one"));
        }
        match slots.insert(slot, cell(3).to_owned()) {
            Some(other) if other != cell(3) => {
                Err(bad(3, "is a second rater for the same rating: keep one"))
            }
            _ => Ok(()),
        }
    }
}

/// No text of a file holds a NUL.
fn output_key(source_key: &str, system: &str) -> String {
    format!("{source_key}\0{system}")
}
