//! JSON between the workspace, its storage and server functions.
//!
//! In the browser, its own parser does the work: `serde_json` would be the bundle's largest library. `reader`
//! and `writer` connect it with the types. This program wrote everything that is read here, so an error says
//! only that a text could not be read.

#[cfg(any(target_family = "wasm", test))]
mod reader;
#[cfg(test)]
mod tests;
#[cfg(any(target_family = "wasm", test))]
mod writer;

use std::fmt::Display;

use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post};
use serde::{Serialize, de::DeserializeOwned};

/// The encoding of a server function's arguments and answers as JSON.
pub type Json = Post<JsonText>;

/// JSON that is read as text. Leptos' own encoding reads bytes; the workspace and the browser's storage read
/// text too, so with a single way of reading the bundle holds that code only once.
#[derive(Debug)]
pub struct JsonText;

/// A text that is not JSON, or not of the expected type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not JSON of the expected type")]
pub struct JsonError;

impl serde::de::Error for JsonError {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

impl serde::ser::Error for JsonError {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

impl ContentType for JsonText {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for JsonText {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for JsonText {
    type Error = JsonError;

    fn encode(value: &T) -> Result<Bytes, JsonError> {
        write(value).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for JsonText {
    type Error = JsonError;

    fn decode(bytes: Bytes) -> Result<T, JsonError> {
        from_json(str::from_utf8(&bytes).map_err(|_| JsonError)?)
    }
}

/// Reads a value.
///
/// # Errors
/// Where the text is not JSON, or not of this type.
#[cfg(target_family = "wasm")]
pub fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    let value = js_sys::JSON::parse(text).map_err(|_| JsonError)?;
    reader::read_value(value)
}

/// Reads a value.
///
/// # Errors
/// Where the text is not JSON, or not of this type.
#[cfg(not(target_family = "wasm"))]
pub fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    serde_json::from_str(text).map_err(|_| JsonError)
}

/// Writes plain data, whose keys are strings.
pub fn to_json(value: &impl Serialize) -> String {
    write(value).expect("plain data can be written")
}

#[cfg(target_family = "wasm")]
fn write(value: &impl Serialize) -> Result<String, JsonError> {
    writer::write_value(value)
}

#[cfg(not(target_family = "wasm"))]
fn write(value: &impl Serialize) -> Result<String, JsonError> {
    serde_json::to_string(value).map_err(|_| JsonError)
}
