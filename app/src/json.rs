//! JSON on its way to the server and back.

use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post};
use serde::{Serialize, de::DeserializeOwned};

/// Arguments and answers of a server function as JSON.
pub type Json = Post<JsonText>;

/// JSON that is read as text. Leptos' own reads bytes; islands and what the browser keeps are read
/// as text too, and with one way to read, the browser gets the code to do it once.
#[derive(Debug)]
pub struct JsonText;

impl ContentType for JsonText {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for JsonText {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for JsonText {
    type Error = serde_json::Error;

    fn encode(value: &T) -> serde_json::Result<Bytes> {
        serde_json::to_vec(value).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for JsonText {
    type Error = String;

    fn decode(bytes: Bytes) -> Result<T, String> {
        let text = str::from_utf8(&bytes).map_err(|error| error.to_string())?;
        serde_json::from_str(text).map_err(|error| error.to_string())
    }
}
