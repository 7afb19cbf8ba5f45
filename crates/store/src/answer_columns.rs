//! Answers as columns: ratings have a number of their own, all else is JSON.

use domain::{
    ids::OutputId,
    score::{RatingScale, RatingScore},
    work::change::{AnnotationAnswer, AnnotationSlot, StoredAnswer},
};
use sqlx::{Row, any::AnyRow};

use crate::{
    Result,
    columns::{bad_row, parse_json, parse_text, to_json},
};

/// The kinds of answers, as the columns and events name them.
pub(crate) const KINDS: [&str; 7] = [
    "category", "edits", "rating", "unjudged", "note", "order", "progress",
];

/// The kind of an answer.
pub(crate) const fn kind(answer: &AnnotationAnswer) -> &'static str {
    match answer {
        AnnotationAnswer::Category(_) => "category",
        AnnotationAnswer::Edits(_) => "edits",
        AnnotationAnswer::Rating(_) => "rating",
        AnnotationAnswer::Unjudged(_) => "unjudged",
        AnnotationAnswer::Note(_) => "note",
        AnnotationAnswer::Order(_) => "order",
        AnnotationAnswer::Progress(_) => "progress",
    }
}

/// The value of the column `body`; `None` for a rating.
pub(crate) fn body(answer: &AnnotationAnswer) -> Option<String> {
    Some(match answer {
        AnnotationAnswer::Category(category) => to_json(category),
        AnnotationAnswer::Edits(edits) => to_json(edits),
        AnnotationAnswer::Rating(_) => return None,
        AnnotationAnswer::Unjudged(reason) => to_json(reason),
        AnnotationAnswer::Note(note) => to_json(note),
        AnnotationAnswer::Order(order) => to_json(order),
        AnnotationAnswer::Progress(step) => to_json(step),
    })
}

/// The kind that belongs to a slot, its output, its dimension (empty for none).
pub(crate) fn slot_columns(slot: &AnnotationSlot) -> (&'static str, Option<OutputId>, &str) {
    match slot {
        AnnotationSlot::Category { output } => ("category", Some(*output), ""),
        AnnotationSlot::Edits { output } => ("edits", Some(*output), ""),
        AnnotationSlot::Rating { output, dimension } => ("rating", Some(*output), dimension),
        AnnotationSlot::Unjudged { output } => ("unjudged", Some(*output), ""),
        AnnotationSlot::Note { output } => ("note", Some(*output), ""),
        AnnotationSlot::Order => ("order", None, ""),
        AnnotationSlot::Progress => ("progress", None, ""),
    }
}

/// Reads an answer from its row: id, `output_id`, kind, dimension, value, scale, body.
pub(crate) fn read(row: &AnyRow) -> Result<StoredAnswer> {
    let id: &str = row.try_get("id")?;
    let output = || -> Result<OutputId> {
        parse_text("annotation", id, "output_id", row.try_get("output_id")?)
    };
    let body = || -> Result<&str> { Ok(row.try_get("body")?) };
    let (slot, answer) = match row.try_get("kind")? {
        "category" => (
            AnnotationSlot::Category { output: output()? },
            AnnotationAnswer::Category(parse_json("annotation", id, "body", body()?)?),
        ),
        "edits" => (
            AnnotationSlot::Edits { output: output()? },
            AnnotationAnswer::Edits(parse_json("annotation", id, "body", body()?)?),
        ),
        "rating" => (
            AnnotationSlot::Rating {
                output: output()?,
                dimension: row.try_get("dimension")?,
            },
            AnnotationAnswer::Rating(read_score(row, id)?),
        ),
        "unjudged" => (
            AnnotationSlot::Unjudged { output: output()? },
            AnnotationAnswer::Unjudged(parse_json("annotation", id, "body", body()?)?),
        ),
        "note" => (
            AnnotationSlot::Note { output: output()? },
            AnnotationAnswer::Note(parse_json("annotation", id, "body", body()?)?),
        ),
        "order" => (
            AnnotationSlot::Order,
            AnnotationAnswer::Order(parse_json("annotation", id, "body", body()?)?),
        ),
        "progress" => (
            AnnotationSlot::Progress,
            AnnotationAnswer::Progress(parse_json("annotation", id, "body", body()?)?),
        ),
        other => {
            let reason = format!("“{other}” is no kind of answer");
            return Err(bad_row("annotation", id, "kind", reason));
        }
    };
    Ok(StoredAnswer {
        id: parse_text("annotation", id, "id", id)?,
        slot,
        answer,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "people's scores are whole numbers on a scale of whole numbers"
)]
fn read_score(row: &AnyRow, id: &str) -> Result<Option<RatingScore>> {
    let Some(value) = row.try_get::<Option<f64>, _>("value")? else {
        return Ok(None);
    };
    let text: &str = row.try_get("scale")?;
    parse_scale(text)
        .and_then(|scale| scale.score(value as i32).ok())
        .map(Some)
        .ok_or_else(|| {
            bad_row(
                "annotation",
                id,
                "value",
                format!("{value} is not on {text}"),
            )
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
