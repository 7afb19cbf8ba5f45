//! Answers as columns: ratings have a number of their own, all else is JSON.

use domain::{
    ids::OutputId,
    score::{Scale, Score},
    work::change::{Answer, Slot, Stored},
};
use sqlx::{Row, any::AnyRow};

use crate::{
    Result,
    read::{bad, json, parsed, to_json},
};

/// The kinds of answers, as the columns and events name them.
pub(crate) const KINDS: [&str; 6] = ["category", "edits", "rating", "note", "order", "progress"];

/// The kind of an answer.
pub(crate) const fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Category(_) => "category",
        Answer::Edits(_) => "edits",
        Answer::Rating(_) => "rating",
        Answer::Note(_) => "note",
        Answer::Order(_) => "order",
        Answer::Progress(_) => "progress",
    }
}

/// What stands in the column `body`; nothing for a rating.
pub(crate) fn body(answer: &Answer) -> Option<String> {
    Some(match answer {
        Answer::Category(category) => to_json(category),
        Answer::Edits(edits) => to_json(edits),
        Answer::Rating(_) => return None,
        Answer::Note(note) => to_json(note),
        Answer::Order(order) => to_json(order),
        Answer::Progress(step) => to_json(step),
    })
}

/// The kind that belongs to a slot, its output, its dimension (empty for none).
pub(crate) fn place(slot: &Slot) -> (&'static str, Option<OutputId>, &str) {
    match slot {
        Slot::Category { output } => ("category", Some(*output), ""),
        Slot::Edits { output } => ("edits", Some(*output), ""),
        Slot::Rating { output, dimension } => ("rating", Some(*output), dimension),
        Slot::Note { output } => ("note", Some(*output), ""),
        Slot::Order => ("order", None, ""),
        Slot::Progress => ("progress", None, ""),
    }
}

/// Reads an answer from its row: id, `output_id`, kind, dimension, value, scale, body.
pub(crate) fn read(row: &AnyRow) -> Result<Stored> {
    let id: &str = row.try_get("id")?;
    let output =
        || -> Result<OutputId> { parsed("annotation", id, "output_id", row.try_get("output_id")?) };
    let body = || -> Result<&str> { Ok(row.try_get("body")?) };
    let (slot, answer) = match row.try_get("kind")? {
        "category" => (
            Slot::Category { output: output()? },
            Answer::Category(json("annotation", id, "body", body()?)?),
        ),
        "edits" => (
            Slot::Edits { output: output()? },
            Answer::Edits(json("annotation", id, "body", body()?)?),
        ),
        "rating" => (
            Slot::Rating {
                output: output()?,
                dimension: row.try_get("dimension")?,
            },
            Answer::Rating(score(row, id)?),
        ),
        "note" => (
            Slot::Note { output: output()? },
            Answer::Note(json("annotation", id, "body", body()?)?),
        ),
        "order" => (
            Slot::Order,
            Answer::Order(json("annotation", id, "body", body()?)?),
        ),
        "progress" => (
            Slot::Progress,
            Answer::Progress(json("annotation", id, "body", body()?)?),
        ),
        other => {
            let reason = format!("“{other}” is no kind of answer");
            return Err(bad("annotation", id, "kind", reason));
        }
    };
    Ok(Stored {
        id: parsed("annotation", id, "id", id)?,
        slot,
        answer,
    })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "people's scores are whole numbers on a scale of whole numbers"
)]
fn score(row: &AnyRow, id: &str) -> Result<Option<Score>> {
    let Some(value) = row.try_get::<Option<f64>, _>("value")? else {
        return Ok(None);
    };
    let text: &str = row.try_get("scale")?;
    scale(text)
        .and_then(|scale| scale.score(value as i32).ok())
        .map(Some)
        .ok_or_else(|| {
            bad(
                "annotation",
                id,
                "value",
                format!("{value} is not on {text}"),
            )
        })
}

/// A scale as its column holds it: `0..100`.
pub(crate) fn scale_text(scale: Scale) -> String {
    format!("{}..{}", scale.low, scale.high)
}

/// Reads a scale from its column.
pub(crate) fn scale(text: &str) -> Option<Scale> {
    let (low, high) = text.split_once("..")?;
    Some(Scale {
        low: low.parse().ok()?,
        high: high.parse().ok()?,
    })
}
