//! Numbers as people and programs write them into cells, and the words for a value that is missing.

use crate::{error::clip, row::NumberView};

/// The words and signs that programs write where a value is missing, in lower case.
const MISSING: [&str; 14] = [
    "", "na", "n/a", "#n/a", "#na", "<na>", "nan", "-nan", "none", "null", "nil", "-", "–", "—",
];

/// Whether a cell for a number says that there is none.
pub(crate) fn is_missing(text: &str) -> bool {
    let text = text.trim();
    MISSING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The decimal mark of a column's numbers, which the first number with one decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum DecimalMark {
    /// No number had one so far.
    #[default]
    Unknown,
    Point,
    Comma,
}

impl DecimalMark {
    /// Learns from a cell of the column.
    pub(crate) fn learn(&mut self, text: &str) {
        if *self != Self::Unknown {
            return;
        }
        match CommaNumber::read(text) {
            Some(number) if !number.may_be_thousands => *self = Self::Comma,
            None if text.contains('.') && text.trim().parse::<f64>().is_ok() => *self = Self::Point,
            _ => {}
        }
    }

    /// The number of a cell of the column, whose text keeps the spaces around it; `None` where it is missing.
    ///
    /// # Errors
    /// The reason if it is not a finite number, or is written unlike the numbers before it.
    pub(crate) fn parse(self, text: &str) -> Result<Option<NumberView<'_>>, String> {
        let is_misplaced = self == Self::Comma && text.contains('.');
        let number = NumberView::parse(text);
        if !is_misplaced && let Ok(number) = number {
            return Ok(Some(number));
        }
        if is_missing(text) {
            return Ok(None);
        }

        let shown = clip(text.trim());
        match (self, CommaNumber::read(text)) {
            (Self::Comma, Some(CommaNumber { value, .. })) => {
                let number = NumberView::new(value, text);
                number.map(Some).map_err(|invalid| invalid.to_string())
            }
            (Self::Comma, None) if is_misplaced => Err(format!(
                "“{shown}” has a decimal point, and numbers of this column before it have a comma: write all of them \
                 with the same sign"
            )),
            (Self::Point, Some(_)) => Err(format!(
                "“{shown}” has a comma, and numbers of this column before it have a decimal point: write all of them \
                 with a point"
            )),
            (Self::Unknown, Some(_)) => Err(format!(
                "“{shown}” may be a number with three decimals or one above a thousand: write it with a decimal \
                 point, or without the comma"
            )),
            (_, None) => number.map(Some).map_err(|invalid| invalid.to_string()),
        }
    }
}

/// A number with a comma among its digits.
struct CommaNumber {
    /// The number, with the comma for a decimal point.
    value: f64,
    /// Whether the comma may separate thousands, as in 1,234.
    may_be_thousands: bool,
}

impl CommaNumber {
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (whole, decimals) = text.split_once(',')?;
        let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
        let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !are_digits(digits) || !are_digits(decimals) {
            return None;
        }
        Some(Self {
            value: format!("{whole}.{decimals}").parse().ok()?,
            may_be_thousands: decimals.len() == 3 && digits.len() <= 3 && !digits.starts_with('0'),
        })
    }
}

/// The number in a cell, whatever its decimal mark, for guesses of what a column holds.
pub(crate) fn number_in_cell(text: &str) -> Option<f64> {
    let with_comma = || CommaNumber::read(text).map(|number| number.value);
    text.trim().parse().ok().or_else(with_comma)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a column; for a cell that isn't one, the reason.
    fn column(cells: &[&str]) -> Vec<Result<Option<f64>, String>> {
        let mut mark = DecimalMark::default();
        let read = cells.iter().map(|cell| {
            mark.learn(cell);
            let number = mark.parse(cell);
            number.map(|number| number.map(|number| number.value))
        });
        read.collect()
    }

    #[test]
    fn the_first_number_with_a_decimal_mark_decides_for_its_column() {
        assert_eq!(
            column(&["8", "7,5", " -0,25", "1,234", "NA", ""]),
            [Some(8.0), Some(7.5), Some(-0.25), Some(1.234), None, None].map(Ok)
        );
        for (cells, reason) in [
            (["7,5", "7.5"], "“7.5” has a decimal point"),
            (["7.5", "7,5"], "“7,5” has a comma"),
            (["8", "1,234"], "“1,234” may be a number"),
            (["7,5", "1.234,5"], "“1.234,5” has a decimal point"),
            (["8", "1,2,3"], "“1,2,3” is not a number"),
            (["8", "inf"], "“inf” is not a number"),
        ] {
            let read = column(&cells);
            let error = read[1].as_ref().expect_err(cells[1]);
            assert!(read[0].is_ok() && error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn a_missing_value_is_one_in_any_case() {
        for word in ["", " ", "NA", "n/a", "NaN", "None", "NULL", "#N/A", "–"] {
            assert!(is_missing(word), "{word}");
        }
        for word in ["0", "?", "x", "nano"] {
            assert!(!is_missing(word), "{word}");
        }
    }
}
