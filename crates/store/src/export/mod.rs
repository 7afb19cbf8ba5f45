//! A study's contents for files: output by output in the order of import, in pages, all as of one
//! moment.

mod contents;
mod page;

use std::sync::Arc;

use domain::{
    category::Category,
    edit::Edit,
    ids::{MetricId, OutputId, RaterId, SourceId, StudyId},
    source_context::SourceContext,
    span_marks::SpanMark,
    study::{AssignmentState, SystemKind},
    work::unjudged::UnjudgedReason,
};
use sqlx::{AnyConnection, Connection, Executor};

use crate::{
    DatabaseEngine, Error, Rater, Result, Store,
    columns::BindId,
    import::{AutomaticAnswers, VerbatimRating},
    member_list::{self, consensus_rater},
    metrics::{self, StudyMetric},
    rating_rows::{self, RatingRow, RatingScope, StudyPart},
};

pub use contents::StudyAnswerKinds;

/// An export in progress. It reads the data as of its beginning, whatever is written meanwhile, on
/// a connection of its own, so that slow readers don't make writers wait.
pub struct ExportSnapshot {
    pub(crate) connection: AnyConnection,
    pub(crate) study: StudyId,
    pub(crate) which: RatingScope,
    /// The number of the study's newest event, as of which the export is.
    pub event: i64,
    /// The raters of the study who have not withdrawn, in the order in which they joined it.
    pub raters: Vec<Rater>,
    /// The study's metrics, in the order in which it got them.
    pub metrics: Vec<StudyMetric>,
    /// The position of the last output that was read.
    after: i64,
}

/// A main output of a main source with all answers about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedOutput {
    /// The output.
    pub output: OutputId,
    /// The source; shared by its outputs on one page.
    pub source: Arc<ExportedSource>,
    /// The system that wrote it.
    pub system: String,
    /// The kind of that system.
    pub kind: SystemKind,
    /// The text that is shown.
    pub text: String,
    /// The first output of the source with the same text, unless it is this one.
    pub twin_of: Option<OutputId>,
    /// The other columns of its row when it was imported, as JSON.
    pub verbatim: Option<String>,
    /// The automatic category and edits.
    pub automatic: AutomaticAnswers,
    /// The category that counts: the majority's; ties go to the automatic one.
    pub category: Category,
    /// Categories by rater: for each annotator who handed in the source, the automatic one unless
    /// they corrected it; for imported and simulated raters, those that they gave.
    pub categories: Vec<(RaterId, Category)>,
    /// Scores, in the order of raters.
    pub ratings: Vec<ExportedRating>,
    /// The raters who could not judge it, with their reasons.
    pub unjudged: Vec<ExportedUnjudged>,
    /// Corrected edits by rater.
    pub edits: Vec<(RaterId, Vec<Edit>)>,
    /// Marked spans by rater.
    pub marks: Vec<ExportedMarks>,
    /// Remarks by rater.
    pub notes: Vec<(RaterId, String)>,
    /// Replies to leads' questions, by rater.
    pub replies: Vec<ExportedReply>,
    /// The final values that leads decided on, by the name of the dimension. An output that was
    /// judged through an identical one has the decisions about that one.
    pub final_values: Vec<ExportedFinalValue>,
    /// The final category that a lead decided on, likewise.
    pub final_category: Option<ExportedFinalCategory>,
    /// Scores by metric, without those that are undefined.
    pub metric_scores: Vec<(MetricId, f64)>,
}

/// A score in an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedRating {
    /// The rater.
    pub rater: RaterId,
    /// The dimension.
    pub dimension: String,
    /// The scale, as LOW..HIGH.
    pub scale: String,
    /// The number.
    pub value: f64,
    /// How its file wrote it; `None` if it was given here.
    pub verbatim: Option<VerbatimRating>,
    /// Whether it was given to the identical output that `twin_of` names.
    pub shared: bool,
    /// When it was stored, milliseconds since 1970.
    pub recorded_at: i64,
}

/// A rater's marked spans of an output and its source, in an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedMarks {
    /// The rater.
    pub rater: RaterId,
    /// The marks; empty if the rater said that there is nothing to mark.
    pub marks: Vec<SpanMark>,
    /// Whether they are of the identical output that `twin_of` names.
    pub shared: bool,
    /// When they were stored, milliseconds since 1970.
    pub recorded_at: i64,
}

/// A rater's reply to a lead's question in an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedReply {
    /// The rater.
    pub rater: RaterId,
    /// The question.
    pub question: String,
    /// The reply.
    pub reply: String,
}

/// A rater's reason why an output cannot be judged, in an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedUnjudged {
    /// The rater.
    pub rater: RaterId,
    /// The reason.
    pub reason: UnjudgedReason,
    /// Whether it was given to the identical output that `twin_of` names.
    pub shared: bool,
    /// When it was stored, milliseconds since 1970.
    pub recorded_at: i64,
}

/// A final value in an export.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedFinalValue {
    /// The dimension.
    pub dimension: String,
    /// The value.
    pub value: f64,
    /// The reason; empty if there is none.
    pub reason: String,
}

/// A final category in an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedFinalCategory {
    /// The category.
    pub category: Category,
    /// The reason; empty if there is none.
    pub reason: String,
}

/// A main source with the work on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedSource {
    /// The source.
    pub source: SourceId,
    /// Its name in the files it came from.
    pub key: String,
    /// The source text.
    pub text: String,
    /// Human simplifications.
    pub references: Vec<String>,
    /// The text around it.
    pub context: SourceContext,
    /// Each annotator's work that counts, in the order of raters.
    pub work: Vec<ExportedWork>,
}

/// An annotator's work on a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedWork {
    /// The rater.
    pub rater: RaterId,
    /// Handed in, or open if open work counts.
    pub state: AssignmentState,
    /// When they got the source, milliseconds since 1970.
    pub given_at: i64,
    /// When they handed it in.
    pub handed_in_at: Option<i64>,
    /// Active time in each step, in milliseconds: categorise, highlight, rate, answer, write.
    pub active_ms: [u64; 5],
    /// The outputs in the rater's order, best first, without quality-control items.
    pub order: Option<Vec<OutputId>>,
    /// The outputs that the rater should look at again: their answers to these do not count until
    /// then.
    pub to_check: Vec<OutputId>,
}

impl Store {
    /// Begins an export of the study.
    ///
    /// # Errors
    /// When the study no longer exists or the database fails.
    pub async fn begin_export(&self, study: StudyId, which: RatingScope) -> Result<ExportSnapshot> {
        let options = self.reader().connect_options();
        let mut connection = AnyConnection::connect_with(&options).await?;
        let begin = match self.engine() {
            DatabaseEngine::Sqlite => "BEGIN",
            DatabaseEngine::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        };
        connection.execute(begin).await?;

        let event = sqlx::query_scalar("SELECT events FROM study WHERE id = $1")
            .bind_id(study)
            .fetch_optional(&mut connection)
            .await?
            .ok_or_else(|| Error::Refused("This study is no longer there.".into()))?;

        let mut raters = match which {
            RatingScope::Consensus => vec![consensus_rater(study)],
            RatingScope::HandedIn | RatingScope::IncludingOpen => {
                member_list::load_raters(&mut connection, study).await?
            }
        };
        raters.retain(|rater| !rater.withdrawn);
        let metrics = metrics::load_metrics(&mut connection, study).await?;

        Ok(ExportSnapshot {
            study,
            which,
            event,
            raters,
            metrics,
            after: i64::MIN,
            connection,
        })
    }
}

impl ExportSnapshot {
    /// The next outputs, at most `limit`; none at the end.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn next_page(&mut self, limit: u32) -> Result<Vec<ExportedOutput>> {
        let (page, last) = page::load_page(self, limit).await?;
        self.after = last;
        Ok(page)
    }

    /// Continues with the first output after this position in the study.
    pub const fn start_after(&mut self, place: i64) {
        self.after = place;
    }

    /// The position in the study of the last output that was read.
    #[must_use]
    pub const fn place(&self) -> i64 {
        self.after
    }

    /// Starts again with the first output, still as of the same moment.
    pub const fn rewind(&mut self) {
        self.after = i64::MIN;
    }

    /// All ratings of the same moment, for the figures that go into the export.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn ratings(&mut self) -> Result<Vec<RatingRow>> {
        // Strictly, because a file that lacks a rating would not say so.
        let strictly = |row: Result<_>| row.map(Some);
        rating_rows::load_ratings(
            &mut self.connection,
            self.study,
            StudyPart::Whole,
            self.which,
            strictly,
        )
        .await
    }
}
