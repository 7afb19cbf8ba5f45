use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use clap::{
    CommandFactory as _,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
    error::ErrorKind,
};
use domain::study::Slug;
use formats::FormulaEscaping;
use learn::aligner::Aligner;
use serde::Serialize;
use service::{
    export::{
        AlignmentEdits, DatasetLanguages, DatasetLicense, DatasetOptions, ExportContext,
        ExportFile, ExportFormat, ExportRequest, ExportTools, StudyExport,
    },
    live::LiveStudies,
    wording::{count_noun, list_words},
};
use store::{
    Study,
    audit::{AuditKind, AuditSubject},
    rating_rows::RatingScope,
};
use utoipa::ToSchema;

use super::{
    CliArgs,
    input_file::is_standard_stream,
    output::CommandOutput,
    study::find_study,
    whole_file::{create_temporary, require_ordinary},
};
use crate::{
    aligner,
    audit::command_entry,
    clock, database,
    metrics::MetricResources,
    settings::{DataSettings, EncoderSettings},
};

/// Exports a study's dataset, with z-scores, rules and versions.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    /// The study, by its short name.
    study: Slug,
    /// The format to write.
    #[arg(long, value_parser = format_parser())]
    format: ExportFormat,
    /// The file to write. The README and the file that names raters or metrics are written beside it. By
    /// default the table alone goes to standard output. A dataset is written into a folder: name an empty
    /// one, one with an earlier dataset, or one that does not exist yet.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Include sources still in progress, not only submitted ones. Alignments are always of submitted ones.
    #[arg(long, alias = "with-work-in-progress")]
    in_work: bool,
    /// Take the answers on which the raters of a source agreed, in place of their own.
    #[arg(long, conflicts_with = "in_work")]
    consensus: bool,
    /// Include in alignments the edits that annotators left unchanged.
    #[arg(long)]
    with_accepted: bool,
    /// The dimension of the ratings in a SimpEval table, by default the study's first; `tidy` and `jsonl`
    /// have all.
    #[arg(long, value_name = "NAME")]
    dimension: Option<String>,
    /// Put a ' before cells that a spreadsheet would run as a formula. The file is then safe to open in
    /// one, but no longer byte for byte what was imported.
    #[arg(long)]
    guard_cells: bool,
    /// The licence that the card of a dataset names, such as `cc-by-4.0`. Without one, the card says that
    /// none was given.
    #[arg(long, value_name = "NAME")]
    license: Option<DatasetLicense>,
    /// The languages of a dataset's texts: codes of ISO 639 with commas between them.
    #[arg(long, value_name = "CODES", default_value_t)]
    language: DatasetLanguages,
    /// The network that aligns words in alignments, as `rankrate align train` writes it; by default the
    /// shipped one.
    #[arg(
        long,
        env = "RANKRATE_ALIGNER",
        value_name = "FILE",
        help_heading = "Encoder"
    )]
    aligner: Option<PathBuf>,
}

/// Offers the formats by their names.
fn format_parser() -> impl TypedValueParser<Value = ExportFormat> {
    let possible = ExportFormat::ALL
        .map(|format| PossibleValue::new(format.name()).help(format.description()));
    PossibleValuesParser::new(possible)
        .map(|name| ExportFormat::from_name(&name).expect("clap lets only these names pass"))
}

/// The written files, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ExportReport {
    /// Its short name.
    study: Slug,
    /// The format.
    format: &'static str,
    /// The number of the study's newest event at that time.
    event: i64,
    /// The number of outputs.
    outputs: u64,
    /// The number of ratings.
    ratings: u64,
    /// Those given to an identical output of the same source.
    shared_ratings: u64,
    /// Lines of alignments.
    #[serde(skip_serializing_if = "Option::is_none")]
    alignments: Option<u64>,
    /// The number of comparisons.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparisons: Option<u64>,
    /// Answers to questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<u64>,
    /// Simplifications that annotators wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    written_texts: Option<u64>,
    /// Judgements of outputs with marked spans.
    #[serde(skip_serializing_if = "Option::is_none")]
    marked_outputs: Option<u64>,
    /// Cells of CSV files that a spreadsheet would run as a formula unless they are guarded.
    formula_cells: u64,
    /// The files that were written.
    #[schema(value_type = Vec<String>)]
    files: Vec<PathBuf>,
}

impl ExportArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        let place = self.output.as_deref();
        let place = place.filter(|path| !is_standard_stream(path));
        if place.is_none() && (output.is_json() || self.format.is_folder()) {
            let why = match self.format.is_folder() {
                true => "a dataset is several files: name a folder with -o FOLDER",
                false => "--json tells what was written to files: name one with -o FILE",
            };
            CliArgs::command()
                .error(ErrorKind::MissingRequiredArgument, why)
                .exit();
        }

        let files = place.map(|path| self.place_files(path));
        let files = files.transpose()?;

        let store = database::open_existing(data).await?;
        let study = find_study(&store, &self.study).await?;
        let (aligner, now) = (Arc::new(self.open_aligner(encoder)?), clock::now_ms());
        let request = self.request(&study);
        let subject = AuditSubject::Named(self.format.name().to_owned());
        let entry = command_entry(AuditKind::Exported, Some(study.id), subject);
        let tools = ExportTools {
            aligner: aligner::word_aligner(aligner),
            word_ranks: Arc::new(MetricResources::new(encoder)).word_ranks(),
        };

        // The study leaves memory before its files are written.
        let live = LiveStudies::new(clock::now_ms);
        let exporting = StudyExport::begin(&store, &live, study, request, tools, now).await?;
        drop(live);
        store.record_audit(entry).await?;
        warn_of_missing_ratings(exporting.context());

        let write = move || match files {
            Some(files) => {
                let report = files.write(exporting)?;
                output.print(&report, || report.lines())
            }
            None => write_table(exporting, output.writer()),
        };

        tokio::task::spawn_blocking(write)
            .await
            .context("writing broke off")?
    }

    /// The paths of the files. Exits with a usage error if the folder holds other files.
    fn place_files(&self, path: &Path) -> anyhow::Result<ExportPaths> {
        if !self.format.is_folder() {
            return ExportPaths::beside(path, self.format);
        }
        let paths = ExportPaths::in_folder(path, self.format);
        if let Some(other) = paths.other_file()? {
            let why = format!(
                "{} holds other files, such as {other}: name an empty folder",
                path.display()
            );
            CliArgs::command().error(ErrorKind::Io, why).exit();
        }
        Ok(paths)
    }

    /// Opens the aligner for alignments; other formats do not need one.
    fn open_aligner(&self, encoder: &EncoderSettings) -> anyhow::Result<Aligner> {
        if self.format != ExportFormat::Alignments {
            return Ok(Aligner::strings());
        }
        let network = self.aligner.as_deref().map(super::align::read_network);
        let open_encoder = || aligner::open_encoder(encoder);
        let (aligner, missing) = aligner::open_server_aligner(network.transpose()?, open_encoder);
        if let Some(missing) = missing {
            tracing::warn!("words are aligned without the encoder: {missing}");
        }
        Ok(aligner)
    }

    fn request(&self, study: &Study) -> ExportRequest {
        let first = study.settings.dimensions.first().cloned();

        ExportRequest {
            format: self.format,
            which: match (self.consensus, self.in_work) {
                (true, _) => RatingScope::Consensus,
                (false, true) => RatingScope::IncludingOpen,
                (false, false) => RatingScope::HandedIn,
            },
            dimension: self
                .dimension
                .clone()
                .unwrap_or_else(|| first.unwrap_or_default().name),
            cells: match self.guard_cells {
                true => FormulaEscaping::Guarded,
                false => FormulaEscaping::Verbatim,
            },
            edits: match self.with_accepted {
                true => AlignmentEdits::WithAccepted,
                false => AlignmentEdits::Corrected,
            },
            dataset: DatasetOptions {
                license: self.license.clone(),
                languages: self.language.clone(),
            },
        }
    }
}

/// Writes the table alone to standard output.
fn write_table(mut exporting: StudyExport, out: &mut (dyn io::Write + Send)) -> anyhow::Result<()> {
    exporting
        .write(ExportFile::Table, out)
        .context("standard output")?;

    let context = exporting.context();
    let files = context.request.format.files().iter().rev();
    let left_out = files.filter(|file| context.includes(**file));
    let left_out: Vec<_> = left_out.filter_map(|file| describe_file(*file)).collect();
    let verb = if left_out.len() == 1 { "was" } else { "were" };
    let left_out = left_out.join(" and the ");
    print_message(&format!("The {left_out} {verb} not written: use -o FILE."));
    warn_of_formulas(&exporting);
    Ok(())
}

/// The description of a file that is written next to the table.
fn describe_file(file: ExportFile) -> Option<&'static str> {
    match file {
        ExportFile::Table
        | ExportFile::Ratings
        | ExportFile::Outputs
        | ExportFile::Comparisons
        | ExportFile::Spans
        | ExportFile::Answers => None,
        ExportFile::Raters => Some("file that names raters"),
        ExportFile::Signatures => Some("file of signatures"),
        ExportFile::Unjudged => Some("file of outputs that could not be judged"),
        ExportFile::Readme => Some("README"),
    }
}

/// Warns of unguarded cells that a spreadsheet would run as formulas.
fn warn_of_formulas(exporting: &StudyExport) {
    let cells = match exporting.formula_cells() {
        0 => return,
        1 => "1 cell begins".to_owned(),
        cells => format!("{cells} cells begin"),
    };
    if exporting.context().request.cells == FormulaEscaping::Verbatim {
        print_message(&format!(
            "{cells} like a formula (=, +, -, @): a spreadsheet would run it. Use --guard-cells for a \
             file to open in one; it is then not byte for byte what was imported."
        ));
    }
}

/// Explains an export without ratings, which could look like a failure.
fn warn_of_missing_ratings(about: &ExportContext) {
    let (facts, dimension) = (&about.summary, &about.request.dimension);

    if about.request.format == ExportFormat::Written {
        // Sources need no outputs for it.
    } else if facts.outputs == 0 {
        print_message("The study holds no outputs to export.");
    } else if let Some(lines) = about.alignment_lines() {
        if lines == 0 {
            print_message(match facts.accepted_edits {
                0 => "Nobody has submitted a source yet.",
                _ => "No annotator corrected an edit: see --with-accepted.",
            });
        }
    } else if about.request.format == ExportFormat::MetricScores {
        if about.metrics.is_empty() {
            print_message(
                "The study has no metrics yet: see `rankrate score` and `import --scores`.",
            );
        }
    } else if !has_other_answers(about.request.format) && facts.ratings == 0 {
        let rated_dimensions: Vec<_> = facts.dimensions().collect();
        print_message(&match &rated_dimensions[..] {
            [] => "No rating counts yet.".to_owned(),
            rated => format!(
                "Nobody rated “{dimension}”, but {}: see --dimension.",
                rated.join(", ")
            ),
        });
    }
}

/// Whether a format has answers other than ratings.
const fn has_other_answers(format: ExportFormat) -> bool {
    matches!(
        format,
        ExportFormat::Comparisons
            | ExportFormat::Answers
            | ExportFormat::Spans
            | ExportFormat::Thresh
            | ExportFormat::Dataset
    )
}

fn print_message(message: &str) {
    // The message is lost if standard error is closed.
    let _ = writeln!(io::stderr(), "{message}");
}

/// The files of an export with their paths.
struct ExportPaths {
    folder: PathBuf,
    paths: Vec<(ExportFile, PathBuf)>,
}

impl ExportPaths {
    /// The table at `path`, and the other files next to it.
    fn beside(path: &Path, format: ExportFormat) -> anyhow::Result<Self> {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| format!("{} names no file", path.display()))?;
        let stem = name.strip_suffix(format.extension()).unwrap_or(name);
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };

        let place = |part: &ExportFile| match part {
            ExportFile::Table => (*part, path.to_owned()),
            _ => (*part, path.with_file_name(part.file_name(stem, format))),
        };
        let paths: Vec<_> = format.files().iter().map(place).collect();
        for (_, path) in &paths {
            require_ordinary(path)?;
        }
        Ok(Self { folder, paths })
    }

    /// All files of the format, in a folder.
    fn in_folder(folder: &Path, format: ExportFormat) -> Self {
        let place = |part: &ExportFile| (*part, folder.join(part.file_name("", format)));
        Self {
            folder: folder.to_owned(),
            paths: format.files().iter().map(place).collect(),
        }
    }

    /// The name of a foreign file in the folder, if there is one. Hidden files, such as those of Git, do not count.
    fn other_file(&self) -> anyhow::Result<Option<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let failed = format!("{} cannot be read as a folder", self.folder.display());
                return Err(error).context(failed);
            }
        };

        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_ours = self.paths.iter().any(|(_, path)| *path == entry.path());
            let is_file = entry.file_type()?.is_file();
            let is_expected = name.starts_with('.') || (is_ours && is_file);
            if !is_expected {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Writes all files before it moves any to its place, so that no half-written file is ever there.
    fn write(mut self, mut exporting: StudyExport) -> anyhow::Result<ExportReport> {
        let context = exporting.context();
        let is_folder = context.request.format.is_folder();
        if is_folder {
            fs::create_dir_all(&self.folder)
                .with_context(|| format!("{} cannot be made", self.folder.display()))?;
        }

        let (included, left_out): (Vec<_>, _) = std::mem::take(&mut self.paths)
            .into_iter()
            .partition(|(part, _)| context.includes(*part));
        self.paths = included;

        let mut written_files = vec![];
        for (part, path) in &self.paths {
            let failed = || format!("{} cannot be written", path.display());
            let mut file = create_temporary(&self.folder).with_context(failed)?;
            exporting.write(*part, &mut file).with_context(failed)?;
            file.as_file().sync_all().with_context(failed)?;
            written_files.push(file);
        }

        for (file, (_, path)) in written_files.into_iter().zip(&self.paths) {
            file.persist(path)
                .map_err(|error| error.error)
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        if is_folder {
            remove_earlier(left_out)?;
        }
        warn_of_formulas(&exporting);

        let about = exporting.context();
        let mut files: Vec<_> = self.paths.into_iter().map(|(_, path)| path).collect();
        files.reverse();

        Ok(ExportReport {
            study: about.study.slug.clone(),
            format: about.request.format.name(),
            event: about.event,
            outputs: about.summary.outputs,
            ratings: about.summary.ratings,
            shared_ratings: about.summary.shared,
            alignments: about.alignment_lines(),
            comparisons: exporting.comparisons(),
            answers: exporting.answers(),
            written_texts: exporting.written_texts(),
            marked_outputs: exporting.marked_outputs(),
            formula_cells: exporting.formula_cells(),
            files,
        })
    }
}

/// Removes files of an earlier export that this one lacks, since the dataset's card would not describe them.
fn remove_earlier(files: Vec<(ExportFile, PathBuf)>) -> anyhow::Result<()> {
    for (_, path) in files {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be removed", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

impl ExportReport {
    fn lines(&self) -> String {
        let holds = match (self.alignments, self.comparisons, self.marked_outputs) {
            (_, Some(comparisons), Some(marked)) => {
                let others = [
                    (comparisons, "comparison"),
                    (marked, "judgement of spans"),
                    (self.answers.unwrap_or_default(), "answer"),
                ];
                let others = others.into_iter().filter(|(count, _)| *count > 0);
                let count = |count: u64, noun| count_noun(count as usize, noun);
                let answers = std::iter::once((self.ratings, "rating")).chain(others);
                let answers: Vec<_> = answers.map(|(number, noun)| count(number, noun)).collect();
                format!("{} outputs with {}", self.outputs, list_words(&answers))
            }
            (Some(lines), ..) => format!("{lines} alignments"),
            (_, Some(comparisons), _) => format!("{comparisons} comparisons"),
            (_, _, Some(marked)) => format!("marks of {marked} outputs, one annotator each"),
            (None, None, None) if self.written_texts.is_some() => count_noun(
                self.written_texts.unwrap_or_default() as usize,
                "written text",
            ),
            (None, None, None) if self.answers.is_some() => {
                count_noun(self.answers.unwrap_or_default() as usize, "answer")
            }
            (None, None, None) => format!("{} outputs with {} ratings", self.outputs, self.ratings),
        };

        let mut text = format!("{holds}, as of event {}:", self.event);
        for file in &self.files {
            text += &format!("\n  {}", file.display());
        }
        text
    }
}
