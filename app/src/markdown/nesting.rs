//! Checks whether HTML is properly nested.
//!
//! An HTML parser repairs improper nesting: it keeps a list of open tags, searches it for each new tag, and
//! reopens tags that were never closed. So a text of nothing but `<b>` takes quadratic time or worse. HTML
//! that passes this check needs no repair and isn't deep.

/// The deepest nesting of tags, including those from Markdown.
const DEEPEST: usize = 64;

/// Void tags, which are never closed.
const VOID: &[&str] = &["br", "hr", "img"];

/// Tags that hold text and each other, without parsing rules of their own.
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

/// Whether each tag is known and closed in order, and none is nested too deep.
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

/// Whether quotation marks are balanced; otherwise the tag does not end at its first `>`.
fn attributes_end(attributes: &str) -> bool {
    !attributes.contains('\'') && attributes.matches('"').count().is_multiple_of(2)
}

/// The text of HTML without its tags and comments.
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
