//! An import's input, and its counts.

use std::ops::AddAssign;

use domain::{
    category::Category,
    edit::Edit,
    ids::{OutputId, RaterId, SourceId, SystemId},
    score::RatingScale,
    study::OVERALL,
    work::task::ExpectedAnswer,
};
use serde::{Deserialize, Serialize};

/// How much an import has brought that was not there before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ImportCounts {
    /// Texts that were simplified.
    pub sources: u64,
    /// Human simplifications to compare with.
    pub references: u64,
    /// Texts before or after a source.
    #[serde(default)]
    pub contexts: u64,
    /// Writers of outputs.
    pub systems: u64,
    /// Outputs of systems.
    pub outputs: u64,
    /// Raters.
    pub raters: u64,
    /// Ratings, and raters' answers of other kinds.
    pub answers: u64,
}

impl AddAssign for ImportCounts {
    fn add_assign(&mut self, other: Self) {
        let Self {
            sources,
            references,
            contexts,
            systems,
            outputs,
            raters,
            answers,
        } = other;

        self.sources += sources;
        self.references += references;
        self.contexts += contexts;
        self.systems += systems;
        self.outputs += outputs;
        self.raters += raters;
        self.answers += answers;
    }
}

/// An output to import.
#[derive(Debug, Clone)]
pub struct NewOutput<'a> {
    /// The source.
    pub source: SourceId,
    /// The system that wrote it.
    pub system: SystemId,
    /// The text that is shown; may be empty.
    pub text: &'a str,
    /// The other columns of its row, as JSON, for the export.
    pub verbatim: Option<&'a str>,
    /// The answers that a lead expects about it.
    pub expected: Option<&'a ExpectedAnswer>,
}

impl<'a> NewOutput<'a> {
    /// An output of which only the text is known.
    #[must_use]
    pub const fn new(source: SourceId, system: SystemId, text: &'a str) -> Self {
        Self {
            source,
            system,
            text,
            verbatim: None,
            expected: None,
        }
    }
}

/// An output's automatic category and edits.
#[derive(Debug, Clone, PartialEq)]
pub struct AutomaticAnswers {
    /// The category.
    pub category: Category,
    /// The reason, in words for people.
    pub reason: String,
    /// The version of the rule, with its threshold.
    pub category_version: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// The version of the aligner.
    pub edits_version: String,
}

/// A rating to import.
#[derive(Debug, Clone)]
pub struct NewRating<'a> {
    /// The rater.
    pub rater: RaterId,
    /// The output.
    pub output: OutputId,
    /// The dimension, such as `overall`.
    pub dimension: &'a str,
    /// The scale.
    pub scale: RatingScale,
    /// The value, finite.
    pub value: f64,
    /// How the file writes it.
    pub verbatim: VerbatimRating,
    /// Whether it was given to an identical output, which was judged in place of this one.
    pub shared: bool,
    /// When it was given, in milliseconds since 1970; `None` for now.
    pub recorded_at: Option<i64>,
}

impl NewRating<'static> {
    /// A rating on the dimension that studies have by default, written as its number alone.
    #[must_use]
    pub fn overall(rater: RaterId, output: OutputId, value: f64) -> Self {
        Self {
            rater,
            output,
            dimension: OVERALL,
            scale: RatingScale::PERCENT,
            value,
            verbatim: VerbatimRating {
                value: value.to_string(),
                z: None,
                column: None,
            },
            shared: false,
            recorded_at: None,
        }
    }
}

/// A rating exactly as its file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerbatimRating {
    /// The rating.
    pub value: String,
    /// The file's own z-score of it, which none of our figures use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<String>,
    /// The column that it was in, unless that is the rater's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}
