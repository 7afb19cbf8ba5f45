//! JSON between the workspace and the server.

use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType, codec::Post};
use serde::{Serialize, de::DeserializeOwned};

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
