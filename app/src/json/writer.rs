//! Writes types as JSON, with as little code per type as possible.

use serde::{Serialize, Serializer, ser};

use super::JsonError;

/// Writes a value.
///
/// # Errors
/// Where a key of a map is not a string.
pub(super) fn write_value(value: &impl Serialize) -> Result<String, JsonError> {
    let mut text = String::new();
    value.serialize(JsonWriter(&mut text))?;
    Ok(text)
}

/// Writes a quoted text or a number with a fraction by the browser's own functions.
#[cfg(target_family = "wasm")]
fn write_in_browser(value: &leptos::wasm_bindgen::JsValue) -> Result<String, JsonError> {
    let text = js_sys::JSON::stringify(value);
    text.map(String::from).map_err(|_| JsonError)
}

#[cfg(target_family = "wasm")]
fn quote(text: &str) -> Result<String, JsonError> {
    write_in_browser(&text.into())
}

#[cfg(target_family = "wasm")]
fn write_number(number: f64) -> Result<String, JsonError> {
    write_in_browser(&number.into())
}

#[cfg(not(target_family = "wasm"))]
fn quote(text: &str) -> Result<String, JsonError> {
    serde_json::to_string(text).map_err(|_| JsonError)
}

#[cfg(not(target_family = "wasm"))]
fn write_number(number: f64) -> Result<String, JsonError> {
    serde_json::to_string(&number).map_err(|_| JsonError)
}

/// Appends a value to a text.
struct JsonWriter<'a>(&'a mut String);

impl<'a> JsonWriter<'a> {
    fn write_all(self, text: &str) -> Result<(), JsonError> {
        self.0.push_str(text);
        Ok(())
    }

    /// Begins an array or object that `end` closes.
    fn begin(self, start: &str, end: &'static str) -> Result<PartWriter<'a>, JsonError> {
        self.0.push_str(start);
        Ok(PartWriter {
            text: self.0,
            separator: "",
            end,
        })
    }

    /// Begins the content of a variant.
    fn begin_variant(
        self,
        variant: &str,
        start: &str,
        end: &'static str,
    ) -> Result<PartWriter<'a>, JsonError> {
        for part in ["{\"", variant, "\":"] {
            self.0.push_str(part);
        }
        self.begin(start, end)
    }
}

/// Methods that write all integers alike.
macro_rules! write_integers {
    ($($method:ident: $type:ty),*) => {$(
        fn $method(self, value: $type) -> Result<(), JsonError> {
            self.serialize_i64(value.into())
        }
    )*};
}

impl<'a> Serializer for JsonWriter<'a> {
    type Ok = ();
    type Error = JsonError;
    type SerializeSeq = PartWriter<'a>;
    type SerializeTuple = PartWriter<'a>;
    type SerializeTupleStruct = PartWriter<'a>;
    type SerializeTupleVariant = PartWriter<'a>;
    type SerializeMap = PartWriter<'a>;
    type SerializeStruct = PartWriter<'a>;
    type SerializeStructVariant = PartWriter<'a>;

    fn serialize_bool(self, value: bool) -> Result<(), JsonError> {
        self.write_all(if value { "true" } else { "false" })
    }

    write_integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32
    }

    fn serialize_i64(self, value: i64) -> Result<(), JsonError> {
        let text = value.to_string();
        self.write_all(&text)
    }

    fn serialize_u64(self, value: u64) -> Result<(), JsonError> {
        let text = value.to_string();
        self.write_all(&text)
    }

    fn serialize_f32(self, value: f32) -> Result<(), JsonError> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), JsonError> {
        let text = write_number(value)?;
        self.write_all(&text)
    }

    fn serialize_char(self, value: char) -> Result<(), JsonError> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), JsonError> {
        let text = quote(value)?;
        self.write_all(&text)
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_none(self) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), JsonError> {
        self.write_all("null")
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
        let part = self.begin_variant(variant, "", "}")?;
        value.serialize(JsonWriter(&mut *part.text))?;
        part.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<PartWriter<'a>, JsonError> {
        self.begin("[", "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<PartWriter<'a>, JsonError> {
        self.begin("[", "]")
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<PartWriter<'a>, JsonError> {
        self.begin("[", "]")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<PartWriter<'a>, JsonError> {
        self.begin_variant(variant, "[", "]}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<PartWriter<'a>, JsonError> {
        self.begin("{", "}")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<PartWriter<'a>, JsonError> {
        self.begin("{", "}")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<PartWriter<'a>, JsonError> {
        self.begin_variant(variant, "{", "}}")
    }
}

/// Appends the items of an array or the entries of an object.
struct PartWriter<'a> {
    text: &'a mut String,
    /// The text before the next item.
    separator: &'static str,
    end: &'static str,
}

impl PartWriter<'_> {
    fn write_item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.separate();
        value.serialize(JsonWriter(self.text))
    }

    fn write_field<T: Serialize + ?Sized>(
        &mut self,
        name: &str,
        value: &T,
    ) -> Result<(), JsonError> {
        self.separate();
        for part in ["\"", name, "\":"] {
            self.text.push_str(part);
        }
        value.serialize(JsonWriter(self.text))
    }

    fn separate(&mut self) {
        self.text.push_str(self.separator);
        self.separator = ",";
    }

    fn finish(self) -> Result<(), JsonError> {
        self.text.push_str(self.end);
        Ok(())
    }
}

impl ser::SerializeMap for PartWriter<'_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        self.separate();
        let start = self.text.len();

        key.serialize(JsonWriter(self.text))?;
        if !self.text[start..].starts_with('"') {
            return Err(JsonError);
        }
        self.text.push(':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        value.serialize(JsonWriter(self.text))
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

/// Implements a serde trait for compound values whose items have no names.
macro_rules! write_items {
    ($($kind:ident $method:ident),*) => {$(
        impl ser::$kind for PartWriter<'_> {
            type Ok = ();
            type Error = JsonError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
                self.write_item(value)
            }

            fn end(self) -> Result<(), JsonError> {
                self.finish()
            }
        }
    )*};
}

write_items! {
    SerializeSeq serialize_element, SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field, SerializeTupleVariant serialize_field
}

/// Implements a serde trait for compound values whose items have names, which need no escapes.
macro_rules! write_fields {
    ($($kind:ident),*) => {$(
        impl ser::$kind for PartWriter<'_> {
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
    )*};
}

write_fields! { SerializeStruct, SerializeStructVariant }
