//! Extracts the contents of the page about the API from the API's description.

use app::api_reference::{
    ApiContent, ApiField, ApiKind, ApiOperation, ApiReference, ApiResponse, ApiSchema,
};
use serde_json::{Map, Value};
use utoipa::openapi::OpenApi;

/// The methods of an address, in the order of the page.
const METHODS: [&str; 2] = ["get", "post"];

/// Extracts what the page shows.
pub(super) fn read_description(description: &OpenApi) -> ApiReference {
    let description = serde_json::to_value(description).expect("a description is plain data");
    let paths = description["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        METHODS.into_iter().filter_map(move |method| {
            let operation = item.get(method)?;
            Some(read_operation(method, path, operation))
        })
    });

    let schemas = description["components"]["schemas"].as_object();
    let schemas = schemas.into_iter().flatten();

    ApiReference {
        about: text(&description["info"], "description"),
        operations: operations.collect(),
        schemas: schemas
            .map(|(name, schema)| read_schema(name, schema))
            .collect(),
    }
}

fn read_operation(method: &str, path: &str, operation: &Value) -> ApiOperation {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.map(|parameter| ApiField {
        name: text(parameter, "name"),
        kind: read_kind(&parameter["schema"]),
        required: parameter["required"] == true,
        about: text(parameter, "description"),
    });

    let responses = operation["responses"].as_object().into_iter().flatten();
    let responses = responses.map(|(status, response)| ApiResponse {
        status: status.clone(),
        about: text(response, "description"),
        contents: read_contents(&response["content"]),
    });

    let group = operation["tags"][0].as_str().unwrap_or_default();
    ApiOperation {
        id: text(operation, "operationId"),
        group: group.to_owned(),
        method: method.to_uppercase(),
        path: path.to_owned(),
        summary: text(operation, "summary"),
        description: text(operation, "description"),
        parameters: parameters.collect(),
        bodies: read_contents(&operation["requestBody"]["content"]),
        responses: responses.collect(),
    }
}

fn read_contents(contents: &Value) -> Vec<ApiContent> {
    let contents = contents.as_object().into_iter().flatten();
    let content = |(media_type, content): (&String, &Value)| ApiContent {
        media_type: media_type.clone(),
        kind: read_kind(&content["schema"]),
        example: match &content["example"] {
            Value::Null => String::new(),
            example => format!("{example:#}"),
        },
    };
    contents.map(content).collect()
}

fn read_schema(name: &str, schema: &Value) -> ApiSchema {
    // A schema that includes the fields of another one lists both under `allOf`.
    let parts = schema["allOf"].as_array();
    let parts: Vec<&Value> = parts.map_or_else(|| vec![schema], |parts| parts.iter().collect());

    let fields = parts.into_iter().flat_map(|part| {
        let required = part["required"].as_array();
        let is_required =
            move |name: &str| required.is_some_and(|names| names.iter().any(|n| n == name));
        let taken_over = part["$ref"].as_str().map(|_| ApiField {
            name: "…".to_owned(),
            kind: read_kind(part),
            required: true,
            about: "all of its fields".to_owned(),
        });
        let own = part["properties"].as_object().into_iter().flatten();
        let own = own.map(move |(name, field)| ApiField {
            name: name.clone(),
            kind: read_kind(field),
            required: is_required(name),
            about: text(field, "description"),
        });
        taken_over.into_iter().chain(own)
    });

    ApiSchema {
        name: name.to_owned(),
        about: text(schema, "description"),
        fields: fields.collect(),
    }
}

/// The type of a value, in words.
fn read_kind(schema: &Value) -> ApiKind {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or(name);
        return ApiKind {
            words: name.to_owned(),
            schema: Some(name.to_owned()),
        };
    }

    if let Some(choices) = schema["oneOf"]
        .as_array()
        .or_else(|| schema["anyOf"].as_array())
    {
        return join_kinds(choices.iter().map(read_kind));
    }

    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().map(Value::to_string);
        return words(values.collect::<Vec<_>>().join(" or "));
    }

    let format = schema["format"].as_str();
    match &schema["type"] {
        Value::Array(types) => join_kinds(types.iter().map(|one| {
            let mut single: Map<String, Value> = schema.as_object().cloned().unwrap_or_default();
            single.insert("type".to_owned(), one.clone());
            read_kind(&Value::Object(single))
        })),
        Value::String(name) if name == "array" => {
            let items = read_kind(&schema["items"]);
            ApiKind {
                words: format!("list of {}", items.words),
                schema: items.schema,
            }
        }
        Value::String(name) if name == "object" && schema["additionalProperties"].is_object() => {
            let values = read_kind(&schema["additionalProperties"]);
            ApiKind {
                words: format!("object whose values are {}", values.words),
                schema: values.schema,
            }
        }
        Value::String(name) => words(match (name.as_str(), format) {
            ("string", Some("uuid")) => "id".to_owned(),
            ("string", Some("date-time")) => "time".to_owned(),
            (name, _) => name.to_owned(),
        }),
        _ => words("any value".to_owned()),
    }
}

fn join_kinds(kinds: impl Iterator<Item = ApiKind>) -> ApiKind {
    let kinds: Vec<_> = kinds.collect();
    let words: Vec<_> = kinds.iter().map(|kind| kind.words.clone()).collect();
    ApiKind {
        words: words.join(" or "),
        schema: kinds.into_iter().find_map(|kind| kind.schema),
    }
}

fn words(words: String) -> ApiKind {
    ApiKind {
        words,
        schema: None,
    }
}

/// A text without the Markdown marks that descriptions put around names.
fn text(value: &Value, key: &str) -> String {
    let text = value[key].as_str().unwrap_or_default();
    text.replace(['`', '*'], "")
}
