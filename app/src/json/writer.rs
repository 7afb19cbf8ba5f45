//! A writer of JSON for `serde`.

use std::fmt::Display;

use serde::ser::{self, Serialize, Serializer};

use crate::browser;

use super::JsonError;

/// The JSON of a value.
pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    let mut text = String::new();
    value.serialize(&mut Writer { text: &mut text })?;
    Ok(text)
}

impl ser::Error for JsonError {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

struct Writer<'a> {
    text: &'a mut String,
}

impl Writer<'_> {
    fn write_string(&mut self, string: &str) {
        self.text.push('"');
        for sign in string.chars() {
            match sign {
                '"' | '\\' => self.text.extend(['\\', sign]),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                ..' ' => {
                    let digit = |value| char::from_digit(value, 16).unwrap_or('0');
                    let code = u32::from(sign);
                    self.text.push_str("\\u00");
                    self.text.extend([digit(code / 16), digit(code % 16)]);
                }
                _ => self.text.push(sign),
            }
        }
        self.text.push('"');
    }
}

impl<'w, 'a> Serializer for &'w mut Writer<'a> {
    type Ok = ();
    type Error = JsonError;
    type SerializeSeq = List<'w, 'a>;
    type SerializeTuple = List<'w, 'a>;
    type SerializeTupleStruct = List<'w, 'a>;
    type SerializeTupleVariant = List<'w, 'a>;
    type SerializeMap = List<'w, 'a>;
    type SerializeStruct = List<'w, 'a>;
    type SerializeStructVariant = List<'w, 'a>;

    fn serialize_bool(self, value: bool) -> Result<(), JsonError> {
        self.text.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), JsonError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), JsonError> {
        self.text.push_str(&value.to_string());
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), JsonError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), JsonError> {
        self.text.push_str(&value.to_string());
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), JsonError> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), JsonError> {
        match value.is_finite() {
            true => self.text.push_str(&browser::number_text(value)),
            false => self.text.push_str("null"),
        }
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), JsonError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), JsonError> {
        self.write_string(value);
        Ok(())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), JsonError> {
        Err(JsonError)
    }

    fn serialize_none(self) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), JsonError> {
        self.text.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), JsonError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        let mut list = List::begin(self, "{", "}");
        list.write_field(variant, value)?;
        list.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List<'w, 'a>, JsonError> {
        Ok(List::begin(self, "[", "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<List<'w, 'a>, JsonError> {
        Ok(List::begin(self, "[", "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<List<'w, 'a>, JsonError> {
        Ok(List::begin(self, "[", "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<List<'w, 'a>, JsonError> {
        Ok(List::begin_variant(self, variant, "[", "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<List<'w, 'a>, JsonError> {
        Ok(List::begin(self, "{", "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<List<'w, 'a>, JsonError> {
        Ok(List::begin(self, "{", "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<List<'w, 'a>, JsonError> {
        Ok(List::begin_variant(self, variant, "{", "}}"))
    }
}

/// An array or object under way.
struct List<'w, 'a> {
    writer: &'w mut Writer<'a>,
    is_first: bool,
    /// Closes it.
    end: &'static str,
}

impl<'w, 'a> List<'w, 'a> {
    fn begin(writer: &'w mut Writer<'a>, begin: &str, end: &'static str) -> Self {
        writer.text.push_str(begin);
        Self {
            writer,
            is_first: true,
            end,
        }
    }

    /// The content of a variant, as the only field of an object.
    fn begin_variant(
        writer: &'w mut Writer<'a>,
        variant: &str,
        begin: &str,
        end: &'static str,
    ) -> Self {
        writer.text.push('{');
        writer.write_string(variant);
        writer.text.push(':');
        Self::begin(writer, begin, end)
    }

    fn write_comma(&mut self) {
        if !std::mem::take(&mut self.is_first) {
            self.writer.text.push(',');
        }
    }

    fn write_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.write_comma();
        value.serialize(&mut *self.writer)
    }

    fn write_field<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), JsonError> {
        self.write_comma();
        self.writer.write_string(name);
        self.writer.text.push(':');
        value.serialize(&mut *self.writer)
    }

    fn finish(self) -> Result<(), JsonError> {
        self.writer.text.push_str(self.end);
        Ok(())
    }
}

impl ser::SerializeSeq for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.write_element(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl ser::SerializeTuple for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.write_element(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl ser::SerializeTupleStruct for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.write_element(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl ser::SerializeTupleVariant for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.write_element(value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl ser::SerializeStruct for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        self.write_field(name, value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl ser::SerializeStructVariant for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        self.write_field(name, value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl ser::SerializeMap for List<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        self.write_element(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.writer.text.push(':');
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use domain::work::change::{AnnotationAnswer, AnnotationSlot};
    use proptest::prelude::*;
    use serde_json::Value;

    use super::{
        super::{reader::read, reader::tests::values},
        *,
    };

    proptest! {
        #[test]
        fn serde_json_reads_what_is_written(value in values()) {
            let text = write(&value).expect("plain data");
            prop_assert_eq!(read::<Value>(&text), Ok(value));
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{}", text);
        }

        #[test]
        fn numbers_with_a_fraction_are_written_exactly(number in any::<f64>()) {
            prop_assert_eq!(read(&write(&number).expect("plain data")), Ok(number));
        }

        #[test]
        fn a_string_is_written_as_by_serde_json(string in any::<String>()) {
            let expect = serde_json::to_string(&string).expect("a string");
            prop_assert_eq!(write(&string), Ok(expect));
        }
    }

    #[test]
    fn variants_are_written_as_by_serde_json() {
        fn check(value: &impl Serialize) {
            let expect = serde_json::to_string(value).expect("plain data");
            assert_eq!(write(value), Ok(expect));
        }
        #[derive(serde::Serialize)]
        enum Shape {
            Unit,
            Newtype(Option<f64>),
            Tuple(u8, i16),
            Struct { name: char, list: Vec<()> },
        }
        check(&AnnotationSlot::Order);
        check(&AnnotationAnswer::Note("a “b”\u{1}\\".to_owned()));
        check(&Shape::Unit);
        check(&[
            Shape::Newtype(Some(0.1)),
            Shape::Newtype(Some(f64::NAN)),
            Shape::Newtype(None),
        ]);
        check(&Shape::Tuple(1, -2));
        check(&Shape::Struct {
            name: '"',
            list: vec![(), ()],
        });
        check(&std::collections::BTreeMap::from([
            ("a", true),
            ("b", false),
        ]));
    }
}
