use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use domain::text::align::grid::AlignmentStyle;
use learn::aligner::{
    Aligner, AlignerExample, AlignerNetworkSize, AlignerProgress, AlignerTrainingOptions,
    continue_training, train,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{GradeName, pairs::read_gold_pairs, read_network};
use crate::{
    aligner,
    cli::{
        input_args::TextArgs,
        output::CommandOutput,
        whole_file::{file_place, save},
    },
    settings::EncoderSettings,
};

/// Trains a network on alignments made by people.
#[derive(Debug, clap::Args)]
pub(super) struct AlignTrainArgs {
    /// Files in the shape of MultiMWA whose links are word by word: Wiki's, and corrections that
    /// `rankrate export --format alignments` took out of studies.
    #[arg(value_name = "FILE", required_unless_present = "phrasal")]
    files: Vec<PathBuf>,
    /// Files whose links are phrase by phrase: MTRef's.
    #[arg(long, value_name = "FILE")]
    phrasal: Vec<PathBuf>,
    /// The folder that receives the network, `network.safetensors`.
    #[arg(short, long, alias = "out", value_name = "DIR", value_parser = file_place())]
    output: PathBuf,
    /// The random seed.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    seed: u64,
    /// Whether the network gets word vectors; `string` has no network.
    #[arg(long, value_enum, default_value = "encoder")]
    grade: GradeName,
    /// A network to continue from: `shipped`, or a file of this command. A study's corrections are too few
    /// to train one from scratch.
    #[arg(long, value_name = "shipped|FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
}

/// The network that was trained.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct AlignTrainReport<'a> {
    /// The file of the aligner.
    #[schema(value_type = String)]
    network: &'a Path,
    /// The number of pairs of texts.
    pairs: usize,
    /// The number of weights.
    weights: usize,
    /// The version of the aligner.
    version: u32,
    /// The encoder that it needs; null for none.
    encoder: Option<&'a str>,
    /// The random seed.
    seed: u64,
    /// The number of epochs.
    epochs: usize,
}

impl AlignTrainArgs {
    pub(super) fn run(
        self,
        mut output: CommandOutput,
        settings: &EncoderSettings,
    ) -> anyhow::Result<()> {
        let start = self.initial_aligner(settings)?;
        let examples = self.read_examples(&start)?;
        let training = match start.network() {
            Some(network) => AlignerTrainingOptions::for_corrections(network, self.seed),
            None => self.options_from_scratch(start.encoder()),
        };

        let on_progress = |progress| {
            print_progress(progress);
            true
        };
        let network = match start.network() {
            Some(network) => continue_training(network, &examples, &training, on_progress),
            None => train(&examples, &training, on_progress),
        };

        fs::create_dir_all(&self.output)
            .with_context(|| format!("{} cannot be made", self.output.display()))?;
        let path = self.output.join("network.safetensors");
        save(&path, |file| Ok(file.write_all(&network.write())?))?;

        let report = AlignTrainReport {
            network: &path,
            pairs: examples.len(),
            weights: network.weights(),
            version: network.card().version,
            encoder: training.encoder.as_deref(),
            seed: self.seed,
            epochs: training.epochs,
        };
        output.print(&report, || {
            format!("{} pairs made {}", examples.len(), path.display())
        })
    }

    fn options_from_scratch(&self, encoder: Option<&str>) -> AlignerTrainingOptions {
        let (size, epochs) = match encoder {
            Some(_) => (ENCODER_SIZE, 10),
            None => (GRID_SIZE, 7),
        };
        AlignerTrainingOptions {
            size,
            epochs,
            batch: 12,
            learning_rate: 3e-3,
            seed: self.seed,
            encoder: encoder.map(str::to_owned),
        }
    }

    /// The aligner that training starts from: untrained, or with the network to continue.
    fn initial_aligner(&self, settings: &EncoderSettings) -> anyhow::Result<Aligner> {
        anyhow::ensure!(
            self.grade != GradeName::String,
            "the string grade has no network to train"
        );
        let (grade, network) = match &self.from {
            Some(name) if name.as_os_str() == "shipped" => (Some(self.grade.into()), None),
            Some(path) => (None, Some(read_network(path)?)),
            None if self.grade == GradeName::Encoder => {
                return Ok(Aligner::untrained(Some(aligner::open_encoder(settings)?)));
            }
            None => return Ok(Aligner::untrained(None)),
        };

        let encoder = || aligner::open_encoder(settings);
        Ok(aligner::open_aligner(grade, network, encoder)?.0)
    }

    fn read_examples(&self, start: &Aligner) -> anyhow::Result<Vec<AlignerExample>> {
        let mut examples = Vec::new();
        for (files, style) in [
            (&self.phrasal, AlignmentStyle::Phrasal),
            (&self.files, AlignmentStyle::Word),
        ] {
            for file in files {
                let file_examples = start.examples(&read_gold_pairs(file, &self.text)?, style)?;
                let pairs = file_examples.len();
                report(&format!("{}: {pairs} pairs were read", file.display()));
                examples.extend(file_examples);
            }
        }
        Ok(examples)
    }
}

/// The size of a network with word vectors, and of one without.
const ENCODER_SIZE: AlignerNetworkSize = AlignerNetworkSize {
    features: 0,
    entry: 48,
    hidden: 48,
    blocks: 3,
    groups: 2,
};
const GRID_SIZE: AlignerNetworkSize = AlignerNetworkSize {
    features: 0,
    entry: 48,
    hidden: 32,
    blocks: 2,
    groups: 4,
};

fn print_progress(AlignerProgress { step, steps, loss }: AlignerProgress) {
    report(&format!("step {step} of {steps}: loss {loss:.4}"));
}

/// Reports progress on standard error, which may be closed.
fn report(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
