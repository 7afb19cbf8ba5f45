//! The companion file that names the rater of each rating in a SimpEval file.

use std::collections::HashMap;

use crate::{
    error::{BadRow, FatalReadError},
    input::{CsvHeader, CsvRecord, FileInput},
    visible_form,
};

/// The columns of the companion file: `slot` is the N of `rating_N`.
pub(crate) const HEADER: [&str; 4] = ["original_id", "system", "slot", "rater"];

/// The rater of each rating, by the source's key, the system and the slot.
///
/// Read from a CSV file with the header `original_id,system,slot,rater`, one row per rating. A slot is
/// the N of `rating_N`; the whole name of the column is accepted too.
#[derive(Debug, Clone, Default)]
pub struct SlotRaters {
    by_output: HashMap<String, HashMap<u32, String>>,
}

impl SlotRaters {
    /// Reads a companion file to its end.
    ///
    /// # Errors
    /// [`FatalReadError`] at the first row that is wrong or names a second rater for the same rating.
    pub fn read<'r>(input: impl Into<FileInput<'r>>) -> Result<Self, FatalReadError> {
        Self::read_table(input.into()).map_err(|fault| fault.in_file("file of raters"))
    }

    fn read_table(input: FileInput<'_>) -> Result<Self, FatalReadError> {
        let has_columns = |header: &CsvHeader| HEADER.iter().all(|name| header.has(name));
        let mut table = input.open_fitting(has_columns)?.into_table()?;
        let header = table.header().clone();
        let mut places = [0; 4];
        for (place, name) in places.iter_mut().zip(HEADER) {
            *place = header.require_column(name, &HEADER.join(","))?;
        }

        let mut raters = Self::default();
        while let Some(record) = table.read_record()? {
            raters
                .add(&header, places, record)
                .map_err(FatalReadError::Row)?;
        }
        Ok(raters)
    }

    /// The rater of a rating, if the file names one.
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
        record.check_formulas(header, |place| places.contains(&place))?;

        let cell = |index: usize| visible_form(record.cells.get(places[index]).unwrap_or_default());
        let bad_row =
            |index: usize, reason: &str| BadRow::new(record.line, Some(HEADER[index]), reason);
        if let Some(empty) = [0, 1, 3].into_iter().find(|index| cell(*index).is_empty()) {
            return Err(bad_row(empty, "is empty: fill it in"));
        }

        let slot_text = cell(2);
        let slot_number = slot_text.strip_prefix("rating_").unwrap_or(&slot_text);
        let slot = slot_number.parse().map_err(|_| {
            bad_row(
                2,
                "is not a slot: write the number N of the column rating_N",
            )
        })?;

        let slots = self
            .by_output
            .entry(output_key(&cell(0), &cell(1)))
            .or_default();
        let rater = cell(3);
        if slots
            .iter()
            .any(|(other, name)| *other != slot && *name == rater)
        {
            return Err(bad_row(3, "is behind two ratings of one output: keep one"));
        }

        match slots.insert(slot, rater.clone().into_owned()) {
            Some(other) if other != rater => Err(bad_row(
                3,
                "is a second rater for the same rating: keep one",
            )),
            _ => Ok(()),
        }
    }
}

/// The key of an output. NUL separates its parts, since texts of a file never contain it.
fn output_key(source_key: &str, system: &str) -> String {
    format!("{}\0{}", visible_form(source_key), visible_form(system))
}
