//! Requests and answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    calls::{CallError, CallName},
    progress::StageProgress,
};

/// A line of the input.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StdioRequest {
    /// Any value, which the answer repeats.
    #[serde(default)]
    pub(super) id: Value,
    pub(super) call: CallName,
    #[serde(default = "no_arguments")]
    pub(super) arguments: Value,
    /// Whether lines of progress precede the answer.
    #[serde(default)]
    pub(super) progress: bool,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
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
    Progress(StageProgress),
}

impl StdioAnswer {
    pub(super) fn new(id: Value, result: Result<Value, CallError>) -> Self {
        let outcome = match result {
            Ok(result) => CallOutcome::Result(result),
            Err(error) => CallOutcome::Error(error),
        };
        Self { id, outcome }
    }

    /// A line of progress before the answer.
    pub(super) const fn tell(id: Value, progress: StageProgress) -> Self {
        let outcome = CallOutcome::Progress(progress);
        Self { id, outcome }
    }

    /// The answer to a request whose id is unknown.
    pub(super) fn refuse(error: CallError) -> Self {
        Self::new(Value::Null, Err(error))
    }
}
