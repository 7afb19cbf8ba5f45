//! Penn Treebank's tokens as NLTK's `word_tokenize` cuts them, on which the LENS repository's
//! SARI is based.

use crate::{span::Span, text::sentences::split_sentences};

/// The words of `text`, sentence by sentence.
///
/// Only a sentence's last period is separated. Sentences are ours where NLTK uses its trained
/// splitter; on the goldens both give the same.
#[must_use]
pub fn treebank_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for sentence in trained_sentences(text) {
        let sentence = &text[sentence.start..sentence.end];
        let cut = split_closing_quotes(&split_punctuation(&split_opening_quotes(sentence)));
        for word in cut.split_whitespace() {
            split_word(word, &mut words);
        }
    }
    words
}

/// The sentences of a text, adapted to NLTK's trained splitter where ours is more accurate: after a
/// number's period no sentence begins in lower case, which matters for lower-cased texts, and one
/// always begins after `e.g.` and `i.e.`.
fn trained_sentences(text: &str) -> Vec<Span> {
    let mut sentences: Vec<Span> = Vec::new();
    for sentence in split_sentences(text) {
        let mut start = sentence.start;
        match sentences.last_mut() {
            Some(last)
                if is_number_before(&text[last.start..last.end], &text[sentence.start..]) =>
            {
                start = last.start;
                sentences.pop();
            }
            _ => {}
        }

        let parts = text[start..sentence.end].split_inclusive(char::is_whitespace);
        let mut end = start;
        for part in parts {
            end += part.len();
            let word = part
                .trim_start_matches(|c: char| !c.is_alphabetic())
                .trim_end();
            if ["e.g.", "i.e."]
                .iter()
                .any(|latin| word.eq_ignore_ascii_case(latin))
            {
                sentences.push(Span::new(start, end));
                start = end;
            }
        }
        if start < sentence.end {
            sentences.push(Span::new(start, sentence.end));
        }
    }
    sentences
}

fn is_number_before(sentence: &str, next: &str) -> bool {
    let last = sentence.rsplit(char::is_whitespace).next().unwrap_or("");
    let number = last.strip_suffix('.').is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && number
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '-'))
    });
    number && next.starts_with(char::is_lowercase)
}

/// Separates opening quotes; a straight opening quote becomes two backticks.
fn split_opening_quotes(text: &str) -> String {
    let text = pad_chars(text, |c| matches!(c, '«' | '“' | '‘' | '„'));
    let text = pad_runs(&text, '`', 1);
    let text = match text.strip_prefix('"') {
        Some(rest) => format!("``{rest}"),
        None => text,
    };

    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.as_str();
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        let opens = matches!(before, Some(' ' | '(' | '[' | '{' | '<'));
        let quote = ["\"", "''"]
            .into_iter()
            .find(|quote| opens && rest.starts_with(quote));
        let length = if let Some(quote) = quote {
            out.push_str(" `` ");
            quote.len()
        } else if rest.starts_with("``") {
            out.push_str(" `` ");
            2
        } else {
            out.push(c);
            if c == '\'' && !before.is_some_and(is_word) && opens_word(&rest[1..]) {
                out.push(' ');
            }
            c.len_utf8()
        };

        before = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
    out
}

/// Whether a word that is not a clitic begins here.
fn opens_word(rest: &str) -> bool {
    const CLITICS: [&str; 8] = ["re", "ve", "ll", "m", "t", "s", "d", "n"];
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    end > 0
        && !CLITICS
            .iter()
            .any(|clitic| rest[..end].eq_ignore_ascii_case(clitic))
}

/// Whether `\w` of a regular expression matches.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn split_punctuation(text: &str) -> String {
    let text = split_last_period(text);
    let text = split_commas(&text);
    let text = pad_runs(&text, '.', 2);
    let text = pad_chars(&text, |c| {
        matches!(
            c,
            ';' | '@' | '#' | '$' | '%' | '&' | '\u{2012}'..='\u{2015}' | '?' | '!'
        )
    });
    let text = split_single_quotes(&text);
    let text = pad_chars(&text, |c| {
        matches!(c, '*' | '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>')
    });
    text.replace("--", " -- ")
}

/// Separates a period that only closing punctuation follows, except in an ellipsis.
fn split_last_period(text: &str) -> String {
    let sentence = text.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, ']' | ')' | '}' | '>' | '"' | '\'' | '»' | '”' | '’')
    });
    match sentence.strip_suffix('.') {
        Some(before) if !before.is_empty() && !before.ends_with('.') => {
            format!("{before} . {} ", &text[sentence.len()..])
        }
        _ => text.to_owned(),
    }
}

/// Separates colons and commas unless a digit follows.
fn split_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if !matches!(c, ':' | ',') {
            out.push(c);
            continue;
        }
        match rest.clone().next() {
            Some(digit) if digit.is_numeric() => out.push(c),
            Some(next) => {
                out.extend([' ', c, ' ', next]);
                rest.next();
            }
            None => out.extend([' ', c, ' ']),
        }
    }
    out
}

/// Separates a straight quote before a space, unless another precedes it.
fn split_single_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    for (at, c) in text.char_indices() {
        let apart = c == '\'' && text[at + 1..].starts_with(' ');
        if apart && before.is_some_and(|before| before != '\'') {
            out.push(' ');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// Separates closing quotes; straight double ones become two single ones.
fn split_closing_quotes(text: &str) -> String {
    let text = pad_chars(text, |c| matches!(c, '»' | '”' | '’'));
    text.replace("''", " '' ").replace('"', " '' ")
}

/// Separates a word's clitic, and splits contractions.
fn split_word(word: &str, words: &mut Vec<String>) {
    const ENDINGS: [&str; 2] = ["'s", "'m"];
    const MORE: [&str; 4] = ["'ll", "'re", "'ve", "n't"];

    let first = find_ending(word, &ENDINGS).or_else(|| find_ending(word, &["'d", "'"]));
    let (word, clitic) = word.split_at(first.unwrap_or(word.len()));
    let (word, second) = word.split_at(find_ending(word, &MORE).unwrap_or(word.len()));
    for part in [word, second, clitic] {
        split_contraction(part, words);
    }
}

/// The index at which one of the endings begins, unless another apostrophe precedes it.
fn find_ending(word: &str, endings: &[&str]) -> Option<usize> {
    let ending = endings.iter().find(|ending| {
        let at = word.len().checked_sub(ending.len());
        let end = at.and_then(|at| word.get(at..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(ending))
    });
    let at = word.len() - ending?.len();
    let apart = word[..at].chars().next_back().is_some_and(|c| c != '\'');
    apart.then_some(at)
}

/// Splits `cannot`, `gonna` and the like into two words.
fn split_contraction(word: &str, words: &mut Vec<String>) {
    const PAIRS: [(&str, &str); 8] = [
        ("can", "not"),
        ("d", "'ye"),
        ("gim", "me"),
        ("gon", "na"),
        ("got", "ta"),
        ("lem", "me"),
        ("more", "'n"),
        ("wan", "na"),
    ];
    let cut = PAIRS.iter().find_map(|(a, b)| {
        let (first, second) = word.split_at_checked(a.len())?;
        let matches = first.eq_ignore_ascii_case(a) && second.eq_ignore_ascii_case(b);
        matches.then_some([first, second])
    });

    match cut {
        Some(parts) => words.extend(parts.map(str::to_owned)),
        None if !word.is_empty() => words.push(word.to_owned()),
        None => {}
    }
}

/// Puts spaces around each character for which `apart` holds.
fn pad_chars(text: &str, apart: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if apart(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    out
}

/// Puts spaces around each run of at least `least` of `sign`.
fn pad_runs(text: &str, sign: char, least: usize) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find(sign) {
        let run = rest[at..].find(|c| c != sign).unwrap_or(rest.len() - at);
        out.push_str(&rest[..at]);
        let signs = &rest[at..at + run];
        if run < least * sign.len_utf8() {
            out.push_str(signs);
        } else {
            out.extend([" ", signs, " "]);
        }
        rest = &rest[at + run..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(treebank_words(text).join(" "), expected);
    }

    /// Expected values are those of NLTK 3.10.4 for each sentence.
    #[test]
    fn nltk_examples() {
        check(
            "Good muffins cost $3.88, don't they?",
            "Good muffins cost $ 3.88 , do n't they ?",
        );
        check("He said \"go\" (now).", "He said `` go '' ( now ) .");
        check(
            "The dogs' 8:10 train... left--late.",
            "The dogs ' 8:10 train ... left -- late .",
        );
        check(
            "I'm sure we cannot; 'tis 5%.",
            "I 'm sure we can not ; ' tis 5 % .",
        );
        check(
            "Stern’s “show”, 1,000 fans",
            "Stern ’ s “ show ” , 1,000 fans",
        );
        check(
            "rock 'n' roll 'twas 'quoted'",
            "rock 'n ' roll ' twas ' quoted '",
        );
        check("See (e.g. \"Li\") here.", "See ( e.g . `` Li '' ) here .");
        check("It was 2004. he left. So", "It was 2004. he left . So");
        check("", "");
    }
}
