//! The tags of a part of a workbook, found while it is unpacked piece by piece.

use memchr::memchr;

/// The most bytes of a tag with the text after it. Longer ones are skipped: no tag of interest is so long.
const MAX_TAG_BYTES: usize = 64 << 10;

/// Finds tags in pieces of XML, without checking that they are XML.
#[derive(Default)]
pub(super) struct XmlTags {
    /// A tag that may continue in the next piece.
    pending: Vec<u8>,
}

/// A tag, and the text up to the next one.
pub(super) struct XmlTag<'a> {
    /// Its name without a prefix.
    pub(super) name: &'a [u8],
    pub(super) is_end: bool,
    attributes: &'a [u8],
    pub(super) text: &'a [u8],
}

impl XmlTags {
    /// Calls `visit` for each tag whose text is complete.
    pub(super) fn read(&mut self, piece: &[u8], mut visit: impl FnMut(XmlTag<'_>)) {
        self.pending.extend_from_slice(piece);
        let mut start = 0;
        while let Some(open) = memchr(b'<', &self.pending[start..]) {
            start += open;
            let tag = &self.pending[start + 1..];
            let Some(close) = memchr(b'>', tag) else {
                break;
            };
            let Some(length) = memchr(b'<', &tag[close..]) else {
                break;
            };
            visit(XmlTag::new(&tag[..close], &tag[close + 1..close + length]));
            start += 1 + close + length;
        }

        self.pending.drain(..start);
        if self.pending.len() > MAX_TAG_BYTES {
            self.pending.clear();
        }
    }
}

impl<'a> XmlTag<'a> {
    fn new(tag: &'a [u8], text: &'a [u8]) -> Self {
        let end = tag.iter().position(|byte| byte.is_ascii_whitespace());
        let (name, attributes) = tag.split_at(end.unwrap_or(tag.len()));
        let is_end = name.starts_with(b"/");
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let mut parts = name.rsplit(|byte| matches!(byte, b':' | b'/'));
        Self {
            name: parts.next().unwrap_or(name),
            is_end,
            attributes,
            text,
        }
    }

    /// The value of an attribute without a prefix.
    pub(super) fn attribute(&self, name: &[u8]) -> Option<&'a [u8]> {
        let mut rest = self.attributes;
        loop {
            let equals = memchr(b'=', rest)?;
            let found = rest[..equals].trim_ascii();
            let value = rest[equals + 1..].trim_ascii_start();
            let quote = *value.first()?;
            let length = memchr(quote, &value[1..])?;
            if found == name {
                return Some(&value[1..=length]);
            }
            rest = &value[length + 2..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tags across pieces of any size are those of the whole.
    #[test]
    fn tags_are_found_in_pieces_of_any_size() {
        let xml = b"<?xml version=\"1.0\"?><x:row r=\"2\"><c r = 'A2' t=\"n\"><v>17</v></c><si/></x:row>\n<end>";
        for size in 1..xml.len() {
            let (mut tags, mut found) = (XmlTags::default(), Vec::new());
            for piece in xml.chunks(size) {
                tags.read(piece, |tag| {
                    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                    let place = tag.attribute(b"r").map(text);
                    found.push((text(tag.name), tag.is_end, place, text(tag.text)));
                });
            }
            let tag = |name: &str, is_end, place: Option<&str>, text: &str| {
                (
                    name.to_owned(),
                    is_end,
                    place.map(str::to_owned),
                    text.to_owned(),
                )
            };
            let expected = [
                tag("?xml", false, None, ""),
                tag("row", false, Some("2"), ""),
                tag("c", false, Some("A2"), ""),
                tag("v", false, None, "17"),
                tag("v", true, None, ""),
                tag("c", true, None, ""),
                tag("si", false, None, ""),
                tag("row", true, None, "\n"),
            ];
            assert_eq!(found, expected, "{size}");
        }
    }
}
