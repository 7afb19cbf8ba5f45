//! Adds one row of a file to an import.

use std::collections::{BTreeMap, HashMap};

use domain::{
    category::Category,
    dimensions::dimension_name,
    ids::{OutputId, SourceId, SystemId},
    score::RatingScale,
    study::SystemKind,
};
use formats::{BadRow, FileFormat, FileOutput, FileRating, FileRow, visible_form};
use store::{
    Error, Result,
    import::{AutomaticAnswers, ImportRows, NewOutput, NewRating, VerbatimRating},
};

use super::{
    ImportOptions, UNNAMED,
    known_sources::KnownSources,
    row_extras::{AnonymousScore, RowExtras},
};

/// The settings that all rows of a file share.
pub(super) struct RowContext<'a> {
    pub(super) options: &'a ImportOptions,
    pub(super) format: FileFormat,
    /// The scales of the file's dimensions.
    pub(super) scales: &'a BTreeMap<String, RatingScale>,
    /// The kinds of the file's systems.
    pub(super) kinds: &'a HashMap<&'a str, SystemKind>,
    /// Makes the category and edits of a new output from its source, its text and the file's category.
    pub(super) annotate: &'a dyn Fn(&str, &str, Option<Category>) -> AutomaticAnswers,
}

/// The place of a row in the study.
pub(super) struct ImportedRow {
    pub(super) source: SourceId,
    pub(super) output: Option<(OutputId, SystemId)>,
    /// The number of ratings with a rater.
    pub(super) ratings: u64,
    /// The number of scores without one.
    pub(super) scores: u64,
    /// The ratings that were left out, such as a second one by the same rater.
    pub(super) left_out: Vec<BadRow>,
}

/// Adds a row to the import.
///
/// # Errors
/// `Refused` where this row cannot be imported; any other error ends the import.
pub(super) fn import_row(
    import: &mut ImportRows,
    known: &mut KnownSources,
    context: &RowContext<'_>,
    row: &FileRow,
) -> Result<ImportedRow> {
    let RowContext {
        options,
        format,
        kinds,
        annotate,
        ..
    } = context;
    let key = row.source.key.as_deref();
    let text = known.spelling(import, key, &row.source.text);
    let source = import.source(key, &text, options.purpose)?;
    import.context(source, &row.source.context)?;
    import.references(source, &row.source.references)?;
    let Some(output) = &row.output else {
        return Ok(ImportedRow {
            source,
            output: None,
            ratings: 0,
            scores: 0,
            left_out: vec![],
        });
    };

    let system = output.system.as_deref().unwrap_or(UNNAMED);
    let system = import.system(system, kinds.get(system).copied())?;
    let extras = row_extras_json(row, output, *format);
    let there = import.output_text(source, system);
    let there = there.filter(|there| visible_form(there) == visible_form(&output.text));
    let new = NewOutput {
        source,
        system,
        text: there.as_deref().unwrap_or(&output.text),
        verbatim: extras.as_deref(),
        expected: None,
    };
    let automatic = || annotate(&row.source.text, &output.text, output.category);
    let (id, _) = import.output(&new, automatic)?;

    let (mut ratings, mut scores, mut left_out) = (0, 0, vec![]);
    for rating in &output.ratings {
        let Some(label) = rating.rater.as_deref() else {
            scores += 1;
            continue;
        };
        match import_rating(import, context, id, label, rating) {
            Ok(()) => ratings += 1,
            // The row's other ratings count.
            Err(Error::Refused(reason)) => left_out.push(BadRow {
                line: row.line,
                column: Some(rating.column.to_string()),
                reason,
            }),
            Err(error) => return Err(error),
        }
    }
    Ok(ImportedRow {
        source,
        output: Some((id, system)),
        ratings,
        scores,
        left_out,
    })
}

/// Adds a rating of an output by the rater with this label.
fn import_rating(
    import: &mut ImportRows,
    context: &RowContext<'_>,
    output: OutputId,
    label: &str,
    rating: &FileRating,
) -> Result<()> {
    let rater = import.rater(label, context.options.raters)?;
    let dimension = dimension_name(&rating.dimension);
    let scale = rating
        .scale
        .or_else(|| context.scales.get(&dimension).copied());
    import.rating(NewRating {
        rater,
        output,
        dimension: &dimension,
        scale: scale.unwrap_or_default(),
        value: rating.value.value(),
        verbatim: VerbatimRating {
            value: rating.value.text().to_owned(),
            z: rating.z.as_ref().map(|z| z.text().to_owned()),
            column: (*rating.column != *label).then(|| rating.column.to_string()),
        },
    })?;
    Ok(())
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
