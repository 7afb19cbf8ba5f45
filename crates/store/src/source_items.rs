//! The outputs of a source as people judge them: one an identical text.

use domain::{
    category::Category,
    edit::{Edit, repair},
    ids::{OutputId, SourceId},
    study::OutputPurpose,
    work::task::ExpectedAnswer,
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Result,
    columns::{parse_json, parse_text},
};

/// An output that stands for all of its source with the same text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceItem {
    pub(crate) output: OutputId,
    pub(crate) purpose: OutputPurpose,
    pub(crate) copies: u32,
    pub(crate) text: String,
    pub(crate) category: Category,
    pub(crate) reason: String,
    pub(crate) edits: Vec<Edit>,
    pub(crate) expected: Option<ExpectedAnswer>,
}

/// The items of a source, quality-control items included, in the order of the file.
pub(crate) async fn load(tx: &mut AnyConnection, source: SourceId) -> Result<Vec<SourceItem>> {
    let rows = sqlx::query(
        "SELECT o.id, o.purpose, o.text, o.category, o.category_reason, o.edits, o.expected,
                (SELECT COUNT(*) FROM output t WHERE t.source_id = o.source_id
                 AND t.twin_of = o.id) AS twins
         FROM output o WHERE o.source_id = $1 AND o.twin_of IS NULL ORDER BY o.position, o.id",
    )
    .bind(source.to_string())
    .fetch_all(tx)
    .await?;
    rows.iter().map(read_item).collect()
}

fn read_item(row: &AnyRow) -> Result<SourceItem> {
    let id: &str = row.try_get("id")?;
    let expected: Option<&str> = row.try_get("expected")?;
    let twins: i64 = row.try_get("twins")?;
    let text: String = row.try_get("text")?;
    // While an annotator has the source they are not made again, and have to take corrections too.
    let edits = repair(
        parse_json("output", id, "edits", row.try_get("edits")?)?,
        &text,
    );
    Ok(SourceItem {
        output: parse_text("output", id, "id", id)?,
        purpose: parse_text("output", id, "purpose", row.try_get("purpose")?)?,
        copies: u32::try_from(twins + 1).unwrap_or(u32::MAX),
        text,
        category: parse_text("output", id, "category", row.try_get("category")?)?,
        reason: row.try_get("category_reason")?,
        edits,
        expected: expected
            .map(|text| parse_json("output", id, "expected", text))
            .transpose()?,
    })
}
