//! Requests and answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A line of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StdioRequest {
    /// Any value; the answer has the same.
    #[serde(default)]
    pub(super) id: Value,
    pub(super) call: CallName,
    #[serde(default = "no_arguments")]
    pub(super) arguments: Value,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

/// The calls that are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CallName {
    Score,
    Rerank,
    Align,
    Categorise,
    Metrics,
    Version,
}

/// A line of the output.
#[derive(Debug, Serialize)]
pub(super) struct StdioAnswer {
    id: Value,
    #[serde(flatten)]
    outcome: CallOutcome,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum CallOutcome {
    Result(Value),
    Error(CallError),
}

/// Why a call has no result.
#[derive(Debug, Serialize)]
pub(super) struct CallError {
    kind: CallErrorKind,
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum CallErrorKind {
    /// The line is no request.
    BadRequest,
    /// The arguments are not those of the call, or do not fit each other.
    BadArguments,
    /// Something that the call needs is missing.
    Unavailable,
    /// The computation failed.
    Failed,
}

impl StdioAnswer {
    pub(super) fn new(id: Value, result: Result<Value, CallError>) -> Self {
        let outcome = match result {
            Ok(result) => CallOutcome::Result(result),
            Err(error) => CallOutcome::Error(error),
        };
        Self { id, outcome }
    }

    /// The answer to a line whose id is unknown.
    pub(super) fn refuse(error: CallError) -> Self {
        Self::new(Value::Null, Err(error))
    }
}

impl CallError {
    pub(super) fn bad_request(message: impl ToString) -> Self {
        Self::new(CallErrorKind::BadRequest, message)
    }

    pub(super) fn bad_arguments(message: impl ToString) -> Self {
        Self::new(CallErrorKind::BadArguments, message)
    }

    pub(super) fn unavailable(message: impl ToString) -> Self {
        Self::new(CallErrorKind::Unavailable, message)
    }

    /// A failed computation, with all of its causes.
    #[expect(clippy::needless_pass_by_value, reason = "it ends here")]
    pub(super) fn failed(error: anyhow::Error) -> Self {
        Self::new(CallErrorKind::Failed, format!("{error:#}"))
    }

    fn new(kind: CallErrorKind, message: impl ToString) -> Self {
        let message = message.to_string();
        Self { kind, message }
    }
}
