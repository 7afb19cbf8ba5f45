//! Adds one row of a file to an import.

use std::collections::{BTreeMap, HashMap};

use domain::{dimensions::dimension_name, score::RatingScale, study::SystemKind};
use formats::{FileFormat, FileOutput, FileRow};
use store::{
    Result, Study,
    import::{NewOutput, NewRating, StudyImport, VerbatimRating},
};

use super::{
    ImportOptions, UNNAMED,
    row_extras::{AnonymousScore, RowExtras},
};
use crate::automatic_annotation::annotate_automatically;

/// The settings that all rows of a file share.
pub(super) struct RowContext<'a> {
    pub(super) study: &'a Study,
    pub(super) options: &'a ImportOptions,
    pub(super) format: FileFormat,
    /// The scales of the file's dimensions.
    pub(super) scales: &'a BTreeMap<String, RatingScale>,
    /// The kinds of the file's systems.
    pub(super) kinds: &'a HashMap<&'a str, SystemKind>,
}

/// Adds a row to the import, and returns the number of its scores without a rater.
///
/// # Errors
/// `Refused` where this row cannot be imported; any other error ends the import.
pub(super) fn import_row(
    import: &mut StudyImport,
    context: &RowContext<'_>,
    row: &FileRow,
) -> Result<u64> {
    let RowContext {
        study,
        options,
        format,
        scales,
        kinds,
    } = context;
    let key = row.source.key.as_deref();
    let source = import.source(key, &row.source.text, options.purpose)?;
    import.references(source, &row.source.references)?;
    let Some(output) = &row.output else {
        return Ok(0);
    };

    let system = output.system.as_deref().unwrap_or(UNNAMED);
    let system = import.system(system, kinds.get(system).copied())?;
    let extras = row_extras_json(row, output, *format);
    let new = NewOutput {
        source,
        system,
        text: &output.text,
        verbatim: extras.as_deref(),
        expected: None,
    };
    let settings = &study.settings;
    let annotate =
        || annotate_automatically(settings, &row.source.text, &output.text, output.category);
    let (id, _) = import.output(&new, annotate)?;

    let mut scores = 0;
    for rating in &output.ratings {
        let Some(label) = rating.rater.as_deref() else {
            scores += 1;
            continue;
        };
        let rater = import.rater(label, options.raters)?;
        let dimension = dimension_name(&rating.dimension);
        let scale = rating.scale.or_else(|| scales.get(&dimension).copied());
        import.rating(NewRating {
            rater,
            output: id,
            dimension: &dimension,
            scale: scale.unwrap_or_default(),
            value: rating.value.value(),
            verbatim: VerbatimRating {
                value: rating.value.text().to_owned(),
                z: rating.z.as_ref().map(|z| z.text().to_owned()),
                column: (*rating.column != *label).then(|| rating.column.to_string()),
            },
        })?;
    }
    Ok(scores)
}

/// The JSON of a row's further columns and of its scores without a rater; `None` where it has neither.
fn row_extras_json(row: &FileRow, output: &FileOutput, format: FileFormat) -> Option<String> {
    let columns: BTreeMap<_, _> = row
        .verbatim
        .iter()
        .map(|(column, text)| ((&**column).into(), text.into()))
        .collect();
    let scores: Vec<_> = output
        .ratings
        .iter()
        .filter(|rating| rating.rater.is_none())
        .map(|rating| AnonymousScore {
            column: (&*rating.column).into(),
            value: rating.value.text().into(),
            z: rating.z.as_ref().map(|z| z.text().into()),
        })
        .collect();
    if columns.is_empty() && scores.is_empty() {
        return None;
    }
    let extras = RowExtras {
        format: format.name().into(),
        columns,
        scores,
    };
    Some(serde_json::to_string(&extras).expect("texts under text keys are JSON"))
}
