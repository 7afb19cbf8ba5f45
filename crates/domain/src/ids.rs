//! Ids of stored entities: one type each, so that none can be mistaken for another.
//!
//! Every id is a UUIDv7 created together with its entity (by the server, or by the browser
//! for an annotation), so that ids sort by creation time and sending twice changes nothing.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not an id")]
pub struct NotAnId(pub String);

/// An id, which may be absent, as text.
pub trait IdText {
    /// The text; `None` for an absent id.
    fn id_text(&self) -> Option<String>;
}

impl IdText for Uuid {
    fn id_text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

impl<T: IdText> IdText for Option<T> {
    fn id_text(&self) -> Option<String> {
        self.as_ref().and_then(T::id_text)
    }
}

impl<T: IdText> IdText for &T {
    fn id_text(&self) -> Option<String> {
        T::id_text(self)
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl IdText for $name {
            fn id_text(&self) -> Option<String> {
                Some(self.to_string())
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self).map_err(|_| NotAnId(text.to_owned()))
            }
        }
    )*};
}

ids! {
    /// A person with an account.
    PersonId;
    /// A study.
    StudyId;
    /// An experiment that compares protocols.
    ExperimentId;
    /// An entry of the log of changes.
    AuditEntryId;
    /// A text that was simplified.
    SourceId;
    /// A system, human writers included.
    SystemId;
    /// The output of one system for one source.
    OutputId;
    /// A rater in a study: a member, an imported column, a simulated annotator.
    RaterId;
    /// One source given to one rater.
    AssignmentId;
    /// One answer, made by the browser.
    AnnotationId;
    /// A piece of background work.
    JobId;
    /// A question to the raters of an output.
    DiscussionId;
    /// A final value that a lead recorded for an output.
    FinalValueId;
    /// An uploaded file.
    UploadId;
    /// An import of files into a study.
    ImportId;
    /// A condition of a reading-comprehension study.
    ConditionId;
    /// A passage.
    PassageId;
    /// A question on a passage.
    QuestionId;
    /// A participant of a reading-comprehension study, under a pseudonym.
    ParticipantId;
    /// One passage given to one participant.
    ReadingId;
    /// A metric in one version.
    MetricId;
    /// A model that was trained on a study's ratings.
    ModelId;
    /// A token by which programs use the HTTP API.
    ApiTokenId;
    /// An address to which notices of a study are sent.
    WebhookId;
}
