//! Links in the Pharaoh format: `0-0 1-2`, source word and output word counted from 0.

use std::collections::BTreeSet;

use super::AlignmentLink;

/// A set of links as pairs (source word, output word), both counted from 0.
pub type LinkSet = BTreeSet<(usize, usize)>;

/// A word that is not a link.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a link: write two word numbers, as in 0-1")]
pub struct PharaohError(pub String);

/// Reads one line of links; an empty line has none, and a duplicate counts once.
///
/// # Errors
/// If a word of the line is not two numbers joined by a hyphen.
pub fn parse_links(line: &str) -> Result<LinkSet, PharaohError> {
    line.split_whitespace().map(parse_link).collect()
}

fn parse_link(text: &str) -> Result<(usize, usize), PharaohError> {
    let pair = text.split_once('-');
    let numbers = pair.and_then(|(i, j)| Some((i.parse().ok()?, j.parse().ok()?)));
    numbers.ok_or_else(|| PharaohError(text.to_owned()))
}

/// Writes links as one line, without line end.
#[must_use]
pub fn format_links(links: &LinkSet) -> String {
    links
        .iter()
        .map(|(i, j)| format!("{i}-{j}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The pairs that `links` join, whatever their confidence.
#[must_use]
pub fn link_set(links: &[AlignmentLink]) -> LinkSet {
    links
        .iter()
        .map(|link| (link.source, link.output))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_link_is_named() {
        assert_eq!(
            parse_links("0-0 1_2").map_err(|e| e.to_string()),
            Err("“1_2” is not a link: write two word numbers, as in 0-1".to_owned())
        );
        assert_eq!(parse_links("  "), Ok(LinkSet::new()));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(links: LinkSet) {
            prop_assert_eq!(parse_links(&format_links(&links)), Ok(links));
        }

        #[test]
        fn any_line_is_read_or_refused(line in "\\PC*") {
            let _ = parse_links(&line);
        }
    }
}
