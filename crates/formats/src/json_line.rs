//! Numbers that Python writes into JSON, although JSON does not have them.

use std::borrow::Cow;

/// The line with `null` for each `NaN`, which Python writes for a missing value, and with `Infinity` as a text, which
/// readers then refuse by name.
pub(crate) fn without_python_numbers(line: &str) -> Cow<'_, str> {
    if !line.contains("NaN") && !line.contains("Infinity") {
        return line.into();
    }

    let mut json = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(sign) = rest.chars().next() {
        let (length, replacement) = match sign {
            '"' => (text_length(rest), None),
            'N' if rest.starts_with("NaN") => (3, Some("null")),
            'I' if rest.starts_with("Infinity") => (8, Some("\"Infinity\"")),
            '-' if rest.starts_with("-Infinity") => (9, Some("\"-Infinity\"")),
            sign => (sign.len_utf8(), None),
        };
        json.push_str(replacement.unwrap_or(&rest[..length]));
        rest = &rest[length..];
    }
    json.into()
}

/// The number of bytes of a text in quotation marks with which `json` begins.
fn text_length(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(json.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_outside_of_texts_are_replaced() {
        for (line, json) in [
            (r#"{"a":NaN,"b":[NaN, 1]}"#, r#"{"a":null,"b":[null, 1]}"#),
            (r#"{"a":-Infinity}"#, r#"{"a":"-Infinity"}"#),
            (
                r#"{"NaN":"a \" NaN","b":"é\\","c":Infinity}"#,
                r#"{"NaN":"a \" NaN","b":"é\\","c":"Infinity"}"#,
            ),
            (r#"{"a":"NaN"#, r#"{"a":"NaN"#),
        ] {
            assert_eq!(without_python_numbers(line), json);
        }
    }
}
