//! Answers as columns: ratings have a numeric column, everything else is JSON.

use std::borrow::Cow;

use domain::{
    ids::OutputId,
    score::{RatingScale, RatingScore},
    work::change::{AnnotationAnswer, AnnotationSlot, StoredAnswer},
};
use sqlx::any::AnyRow;

use crate::{
    Result,
    columns::{TableRow, bad_row, parse_text, to_json},
};

/// The kinds of answers, as the columns and events name them.
pub(crate) const KINDS: [&str; 12] = [
    "category",
    "edits",
    "marks",
    "rating",
    "unjudged",
    "note",
    "reply",
    "order",
    "comparison",
    "answer",
    "written",
    "progress",
];

/// The kind of an imported rating that was copied to an identical output. Figures and exports read
/// it with the ratings; nothing else treats it as an answer.
pub(crate) const SHARED_RATING: &str = "shared-rating";

/// The kind of an answer.
pub(crate) const fn kind(answer: &AnnotationAnswer) -> &'static str {
    match answer {
        AnnotationAnswer::Category(_) => "category",
        AnnotationAnswer::Edits(_) => "edits",
        AnnotationAnswer::Marks(_) => "marks",
        AnnotationAnswer::Rating(_) => "rating",
        AnnotationAnswer::Unjudged(_) => "unjudged",
        AnnotationAnswer::Note(_) => "note",
        AnnotationAnswer::Order(_) => "order",
        AnnotationAnswer::Comparison(_) => "comparison",
        AnnotationAnswer::Question(_) => "answer",
        AnnotationAnswer::Text(_) => "written",
        AnnotationAnswer::Progress(_) => "progress",
    }
}

/// The value of the column `body`; `None` for a rating.
pub(crate) fn body(answer: &AnnotationAnswer) -> Option<String> {
    Some(match answer {
        AnnotationAnswer::Category(category) => to_json(category),
        AnnotationAnswer::Edits(edits) => to_json(edits),
        AnnotationAnswer::Marks(marks) => to_json(marks),
        AnnotationAnswer::Rating(_) => return None,
        AnnotationAnswer::Unjudged(reason) => to_json(reason),
        AnnotationAnswer::Note(note) => to_json(note),
        AnnotationAnswer::Order(order) => to_json(order),
        AnnotationAnswer::Comparison(choice) => to_json(choice),
        AnnotationAnswer::Question(answer) => to_json(answer),
        AnnotationAnswer::Text(text) => to_json(text),
        AnnotationAnswer::Progress(step) => to_json(step),
    })
}

/// A slot as columns.
pub(crate) struct SlotColumns<'a> {
    /// The kind of its answers.
    pub(crate) kind: &'static str,
    /// Its output.
    pub(crate) output: Option<OutputId>,
    /// The part that distinguishes it within its kind: the dimension, the id of a reply's question,
    /// or a question's key; otherwise empty.
    pub(crate) dimension: Cow<'a, str>,
    /// The compared outputs; empty if there are none.
    pub(crate) compared: String,
}

impl<'a> SlotColumns<'a> {
    /// The columns of a slot.
    pub(crate) fn new(slot: &'a AnnotationSlot) -> Self {
        let (kind, output, dimension) = match slot {
            AnnotationSlot::Reply { output, question } => {
                return Self {
                    kind: "reply",
                    output: Some(*output),
                    dimension: question.to_string().into(),
                    compared: String::new(),
                };
            }
            AnnotationSlot::Category { output } => ("category", Some(*output), ""),
            AnnotationSlot::Edits { output } => ("edits", Some(*output), ""),
            AnnotationSlot::Marks { output } => ("marks", Some(*output), ""),
            AnnotationSlot::Rating { output, dimension } => {
                ("rating", Some(*output), dimension.as_str())
            }
            AnnotationSlot::Unjudged { output } => ("unjudged", Some(*output), ""),
            AnnotationSlot::Note { output } => ("note", Some(*output), ""),
            AnnotationSlot::Order => ("order", None, ""),
            AnnotationSlot::Comparison { dimension, .. } => {
                ("comparison", None, dimension.as_str())
            }
            AnnotationSlot::Question { output, key } => ("answer", *output, key.as_str()),
            AnnotationSlot::Text => ("written", None, ""),
            AnnotationSlot::Progress => ("progress", None, ""),
        };

        let compared = match slot {
            AnnotationSlot::Comparison { outputs, .. } => compared_text(outputs),
            _ => String::new(),
        };

        Self {
            kind,
            output,
            dimension: dimension.into(),
            compared,
        }
    }
}

/// The value of the column `compared`.
fn compared_text(outputs: &[OutputId]) -> String {
    let ids: Vec<_> = outputs.iter().map(OutputId::to_string).collect();
    ids.join(" ")
}

/// Reads the column `compared`.
pub(crate) fn parse_compared(id: &str, text: &str) -> Result<Vec<OutputId>> {
    let ids = text.split(' ').filter(|part| !part.is_empty());
    ids.map(|part| parse_text("annotation", id, "compared", part))
        .collect()
}

/// Reads an answer from its row: id, `output_id`, kind, dimension, compared, value, scale, body.
pub(crate) fn read(row: &AnyRow) -> Result<StoredAnswer> {
    let row = TableRow::new("annotation", row)?;
    let output = || row.parse("output_id");

    let (slot, answer) = match row.get("kind")? {
        "category" => (
            AnnotationSlot::Category { output: output()? },
            AnnotationAnswer::Category(row.json("body")?),
        ),
        "edits" => (
            AnnotationSlot::Edits { output: output()? },
            AnnotationAnswer::Edits(row.json("body")?),
        ),
        "marks" => (
            AnnotationSlot::Marks { output: output()? },
            AnnotationAnswer::Marks(row.json("body")?),
        ),
        "rating" => (
            AnnotationSlot::Rating {
                output: output()?,
                dimension: row.get("dimension")?,
            },
            AnnotationAnswer::Rating(read_score(&row)?),
        ),
        "unjudged" => (
            AnnotationSlot::Unjudged { output: output()? },
            AnnotationAnswer::Unjudged(row.json("body")?),
        ),
        "note" => (
            AnnotationSlot::Note { output: output()? },
            AnnotationAnswer::Note(row.json("body")?),
        ),
        "reply" => (
            AnnotationSlot::Reply {
                output: output()?,
                question: row.parse("dimension")?,
            },
            AnnotationAnswer::Note(row.json("body")?),
        ),
        "order" => (
            AnnotationSlot::Order,
            AnnotationAnswer::Order(row.json("body")?),
        ),
        "comparison" => (
            AnnotationSlot::Comparison {
                outputs: parse_compared(row.id(), row.get("compared")?)?,
                dimension: row.get("dimension")?,
            },
            AnnotationAnswer::Comparison(row.json("body")?),
        ),
        "answer" => (
            AnnotationSlot::Question {
                output: row.parse_optional("output_id")?,
                key: row.get("dimension")?,
            },
            AnnotationAnswer::Question(row.json("body")?),
        ),
        "written" => (
            AnnotationSlot::Text,
            AnnotationAnswer::Text(row.json("body")?),
        ),
        "progress" => (
            AnnotationSlot::Progress,
            AnnotationAnswer::Progress(row.json("body")?),
        ),
        other => {
            let reason = format!("“{other}” is not a kind of answer");
            return Err(bad_row("annotation", row.id(), "kind", reason));
        }
    };

    Ok(StoredAnswer {
        id: row.parse("id")?,
        slot,
        answer,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "people's scores are whole numbers on a scale of whole numbers"
)]
fn read_score(row: &TableRow<'_>) -> Result<Option<RatingScore>> {
    let Some(value) = row.get::<Option<f64>>("value")? else {
        return Ok(None);
    };

    let text: &str = row.get("scale")?;
    parse_scale(text)
        .and_then(|scale| scale.score(value as i32).ok())
        .map(Some)
        .ok_or_else(|| {
            let reason = format!("{value} is not on {text}");
            bad_row("annotation", row.id(), "value", reason)
        })
}

/// A scale as its column holds it: `0..100`.
pub(crate) fn scale_text(scale: RatingScale) -> String {
    format!("{}..{}", scale.low, scale.high)
}

/// Reads a scale from its column.
pub(crate) fn parse_scale(text: &str) -> Option<RatingScale> {
    let (low, high) = text.split_once("..")?;
    Some(RatingScale {
        low: low.parse().ok()?,
        high: high.parse().ok()?,
    })
}
