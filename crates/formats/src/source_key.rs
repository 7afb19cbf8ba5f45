//! Keys that are equal for one sentence in files that write it differently.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;

use crate::row_remarks::RowRemark;

/// The words in lower case, joined by single spaces: files of one data set differ in these.
pub(crate) fn exact_key(source: &str) -> String {
    let words: Vec<&str> = source.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

/// The sources of rows that name no source, found by their texts as [`crate::SourceReferences`] finds them: rows whose
/// texts differ only in tokenisation, quotes, dashes, case or Unicode form are about one source.
#[derive(Debug, Clone, Default)]
pub struct SourceSpellings {
    /// The first spelling of each source by its key.
    first: HashMap<String, String>,
    /// Another spelling of a source with its first one.
    example: Option<(String, String)>,
}

impl SourceSpellings {
    /// Adds a source that is known from elsewhere. A similar one that was added before stays the first.
    pub fn add(&mut self, text: &str) {
        self.first
            .entry(loose_key(text))
            .or_insert_with(|| text.to_owned());
    }

    /// The first spelling of this source, which is `text` itself if the source is new.
    pub fn first_spelling<'a>(&'a mut self, text: &'a str) -> &'a str {
        let first = self
            .first
            .entry(loose_key(text))
            .or_insert_with(|| text.to_owned());
        if *first != text && self.example.is_none() {
            self.example = Some((text.to_owned(), first.clone()));
        }
        first
    }

    /// The remark that sources were joined; `None` if none were.
    #[must_use]
    pub fn remark(&self) -> Option<RowRemark> {
        let (written, read) = self.example.clone()?;
        Some(RowRemark::JoinedSources { written, read })
    }
}

/// The forms in which tokenisers and web pages write a character, with the character.
const ESCAPED_FORMS: [(&str, &str); 13] = [
    ("-lrb-", "("),
    ("-rrb-", ")"),
    ("-lsb-", "["),
    ("-rsb-", "]"),
    ("-lcb-", "{"),
    ("-rcb-", "}"),
    ("&quot;", "'"),
    ("&apos;", "'"),
    ("&#39;", "'"),
    ("&amp;", "&"),
    ("\\/", "/"),
    ("``", "'"),
    ("''", "'"),
];

/// A key that ignores tokenisation, quotes, dashes, spaces, case and Unicode form: compatibility
/// forms are composed (NFKC), brackets and entities that a tokeniser or a web page wrote out are turned
/// back, any quote becomes `'`, any dash `-`, and white space is removed, so that detached punctuation is
/// attached again. Letters, digits and all other signs stay.
#[must_use]
pub fn loose_key(source: &str) -> String {
    // An acute accent as a quote has a compatibility form of its own.
    let quoted = source
        .chars()
        .map(|sign| if sign == '´' { '\'' } else { sign });
    let mut text = quoted.nfkc().collect::<String>().to_lowercase();
    for (written, meant) in ESCAPED_FORMS {
        // Most sentences have none of these.
        if text.contains(written) {
            text = text.replace(written, meant);
        }
    }

    let mut key = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '"' | '\'' | '`' | '‘'..='‟' | '«' | '»' | '‹' | '›' => key.push('\''),
            // Two dashes in a row are one.
            '-' | '‐'..='―' | '−' if !key.ends_with('-') => key.push('-'),
            '-' | '‐'..='―' | '−' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}' => {}
            sign if sign.is_whitespace() => {}
            sign => key.push(sign),
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_the_same_however_it_is_written_down() {
        for (one, other) in [
            (
                "Suleman (the host) cut Howard Stern's show.",
                "suleman -LRB- the host -RRB- cut howard stern 's show .",
            ),
            ("He said “no” – twice.", "He said `` no '' -- twice ."),
            ("It cost £5…", "it cost £5 ..."),
            ("A ﬁne day\u{a0}out", "a fine day out"),
            ("naïve", "nai\u{308}ve"),
            ("It is 'fine'.", "It is \"fine\"."),
            ("either\\/or &amp; more", "either/or & more"),
        ] {
            assert_eq!(loose_key(one), loose_key(other), "{one}");
        }
        for (one, other) in [
            ("It rose by 3.5 metres.", "It rose by 35 metres."),
            ("The river rose.", "The rivers rose."),
            ("He is well-known.", "He is wellknown."),
        ] {
            assert_ne!(loose_key(one), loose_key(other), "{one}");
        }
    }
}
