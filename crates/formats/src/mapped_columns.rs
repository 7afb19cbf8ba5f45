//! The columns of any CSV file, found by a mapping.

use crate::{
    columns::{ColumnLayout, RaterNameOrigin, RatingColumn},
    error::FatalReadError,
    field_mapping::{find_columns, missing_column},
    input::CsvHeader,
    mapping::{ColumnMapping, FileField, names_dimension},
};

/// Finds the columns of any CSV file.
pub(crate) fn map_columns(
    header: &CsvHeader,
    mapping: &ColumnMapping,
) -> Result<ColumnLayout, FatalReadError> {
    let all = |field| find_columns(header, &mapping.fields, field);
    let first = |field| all(field).map(|places| places.first().copied());
    let missing = |field: FileField| missing_column(header, field);

    let source = first(FileField::Source)?.ok_or_else(|| missing(FileField::Source))?;
    let output = first(FileField::Output)?;
    let ratings = all(FileField::Rating)?;
    let system = first(FileField::System)?;
    if output.is_none() && (system.is_some() || !ratings.is_empty()) {
        return Err(missing(FileField::Output));
    }

    let dimension = first(FileField::Dimension)?;
    let named_by_column = ratings.len() > 1 && dimension.is_none();
    let rating_column = |place: usize| {
        let overall = RatingColumn::overall(place);
        let column = &header.names()[place];
        RatingColumn {
            scale: None,
            dimension: match named_by_column || names_dimension(column) {
                true => column.clone(),
                false => overall.dimension.clone(),
            },
            ..overall
        }
    };

    Ok(ColumnLayout {
        key: first(FileField::SourceId)?,
        context: [
            first(FileField::ContextBefore)?,
            first(FileField::ContextAfter)?,
        ],
        output,
        system,
        kind: first(FileField::Kind)?,
        category: first(FileField::Category)?,
        references: all(FileField::Reference)?,
        rater: first(FileField::Rater)?.map_or(RaterNameOrigin::Unnamed, RaterNameOrigin::Cell),
        dimension,
        ratings: ratings.into_iter().map(rating_column).collect(),
        ..ColumnLayout::with_source(header, source)
    })
}
