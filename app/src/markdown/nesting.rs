//! Whether HTML is nested as its tags say.
//!
//! A parser of HTML repairs what is not: it keeps a list of open tags, looks through it for each new one,
//! and opens those again that were never closed. So a text of nothing but `<b>` takes time by the square
//! of its length, or more. HTML that passes here needs no repair, and is not deep.

/// How deep tags lie within each other at most, those of Markdown among them.
const DEEPEST: usize = 64;

/// Tags that are never closed.
const VOID: &[&str] = &["br", "hr", "img"];

/// Tags that hold text and each other, nothing of which a parser reads in a way of its own.
const PLAIN: &[&str] = &[
    "a",
    "abbr",
    "b",
    "blockquote",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
];

/// Whether each tag is known and closed in its order, and none lies too deep.
pub(super) fn is_plain(html: &str) -> bool {
    let mut open = vec![];
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let Some(end) = rest.find(['<', '>']) else {
            return false;
        };
        if rest.as_bytes()[end] == b'<' {
            return false;
        }
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let (closes, tag) = match tag.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let name_end = tag.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, attributes) = tag.split_at(name_end.unwrap_or(tag.len()));
        let fits = if closes {
            attributes.is_empty() && open.pop() == Some(name)
        } else if VOID.contains(&name) {
            attributes_end(attributes)
        } else {
            open.push(name);
            PLAIN.contains(&name)
                && !attributes.ends_with('/')
                && attributes_end(attributes)
                && open.len() <= DEEPEST
        };
        if !fits {
            return false;
        }
    }
    open.is_empty()
}

/// Whether quotation marks are in pairs: else the tag does not end where its first `>` is.
fn attributes_end(attributes: &str) -> bool {
    !attributes.contains('\'') && attributes.matches('"').count().is_multiple_of(2)
}

/// What is left of HTML without its tags and comments.
pub(super) fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let end = rest[at..].find('>');
        rest = end.map_or("", |end| &rest[at + end + 1..]);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_no_repair_is_plain() {
        for (html, expect) in [
            ("", true),
            ("<p>a &lt; b</p>", true),
            ("<p>a<br />b<br>c</p>\n<hr />", true),
            ("<a href=\"x\" title=\"y\">z</a>", true),
            ("<p>", false),
            ("</p>", false),
            ("<b><i></b></i>", false),
            ("<p/>", false),
            ("<script></script>", false),
            ("<P></P>", false),
            ("<!-- <p> -->", false),
            ("<a title=\"<b>\"></a>", false),
            ("<a title='\"'></a>", false),
            ("a < b", false),
        ] {
            assert_eq!(is_plain(html), expect, "{html}");
        }
        let deep = |depth| format!("{}{}", "<b>".repeat(depth), "</b>".repeat(depth));
        assert!(is_plain(&deep(DEEPEST)));
        assert!(!is_plain(&deep(DEEPEST + 1)));
    }

    #[test]
    fn the_words_between_tags_stay() {
        assert_eq!(without_tags("a <b>c</b> <!-- d --> e <f"), "a c  e ");
    }
}
