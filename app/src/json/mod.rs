//! JSON between the workspace, its storage and server functions.
//!
//! It has a reader and a writer of its own, because `serde_json` would be the largest library of the browser's part: for
//! each type it holds code for arrays in place of objects, for positions in the text and for the words of errors, and
//! tables for numbers that browsers read and write themselves. All that is read here was written by this program;
//! what is not as expected is a [`JsonError`]. Tests compare both with `serde_json`.

mod reader;
mod writer;

use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post};
use serde::{Serialize, de::DeserializeOwned};

pub use reader::JsonError;

/// The encoding of a server function's arguments and answers as JSON.
pub type Json = Post<JsonText>;

/// JSON that is read as text. Leptos' own encoding reads bytes; the workspace and the browser's storage read
/// text too, and with a single way of reading, the bundle holds that code only once.
#[derive(Debug)]
pub struct JsonText;

impl ContentType for JsonText {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for JsonText {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for JsonText {
    type Error = JsonError;

    fn encode(value: &T) -> Result<Bytes, JsonError> {
        writer::write(value).map(Bytes::from)
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
pub fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    reader::read(text)
}

/// Writes plain data, whose keys are strings.
pub fn to_json(value: &impl Serialize) -> String {
    writer::write(value).expect("plain data can be written")
}
