//! The cells of a sheet as texts.

use std::borrow::Cow;

use calamine::{DataRef, ExcelDateTime};

/// The text of a cell as a table of text would have it.
pub(super) fn cell_text<'a>(value: &'a DataRef<'_>) -> Cow<'a, str> {
    match value {
        DataRef::Int(number) => number.to_string().into(),
        DataRef::Float(number) => number_text(*number).into(),
        DataRef::String(text) => with_line_feeds(text),
        DataRef::SharedString(text) => with_line_feeds(text),
        DataRef::Bool(value) => value.to_string().into(),
        DataRef::DateTime(time) => time_text(time).into(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.into(),
        DataRef::Error(error) => error.to_string().into(),
        DataRef::Empty => "".into(),
    }
}

/// The text without the carriage returns that a workbook keeps from other systems' line breaks.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match text.contains("\r\n") {
        true => text.replace("\r\n", "\n").into(),
        false => text.into(),
    }
}

/// All digits of a whole number, which may be a name; for others, the fifteen digits that spreadsheet programs
/// show: 0.3, not 0.30000000000000004.
fn number_text(number: f64) -> String {
    if number.fract() == 0.0 {
        return number.to_string();
    }
    let rounded = format!("{number:.14e}").parse::<f64>();
    rounded.unwrap_or(number).to_string()
}

fn time_text(time: &ExcelDateTime) -> String {
    if !time.is_datetime() {
        return number_text(time.as_f64());
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    match (hour, minute, second) {
        (0, 0, 0) => date,
        _ => format!("{date} {hour:02}:{minute:02}:{second:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_see_them() {
        for (number, expected) in [
            (87.0, "87"),
            (0.1 + 0.2, "0.3"),
            (-1.5, "-1.5"),
            (4.1e-7, "0.00000041"),
            (1_700_000_000_000_001.0, "1700000000000001"),
            (-9_007_199_254_740_991.0, "-9007199254740991"),
        ] {
            assert_eq!(number_text(number), expected);
        }
    }

    #[test]
    fn line_breaks_are_line_feeds_and_what_looks_like_one_escaped_stays() {
        for (text, expected) in [
            ("one\r\ntwo", "one\ntwo"),
            ("the escape _x000D_ itself", "the escape _x000D_ itself"),
        ] {
            assert_eq!(cell_text(&DataRef::SharedString(text)), expected);
        }
    }
}
