//! The description of the HTTP API, as the page about it shows it. The server makes it of its routes.

/// All operations and the shapes of what they take and give.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiReference {
    pub about: String,
    /// In the order of the description.
    pub operations: Vec<ApiOperation>,
    /// By name.
    pub schemas: Vec<ApiSchema>,
}

/// A method of an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiOperation {
    /// Its name, unique among all.
    pub id: String,
    /// The heading that it belongs under.
    pub group: String,
    pub method: String,
    /// The path below the API's own.
    pub path: String,
    pub summary: String,
    pub description: String,
    pub parameters: Vec<ApiField>,
    /// The bodies that it takes.
    pub bodies: Vec<ApiContent>,
    pub responses: Vec<ApiResponse>,
}

/// A body of a media type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiContent {
    pub media_type: String,
    pub kind: ApiKind,
    /// An example of it, as JSON; empty for none.
    pub example: String,
}

/// An answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiResponse {
    pub status: String,
    pub about: String,
    pub contents: Vec<ApiContent>,
}

/// An object, or a choice of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiSchema {
    pub name: String,
    pub about: String,
    pub fields: Vec<ApiField>,
}

/// A parameter, or a field of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiField {
    pub name: String,
    pub kind: ApiKind,
    pub required: bool,
    pub about: String,
}

/// The type of a value in words, with the schema that it names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiKind {
    pub words: String,
    /// The name of a schema.
    pub schema: Option<String>,
}
