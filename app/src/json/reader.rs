//! A reader of JSON for `serde`.

use std::{borrow::Cow, fmt::Display};

use serde::{
    de::{
        self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess,
        VariantAccess, Visitor,
    },
    forward_to_deserialize_any,
};

use crate::browser;

/// A text that is not JSON, or not of the expected type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not JSON of the expected type")]
pub struct JsonError;

impl de::Error for JsonError {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

/// Reads a value that is the whole text.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    let mut reader = Reader { text, at: 0 };
    let value = T::deserialize(&mut reader)?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(JsonError),
    }
}

/// The text and the place in it.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Passes over a sign.
    fn pass(&mut self, sign: u8) -> Result<(), JsonError> {
        if self.peek() != Some(sign) {
            return Err(JsonError);
        }
        self.at += 1;
        Ok(())
    }

    /// Passes over `null`, `true` or `false`.
    fn pass_word(&mut self, word: &str) -> Result<(), JsonError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(JsonError);
        }
        self.at += word.len();
        Ok(())
    }

    /// Goes to the next element of a list that `end` closes; returns whether there is one.
    fn pass_comma(&mut self, is_first: &mut bool, end: u8) -> Result<bool, JsonError> {
        if self.peek() == Some(end) {
            return Ok(false);
        }
        if !std::mem::take(is_first) {
            self.pass(b',')?;
        }
        Ok(true)
    }

    /// A string.
    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.pass(b'"')?;
        let mut unescaped = String::new();
        let mut from = self.at;
        loop {
            let sign = *self.text.as_bytes().get(self.at).ok_or(JsonError)?;
            let here = self.text.get(from..self.at);
            self.at += 1;
            match sign {
                b'"' if unescaped.is_empty() => return here.map(Cow::Borrowed).ok_or(JsonError),
                b'"' => {
                    unescaped.push_str(here.ok_or(JsonError)?);
                    return Ok(Cow::Owned(unescaped));
                }
                b'\\' => {
                    unescaped.push_str(here.ok_or(JsonError)?);
                    unescaped.push(self.escaped()?);
                    from = self.at;
                }
                ..b' ' => return Err(JsonError),
                _ => {}
            }
        }
    }

    /// The character that an escape stands for, after its backslash.
    fn escaped(&mut self) -> Result<char, JsonError> {
        let sign = *self.text.as_bytes().get(self.at).ok_or(JsonError)?;
        self.at += 1;
        Ok(match sign {
            b'"' | b'\\' | b'/' => sign.into(),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let mut code = self.code_unit()?;
                // A character beyond the first 65,536 is two escapes.
                if let 0xd800..0xdc00 = code {
                    self.pass_word("\\u")?;
                    let low = self.code_unit()?.wrapping_sub(0xdc00);
                    if low >= 0x400 {
                        return Err(JsonError);
                    }
                    code = 0x10000 + ((code - 0xd800) << 10) + low;
                }
                char::from_u32(code).ok_or(JsonError)?
            }
            _ => return Err(JsonError),
        })
    }

    fn code_unit(&mut self) -> Result<u32, JsonError> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.text.as_bytes().get(self.at).copied();
            let digit = digit.and_then(|digit| char::from(digit).to_digit(16));
            code = code * 16 + digit.ok_or(JsonError)?;
            self.at += 1;
        }
        Ok(code)
    }

    /// The text of a number.
    fn number(&mut self) -> &'a str {
        self.peek();
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |sign: &u8| matches!(sign, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = rest.bytes().take_while(is_part).count();
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Passes over a value of any type.
    fn pass_value(&mut self) -> Result<(), JsonError> {
        let mut depth = 0_usize;
        loop {
            match self.peek().ok_or(JsonError)? {
                b'"' => drop(self.string()?),
                b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                    continue;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                b']' | b'}' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b't' => self.pass_word("true")?,
                b'f' => self.pass_word("false")?,
                b'n' => self.pass_word("null")?,
                _ if self.number().is_empty() => return Err(JsonError),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.peek() {
            Some(b'"') => self.deserialize_str(visitor),
            Some(b'[') => self.deserialize_seq(visitor),
            Some(b'{') => self.deserialize_map(visitor),
            Some(b't' | b'f') => self.deserialize_bool(visitor),
            Some(b'n') => self.deserialize_unit(visitor),
            _ => {
                let number = self.number();
                if let Ok(number) = number.parse() {
                    visitor.visit_u64(number)
                } else if let Ok(number) = number.parse() {
                    visitor.visit_i64(number)
                } else {
                    visitor.visit_f64(browser::parse_number(number).ok_or(JsonError)?)
                }
            }
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let is_true = self.peek() == Some(b't');
        self.pass_word(if is_true { "true" } else { "false" })?;
        visitor.visit_bool(is_true)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let number = self.number().parse().map_err(|_| JsonError)?;
        visitor.visit_u64(number)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let number = self.number().parse().map_err(|_| JsonError)?;
        visitor.visit_i64(number)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let number = browser::parse_number(self.number()).ok_or(JsonError)?;
        visitor.visit_f64(number)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_str(&self.string()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.peek() == Some(b'n') {
            self.pass_word("null")?;
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.peek();
        self.pass_word("null")?;
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.pass(b'[')?;
        let value = visitor.visit_seq(List::begin(self))?;
        self.pass(b']')?;
        Ok(value)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.pass(b'{')?;
        let value = visitor.visit_map(List::begin(self))?;
        self.pass(b'}')?;
        Ok(value)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let has_content = self.peek() == Some(b'{');
        if !has_content {
            return visitor.visit_enum(Variant {
                reader: self,
                has_content,
            });
        }
        self.pass(b'{')?;
        let value = visitor.visit_enum(Variant {
            reader: &mut *self,
            has_content,
        })?;
        self.pass(b'}')?;
        Ok(value)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.pass_value()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit_struct tuple_struct }
}

/// The elements of an array, or the fields of an object.
struct List<'r, 'a> {
    reader: &'r mut Reader<'a>,
    is_first: bool,
}

impl<'r, 'a> List<'r, 'a> {
    const fn begin(reader: &'r mut Reader<'a>) -> Self {
        Self {
            reader,
            is_first: true,
        }
    }
}

impl<'de> SeqAccess<'de> for List<'_, 'de> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, JsonError> {
        if !self.reader.pass_comma(&mut self.is_first, b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.reader).map(Some)
    }
}

impl<'de> MapAccess<'de> for List<'_, 'de> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, JsonError> {
        if !self.reader.pass_comma(&mut self.is_first, b'}')? {
            return Ok(None);
        }
        let key = seed.deserialize(&mut *self.reader)?;
        self.reader.pass(b':')?;
        Ok(Some(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, JsonError> {
        seed.deserialize(&mut *self.reader)
    }
}

/// A variant of an enum: its name, or an object with its name and content.
struct Variant<'r, 'a> {
    reader: &'r mut Reader<'a>,
    has_content: bool,
}

impl<'r, 'a> Variant<'r, 'a> {
    const fn content(self) -> Result<&'r mut Reader<'a>, JsonError> {
        match self.has_content {
            true => Ok(self.reader),
            false => Err(JsonError),
        }
    }
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de> {
    type Error = JsonError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), JsonError> {
        let variant = seed.deserialize(&mut *self.reader)?;
        if self.has_content {
            self.reader.pass(b':')?;
        }
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<(), JsonError> {
        match self.has_content {
            true => self.reader.pass_word("null"),
            false => Ok(()),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, JsonError> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.content()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.content()?.deserialize_map(visitor)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use domain::{
        edit::{Edit, EditKind},
        span::Span,
        work::change::{AnnotationAnswer, AnnotationSlot, SaveOutcome},
    };
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    pub(in super::super) fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..6)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_serde_json_writes_is_read(value in values()) {
            prop_assert_eq!(read::<Value>(&value.to_string()), Ok(value.clone()));
            prop_assert_eq!(read::<Value>(&format!(" {value:#}\n")), Ok(value));
        }

        #[test]
        fn numbers_with_a_fraction_are_read_exactly(number in any::<f64>()) {
            prop_assert_eq!(read::<Value>(&json!(number).to_string()), Ok(json!(number)));
            prop_assert_eq!(read(&json!(number).to_string()), Ok(number));
        }

        #[test]
        fn a_text_cut_short_is_an_error(value in values(), at in any::<prop::sample::Index>()) {
            let text = json!([value]).to_string();
            let at = at.index(text.len());
            prop_assume!(text.is_char_boundary(at));
            prop_assert_eq!(read::<Value>(&text[..at]), Err(JsonError));
        }

        #[test]
        fn a_field_that_is_not_known_is_passed_over(value in values()) {
            let text = json!({"start": 1, "new": value, "end": 2}).to_string();
            prop_assert_eq!(read(&text), Ok(Span::new(1, 2)));
        }
    }

    fn check<T: DeserializeOwned + PartialEq + std::fmt::Debug>(text: &str, expect: Option<T>) {
        assert_eq!(read(text).ok(), expect, "{text}");
    }

    #[test]
    fn the_types_of_the_workspace_are_read() {
        check(
            r#"{"kind":"split","source":[],"output":[{"start":3,"end":4}],"confidence":0.25}"#,
            {
                let (source, output) = (vec![], vec![Span::new(3, 4)]);
                Some(Edit {
                    kind: EditKind::Split,
                    source,
                    output,
                    confidence: Some(0.25),
                })
            },
        );
        check(r#""order""#, Some(AnnotationSlot::Order));
        check(
            r#"{"note":"a"}"#,
            Some(AnnotationAnswer::Note("a".to_owned())),
        );
        check(r#"{"rating":null}"#, Some(AnnotationAnswer::Rating(None)));
        check(r#"{"order":null}"#, Some(AnnotationSlot::Order));
        check::<AnnotationSlot>(r#"{"unknown":null}"#, None);
        check::<AnnotationAnswer>(r#""note""#, None);
        check::<SaveOutcome>(r#"{"conflict":{}}"#, None);
    }

    #[test]
    fn escapes_are_read_as_characters() {
        let text = r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#;
        check(text, Some("\"\\/\u{8}\u{c}\n\r\té😀".to_owned()));
        for wrong in [
            r#""\x""#,
            r#""\u12""#,
            r#""\ud83d""#,
            r#""\ud83d\u0041""#,
            "\"\n\"",
        ] {
            check::<String>(wrong, None);
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_errors() {
        check("255", Some(255_u8));
        check::<u8>("256", None);
        check::<u32>("-1", None);
        check("-9223372036854775808", Some(i64::MIN));
        check("1e3", Some(1_000.0_f64));
        for wrong in ["", "-", "e", "1 2", "nan"] {
            check::<f64>(wrong, None);
        }
    }
}
