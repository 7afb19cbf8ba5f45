use std::{fs, io::Write as _, path::PathBuf};

use anyhow::Context as _;
use domain::text::align::grid::Style;
use learn::aligner::{Aligner, Progress, Size, Training, train};
use serde_json::json;

use super::{GradeName, pairs::gold, save};
use crate::{aligner, cli::output::print, settings::EncoderSettings};

/// Trains a network on alignments made by people.
#[derive(Debug, clap::Args)]
pub(super) struct Train {
    /// Files in the shape of MultiMWA whose links are word by word: Wiki's, and corrections that
    /// `rankrate export --format alignments` took out of studies.
    #[arg(value_name = "FILE", required_unless_present = "phrasal")]
    files: Vec<PathBuf>,
    /// Files whose links are phrase by phrase: MTRef's.
    #[arg(long, value_name = "FILE")]
    phrasal: Vec<PathBuf>,
    /// The folder of the network, `network.safetensors`, and of what is to be known of it.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// What begins everything that is drawn by lot.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Whether it is to see word vectors; `string` has no network.
    #[arg(long, value_enum, default_value = "encoder")]
    grade: GradeName,
}

impl Train {
    pub(super) fn run(self, json: bool, settings: &EncoderSettings) -> anyhow::Result<()> {
        let (encoder, size, epochs) = match self.grade {
            GradeName::Encoder => (Some(aligner::encoder(settings)?), BIG, 10),
            GradeName::Grid => (None, SMALL, 7),
            GradeName::String => anyhow::bail!("the string grade has no network to train"),
        };
        let name = encoder.as_ref().map(|encoder| encoder.name().to_owned());
        let untrained = Aligner::untrained(encoder);
        let mut examples = Vec::new();
        for (files, style) in [(&self.phrasal, Style::Phrasal), (&self.files, Style::Word)] {
            for file in files {
                let found = untrained.examples(&gold(file)?, style)?;
                tracing::info!(file = %file.display(), pairs = found.len(), "read");
                examples.extend(found);
            }
        }
        let training = Training {
            size,
            epochs,
            batch: 12,
            rate: 3e-3,
            seed: self.seed,
            encoder: name,
        };
        let network = train(&examples, &training, |progress| {
            tell(progress);
            true
        });
        fs::create_dir_all(&self.out)
            .with_context(|| format!("{} cannot be made", self.out.display()))?;
        let path = self.out.join("network.safetensors");
        save(&path, |file| Ok(file.write_all(&network.write())?))?;
        let facts = json!({
            "network": path,
            "pairs": examples.len(),
            "weights": network.weights(),
            "encoder": training.encoder,
            "seed": self.seed,
            "epochs": epochs,
        });
        print(json, &facts, || {
            format!("{} pairs made {}", examples.len(), path.display())
        })
    }
}

/// The network that sees word vectors, and the one that does not.
const BIG: Size = Size {
    features: 0,
    entry: 48,
    hidden: 48,
    blocks: 3,
    groups: 2,
};
const SMALL: Size = Size {
    features: 0,
    entry: 48,
    hidden: 32,
    blocks: 2,
    groups: 4,
};

fn tell(Progress { step, steps, loss }: Progress) {
    tracing::info!(step, of = steps, loss = format!("{loss:.4}"), "training");
}
