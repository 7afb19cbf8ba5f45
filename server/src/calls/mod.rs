//! Calls by other programs, which score, rerank, align and categorise the texts that they send.
//!
//! `rankrate stdio` and the HTTP API answer them with the same code.

mod arguments;
mod session;
mod slices;
mod word_limits;

use serde::{Deserialize, Serialize};

pub(crate) use self::{
    arguments::{
        CandidateChoice, MAX_TEXT_BYTES, MetricScores, MetricsResult, RerankCall, RerankResult,
        ScoreCall, ScoreResult,
    },
    session::{CallSession, list_metrics, score, score_corpus},
    word_limits::WordLimits,
};

/// The calls that are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CallName {
    Score,
    Rerank,
    Align,
    Categorise,
    Metrics,
    Version,
}

/// The reason why a call has no result.
#[derive(Debug, Serialize)]
pub(crate) struct CallError {
    pub(crate) kind: CallErrorKind,
    pub(crate) message: String,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CallErrorKind {
    /// The line isn't a request.
    BadRequest,
    /// The arguments do not belong to the call, or do not fit each other.
    BadArguments,
    /// Something that the call needs is missing.
    Unavailable,
    /// The computation failed.
    Failed,
}

impl CallError {
    pub(crate) fn bad_request(message: impl ToString) -> Self {
        Self::new(CallErrorKind::BadRequest, message)
    }

    pub(crate) fn bad_arguments(message: impl ToString) -> Self {
        Self::new(CallErrorKind::BadArguments, message)
    }

    pub(crate) fn unavailable(message: impl ToString) -> Self {
        Self::new(CallErrorKind::Unavailable, message)
    }

    /// A failed computation, with all its causes.
    #[expect(clippy::needless_pass_by_value, reason = "it ends here")]
    pub(crate) fn failed(error: anyhow::Error) -> Self {
        Self::new(CallErrorKind::Failed, format!("{error:#}"))
    }

    fn new(kind: CallErrorKind, message: impl ToString) -> Self {
        let message = message.to_string();
        Self { kind, message }
    }
}
