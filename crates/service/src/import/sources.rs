//! Imports of sources with their outputs and ratings: read, categorise, align, store.
//!
//! Good rows are imported; bad ones are reported with line, column and reason. In strict mode nothing is
//! imported unless every row is good. No row is visible before all of them are stored, so a failure leaves
//! the study as it was, and importing a file twice changes nothing. Rows are prepared outside of
//! transactions and sent in short ones ([`store::import`]). Metric scores of an exported study are stored afterwards.

use std::sync::Arc;

use formats::{FatalReadError, FileSurvey, OpenedFile, ReadError, survey};
use store::{Store, Study, import::StudyImport};
use tokio::runtime::Handle;

use super::{
    ImportFailure, ImportOptions, ImportOrigin, ImportReport, RunningJobProgress, kind_notes,
    known_sources::KnownSources,
    lifecycle::{BATCH_SIZE, begin, complete, send_batch},
    resolve_kinds, row,
    scores::ImportedScores,
    summary::row_notes,
};
use crate::{Context, automatic_annotation::AutomaticAnnotator};

/// A file that was surveyed, and opened again for its second reading.
struct SurveyedFile {
    survey: FileSurvey,
    opened: OpenedFile<'static>,
}

/// Imports the file that `open` opens.
///
/// `open` is called twice: the first reading finds the dimensions, their scales and the systems, before the
/// import locks the study. Reading and aligning keep a processor busy, so they run on a thread that may
/// block. The import checks before each row whether `progress` requests a stop.
pub async fn import_sources(
    store: &Store,
    context: Context,
    study: Study,
    open: impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    options: ImportOptions,
    origin: ImportOrigin,
    progress: Arc<RunningJobProgress>,
) -> Result<ImportReport, ImportFailure> {
    let survey_file = {
        let progress = progress.clone();
        move || {
            let survey = open().and_then(|opened| survey(opened, |_| !progress.stop_requested()));
            (open, survey)
        }
    };

    let (open, survey) = tokio::task::spawn_blocking(survey_file)
        .await
        .expect("reading rows does not panic");
    let survey = survey?;

    if progress.stop_requested() {
        return Err(ImportFailure::Cancelled);
    }

    let import = begin(store, context, study.id, &origin, &progress).await?;
    let id = study.id;
    let completed = complete(store, context, import, move |runtime, import| {
        let file = SurveyedFile {
            survey,
            opened: open()?,
        };
        add_rows(context, runtime, import, &study, file, &options, &progress)
    });

    let (mut report, scores) = completed.await?;
    let file_name = origin.names.first().map_or("", String::as_str);
    scores
        .store(store, context, id, file_name, &mut report)
        .await?;

    Ok(report)
}

/// Adds the file's rows to an import that has begun, and finally the quality-control items that the study
/// wants for new sources.
fn add_rows(
    context: Context,
    runtime: &Handle,
    import: &mut StudyImport,
    study: &Study,
    file: SurveyedFile,
    options: &ImportOptions,
    progress: &RunningJobProgress,
) -> Result<(ImportReport, ImportedScores), ImportFailure> {
    let SurveyedFile { survey, opened } = file;
    let plan = runtime.block_on(import.dimensions(&survey.dimensions))?;
    let stored_kind = |name: &str| import.system_kind(name);
    let systems = resolve_kinds(&survey, &options.kinds, stored_kind);

    let mut report = ImportReport {
        format: opened.format.name().to_owned(),
        notes: opened.notes.iter().map(ToString::to_string).collect(),
        dimensions: plan.created,
        ..ImportReport::default()
    };

    report.notes.extend(row_notes(&survey, &report.dimensions));
    report.notes.extend(kind_notes::kind_notes(&systems));

    let mut known = KnownSources::new(import, options.purpose);
    let annotator = AutomaticAnnotator::new(&study.settings);
    let annotate =
        |source: &str, output: &str, category| annotator.annotate(source, output, category);
    let row_context = row::RowContext {
        options,
        format: opened.format,
        scales: &plan.scales,
        kinds: &systems
            .iter()
            .map(|system| (&*system.name, system.kind))
            .collect(),
        annotate: &annotate,
    };

    let (mut scores, mut other_answers) = (ImportedScores::default(), 0);
    for item in opened.rows {
        if progress.stop_requested() {
            return Err(ImportFailure::Cancelled);
        }

        report.rows += 1;

        match item {
            Ok(row) => match row::import_row(import, &mut known, &row_context, &row) {
                Ok(imported) => {
                    report.scores += imported.scores;
                    other_answers += imported.other_answers;
                    for bad in imported.left_out {
                        report.leave_out(bad);
                    }
                    let archived = row.output.as_ref().and_then(|own| own.archived.as_deref());
                    if let (Some((output, _)), Some(archived)) = (imported.output, archived) {
                        scores.add(output, archived);
                    }
                }
                Err(store::Error::Refused(reason)) => {
                    report.leave_out(formats::BadRow {
                        line: row.line,
                        column: None,
                        reason,
                    });
                }
                Err(error) => return Err(error.into()),
            },
            Err(ReadError::Row(bad)) => report.leave_out(bad),
            Err(ReadError::Fatal(fault)) => return Err(fault.into()),
        }

        if report.rows.is_multiple_of(BATCH_SIZE) {
            send_batch(context, runtime, import)?;
        }
    }

    if other_answers > 0 {
        report.notes.push(format!(
            "{other_answers} of the answers are not ratings: categories, edits and notes."
        ));
    }
    report
        .notes
        .extend(known.remark().map(|remark| remark.to_string()));

    if options.strict && report.bad > 0 {
        return Err(ImportFailure::Strict(Box::new(report)));
    }

    let automatic = |source: &str, output: &str| annotate(source, output, None);
    let seed = context.new_id().as_u64_pair().1;
    match runtime.block_on(import.add_quality_control(seed, automatic))? {
        0 => {}
        1 => report
            .notes
            .push("One quality-control item was added: an output with a known answer.".into()),
        added => report.notes.push(format!(
            "{added} quality-control items were added: outputs with a known answer."
        )),
    }

    if progress.stop_requested() {
        return Err(ImportFailure::Cancelled);
    }

    Ok((report, scores))
}
