//! Spans of evidence as a cell: characters of the text, counted from 0, end excluded, such as
//! `12-40 55-60`.

use domain::span::Span;

use crate::error::clip;

/// Writes spans of `text`; those that do not fit it are left out.
///
/// ```
/// use domain::span::Span;
///
/// let written = formats::comprehension::write_spans("für uns", &[Span::new(5, 8)]);
/// assert_eq!(written, "4-7");
/// ```
#[must_use]
pub fn write_spans(text: &str, spans: &[Span]) -> String {
    let characters = |end: usize| text.get(..end).map(|part| part.chars().count());
    let ranges = spans.iter().filter_map(|span| {
        let (start, end) = (characters(span.start)?, characters(span.end)?);
        Some(format!("{start}-{end}"))
    });
    ranges.collect::<Vec<_>>().join(" ")
}

/// Reads spans of `text`.
pub(super) fn read_spans(text: &str, written: &str) -> Result<Vec<Span>, String> {
    let places: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();

    let read = |part: &str| {
        let (start, end) = part.split_once('-')?;
        let (start, end) = (start.parse::<usize>().ok()?, end.parse::<usize>().ok()?);
        let span = Span::new(*places.get(start)?, *places.get(end)?);
        (start < end).then_some(span)
    };

    let each = written.split_whitespace();
    each.map(|part| {
        read(part).ok_or_else(|| {
            format!(
                "“{}” is not a range of the text: write characters as in 12-40, the first one of the \
                 text being 0",
                clip(part)
            )
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_stretch_is_refused() {
        for range in ["4", "4-4", "5-4", "0-8", "a-b", "-3"] {
            assert!(read_spans("für uns", range).is_err(), "{range}");
        }
        assert_eq!(read_spans("für uns", " "), Ok(vec![]));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(text in "\\PC{1,20}", cuts in prop::collection::vec((0..20_usize, 1..20_usize), 0..4)) {
            let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let spans: Vec<_> = cuts
                .iter()
                .filter_map(|(start, more)| Some(Span::new(*places.get(*start)?, *places.get(start + more)?)))
                .collect();
            prop_assert_eq!(read_spans(&text, &write_spans(&text, &spans)), Ok(spans));
        }
    }
}
