//! Parses a study's file: its version, its fields and their types.

use serde::Serialize;
use serde_json::{Deserializer, Value};

use super::{LARGEST_STUDY_FILE, SCHEMA, StudyFile, StudyFileError, check::invalid};

impl StudyFile {
    /// Parses the study in a file. [`StudyFile::create`] checks its values.
    ///
    /// # Errors
    /// [`StudyFileError::Invalid`] for a file of another format or version, or a field that is missing, unknown or of
    /// another type.
    pub fn parse(bytes: &[u8]) -> Result<Self, StudyFileError> {
        const FILE: &str = "The file";
        if bytes.len() > LARGEST_STUDY_FILE {
            let most = LARGEST_STUDY_FILE / (1024 * 1024);
            return Err(invalid(FILE, format!("a study has at most {most} MB")));
        }

        let text = str::from_utf8(bytes).map_err(|_| invalid(FILE, "it is not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}');
        let value: Value = serde_json::from_str(text)
            .map_err(|error| invalid(FILE, format!("it is not JSON: {error}")))?;

        check_schema(&value)?;

        let file: Self = serde_path_to_error::deserialize(&mut Deserializer::from_str(text))
            .map_err(|error| {
                let place = match error.path().to_string().as_str() {
                    "." => FILE.to_owned(),
                    path => path.to_owned(),
                };
                invalid(place, error.into_inner())
            })?;

        match find_unknown(&value, &file.known_fields(), String::new()) {
            Some(place) => Err(invalid(
                place,
                "there is no such field: correct its name or take it out",
            )),
            None => Ok(file),
        }
    }

    /// The file with all fields that it may have, including those that are left out when it is written.
    fn known_fields(&self) -> Value {
        let mut known = to_value(self);
        // A plain slider is left out when a dimension is written.
        for (at, dimension) in self.settings.dimensions.iter().enumerate() {
            known["settings"]["dimensions"][at]["input"] = to_value(&dimension.input);
        }

        for (at, item) in self.training_items.iter().enumerate() {
            // An empty context is left out.
            known["training_items"][at]["context"] = to_value(&item.context);
        }

        known
    }
}

fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("our own types have string keys and no failing serializer")
}

fn check_schema(file: &Value) -> Result<(), StudyFileError> {
    let fault = match &file["schema"] {
        Value::Null => format!(
            "it is missing. This is not a study file, which begins with \"schema\": {SCHEMA}"
        ),
        version if *version == SCHEMA => return Ok(()),
        version => format!(
            "the file has version {version}, and this program reads {SCHEMA}. Use the version of Rank & Rate that \
             wrote the file"
        ),
    };
    Err(invalid("schema", fault))
}

/// The place of the first field whose name is unknown, which serde ignores.
fn find_unknown(given: &Value, known: &Value, place: String) -> Option<String> {
    match (given, known) {
        (Value::Object(given), Value::Object(known)) => given.iter().find_map(|(name, value)| {
            let dot = if place.is_empty() { "" } else { "." };
            let place = format!("{place}{dot}{name}");
            match known.get(name) {
                Some(known) => find_unknown(value, known, place),
                None => Some(place),
            }
        }),
        (Value::Array(given), Value::Array(known)) => {
            let mut pairs = given.iter().zip(known).enumerate();
            pairs.find_map(|(at, (value, known))| {
                find_unknown(value, known, format!("{place}[{at}]"))
            })
        }
        _ => None,
    }
}
