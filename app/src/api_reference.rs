//! The description of the HTTP API, as its page shows it. The server derives it from its routes.

/// All operations, and the schemas of their requests and responses.
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
    /// The operation's name, unique among all.
    pub id: String,
    /// The heading that the operation belongs under.
    pub group: String,
    pub method: String,
    /// The path below the API's own.
    pub path: String,
    pub summary: String,
    pub description: String,
    pub parameters: Vec<ApiField>,
    /// The request bodies that it takes.
    pub bodies: Vec<ApiContent>,
    pub responses: Vec<ApiResponse>,
}

/// A body of a media type.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiContent {
    pub media_type: String,
    pub kind: ApiKind,
    /// An example as JSON; empty for none.
    pub example: String,
}

/// A response.
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
