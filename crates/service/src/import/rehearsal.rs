//! An import of sources that stores nothing: it shows what an import would add, and which rows it would leave out.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use domain::{
    category::Category,
    dimensions::{StudyDimensions, plan_dimensions},
    ids::{OutputId, SourceId, SystemId},
    score::RatingScale,
    source_context::ContextSide,
    study::StudySettings,
};
use formats::{BadRow, FatalReadError, FileRow, OpenedFile, ReadError, survey};
use store::{
    Store, Study,
    import::{AutomaticAnswers, ImportCounts, ImportRows},
};

use super::{
    ImportFailure, ImportOptions, ImportSummary,
    known_sources::KnownSources,
    lifecycle::BATCH_SIZE,
    report::MAX_LISTED,
    row::{self, ImportedRow, RowContext},
};
use crate::Context;

/// Imports the first `max_rows` rows of the file that `open` opens into the study, or a new one if it is `None`,
/// without storing any. The rows go through the same checks as those of [`super::import_sources`].
///
/// # Errors
/// [`ImportFailure::File`] if the file cannot be read to its end, and [`ImportFailure::Store`].
///
/// # Panics
/// When reading does.
pub async fn rehearse_sources(
    store: &Store,
    context: Context,
    study: Option<&Study>,
    open: impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    options: ImportOptions,
    max_rows: u64,
) -> Result<ImportSummary, ImportFailure> {
    let survey_file = move || {
        let survey = open().and_then(|opened| survey(opened, |survey| survey.rows < max_rows));
        (open, survey)
    };
    let (open, survey) = tokio::task::spawn_blocking(survey_file)
        .await
        .expect("reading rows does not panic");
    let survey = survey?;

    let (dimensions, systems) = match study {
        None => (StudyDimensions::new(&StudySettings::default()), vec![]),
        Some(study) => (
            store.study_dimensions(study.id, &study.settings).await?,
            store.systems(study.id).await?,
        ),
    };
    let systems: BTreeMap<_, _> = systems
        .into_iter()
        .map(|system| (system.name, system.kind))
        .collect();

    let mut summary = ImportSummary::new(&survey, &dimensions, &systems, &options.kinds);
    let Ok(plan) = plan_dimensions(&dimensions, &survey.dimensions) else {
        return Ok(summary);
    };

    let rows = store.rehearse_import(study.map(|study| study.id), context.ids);
    let rehearsal = ImportRehearsal::new(rows.await?, options, plan.scales);

    let rehearse = move || rehearsal.run(open()?, max_rows);
    let rehearsal = tokio::task::spawn_blocking(rehearse)
        .await
        .expect("reading rows does not panic")?;

    rehearsal.complete(&mut summary);
    Ok(summary)
}

/// The result of rows that were imported without being stored.
struct ImportRehearsal {
    rows: ImportRows,
    known: KnownSources,
    options: ImportOptions,
    scales: BTreeMap<String, RatingScale>,
    systems: HashSet<SystemId>,
    outputs: HashSet<OutputId>,
    outputs_per_source: HashMap<SourceId, u64>,
    references: HashSet<(SourceId, Arc<str>)>,
    contexts: HashSet<(SourceId, ContextSide)>,
    raters: HashSet<String>,
    ratings: u64,
    bad: u64,
    bad_rows: Vec<BadRow>,
}

impl ImportRehearsal {
    fn new(
        rows: ImportRows,
        options: ImportOptions,
        scales: BTreeMap<String, RatingScale>,
    ) -> Self {
        Self {
            known: KnownSources::new(&rows, options.purpose),
            rows,
            options,
            scales,
            systems: HashSet::new(),
            outputs: HashSet::new(),
            outputs_per_source: HashMap::new(),
            references: HashSet::new(),
            contexts: HashSet::new(),
            raters: HashSet::new(),
            ratings: 0,
            bad: 0,
            bad_rows: vec![],
        }
    }

    fn run(mut self, opened: OpenedFile<'static>, max_rows: u64) -> Result<Self, ImportFailure> {
        let format = opened.format;
        let rows = opened.rows.zip(1..=max_rows);
        for (item, number) in rows {
            let row = match item {
                Ok(row) => row,
                Err(ReadError::Row(bad)) => {
                    self.leave_out(bad);
                    continue;
                }
                Err(ReadError::Fatal(fault)) => return Err(fault.into()),
            };

            let context = RowContext {
                options: &self.options,
                format,
                scales: &self.scales,
                kinds: &HashMap::new(),
                annotate: &no_answers,
            };

            match row::import_row(&mut self.rows, &mut self.known, &context, &row) {
                Ok(mut imported) => {
                    let left_out = std::mem::take(&mut imported.left_out);
                    left_out.into_iter().for_each(|bad| self.leave_out(bad));
                    self.count(row, &imported);
                }
                Err(store::Error::Refused(reason)) => self.leave_out(BadRow {
                    line: row.line,
                    column: None,
                    reason,
                }),
                Err(error) => return Err(error.into()),
            }

            if u64::is_multiple_of(number, BATCH_SIZE) {
                self.rows.forget_pending();
            }
        }
        Ok(self)
    }

    fn leave_out(&mut self, bad: BadRow) {
        self.bad += 1;
        if self.bad_rows.len() < MAX_LISTED {
            self.bad_rows.push(bad);
        }
    }

    fn count(&mut self, row: FileRow, imported: &ImportedRow) {
        let source = imported.source;
        let outputs = self.outputs_per_source.entry(source).or_default();

        if let Some((output, system)) = imported.output {
            *outputs += u64::from(self.outputs.insert(output));
            self.systems.insert(system);
        }

        for text in &row.source.references {
            self.references.insert((source, text.as_str().into()));
        }

        let sides = row.source.context.sides();
        self.contexts.extend(sides.map(|(side, _)| (source, side)));

        let ratings = row.output.into_iter().flat_map(|output| output.ratings);
        self.raters
            .extend(ratings.filter_map(|rating| rating.rater));
        self.ratings += imported.ratings + imported.other_answers;
    }

    /// Adds the results to the summary.
    fn complete(self, summary: &mut ImportSummary) {
        let per_source = self.outputs_per_source.values().copied();
        let range = per_source.clone().min().zip(per_source.max());
        summary.outputs_per_source = range.filter(|(_, most)| *most > 0);

        summary.contents = ImportCounts {
            sources: self.outputs_per_source.len() as u64,
            references: self.references.len() as u64,
            contexts: self.contexts.len() as u64,
            systems: self.systems.len() as u64,
            outputs: self.outputs.len() as u64,
            raters: self.raters.len() as u64,
            answers: self.ratings,
        };

        summary.new = self.rows.counts();
        summary
            .notes
            .extend(self.known.remark().map(|remark| remark.to_string()));
        summary.bad = self.bad;
        summary.bad_rows = self.bad_rows;
    }
}

/// The answers for rows that are not stored. Nobody sees them, and real ones take time to compute.
fn no_answers(_: &str, _: &str, category: Option<Category>) -> AutomaticAnswers {
    AutomaticAnswers {
        category: category.unwrap_or(Category::Paraphrase),
        reason: String::new(),
        category_version: String::new(),
        edits: vec![],
        edits_version: String::new(),
    }
}
