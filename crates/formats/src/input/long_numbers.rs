//! Numbers of a workbook with more digits than a floating-point number holds. Programs write ids like this, in which
//! each digit counts.

use std::collections::BTreeSet;

use super::xml_tags::XmlTag;

/// From here on, one floating-point number represents several whole numbers.
pub(super) const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;
/// The fewest digits of such a number.
const DIGITS: usize = 16;
/// The most of them that a workbook may have.
pub(super) const MAX_LONG_NUMBERS: usize = 2_000_000;

/// The long numbers of all sheets, by row and column from 0. Sheets share the places of cells: if one cell has two
/// numbers that are equal as floating-point numbers, the reader of the sheet has to refuse it.
#[derive(Default)]
pub(super) struct LongNumbers {
    found: BTreeSet<(u32, u32, u128)>,
    row: u32,
    column: u32,
}

impl LongNumbers {
    /// Begins a sheet.
    pub(super) const fn begin_part(&mut self) {
        self.row = 0;
        self.column = 0;
    }

    /// Takes in the next tag of a sheet.
    pub(super) fn add(&mut self, tag: &XmlTag<'_>) {
        match (tag.name, tag.is_end) {
            (b"row", false) => {
                let stated = tag.attribute(b"r").and_then(parse);
                self.row = stated.map_or(self.row, |row: u32| row.saturating_sub(1));
                self.column = 0;
            }
            (b"row", true) => self.row = self.row.saturating_add(1),
            (b"c", false) => {
                let stated = tag.attribute(b"r").and_then(parse_place);
                (self.row, self.column) = stated.unwrap_or((self.row, self.column));
            }
            (b"c", true) => self.column = self.column.saturating_add(1),
            (b"v", false) if tag.text.len() >= DIGITS => {
                if let Some(number) = parse::<u128>(tag.text) {
                    self.found.insert((self.row, self.column, number));
                }
            }
            _ => {}
        }
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The digits of those numbers in a cell that equal `value` as floating-point numbers.
    pub(super) fn digits(
        &self,
        (row, column): (u32, u32),
        value: f64,
    ) -> impl Iterator<Item = u128> {
        let in_cell = self
            .found
            .range((row, column, 0)..=(row, column, u128::MAX));
        let numbers = in_cell.map(|(.., number)| *number);
        numbers.filter(move |number| *number as f64 == value)
    }
}

fn parse<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    let digits = text.iter().all(u8::is_ascii_digit).then_some(text)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Row and column, from 0, of a place such as `B7`.
fn parse_place(place: &[u8]) -> Option<(u32, u32)> {
    let letters = place.iter().take_while(|byte| byte.is_ascii_uppercase());
    let letters = letters.count();
    let (letters, row) = place.split_at(letters);
    let column = letters.iter().try_fold(0_u32, |column, letter| {
        let letter = u32::from(letter - b'A') + 1;
        column.checked_mul(26)?.checked_add(letter)
    })?;
    let row: u32 = parse(row)?;
    Some((row.checked_sub(1)?, column.checked_sub(1)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::xml_tags::XmlTags;

    #[test]
    fn long_numbers_keep_their_digits_with_their_place() {
        let mut numbers = LongNumbers::default();
        let xml = b"<row r=\"2\"><c r=\"AB2\"><v>12345678901234567</v></c><c><v>12345678901234561</v></c></row>\
            <row><c><v>12345678901234567890</v></c><c r=\"B3\"><v>17</v></c></row><end>";
        XmlTags::default().read(xml, |tag| numbers.add(&tag));
        let found = |place, number: u128| numbers.digits(place, number as f64).collect::<Vec<_>>();
        assert_eq!(
            found((1, 27), 12_345_678_901_234_567),
            [12_345_678_901_234_567]
        );
        assert_eq!(
            found((1, 28), 12_345_678_901_234_561),
            [12_345_678_901_234_561]
        );
        assert_eq!(
            found((2, 0), 12_345_678_901_234_567_890),
            [12_345_678_901_234_567_890]
        );
        assert_eq!(found((2, 1), 17), [] as [u128; 0]);
        // A number of another sheet that is a different floating-point number does not matter.
        assert_eq!(found((1, 27), 99_999_999_999_999_999), [] as [u128; 0]);
    }

    #[test]
    fn places_are_those_of_spreadsheets() {
        for (place, expected) in [
            ("A1", Some((0, 0))),
            ("XFD1048576", Some((1_048_575, 16_383))),
            ("A0", None),
            ("7", None),
            ("B", None),
            ("AAAAAAAAAA1", None),
        ] {
            assert_eq!(parse_place(place.as_bytes()), expected, "{place}");
        }
    }
}
