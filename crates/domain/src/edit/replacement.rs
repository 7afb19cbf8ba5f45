//! Words that were left out and new words near them, which may be one replacement.

use super::{Edit, EditKind};

/// The most words between the words left out and the new ones.
const MAX_WORDS_BETWEEN: usize = 3;

/// The edit that would make a replacement with the one at `index`: for words left out, the nearest new words; for
/// new words, the nearest ones left out. `None` without one within three words. Of two equally near ones, it is the one
/// with the words left out before the new ones, since a caret follows the word before it.
#[must_use]
pub fn find_replacement(edits: &[Edit], index: usize, output: &str) -> Option<usize> {
    let edit = edits.get(index)?;
    let distances = edits.iter().enumerate().filter_map(|(at, other)| {
        let (fits, is_after) = if is_deletion(edit) {
            (is_new(other), at < index)
        } else {
            (is_new(edit) && is_deletion(other), at > index)
        };

        let between = text_between(edit, other, output).filter(|_| fits)?;
        let words = between
            .split_whitespace()
            .filter(|part| part.contains(char::is_alphanumeric))
            .count();
        (words <= MAX_WORDS_BETWEEN).then_some((words, is_after, at))
    });
    distances.min().map(|(_, _, at)| at)
}

fn is_deletion(edit: &Edit) -> bool {
    edit.kind == EditKind::Deletion
}

fn is_new(edit: &Edit) -> bool {
    edit.kind == EditKind::Paraphrase && edit.source.is_empty()
}

/// The output between two edits; empty where one begins within the other.
fn text_between<'a>(one: &Edit, other: &Edit, output: &'a str) -> Option<&'a str> {
    let ((start, end), (other_start, other_end)) = (bounds(one)?, bounds(other)?);
    if end <= other_start {
        output.get(end..other_start)
    } else if other_end <= start {
        output.get(other_end..start)
    } else {
        Some("")
    }
}

fn bounds(edit: &Edit) -> Option<(usize, usize)> {
    Some((edit.output.first()?.start, edit.output.last()?.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{edit::ops, span::Span};

    const OUTPUT: &str = "It was gone. This was because of the old rule, they said.";

    fn span(words: &str) -> Span {
        let start = OUTPUT.find(words).expect("the words are there");
        Span::new(start, start + words.len())
    }

    fn edit(kind: EditKind, source: &[Span], output: Span) -> Edit {
        Edit {
            kind,
            source: source.to_vec(),
            output: vec![output],
            confidence: Some(0.5),
        }
    }

    #[test]
    fn words_left_out_and_new_words_near_them_find_each_other() {
        let left_out = |at| edit(EditKind::Deletion, &[Span::new(0, 6)], Span::at(at));
        let new = |words| edit(EditKind::Paraphrase, &[], span(words));
        let check = |edits: &[Edit], index, expected| {
            assert_eq!(
                find_replacement(edits, index, OUTPUT),
                expected,
                "{edits:?}"
            );
        };
        let near = [left_out(11), new("This was because")];
        check(&near, 0, Some(1));
        check(&near, 1, Some(0));
        // The nearest one.
        check(&[new("It"), left_out(11), new("This")], 1, Some(2));
        // Words left out before the new ones rather than after them.
        check(&[left_out(12), new("This"), left_out(17)], 1, Some(0));
        // Six words between them are too many.
        check(&[left_out(11), new("rule")], 0, None);
        // Words of both texts are a replacement already.
        let whole = edit(EditKind::Paraphrase, &[Span::new(8, 9)], span("This"));
        check(&[left_out(11), whole.clone()], 0, None);
        check(&[left_out(11), whole], 1, None);
        check(&[], 0, None);

        let joined = ops::join(near.to_vec(), 1, 0);
        let one = Edit {
            confidence: None,
            ..edit(
                EditKind::Paraphrase,
                &[Span::new(0, 6)],
                span("This was because"),
            )
        };
        assert_eq!(joined, [one]);
    }
}
