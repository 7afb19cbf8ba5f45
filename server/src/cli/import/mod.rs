mod directions;
mod files;
mod rendering;
mod rows;
mod written;

use std::{path::PathBuf, sync::Arc};

use anyhow::bail;
use domain::{
    ids::{ImportId, StudyId},
    study::{Slug, SourcePurpose, StudySettings},
};
use formats::BadRow;
use service::import::{
    AcceptedReferences, ImportChoices, ImportFailure, import_references, import_scores,
};
use store::{
    NewStudy, Store, Study,
    audit::{AuditKind, AuditSubject},
};

pub(super) use self::directions::directions;
use self::{
    directions::check_named,
    files::{origin, text_files},
    rendering::{report_lines, summary_lines},
    written::add_written,
};
use super::{
    imports,
    input_args::ReadingArgs,
    input_file::file_name,
    output::{CommandOutput, fold_repeats},
    references::SimilarityThreshold,
};
use crate::{audit::command_entry, clock, database, settings::DataSettings};

/// Imports files into a study. Rows that exist already change nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// The study, by its short name.
    study: Slug,
    /// The files: one table (CSV, JSONL or .xlsx), or NAME.orig with NAME.simp.0 … and one text file a
    /// system. Each may be compressed (.gz).
    #[arg(
        required_unless_present_any = ["references", "scores", "written", "list", "undo"],
        value_name = "FILE"
    )]
    files: Vec<PathBuf>,
    /// List the imports that added something, newest first, with their ids.
    #[arg(long, conflicts_with_all = ["files", "references", "scores", "undo", "create"])]
    list: bool,
    /// Undo an import, by its id in --list, as long as nobody has judged anything that it added.
    #[arg(long, value_name = "ID", conflicts_with_all = ["files", "references", "scores", "create"])]
    undo: Option<ImportId>,
    /// References of the study's sources, matched by text: a folder like ASSET's, one with NAME.src
    /// and NAME.dst as the LENS repository keeps them, or a table.
    #[arg(long, value_name = "DIR|FILE", conflicts_with_all = ["files", "scores"])]
    references: Option<PathBuf>,
    /// Accept the nearest text for a source without references where they are at least this similar: 90%,
    /// or 0.9. Without it, sources that get none are listed with the text that is nearest.
    #[arg(long, value_name = "SHARE", requires = "references")]
    accept_similar: Option<SimilarityThreshold>,
    /// Scores of the study's outputs, one column per metric: a table or JSONL.
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    scores: Option<PathBuf>,
    /// A metric of which a lower score is better; may be repeated. Of the others it is guessed from the
    /// name, and printed.
    #[arg(long, value_name = "NAME", requires = "scores")]
    lower_is_better: Vec<String>,
    /// A metric of which a higher score is better; may be repeated.
    #[arg(long, value_name = "NAME", requires = "scores")]
    higher_is_better: Vec<String>,
    /// The texts that annotators of this study wrote and submitted: they become references of its sources, or outputs of a
    /// human system, as the protocol says. Those that the study has already are not added again.
    #[arg(long, conflicts_with_all = ["files", "references", "scores", "create", "dry_run"])]
    written: bool,
    /// The format of the files; by default it is detected.
    #[arg(long, value_enum)]
    format: Option<ImportFormat>,
    /// Create the study where there is none of that name.
    #[arg(long)]
    create: bool,
    /// The kind of a new system, as `human 1=human`: machine, human or baseline; may be repeated. By
    /// default a column says so, or else its name suggests it.
    #[arg(long, value_name = "NAME=KIND")]
    kind: Vec<String>,
    /// Show what the import would add and which rows it would leave out, and import nothing.
    #[arg(long, conflicts_with_all = ["references", "scores"])]
    dry_run: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE")]
    raters: Option<PathBuf>,
    /// Import NAME.simp.N as outputs to judge, and not as references.
    #[arg(long)]
    simplifications_as_outputs: bool,
    /// The purpose of the sources.
    #[arg(long, value_name = "PURPOSE", default_value = "main")]
    purpose: SourcePurpose,
    /// Import nothing unless every row is good.
    #[arg(long)]
    strict: bool,
}

/// The formats by name.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ImportFormat {
    /// SimpEval past and 2022, direct assessment, Likert.
    Simpeval,
    /// ASSET's texts or ratings.
    Asset,
    /// One JSON object a line.
    Jsonl,
    /// Any table, by --map.
    Csv,
}

impl ImportArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        if self.list || self.undo.is_some() {
            let store = database::open_existing(data).await?;
            let study = self.study(&store).await?;
            return match self.undo {
                None => imports::list(&store, &study, output).await,
                Some(import) => imports::undo(&store, &study, import, output).await,
            };
        }

        let outcome = if let Some(path) = &self.references {
            let files = text_files(path, &self.reading.input.options())?;
            let store = database::open_existing(data).await?;
            let study = self.study(&store).await?.id;
            let open = move || formats::open_references(files);
            let origin = origin(std::slice::from_ref(path));
            record_begin(&store, study, &origin.names).await?;
            let accepted = AcceptedReferences {
                lines: vec![],
                min_similarity: self.accept_similar.map(|threshold| threshold.0),
            };

            import_references(
                &store,
                clock::CONTEXT,
                study,
                open,
                accepted,
                origin,
                Arc::default(),
            )
            .await
        } else if let Some(path) = &self.scores {
            let name = file_name(path);
            let names = formats::open_scores(self.reading.input.open(path)?)?.names;
            let input = self.reading.input.open(path)?;
            let store = database::open_existing(data).await?;
            let study = self.study(&store).await?.id;
            let open = move || formats::open_scores(input);
            let choices = ImportChoices {
                directions: directions(&self.lower_is_better, &self.higher_is_better),
                ..ImportChoices::default()
            };
            check_named(&choices, &names)?;
            record_begin(&store, study, std::slice::from_ref(&name)).await?;

            import_scores(
                &store,
                clock::CONTEXT,
                study,
                &name,
                choices,
                open,
                Arc::default(),
            )
            .await
        } else if self.written {
            let store = database::open_existing(data).await?;
            let study = self.study(&store).await?;
            add_written(&store, study, self.import_options()?).await?
        } else {
            let open = self.opener()?;
            let store = match self.create {
                true => database::open(data).await?,
                false => database::open_existing(data).await?,
            };
            if self.dry_run {
                let summary = self.summary(&store, open).await?;
                return output.print(&summary, || summary_lines(&summary));
            }
            self.import_rows(&store, open).await?
        };

        match outcome {
            Ok(report) if report.rows > 0 && report.bad == report.rows => {
                let bad_rows = list_bad_rows(&report.bad_rows);
                bail!("no row of the file could be imported:{bad_rows}")
            }
            Ok(report) => output.print(&report, || report_lines(&report)),
            Err(ImportFailure::Strict(report)) => {
                let bad_rows = list_bad_rows(&report.bad_rows);
                bail!("{}{bad_rows}", ImportFailure::Strict(report))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    async fn study(&self, store: &Store) -> anyhow::Result<Study> {
        if self.create && store.study_by_slug(&self.study).await?.is_none() {
            let new = NewStudy {
                id: StudyId(clock::new_id()),
                slug: &self.study,
                name: self.study.as_str(),
                settings: &StudySettings::default(),
                guidelines: "",
                lead: None,
            };

            let subject = AuditSubject::Named(new.name.to_owned());
            store
                .audited(command_entry(
                    AuditKind::StudyCreated,
                    Some(new.id),
                    subject,
                ))
                .create_study(&new, clock::now_ms())
                .await?;
        }

        super::study::find_study(store, &self.study).await
    }
}

/// Bad rows, one a line, with repeats of one kind folded.
fn list_bad_rows(bad_rows: &[BadRow]) -> String {
    let reasons: Vec<_> = bad_rows.iter().map(ToString::to_string).collect();
    let lines = fold_repeats(&reasons).into_iter();
    lines.map(|line| format!("\n  {line}")).collect()
}

/// Records in the log of changes that an import begins.
async fn record_begin(store: &Store, study: StudyId, names: &[String]) -> store::Result<()> {
    let subject = AuditSubject::Named(names.join(", "));
    let entry = command_entry(AuditKind::ImportBegun, Some(study), subject);
    store.record_audit(entry).await
}
