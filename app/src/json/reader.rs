//! Reads parsed JSON into types, with as little code per type as possible.
//!
//! Most of the code of a derived `Deserialize` matches names. Here a structure's fields are looked up by name
//! and visited in the order of their declaration, and a variant is passed by its number, so that this code is
//! never compiled. As a consequence, no type that the browser reads may use serde's `alias` or `other`, which
//! change the lists of names.

use serde::{
    Deserializer, de,
    de::{
        DeserializeOwned, DeserializeSeed, IntoDeserializer as _, Visitor, value::U32Deserializer,
    },
    forward_to_deserialize_any,
};

use super::JsonError;

/// A value from a JSON parser.
pub(super) trait ParsedJson: Sized {
    /// Whether the value is `null` or a missing field.
    fn is_null(&self) -> bool;
    /// Whether the value is a missing field.
    fn is_missing(&self) -> bool;
    fn as_bool(&self) -> Option<bool>;
    fn as_number(&self) -> Option<f64>;
    fn as_text(&self) -> Option<String>;
    /// The items of an array.
    fn as_items(&self) -> Option<Vec<Self>>;
    /// The names and values of an object.
    fn as_entries(&self) -> Option<Vec<(Self, Self)>>;
    /// A field of an object; an error for anything else.
    fn field(&self, name: &str) -> Result<Self, JsonError>;
}

/// Reads a value.
///
/// # Errors
/// Where the value is not of this type.
pub(super) fn read_value<T: DeserializeOwned>(value: impl ParsedJson) -> Result<T, JsonError> {
    T::deserialize(JsonReader(value))
}

/// The largest integer up to which every integer has its own floating-point number.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// A value that is being read.
struct JsonReader<P>(P);

impl<P: ParsedJson> JsonReader<P> {
    /// The value as an integer.
    fn integer(&self) -> Result<i64, JsonError> {
        let number = self.0.as_number().ok_or(JsonError)?;
        if number.trunc() != number || number.abs() > MAX_SAFE_INTEGER {
            return Err(JsonError);
        }
        // Exact, because it is a whole number within the bounds.
        Ok(number as i64)
    }

    fn read_integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_i64(self.integer()?)
    }
}

/// Methods that read all integers alike: serde converts them, with a check, to the requested type.
macro_rules! read_integers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
            self.read_integer(visitor)
        }
    )*};
}

impl<'de, P: ParsedJson> Deserializer<'de> for JsonReader<P> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.0.is_null() {
            visitor.visit_unit()
        } else if let Some(value) = self.0.as_bool() {
            visitor.visit_bool(value)
        } else if let Some(number) = self.0.as_number() {
            match self.integer() {
                Ok(integer) => visitor.visit_i64(integer),
                Err(JsonError) => visitor.visit_f64(number),
            }
        } else if let Some(text) = self.0.as_text() {
            visitor.visit_string(text)
        } else if let Some(items) = self.0.as_items() {
            visitor.visit_seq(ItemReader(items.into_iter()))
        } else {
            self.deserialize_map(visitor)
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_bool(self.0.as_bool().ok_or(JsonError)?)
    }

    read_integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_f64(self.0.as_number().ok_or(JsonError)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_string(self.0.as_text().ok_or(JsonError)?)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let items = self.0.as_items().ok_or(JsonError)?;
        visitor.visit_seq(ItemReader(items.into_iter()))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        let entries = self.0.as_entries().ok_or(JsonError)?;
        visitor.visit_map(EntryReader {
            entries: entries.into_iter(),
            value: None,
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_seq(FieldReader {
            object: self.0,
            fields: fields.iter(),
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let (name, content) = match self.0.as_text() {
            Some(name) => (name, None),
            None => {
                let entries = self.0.as_entries().ok_or(JsonError)?;
                let [(name, content)] = <[_; 1]>::try_from(entries).map_err(|_| JsonError)?;
                (name.as_text().ok_or(JsonError)?, Some(content))
            }
        };

        let variant = variants
            .iter()
            .zip(0..)
            .find(|(variant, _)| **variant == name);
        let (_, variant) = variant.ok_or(JsonError)?;
        visitor.visit_enum(VariantReader { variant, content })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { i128 u128 char bytes byte_buf unit unit_struct }
}

/// The items of an array, one after the other.
struct ItemReader<P>(std::vec::IntoIter<P>);

impl<'de, P: ParsedJson> de::SeqAccess<'de> for ItemReader<P> {
    type Error = JsonError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, JsonError> {
        self.0
            .next()
            .map(|item| seed.deserialize(JsonReader(item)))
            .transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The fields of a structure in the order of their declaration.
struct FieldReader<P> {
    object: P,
    fields: std::slice::Iter<'static, &'static str>,
}

impl<'de, P: ParsedJson> de::SeqAccess<'de> for FieldReader<P> {
    type Error = JsonError;

    /// Reads a missing field as an optional one. If that fails, the derived code takes the field's default,
    /// if it has one.
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, JsonError> {
        let Some(name) = self.fields.next() else {
            return Ok(None);
        };

        let value = self.object.field(name)?;
        let missing = value.is_missing();
        match seed.deserialize(JsonReader(value)) {
            Err(JsonError) if missing => Ok(None),
            read => read.map(Some),
        }
    }
}

/// The entries of a map, one after the other.
struct EntryReader<P> {
    entries: std::vec::IntoIter<(P, P)>,
    /// The value of the entry whose key was read.
    value: Option<P>,
}

impl<'de, P: ParsedJson> de::MapAccess<'de> for EntryReader<P> {
    type Error = JsonError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, JsonError> {
        let Some((key, value)) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some(value);
        seed.deserialize(JsonReader(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, JsonError> {
        seed.deserialize(JsonReader(self.value.take().ok_or(JsonError)?))
    }
}

/// A variant of an enumeration: its number, and its content if it has one.
struct VariantReader<P> {
    variant: u32,
    content: Option<P>,
}

impl<P> VariantReader<P> {
    fn content(self) -> Result<JsonReader<P>, JsonError> {
        self.content.map(JsonReader).ok_or(JsonError)
    }
}

impl<'de, P: ParsedJson> de::EnumAccess<'de> for VariantReader<P> {
    type Error = JsonError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), JsonError> {
        let variant: U32Deserializer<JsonError> = self.variant.into_deserializer();
        Ok((seed.deserialize(variant)?, self))
    }
}

impl<'de, P: ParsedJson> de::VariantAccess<'de> for VariantReader<P> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<(), JsonError> {
        match self.content {
            None => Ok(()),
            Some(_) => Err(JsonError),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, JsonError> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.content()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.content()?.deserialize_struct("", fields, visitor)
    }
}

#[cfg(target_family = "wasm")]
mod in_browser {
    use js_sys::{Array, Object, Reflect};
    use leptos::wasm_bindgen::{JsCast as _, JsValue};

    use super::{JsonError, ParsedJson};

    impl ParsedJson for JsValue {
        fn is_null(&self) -> bool {
            JsValue::is_null(self) || self.is_undefined()
        }

        fn is_missing(&self) -> bool {
            self.is_undefined()
        }

        fn as_bool(&self) -> Option<bool> {
            JsValue::as_bool(self)
        }

        fn as_number(&self) -> Option<f64> {
            self.as_f64()
        }

        fn as_text(&self) -> Option<String> {
            self.as_string()
        }

        fn as_items(&self) -> Option<Vec<Self>> {
            Some(self.dyn_ref::<Array>()?.to_vec())
        }

        fn as_entries(&self) -> Option<Vec<(Self, Self)>> {
            if !self.is_object() {
                return None;
            }

            let entries = Object::entries(self.unchecked_ref());
            let pairs = entries.iter().map(|entry| {
                let entry: Array = entry.unchecked_into();
                (entry.get(0), entry.get(1))
            });
            Some(pairs.collect())
        }

        fn field(&self, name: &str) -> Result<Self, JsonError> {
            Reflect::get(self, &name.into()).map_err(|_| JsonError)
        }
    }
}
