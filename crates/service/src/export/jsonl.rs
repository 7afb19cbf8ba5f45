//! All data of an output, as one JSON object per line.
//!
//! Keys that an import reads have the names that the import expects.

use std::{
    collections::BTreeMap,
    io::{BufWriter, Write},
    time::{Duration, UNIX_EPOCH},
};

use domain::{
    category::Category,
    edit::Edit,
    ids::{OutputId, RaterId, SourceId},
    metrics::ScoreDirection,
    questions::QuestionAnswer,
    score,
    span_marks::SpanMark,
    study::{AssignmentState, SystemKind},
    work::unjudged::UnjudgedReason,
};
use formats::write_line;
use serde::Serialize;
use serde_json::Number;
use store::{
    export::{
        ExportedFinalValue, ExportedMarks, ExportedOutput, ExportedRating, ExportedUnjudged,
        ExportedWork,
    },
    question_answers::AnswerRecord,
    written_texts::WrittenText,
};
use utoipa::ToSchema;

use super::{
    ExportContext, ExportFailure, OutputPages,
    metric_scores::{MetricColumn, columns, score},
    summary::ExportSummary,
};
use crate::{
    import::row_extras::{AnonymousScore, RowExtras},
    written_texts::TextFigures,
};

/// Writes one line per output.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut out = BufWriter::new(out);
    let metrics = columns(&context.metrics);
    let answers = AnswersBySubject::read(context, pages)?;

    pages.for_each_output(|output, extras| {
        Ok(write_line(
            &mut out,
            &output_line(context, &metrics, &answers, output, extras),
        )?)
    })?;

    Ok(out.flush()?)
}

#[derive(Serialize, ToSchema)]
pub(super) struct JsonlOutput<'a> {
    event: i64,
    source_id: &'a str,
    source: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    context_before: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    context_after: &'a str,
    references: &'a [String],
    output_id: OutputId,
    output: &'a str,
    system: &'a str,
    kind: SystemKind,
    twin_of: Option<OutputId>,
    category: Category,
    categories: Vec<JsonlByRater<'a, JsonlCategory>>,
    automatic: JsonlAutomatic<'a>,
    edits: Vec<JsonlByRater<'a, JsonlEdits<'a>>>,
    ratings: Vec<JsonlRating<'a>>,
    /// The raters who could not judge the output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unjudged: Vec<JsonlUnjudged<'a>>,
    /// The spans that raters marked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<JsonlByRater<'a, JsonlMarks<'a>>>,
    /// The answers to questions about the output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<JsonlAnswer<'a>>,
    /// The answers to questions about the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    source_answers: Vec<JsonlAnswer<'a>>,
    /// The simplifications of the source that annotators wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<JsonlByRater<'a, JsonlWritten<'a>>>,
    notes: Vec<JsonlByRater<'a, JsonlNote<'a>>>,
    /// Replies to leads' questions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replies: Vec<JsonlReply<'a>>,
    work: Vec<JsonlWork<'a>>,
    /// The decisions of leads, by dimension.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    final_value: BTreeMap<&'a str, JsonlFinalValue<'a>>,
    /// The category that a lead decided on.
    #[serde(skip_serializing_if = "Option::is_none")]
    final_category: Option<Category>,
    /// By metric name; `null` where the metric gave no score.
    metric_scores: BTreeMap<&'a str, Option<f64>>,
    /// The directions of metrics whose names do not tell them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metric_directions: BTreeMap<&'a str, ScoreDirection>,
    /// Scores of the imported file without a rater.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    scores: &'a [AnonymousScore<'a>],
    /// Further cells of the imported file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    columns: BTreeMap<&'a str, &'a str>,
}

/// One rater's answer.
#[derive(Serialize, ToSchema)]
struct JsonlByRater<'a, T> {
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    #[serde(flatten)]
    answer: T,
}

#[derive(Serialize, ToSchema)]
struct JsonlCategory {
    category: Category,
}

#[derive(Serialize, ToSchema)]
struct JsonlEdits<'a> {
    edits: &'a [Edit],
}

#[derive(Serialize, ToSchema)]
struct JsonlMarks<'a> {
    marks: &'a [SpanMark],
    shared: bool,
    recorded_at: String,
}

#[derive(Serialize, ToSchema)]
struct JsonlAnswer<'a> {
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    question: &'a str,
    /// The keys of the chosen options.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    options: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    shared: bool,
    recorded_at: String,
}

/// A simplification that an annotator wrote.
#[derive(Serialize, ToSchema)]
struct JsonlWritten<'a> {
    text: &'a str,
    words: usize,
    compression: Option<f64>,
    fkgl: Option<f64>,
    word_rank: Option<f64>,
    recorded_at: String,
}

/// The answers to questions, by what they are about.
#[derive(Default)]
struct AnswersBySubject {
    outputs: BTreeMap<OutputId, Vec<AnswerRecord>>,
    sources: BTreeMap<SourceId, Vec<AnswerRecord>>,
    texts: BTreeMap<SourceId, Vec<(WrittenText, TextFigures)>>,
}

impl AnswersBySubject {
    fn read(context: &ExportContext, pages: &mut OutputPages) -> Result<Self, ExportFailure> {
        let mut answers = Self::default();
        for record in pages.runtime.block_on(pages.export.answers())?.answers {
            match record.output {
                Some(output) => answers.outputs.entry(output).or_default(),
                None => answers.sources.entry(record.source).or_default(),
            }
            .push(record);
        }

        for text in pages.runtime.block_on(pages.export.written_texts())? {
            let ranks = &context.tools.word_ranks;
            let figures = TextFigures::new(&text.source_text, &text.text, ranks);
            let texts = answers.texts.entry(text.source).or_default();
            texts.push((text, figures));
        }

        Ok(answers)
    }

    fn about_output<'a>(
        &'a self,
        summary: &'a ExportSummary,
        output: &ExportedOutput,
    ) -> Vec<JsonlAnswer<'a>> {
        let judged = output.twin_of.unwrap_or(output.output);
        let records = self.outputs.get(&judged).into_iter().flatten();

        let shared = output.twin_of.is_some();
        let answers = records.map(|record| answer(summary, record, shared));
        answers.collect()
    }

    fn written<'a>(
        &'a self,
        summary: &'a ExportSummary,
        source: SourceId,
    ) -> Vec<JsonlByRater<'a, JsonlWritten<'a>>> {
        let texts = self.texts.get(&source).into_iter().flatten();
        texts.map(|text| written(summary, text)).collect()
    }

    fn about_source<'a>(
        &'a self,
        summary: &'a ExportSummary,
        source: SourceId,
    ) -> Vec<JsonlAnswer<'a>> {
        let records = self.sources.get(&source).into_iter().flatten();
        let answers = records.map(|record| answer(summary, record, false));
        answers.collect()
    }
}

fn written<'a>(
    summary: &'a ExportSummary,
    (text, figures): &'a (WrittenText, TextFigures),
) -> JsonlByRater<'a, JsonlWritten<'a>> {
    JsonlByRater {
        rater: &text.rater,
        group: summary.group(&text.rater),
        answer: JsonlWritten {
            text: &text.text,
            words: figures.own.words,
            compression: figures.own.compression,
            fkgl: figures.own.fkgl,
            word_rank: figures.word_rank,
            recorded_at: format_timestamp(text.recorded_at),
        },
    }
}

fn answer<'a>(
    summary: &'a ExportSummary,
    record: &'a AnswerRecord,
    shared: bool,
) -> JsonlAnswer<'a> {
    JsonlAnswer {
        rater: &record.rater,
        group: summary.group(&record.rater),
        question: &record.question,
        options: record.answer.options(),
        text: match &record.answer {
            QuestionAnswer::Text(text) => Some(text),
            _ => None,
        },
        shared,
        recorded_at: format_timestamp(record.recorded_at),
    }
}

#[derive(Serialize, ToSchema)]
struct JsonlNote<'a> {
    note: &'a str,
}

#[derive(Serialize, ToSchema)]
struct JsonlReply<'a> {
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    question: &'a str,
    reply: &'a str,
}

#[derive(Serialize, ToSchema)]
struct JsonlAutomatic<'a> {
    category: Category,
    reason: &'a str,
    category_version: &'a str,
    edits: &'a [Edit],
    edits_version: &'a str,
}

#[derive(Serialize, ToSchema)]
struct JsonlRating<'a> {
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    dimension: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<score::RatingScale>,
    #[schema(value_type = f64)]
    value: Number,
    z: Option<f64>,
    imported_value: Option<&'a str>,
    imported_z: Option<&'a str>,
    shared: bool,
    recorded_at: String,
}

#[derive(Serialize, ToSchema)]
struct JsonlUnjudged<'a> {
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    reason: UnjudgedReason,
    shared: bool,
    recorded_at: String,
}

#[derive(Serialize, ToSchema)]
struct JsonlFinalValue<'a> {
    #[schema(value_type = f64)]
    value: Number,
    reason: &'a str,
}

#[derive(Serialize, ToSchema)]
struct JsonlWork<'a> {
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    state: AssignmentState,
    given_at: String,
    handed_in_at: Option<String>,
    active_ms: JsonlActiveMs,
    /// The output's place in the rater's order of all outputs, 1 for the best.
    place: Option<usize>,
}

#[derive(Serialize, ToSchema)]
struct JsonlActiveMs {
    categorise: u64,
    highlight: u64,
    rate: u64,
    #[serde(skip_serializing_if = "is_zero")]
    answer: u64,
    #[serde(skip_serializing_if = "is_zero")]
    write: u64,
}

/// Whether a step took no time. Serialising leaves such steps out, because studies may not have them.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

fn output_line<'a>(
    context: &'a ExportContext,
    metrics: &'a [MetricColumn<'_>],
    answers: &'a AnswersBySubject,
    output: &'a ExportedOutput,
    extras: Option<&'a RowExtras<'_>>,
) -> JsonlOutput<'a> {
    let summary = &context.summary;
    let source = &*output.source;
    let automatic = &output.automatic;
    let columns = extras.map(|extras| extras.columns.iter().map(|(name, text)| (&**name, &**text)));

    JsonlOutput {
        event: context.event,
        source_id: &source.key,
        source: &source.text,
        context_before: &source.context.before,
        context_after: &source.context.after,
        references: &source.references,
        output_id: output.output,
        output: &output.text,
        system: &output.system,
        kind: output.kind,
        twin_of: output.twin_of,
        category: output.category,
        categories: answers_by_rater(summary, &output.categories, |category| JsonlCategory {
            category: *category,
        }),
        automatic: JsonlAutomatic {
            category: automatic.category,
            reason: &automatic.reason,
            category_version: &automatic.category_version,
            edits: &automatic.edits,
            edits_version: &automatic.edits_version,
        },
        edits: answers_by_rater(summary, &output.edits, |edits| JsonlEdits { edits }),
        ratings: output
            .ratings
            .iter()
            .map(|own| rating(summary, own))
            .collect(),
        unjudged: output
            .unjudged
            .iter()
            .map(|own| unjudged(summary, own))
            .collect(),
        marks: output.marks.iter().map(|own| marks(summary, own)).collect(),
        answers: answers.about_output(summary, output),
        source_answers: answers.about_source(summary, source.source),
        written: answers.written(summary, source.source),
        notes: answers_by_rater(summary, &output.notes, |note| JsonlNote { note }),
        replies: output
            .replies
            .iter()
            .map(|own| JsonlReply {
                rater: summary.label(own.rater),
                group: summary.group(summary.label(own.rater)),
                question: &own.question,
                reply: &own.reply,
            })
            .collect(),
        work: source
            .work
            .iter()
            .map(|own| work(summary, own, output))
            .collect(),
        final_value: output
            .final_values
            .iter()
            .map(|decided| (decided.dimension.as_str(), final_value(decided)))
            .collect(),
        final_category: output
            .final_category
            .as_ref()
            .map(|decided| decided.category),
        metric_scores: metrics
            .iter()
            .map(|column| (column.name.as_str(), score(output, column.metric.id)))
            .collect(),
        metric_directions: metrics
            .iter()
            .map(|column| (column.name.as_str(), column.metric.direction))
            .filter(|(name, direction)| *direction != ScoreDirection::guess(name))
            .collect(),
        scores: extras.map(|extras| &extras.scores[..]).unwrap_or_default(),
        columns: columns.into_iter().flatten().collect(),
    }
}

fn answers_by_rater<'a, T, U>(
    summary: &'a ExportSummary,
    answers: &'a [(RaterId, T)],
    to_json: impl Fn(&'a T) -> U,
) -> Vec<JsonlByRater<'a, U>> {
    let by_rater = |(rater, answer): &'a (RaterId, T)| JsonlByRater {
        rater: summary.label(*rater),
        group: summary.group(summary.label(*rater)),
        answer: to_json(answer),
    };
    answers.iter().map(by_rater).collect()
}

fn rating<'a>(summary: &'a ExportSummary, rating: &'a ExportedRating) -> JsonlRating<'a> {
    let verbatim = rating.verbatim.as_ref();
    JsonlRating {
        rater: summary.label(rating.rater),
        group: summary.group(summary.label(rating.rater)),
        dimension: &rating.dimension,
        scale: parse_scale(&rating.scale),
        value: json_number(rating.value),
        z: summary.z(rating),
        imported_value: verbatim.map(|imported| &*imported.value),
        imported_z: verbatim.and_then(|imported| imported.z.as_deref()),
        shared: rating.shared,
        recorded_at: format_timestamp(rating.recorded_at),
    }
}

fn marks<'a>(
    summary: &'a ExportSummary,
    of: &'a ExportedMarks,
) -> JsonlByRater<'a, JsonlMarks<'a>> {
    JsonlByRater {
        rater: summary.label(of.rater),
        group: summary.group(summary.label(of.rater)),
        answer: JsonlMarks {
            marks: &of.marks,
            shared: of.shared,
            recorded_at: format_timestamp(of.recorded_at),
        },
    }
}

fn unjudged<'a>(summary: &'a ExportSummary, unjudged: &ExportedUnjudged) -> JsonlUnjudged<'a> {
    JsonlUnjudged {
        rater: summary.label(unjudged.rater),
        group: summary.group(summary.label(unjudged.rater)),
        reason: unjudged.reason,
        shared: unjudged.shared,
        recorded_at: format_timestamp(unjudged.recorded_at),
    }
}

fn final_value(decided: &ExportedFinalValue) -> JsonlFinalValue<'_> {
    JsonlFinalValue {
        value: json_number(decided.value),
        reason: &decided.reason,
    }
}

fn work<'a>(
    summary: &'a ExportSummary,
    work: &ExportedWork,
    output: &ExportedOutput,
) -> JsonlWork<'a> {
    let [categorise, highlight, rate, answer, write] = work.active_ms;
    let judged_output = output.twin_of.unwrap_or(output.output);
    let order = work.order.as_deref().unwrap_or_default();
    let place = order.iter().position(|output| *output == judged_output);

    JsonlWork {
        rater: summary.label(work.rater),
        group: summary.group(summary.label(work.rater)),
        state: work.state,
        given_at: format_timestamp(work.given_at),
        handed_in_at: work.handed_in_at.map(format_timestamp),
        active_ms: JsonlActiveMs {
            categorise,
            highlight,
            rate,
            answer,
            write,
        },
        place: place.map(|index| index + 1),
    }
}

/// The rating as a JSON number. A whole number has no decimal point.
fn json_number(value: f64) -> Number {
    let whole = value as i64;
    #[expect(clippy::float_cmp, reason = "the conversion has to be exact")]
    if whole as f64 == value {
        whole.into()
    } else {
        Number::from_f64(value).expect("a rating is finite")
    }
}

/// Parses a scale, which the store writes as `LOW..HIGH`.
pub(super) fn parse_scale(text: &str) -> Option<score::RatingScale> {
    let (low, high) = text.split_once("..")?;
    Some(score::RatingScale {
        low: low.parse().ok()?,
        high: high.parse().ok()?,
    })
}

/// A time in milliseconds since 1970 as RFC 3339, in UTC.
pub fn format_timestamp(ms: i64) -> String {
    let since_epoch = Duration::from_millis(u64::try_from(ms).unwrap_or_default());
    humantime::format_rfc3339_millis(UNIX_EPOCH + since_epoch).to_string()
}
