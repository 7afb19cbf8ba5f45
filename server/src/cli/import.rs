use std::{
    fs::File,
    io::{self, BufReader, Cursor, Read, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use domain::{
    dimensions::StudyDimensions,
    ids::{ImportId, StudyId},
    metrics::ScoreDirection,
    study::{RaterKind, Slug, SourcePurpose, StudySettings, SystemKind},
};
use formats::{
    ColumnMapping, FatalReadError, FileReadOptions, FormatFamily, OpenedFile, SimplificationUse,
    StatedScales, TextFile, survey,
};
use service::import::{
    AcceptedReferences, ImportFailure, ImportOrigin, import_references, import_scores,
    import_sources,
};
use service::import::{
    ImportChoices, ImportOptions, ImportReport, ImportSummary, MatchedRowCounts, SystemKindOrigin,
};
use store::{NewStudy, Store, Study};

use super::{
    imports,
    output::CommandOutput,
    ratings::read_raters,
    references::{SimilarityThreshold, reference_lines},
};
use crate::{clock, database, settings::DataSettings};

/// Imports files into a study. Rows that exist already change nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// The study, by its short name.
    study: Slug,
    /// The files: one table, or NAME.orig with NAME.simp.0 … and one text file a system.
    #[arg(
        required_unless_present_any = ["references", "scores", "list", "undo"],
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
    /// The format of the files; by default it is detected.
    #[arg(long, value_enum)]
    format: Option<ImportFormat>,
    /// Create the study where there is none of that name.
    #[arg(long)]
    create: bool,
    /// Which column (or key) holds which field, as `output=generation`; may be repeated.
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<String>,
    /// The numbers that ratings may be, as `1..5` or, for one dimension, `simplicity=-2..2`; may be
    /// repeated. By default the format says so, or else the numbers themselves.
    #[arg(long, value_name = "[DIMENSION=]LOW..HIGH", allow_hyphen_values = true)]
    scale: Vec<String>,
    /// The kind of a new system, as `human 1=human`: machine, human or baseline; may be repeated. By
    /// default a column says so, or else its name suggests it.
    #[arg(long, value_name = "NAME=KIND")]
    kind: Vec<String>,
    /// Show what the import would add, and import nothing.
    #[arg(long, conflicts_with_all = ["references", "scores"])]
    dry_run: bool,
    /// The file that names who is behind each rating of a SimpEval file.
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
            let store = database::open(data).await?;
            let study = self.study(&store).await?;
            return match self.undo {
                None => imports::list(&store, &study, output).await,
                Some(import) => imports::undo(&store, &study, import, output).await,
            };
        }
        let outcome = if let Some(path) = &self.references {
            let files = text_files(path)?;
            let store = database::open(data).await?;
            let study = self.study(&store).await?.id;
            let open = move || formats::open_references(files);
            let origin = origin(std::slice::from_ref(path));
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
            let (name, input) = (file_name(path), open_file(path)?);
            let store = database::open(data).await?;
            let study = self.study(&store).await?.id;
            let open = move || formats::open_scores(input);
            let choices = ImportChoices {
                directions: directions(&self.lower_is_better, &self.higher_is_better),
                ..ImportChoices::default()
            };
            check_named(&choices, &formats::open_scores(open_file(path)?)?.names)?;
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
        } else {
            let open = self.opener()?;
            let store = database::open(data).await?;
            let summary = self.summary(&store, &open).await?;
            if self.dry_run {
                return output.print(&summary, || summary_lines(&summary, "would add"));
            }
            // Before anything is stored, and beside what is printed at the end.
            let _ = writeln!(io::stderr(), "{}", summary_lines(&summary, "adds"));
            self.import_rows(&store, open).await?
        };
        match outcome {
            Ok(report) => output.print(&report, || report_lines(&report)),
            Err(ImportFailure::Strict(report)) => {
                let bad: Vec<_> = report
                    .bad_rows
                    .iter()
                    .map(|bad| format!("\n  {bad}"))
                    .collect();
                bail!("{}{}", ImportFailure::Strict(report), bad.concat())
            }
            Err(failure) => Err(failure.into()),
        }
    }

    async fn import_rows(
        &self,
        store: &Store,
        open: impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    ) -> anyhow::Result<Result<ImportReport, ImportFailure>> {
        let options = ImportOptions {
            purpose: self.purpose,
            raters: RaterKind::Imported,
            strict: self.strict,
            kinds: self.kinds()?,
        };
        let origin = origin(&self.files);
        let study = self.study(store).await?;
        Ok(import_sources(
            store,
            clock::CONTEXT,
            study,
            open,
            options,
            origin,
            Arc::default(),
        )
        .await)
    }

    /// A preview of what the files would add to the study, which need not exist yet.
    async fn summary(
        &self,
        store: &Store,
        open: &(impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Sync),
    ) -> anyhow::Result<ImportSummary> {
        let kinds = self.kinds()?;
        let survey_result = tokio::task::block_in_place(|| survey(open()?, |_| true))?;
        let is_new = self.create && store.study_by_slug(&self.study).await?.is_none();
        let (dimensions, systems) = if is_new {
            (StudyDimensions::new(&StudySettings::default()), vec![])
        } else {
            let study = super::study::find_study(store, &self.study).await?;
            (
                store.study_dimensions(study.id, &study.settings).await?,
                store.systems(study.id).await?,
            )
        };
        let systems = systems
            .into_iter()
            .map(|system| (system.name, system.kind))
            .collect();
        Ok(ImportSummary::new(
            &survey_result,
            &dimensions,
            &systems,
            &kinds,
        ))
    }

    /// The kinds of systems that were stated.
    fn kinds(&self) -> anyhow::Result<Vec<(String, SystemKind)>> {
        let stated = self.kind.iter().map(|pair| {
            let parts = pair.rsplit_once('=');
            let (name, kind) = parts.with_context(|| {
                format!("“{pair}” names no kind: write NAME=KIND, such as “human 1=human”")
            })?;
            Ok((name.to_owned(), kind.parse()?))
        });
        stated.collect()
    }

    /// Checks what can be checked before a database is touched, and defers the reading itself.
    fn opener(
        &self,
    ) -> anyhow::Result<
        impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + Sync + use<>,
    > {
        let mut mapping = ColumnMapping::parse(&self.map)?;
        mapping.scales = StatedScales::parse(&self.scale)?;
        let reading = FileReadOptions {
            family: match self.format {
                None => FormatFamily::Any,
                Some(ImportFormat::Simpeval) => FormatFamily::SimpEval,
                Some(ImportFormat::Asset) => FormatFamily::Asset,
                Some(ImportFormat::Jsonl) => FormatFamily::Jsonl,
                Some(ImportFormat::Csv) => FormatFamily::Csv,
            },
            mapping,
            raters: self.raters.as_deref().map(read_raters).transpose()?,
        };
        let simplifications = match self.simplifications_as_outputs {
            true => SimplificationUse::Outputs,
            false => SimplificationUse::References,
        };
        let mut files = Vec::new();
        for path in &self.files {
            files.push((file_name(path), ReopenableFile::new(path)?));
        }
        let texts = files.iter().any(|(name, _)| name.ends_with(".orig"));
        if !texts && files.len() > 1 {
            bail!(
                "several files go together only as texts, one of them NAME.orig: import tables one by one"
            );
        }
        Ok(move || {
            if texts {
                let text = |(name, file): &(String, ReopenableFile)| {
                    let input = file.open()?;
                    Ok::<_, FatalReadError>(TextFile {
                        name: name.clone(),
                        input,
                    })
                };
                let files = files.iter().map(text).collect::<Result<_, _>>()?;
                return formats::open_texts(files, simplifications);
            }
            let (_, file) = &files[0];
            formats::open(file.open()?, reading.clone())
        })
    }

    async fn study(&self, store: &Store) -> anyhow::Result<Study> {
        if self.create && store.study_by_slug(&self.study).await?.is_none() {
            let new = NewStudy {
                id: StudyId(clock::new_id()),
                slug: &self.study,
                name: self.study.as_str(),
                settings: &StudySettings::default(),
                lead: None,
            };
            store.create_study(&new, clock::now_ms()).await?;
        }
        super::study::find_study(store, &self.study).await
    }
}

/// A file that is read more than once; what is no plain file, such as a pipe, is kept in memory.
enum ReopenableFile {
    File(PathBuf),
    Memory(Arc<[u8]>),
}

impl ReopenableFile {
    fn new(path: &Path) -> anyhow::Result<Self> {
        let mut file = open_file(path)?;
        if path.is_file() {
            return Ok(Self::File(path.to_owned()));
        }
        let mut bytes = vec![];
        let read = file.read_to_end(&mut bytes);
        read.with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(Self::Memory(bytes.into()))
    }

    fn open(&self) -> Result<Box<dyn Read + Send>, FatalReadError> {
        Ok(match self {
            Self::File(path) => Box::new(BufReader::new(File::open(path)?)),
            Self::Memory(bytes) => Box::new(Cursor::new(Arc::clone(bytes))),
        })
    }
}

/// The files of references at `path`: those of a folder that are texts, or one table.
pub(super) fn text_files(path: &Path) -> anyhow::Result<Vec<TextFile<'static>>> {
    let unread = || format!("{} cannot be opened", path.display());
    let mut paths = vec![path.to_owned()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).with_context(unread)?;
        let all: Result<Vec<_>, _> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect();
        paths = all.with_context(unread)?;
        paths.retain(|path| {
            let name = file_name(path);
            let ends = [".orig", ".src", ".dst"]
                .iter()
                .any(|end| name.ends_with(end));
            ends || name.contains(".simp.")
        });
        paths.sort();
    }
    let open = |path: &PathBuf| {
        Ok(TextFile {
            name: file_name(path),
            input: Box::new(open_file(path)?),
        })
    };
    paths.iter().map(open).collect()
}

/// The origin of an import, as it is stored.
fn origin(paths: &[PathBuf]) -> ImportOrigin {
    ImportOrigin {
        person: None,
        names: paths.iter().map(|path| file_name(path)).collect(),
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn open_file(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(BufReader::new(file))
}

/// The directions that the command line names.
pub(super) fn directions(lower: &[String], higher: &[String]) -> Vec<(String, ScoreDirection)> {
    let each = |names: &[String], direction| {
        let named = names.iter().map(|name| (name.clone(), direction));
        named.collect::<Vec<_>>()
    };
    let lower = each(lower, ScoreDirection::LowerIsBetter);
    [lower, each(higher, ScoreDirection::HigherIsBetter)].concat()
}

/// Rejects a direction for a metric that the file does not have: it would change nothing.
fn check_named(choices: &ImportChoices, names: &[Arc<str>]) -> anyhow::Result<()> {
    for (name, _) in &choices.directions {
        if !names.iter().any(|metric_name| **metric_name == **name) {
            bail!(
                "the file has no scores of “{name}”; there are: {}",
                names.join(", ")
            );
        }
    }
    Ok(())
}

fn report_lines(report: &ImportReport) -> String {
    let new = report.new;
    let mut text = format!(
        "{}: {} rows; new are {} sources, {} references, {} systems, {} outputs, {} raters and {} \
         ratings",
        report.format,
        report.rows,
        new.sources,
        new.references,
        new.systems,
        new.outputs,
        new.raters,
        new.answers,
    );
    if report.scores > 0 {
        text += &format!(
            "\n{} scores have no rater: they are kept, and enter no figure",
            report.scores
        );
    }
    for dimension in &report.dimensions {
        let (name, scale) = (&dimension.name, dimension.scale);
        text += &format!("\nnew dimension: {name}, from {scale}");
    }
    if let Some(MatchedRowCounts { matched, unmatched }) = report.matched {
        text += &format!("\n{matched} rows belong to what is in the study, {unmatched} do not");
    }
    if let Some(summary) = &report.references {
        for line in reference_lines(summary) {
            text += &format!("\n{line}");
        }
    }
    if report.bad > 0 {
        text += &format!("\n{} rows were left out:", report.bad);
    }
    for bad in &report.bad_rows {
        text += &format!("\n  {bad}");
    }
    for note in &report.notes {
        text += &format!("\n{note}");
    }
    text
}

/// How many systems are listed before an import.
const MAX_LISTED: usize = 60;

/// The lines about what an import would add.
fn summary_lines(summary: &ImportSummary, verb: &str) -> String {
    let mut text = format!("The file {verb} {} rows", summary.rows - summary.bad);
    if summary.bad > 0 {
        text += &format!(" ({} more are bad)", summary.bad);
    }
    for entry in &summary.dimensions {
        let new = if entry.created { "new" } else { "in the study" };
        let (name, scale, ratings) = (&entry.dimension.name, entry.dimension.scale, entry.ratings);
        text += &format!("\n  dimension {name}, from {scale} ({new}): {ratings} ratings");
    }
    if summary.without_rater > 0 {
        text += &format!(
            "\n  {} numbers without a rater, which enter no figure",
            summary.without_rater
        );
    }
    for system in summary.systems.iter().take(MAX_LISTED) {
        let from = match system.from {
            SystemKindOrigin::Study => "in the study",
            SystemKindOrigin::Column => "by its column",
            SystemKindOrigin::Person => "as stated",
            SystemKindOrigin::Guess => "a guess by its name",
        };
        text += &format!("\n  system {}: {} ({from})", system.name, system.kind);
    }
    if let Some(more) = summary.systems.len().checked_sub(MAX_LISTED + 1) {
        text += &format!("\n  and {} more systems", more + 1);
    }
    if let Some(reason) = &summary.refused {
        text += &format!("\nThe import would be refused: {reason}");
    }
    text
}
