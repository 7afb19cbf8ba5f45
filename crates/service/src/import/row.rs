//! Adds one row of a file to an import.

use std::{
    collections::{BTreeMap, HashMap},
    time::UNIX_EPOCH,
};

use domain::{
    category::Category,
    dimensions::dimension_name,
    edit::validate::validate,
    ids::{OutputId, SourceId, SystemId},
    score::RatingScale,
    study::SystemKind,
    work::change::AnnotationAnswer,
};
use formats::{
    ArchivedAnswers, ArchivedAutomatic, BadRow, FileFormat, FileOutput, FileRating, FileRow,
    visible_form,
};
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
    /// The number of raters' answers of other kinds.
    pub(super) other_answers: u64,
    /// The number of scores without a rater.
    pub(super) scores: u64,
    /// The ratings that were left out, such as a second rating by the same rater.
    pub(super) left_out: Vec<BadRow>,
}

/// Adds a row to the import.
///
/// # Errors
/// `Refused` if this row cannot be imported; any other error ends the import.
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
            other_answers: 0,
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

    let archived = output.archived.as_deref();
    if let Some(archived) = archived {
        check_edits(archived, &text, new.text)?;
    }

    let automatic = || match archived.and_then(|archived| archived.automatic.clone()) {
        Some(automatic) => automatic_answers(automatic),
        None => annotate(&text, new.text, output.category),
    };
    let (id, _) = import.output(&new, automatic)?;

    let (mut ratings, mut scores, mut left_out) = (0, 0, vec![]);
    for rating in &output.ratings {
        let Some(label) = rating.rater.as_deref() else {
            scores += 1;
            continue;
        };
        match import_rating(import, context, id, label, rating) {
            Ok(()) => ratings += 1,
            // The row's other ratings still count.
            Err(Error::Refused(reason)) => left_out.push(BadRow {
                line: row.line,
                column: Some(rating.column.to_string()),
                reason,
            }),
            Err(error) => return Err(error),
        }
    }

    let other_answers = match archived {
        Some(archived) => import_archived(import, context, id, archived)?,
        None => 0,
    };

    Ok(ImportedRow {
        source,
        output: Some((id, system)),
        ratings,
        other_answers,
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
        shared: rating.shared,
        recorded_at: rating.recorded_at.as_deref().map(parse_time).transpose()?,
    })?;
    Ok(())
}

/// Adds raters' answers about an output other than ratings. Returns their number.
fn import_archived(
    import: &mut ImportRows,
    context: &RowContext<'_>,
    output: OutputId,
    archived: &ArchivedAnswers,
) -> Result<u64> {
    let categories = archived.categories.iter();
    let categories =
        categories.map(|(rater, category)| (rater, AnnotationAnswer::Category(Some(*category))));

    let automatic = archived.automatic.as_ref();
    let accepted = archived.reviewers.iter().filter_map(|reviewer| {
        let has_own = archived.edits.iter().any(|(rater, _)| rater == reviewer);
        Some((reviewer, &automatic.filter(|_| !has_own)?.edits))
    });

    let edits = archived.edits.iter().map(|(rater, edits)| (rater, edits));
    let edits = edits.chain(accepted);
    let edits = edits.map(|(rater, edits)| (rater, AnnotationAnswer::Edits(Some(edits.clone()))));

    let notes = archived.notes.iter();
    let notes = notes.map(|(rater, note)| (rater, AnnotationAnswer::Note(note.clone())));

    let mut count = 0;
    for (rater, answer) in categories.chain(edits).chain(notes) {
        let rater = import.rater(rater, context.options.raters)?;
        import.answer(rater, output, &answer)?;
        count += 1;
    }
    Ok(count)
}

/// Refuses edits of an exported study that do not fit their texts.
fn check_edits(archived: &ArchivedAnswers, source: &str, output: &str) -> Result<()> {
    let automatic = archived.automatic.iter();
    let lists = automatic.map(|automatic| &automatic.edits);
    let mut lists = lists.chain(archived.edits.iter().map(|(_, edits)| edits));
    let checked = lists.try_for_each(|edits| validate(edits, source, output));
    checked.map_err(|error| store::Error::Refused(format!("The edits do not fit: {error}.")))
}

fn automatic_answers(archived: ArchivedAutomatic) -> AutomaticAnswers {
    let ArchivedAutomatic {
        category,
        reason,
        category_version,
        edits,
        edits_version,
    } = archived;
    AutomaticAnswers {
        category,
        reason,
        category_version,
        edits,
        edits_version,
    }
}

/// A time of an exported study, in milliseconds since 1970.
fn parse_time(text: &str) -> Result<i64> {
    let since_epoch = humantime::parse_rfc3339(text)
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_millis()).ok());

    since_epoch.ok_or_else(|| {
        let sentence = "is not a time: write it as 2026-11-28T17:30:00Z, or leave it out";
        store::Error::Refused(format!("“{text}” {sentence}."))
    })
}

/// The JSON of a row's further columns and of its scores without a rater; `None` if it has neither.
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
