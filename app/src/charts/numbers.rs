/// A number with `decimals` decimals and a proper minus sign; what rounds to zero has no sign.
///
/// ```
/// assert_eq!(app::charts::decimal(-0.314, 2), "−0.31");
/// ```
pub fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(size) if size.chars().all(|c| matches!(c, '0' | '.')) => size.to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

/// A difference: like [`decimal`], with a plus sign above zero.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = decimal(value, decimals);
    let nothing = text.starts_with('−') || text.chars().all(|c| matches!(c, '0' | '.'));
    if nothing { text } else { format!("+{text}") }
}

/// A coordinate in a drawing, rounded to a tenth of its unit.
pub(super) fn format_coordinate(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The approximate width of a text in the drawings' font, estimated without a browser.
pub(super) fn width_of(text: &str) -> f64 {
    7.0 * text.chars().count() as f64
}

/// The beginning of a text that fits the approximate width, with an ellipsis where it is cut.
pub(super) fn shortened(text: &str, width: f64) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let room = (width / width_of("x")) as usize;
    let start: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_proper_minus_and_no_negative_zero() {
        for (value, decimals, plain, difference) in [
            (0.314, 2, "0.31", "+0.31"),
            (-0.314, 2, "−0.31", "−0.31"),
            (-0.001, 2, "0.00", "0.00"),
            (0.0, 0, "0", "0"),
            (12.0, 0, "12", "+12"),
        ] {
            assert_eq!(decimal(value, decimals), plain);
            assert_eq!(signed(value, decimals), difference);
        }
    }

    #[test]
    fn a_long_name_is_shortened_at_a_character() {
        assert_eq!(shortened("access", 70.0), "access");
        assert_eq!(shortened("naïve système", 49.0), "naïve…");
        assert_eq!(shortened("transformer", 0.0), "…");
    }

    #[test]
    fn places_are_short() {
        assert_eq!(
            (format_coordinate(12.0), format_coordinate(12.34)),
            ("12".to_owned(), "12.3".to_owned())
        );
    }
}
