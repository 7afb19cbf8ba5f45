//! The final values of the outputs of a page.

use std::collections::HashMap;

use domain::ids::OutputId;
use sqlx::{AnyConnection, Row};

use super::PageRange;
use crate::{
    Result,
    columns::{TableRow, parse_text},
    export::{ExportedFinalCategory, ExportedFinalValue},
};

/// The decisions of leads about an output: values by the name of their dimension, and the category.
type OutputDecisions = (Vec<ExportedFinalValue>, Option<ExportedFinalCategory>);

/// The decisions of leads about the page's outputs.
pub(super) async fn load_final_values(
    connection: &mut AnyConnection,
    range: &PageRange,
) -> Result<HashMap<OutputId, OutputDecisions>> {
    let query = range.query(
        "SELECT o.id AS of_output, f.id, f.dimension, f.value, f.category, f.reason
         FROM output o JOIN final_value f ON f.output_id = COALESCE(o.twin_of, o.id)
         WHERE o.study_id = $1 AND o.position > $2 AND o.position <= $3 AND o.purpose = 'main'
           AND f.current = 1",
    );
    let rows = query.fetch_all(connection).await?;

    let mut decisions = HashMap::<_, OutputDecisions>::new();
    for row in &rows {
        let id: &str = row.try_get("of_output")?;
        let output = parse_text("output", id, "id", id)?;
        let (values, category) = decisions.entry(output).or_default();

        let row = TableRow::new("final_value", row)?;
        if let Some(value) = row.get("value")? {
            values.push(ExportedFinalValue {
                dimension: row.get("dimension")?,
                value,
                reason: row.get("reason")?,
            });
        }
        if let Some(decided) = row.parse_optional("category")? {
            *category = Some(ExportedFinalCategory {
                category: decided,
                reason: row.get("reason")?,
            });
        }
    }

    for (values, _) in decisions.values_mut() {
        // Sorted here and not in SQL, because the databases order letters differently.
        values.sort_by(|a, b| a.dimension.cmp(&b.dimension));
    }

    Ok(decisions)
}
