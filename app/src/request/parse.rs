//! Parsing of form fields; invalid input is refused with a sentence that says what to enter.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use crate::error::Refusal;

/// One line, trimmed, of at most `most` characters.
///
/// # Errors
/// [`Refusal::Invalid`] where it is empty, longer, or holds control characters.
pub fn line(text: &str, what: &str, most: usize) -> Result<String, Refusal> {
    let line = optional_line(text, what, most)?;
    if line.is_empty() {
        return Err(Refusal::invalid(format!("{what} is missing: enter it.")));
    }
    Ok(line)
}

/// One line, trimmed, of at most `most` characters; it may be empty.
///
/// # Errors
/// [`Refusal::Invalid`] where it is longer or holds control characters.
pub fn optional_line(text: &str, what: &str, most: usize) -> Result<String, Refusal> {
    let line = text.trim();
    if line.chars().count() > most {
        return Err(Refusal::invalid(format!(
            "{what} is too long: use at most {most} characters."
        )));
    }
    if line.chars().any(char::is_control) {
        return Err(Refusal::invalid(format!(
            "{what} must be one line of plain characters."
        )));
    }
    Ok(line.to_owned())
}

/// A text of several lines, of at most 100,000 bytes, with normalised line ends.
///
/// # Errors
/// [`Refusal::Invalid`] where it is longer or holds a NUL character, which no database takes.
pub fn text(text: &str, what: &str) -> Result<String, Refusal> {
    const MOST: usize = 100_000;
    if text.len() > MOST {
        return Err(Refusal::invalid(format!(
            "{what} is too long: use at most 100,000 bytes."
        )));
    }
    if text.contains('\0') {
        return Err(Refusal::invalid(format!(
            "{what} holds a NUL character: remove it."
        )));
    }
    Ok(text.replace("\r\n", "\n").trim().to_owned())
}

/// A whole number in a range.
///
/// # Errors
/// [`Refusal::Invalid`] for anything else.
pub fn integer<T>(text: &str, what: &str, range: RangeInclusive<T>) -> Result<T, Refusal>
where
    T: FromStr + PartialOrd + Display,
{
    text.trim()
        .parse()
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            Refusal::invalid(format!(
                "{what} must be a whole number from {low} to {high}."
            ))
        })
}

/// A number in a range, with a point or a comma.
///
/// # Errors
/// [`Refusal::Invalid`] for anything else.
pub fn number(text: &str, what: &str, range: RangeInclusive<f64>) -> Result<f64, Refusal> {
    let number = text.trim().replace(',', ".").parse().ok();
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| {
            let (low, high) = (range.start(), range.end());
            Refusal::invalid(format!("{what} must be a number from {low} to {high}."))
        })
}

/// A value from the choices of a field, by its name.
///
/// # Errors
/// [`Refusal::Invalid`] for anything else.
pub fn choice<T: FromStr<Err: Display>>(text: &str) -> Result<T, Refusal> {
    text.parse()
        .map_err(|error: T::Err| Refusal::invalid(format!("{error}.")))
}

/// An id from the page.
///
/// # Errors
/// [`Refusal::NotFound`] where it is not an id.
pub fn id<T: FromStr>(text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|_| Refusal::NotFound)
}

#[cfg(test)]
mod tests {
    use domain::study::Role;

    use super::*;

    #[test]
    fn what_fits_is_taken_and_the_rest_is_refused_with_a_sentence() {
        let refused = |sentence: &str| Err(Refusal::invalid(sentence));
        assert_eq!(
            line("  River study ", "The name", 20),
            Ok("River study".to_owned())
        );
        assert_eq!(
            line(" ", "The name", 20),
            refused("The name is missing: enter it.")
        );
        assert_eq!(
            line("River study", "The name", 5),
            refused("The name is too long: use at most 5 characters.")
        );
        assert!(line("a\0b", "The name", 5).is_err());
        assert_eq!(text("a\r\nb\n", "The text"), Ok("a\nb".to_owned()));
        assert!(text("a\0b", "The text").is_err());
        assert_eq!(integer(" 3 ", "Raters", 1..=20), Ok(3));
        for bad in ["", "0", "21", "3.5", "three"] {
            assert_eq!(
                integer(bad, "Raters", 1..=20),
                Err(Refusal::invalid(
                    "Raters must be a whole number from 1 to 20."
                ))
            );
        }
        assert_eq!(number("0,7", "The threshold", 0.0..=1.0), Ok(0.7));
        for bad in ["", "NaN", "1.1", "-0.1"] {
            assert!(number(bad, "The threshold", 0.0..=1.0).is_err(), "{bad}");
        }
        assert_eq!(choice("lead"), Ok(Role::Lead));
        assert!(choice::<Role>("admin").is_err());
    }
}
