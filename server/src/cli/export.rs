use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, bail};
use clap::{CommandFactory as _, error::ErrorKind};
use domain::study::Slug;
use formats::Cells;
use learn::aligner::Aligner;
use serde::Serialize;
use store::{Study, ratings::Which};
use tempfile::NamedTempFile;

use super::{Cli, output::print, study::named};
use crate::{
    aligner, clock, database,
    export::{About, Asked, Edits, Exporting, Format, Part},
    settings::{DataSettings, EncoderSettings},
};

/// Takes a study's dataset out, with z-scores, rules and versions.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportOf {
    /// The study, by its short name.
    study: Slug,
    /// What to write.
    #[arg(long, value_enum)]
    format: Format,
    /// Where to: FILE and, beside it, the README and the file that names raters or metrics. By default the
    /// table alone goes to standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Take in the answers of sources in work, too, and not only of those handed in. Alignments are
    /// of those handed in alone.
    #[arg(long)]
    with_work_in_progress: bool,
    /// Put into alignments also the edits that annotators left as they were.
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
    /// The network that aligns words in alignments, as `rankrate align train` writes it; by default the
    /// one that is shipped.
    #[arg(
        long,
        env = "RANKRATE_ALIGNER",
        value_name = "FILE",
        help_heading = "Encoder"
    )]
    aligner: Option<PathBuf>,
}

/// What was written, as it is printed.
#[derive(Debug, Serialize)]
struct Written {
    study: Slug,
    format: &'static str,
    event: i64,
    outputs: u64,
    ratings: u64,
    shared_ratings: u64,
    /// Lines of alignments.
    #[serde(skip_serializing_if = "Option::is_none")]
    alignments: Option<u64>,
    /// Cells of CSV files that a spreadsheet would run as a formula unless they are guarded.
    formula_cells: u64,
    files: Vec<PathBuf>,
}

impl ExportOf {
    pub(crate) async fn run(
        self,
        json: bool,
        data: &DataSettings,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        if json && self.output.is_none() {
            let why = "--json tells what was written to files: name one with -o FILE";
            Cli::command()
                .error(ErrorKind::MissingRequiredArgument, why)
                .exit();
        }
        let files = self
            .output
            .as_deref()
            .map(|path| Files::beside(path, self.format));
        let files = files.transpose()?;
        let store = database::open(data).await?;
        let study = named(&store, &self.study).await?;
        let (aligner, now) = (Arc::new(self.aligner(encoder)?), clock::now_ms());
        let asked = self.asked(&study);
        let exporting = Exporting::begin(&store, study, asked, aligner, now).await?;
        warn(exporting.about());
        let work = move || match files {
            Some(files) => {
                let written = files.write(exporting)?;
                print(json, &written, || written.lines())
            }
            None => to_standard_output(exporting),
        };
        tokio::task::spawn_blocking(work)
            .await
            .context("writing broke off")?
    }

    /// What alignments take; other formats need none.
    fn aligner(&self, encoder: &EncoderSettings) -> anyhow::Result<Aligner> {
        if self.format != Format::Alignments {
            return Ok(Aligner::strings());
        }
        let network = self.aligner.as_deref().map(super::align::read_network);
        let (aligner, missing) = aligner::for_server(network.transpose()?, encoder);
        if let Some(missing) = missing {
            tracing::warn!("words are aligned without the encoder: {missing}");
        }
        Ok(aligner)
    }

    fn asked(&self, study: &Study) -> Asked {
        let first = study.settings.dimensions.first().cloned();
        Asked {
            format: self.format,
            which: match self.with_work_in_progress {
                true => Which::WithInWork,
                false => Which::HandedIn,
            },
            dimension: self
                .dimension
                .clone()
                .unwrap_or_else(|| first.unwrap_or_default().name),
            cells: match self.guard_cells {
                true => Cells::Guarded,
                false => Cells::Verbatim,
            },
            edits: match self.with_accepted {
                true => Edits::WithAccepted,
                false => Edits::Corrected,
            },
        }
    }
}

fn to_standard_output(mut exporting: Exporting) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    exporting
        .write(Part::Table, &mut out)
        .context("standard output")?;
    let left_out = match exporting.about().asked.format {
        Format::Simpeval2022 => "The file that names raters and the README were",
        Format::MetricScores => "The file of signatures and the README were",
        Format::SimpevalPast | Format::Jsonl | Format::Tidy | Format::Alignments => {
            "The README was"
        }
    };
    tell(&format!("{left_out} not written: use -o FILE."));
    hint_at_formulas(&exporting);
    Ok(())
}

/// Says that a spreadsheet would run cells of the file, where nothing was done about it.
fn hint_at_formulas(exporting: &Exporting) {
    let cells = match exporting.formula_cells() {
        0 => return,
        1 => "1 cell begins".to_owned(),
        cells => format!("{cells} cells begin"),
    };
    if exporting.about().asked.cells == Cells::Verbatim {
        tell(&format!(
            "{cells} like a formula (=, +, -, @): a spreadsheet would run it. Use --guard-cells for a \
             file to open in one; it is then not byte for byte what was imported."
        ));
    }
}

/// Says what is odd about an export without ratings, which could pass for a failure.
fn warn(about: &About) {
    let (facts, dimension) = (&about.facts, &about.asked.dimension);
    if facts.outputs == 0 {
        tell("The study holds no outputs to export.");
    } else if let Some(lines) = about.alignments() {
        if lines == 0 {
            tell(match facts.accepted {
                0 => "Nobody has handed in a source yet.",
                _ => "No annotator corrected an edit: see --with-accepted.",
            });
        }
    } else if about.asked.format == Format::MetricScores {
        if about.metrics.is_empty() {
            tell("The study has no metrics yet: see `rankrate score` and `import --scores`.");
        }
    } else if facts.ratings == 0 {
        let rated: Vec<_> = facts.dimensions().collect();
        tell(&match &rated[..] {
            [] => "No rating counts yet.".to_owned(),
            rated => format!(
                "Nobody rated “{dimension}”, but {}: see --dimension.",
                rated.join(", ")
            ),
        });
    }
}

fn tell(message: &str) {
    // Standard error may be closed; there is nobody left to tell then.
    let _ = writeln!(io::stderr(), "{message}");
}

/// The files of an export with their places.
struct Files {
    folder: PathBuf,
    paths: Vec<(Part, PathBuf)>,
}

impl Files {
    /// The table at `path` and the others beside it.
    fn beside(path: &Path, format: Format) -> anyhow::Result<Self> {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.with_context(|| format!("{} names no file", path.display()))?;
        let stem = name.strip_suffix(format.ending()).unwrap_or(name);
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let place = |part: &Part| match part {
            Part::Table => (*part, path.to_owned()),
            _ => (*part, path.with_file_name(part.file_name(stem, format))),
        };
        let paths: Vec<_> = format.parts().iter().map(place).collect();
        for (_, path) in &paths {
            if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
                bail!("{} is there, and is no ordinary file", path.display());
            }
        }
        Ok(Self { folder, paths })
    }

    /// Writes all of them, and only then puts them in their places, so that no half of one is ever
    /// there.
    fn write(self, mut exporting: Exporting) -> anyhow::Result<Written> {
        let mut written = vec![];
        for (part, path) in &self.paths {
            let failed = || format!("{} cannot be written", path.display());
            let mut file = self.temporary().with_context(failed)?;
            exporting.write(*part, &mut file).with_context(failed)?;
            file.as_file().sync_all().with_context(failed)?;
            written.push(file);
        }
        for (file, (_, path)) in written.into_iter().zip(&self.paths) {
            file.persist(path)
                .map_err(|error| error.error)
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        hint_at_formulas(&exporting);
        let about = exporting.about();
        let mut files: Vec<_> = self.paths.into_iter().map(|(_, path)| path).collect();
        files.reverse();
        Ok(Written {
            study: about.study.slug.clone(),
            format: about.asked.format.name(),
            event: about.event,
            outputs: about.facts.outputs,
            ratings: about.facts.ratings,
            shared_ratings: about.facts.shared,
            alignments: about.alignments(),
            formula_cells: exporting.formula_cells(),
            files,
        })
    }

    /// A file in the same folder, which may be read by whoever may read others made there.
    fn temporary(&self) -> io::Result<NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rankrate-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(&self.folder)
    }
}

impl Written {
    fn lines(&self) -> String {
        let holds = match self.alignments {
            Some(lines) => format!("{lines} alignments"),
            None => format!("{} outputs with {} ratings", self.outputs, self.ratings),
        };
        let mut text = format!("{holds}, as of event {}:", self.event);
        for file in &self.files {
            text += &format!("\n  {}", file.display());
        }
        text
    }
}
