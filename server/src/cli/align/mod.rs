//! Aligning words from the command line, and training and measuring aligners.

mod eval;
mod pairs;
mod train;
mod write;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};
use domain::text::align::{AlignerGrade, grid::AlignmentStyle};
use learn::aligner::{Aligner, AlignerModel};

use self::{pairs::AlignInputArgs, write::AlignFormat};
pub(super) use self::{
    train::AlignTrainReport,
    write::{PairEdits, PairLinks},
};
use super::{
    input_file::{is_standard_stream, read_bytes, shown},
    output::CommandOutput,
    whole_file::save,
};
use crate::{
    aligner::{open_aligner, open_encoder},
    settings::EncoderSettings,
};

/// Aligns the words of sources and outputs that correspond to each other.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AlignArgs {
    #[command(subcommand)]
    command: Option<AlignCommand>,
    #[command(flatten)]
    input: AlignInputArgs,
    /// The format of the line for each pair.
    #[arg(long, value_enum, default_value = "pharaoh")]
    format: AlignFormat,
    #[command(flatten)]
    by: AlignerArgs,
    /// The file to write; by default standard output.
    #[arg(short, long, alias = "output-to", value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum AlignCommand {
    /// Train a network on alignments made by people.
    Train(train::AlignTrainArgs),
    /// Measure an aligner on alignments made by people.
    Eval(eval::AlignEvalArgs),
}

/// The choice of the aligner.
#[derive(Debug, Args)]
struct AlignerArgs {
    /// The quality of the aligner; by default the best that the installed models allow.
    #[arg(long, value_enum)]
    grade: Option<GradeName>,
    /// Your own network, as `align train` writes it.
    #[arg(long, alias = "network", value_name = "FILE", conflicts_with = "grade")]
    aligner: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GradeName {
    /// Equal and similar words and their neighbourhood; no model.
    String,
    /// A network over letters and places.
    Grid,
    /// A network over word vectors, too.
    Encoder,
}

/// The unit in which people aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StyleName {
    /// Word by word, as in MultiMWA's Wiki.
    Word,
    /// Phrase by phrase, as in MultiMWA's MTRef.
    Phrasal,
}

impl From<GradeName> for AlignerGrade {
    fn from(name: GradeName) -> Self {
        match name {
            GradeName::String => Self::String,
            GradeName::Grid => Self::Grid,
            GradeName::Encoder => Self::Encoder,
        }
    }
}

impl From<StyleName> for AlignmentStyle {
    fn from(name: StyleName) -> Self {
        match name {
            StyleName::Word => Self::Word,
            StyleName::Phrasal => Self::Phrasal,
        }
    }
}

impl AlignArgs {
    pub(crate) fn run(
        self,
        mut output: CommandOutput,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        match self.command {
            Some(AlignCommand::Train(train)) => train.run(output, encoder),
            Some(AlignCommand::Eval(eval)) => eval.run(output, encoder),
            None => {
                let aligner = self.by.open(encoder)?;
                let pairs = self.input.read()?;
                let output_file = self.output.filter(|path| !is_standard_stream(path));
                match &output_file {
                    None => write::write(&aligner, &pairs, self.format, output.writer()),
                    Some(path) => save(path, |file| {
                        write::write(&aligner, &pairs, self.format, file)
                    }),
                }
            }
        }
    }
}

impl AlignerArgs {
    /// Opens the aligner, with a warning if the encoder is missing.
    fn open(&self, encoder: &EncoderSettings) -> anyhow::Result<Aligner> {
        let network = self.aligner.as_deref().map(read_network).transpose()?;
        let grade = self.grade.map(Into::into);
        let (aligner, missing) = open_aligner(grade, network, || open_encoder(encoder))?;
        if let Some(missing) = missing {
            tracing::warn!("words are aligned without the encoder: {missing}");
        }
        Ok(aligner)
    }
}

/// Reads a network that `align train` wrote.
pub(super) fn read_network(path: &Path) -> anyhow::Result<AlignerModel> {
    let file = read_bytes(path).with_context(|| format!("{} cannot be read", shown(path)))?;
    AlignerModel::read(&file).with_context(|| format!("{} was not taken", shown(path)))
}
