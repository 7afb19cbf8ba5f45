//! Tables of ratings from an exported study: the tidy table, and the ratings of a dataset folder.

use crate::{
    columns::{ColumnLayout, RaterNameOrigin, RatingColumn},
    error::FatalReadError,
    input::CsvHeader,
};

/// The columns that identify such a table; a dataset folder's also has the texts.
const COLUMNS: [&str; 9] = [
    "source_id",
    "output_id",
    "system",
    "category",
    "automatic_category",
    "rater",
    "dimension",
    "value",
    "shared",
];

/// Whether a header is that of such a table.
pub(crate) fn is_exported(header: &CsvHeader) -> bool {
    COLUMNS.iter().all(|name| header.has(name))
}

/// The columns of such a table. If it has no texts and `names_for_texts` is true, the names of sources and outputs
/// replace them.
pub(crate) fn exported_columns(
    header: &CsvHeader,
    names_for_texts: bool,
) -> Result<ColumnLayout, FatalReadError> {
    let need = |name| header.require_column(name, &COLUMNS.join(","));
    let text = |name, id| match header.find_column(name)? {
        Some(place) => Ok(place),
        None if names_for_texts => need(id),
        None => {
            let advice = "this table of ratings was exported without texts: export the study as jsonl or dataset, or \
                          add the texts";
            Err(header.wrong_header(&format!("a column “{name}”"), advice))
        }
    };

    let rating = RatingColumn {
        scale: None,
        ..RatingColumn::overall(need("value")?)
    };

    Ok(ColumnLayout {
        key: Some(need("source_id")?),
        output: Some(text("output", "output_id")?),
        system: Some(need("system")?),
        kind: header.find_column("kind")?,
        category: Some(need("automatic_category")?),
        rater_category: Some(need("category")?),
        rater: RaterNameOrigin::Cell(need("rater")?),
        dimension: Some(need("dimension")?),
        shared: Some(need("shared")?),
        ratings: vec![rating],
        ..ColumnLayout::with_source(header, text("source", "source_id")?)
    })
}
