/// A coordinate in a drawing, rounded to a tenth of its unit.
pub(super) fn format_coordinate(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The approximate width of a text in the drawings' font, estimated without a browser.
pub(super) fn width_of(text: &str) -> f64 {
    7.0 * text.chars().count() as f64
}

/// The beginning of a text that fits the approximate width, with an ellipsis if it is cut.
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
