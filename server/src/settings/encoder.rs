use std::path::PathBuf;

use learn::encoder::{Device, Settings, library_name};

/// The sentence encoder that the word aligner stands on.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Encoder")]
pub(crate) struct EncoderSettings {
    /// The folder of the model: model.safetensors, config.json and tokenizer.json of BERT's or
    /// RoBERTa's family; by default the folder `encoder` beside the program. Without one, words are
    /// aligned by their letters and places alone.
    #[arg(
        long = "encoder",
        env = "RANKRATE_ENCODER",
        global = true,
        value_name = "DIR"
    )]
    folder: Option<PathBuf>,
    /// ONNX Runtime's library; by default looked for beside the program and in the system.
    #[arg(
        long = "onnx-runtime",
        env = "RANKRATE_RUNTIME",
        global = true,
        value_name = "FILE"
    )]
    runtime: Option<PathBuf>,
    /// How many threads the encoder computes with; 0 for one a core.
    #[arg(
        long = "encoder-threads",
        env = "RANKRATE_ENCODER_THREADS",
        default_value_t = 0,
        global = true,
        value_name = "NUMBER"
    )]
    threads: usize,
    /// What the encoder computes on: cpu, or cuda:0 and the like.
    #[arg(
        long = "encoder-device",
        env = "RANKRATE_ENCODER_DEVICE",
        default_value = "cpu",
        global = true,
        value_name = "DEVICE",
        value_parser = device
    )]
    device: Device,
    /// How many MiB of word vectors are kept in memory.
    #[arg(
        long = "encoder-cache",
        env = "RANKRATE_ENCODER_CACHE",
        default_value_t = 64,
        global = true,
        value_name = "MIB"
    )]
    cache: usize,
}

impl EncoderSettings {
    /// What opens the encoder; none where no model is named or lies beside the program.
    pub(crate) fn settings(&self) -> Option<Settings> {
        let beside = || {
            let program = std::env::current_exe().ok()?;
            Some(program.parent()?.join("encoder")).filter(|folder| folder.is_dir())
        };
        Some(Settings {
            folder: self.folder.clone().or_else(beside)?,
            runtime: self
                .runtime
                .clone()
                .unwrap_or_else(|| library_name().into()),
            threads: self.threads,
            device: self.device,
            cache_mib: self.cache,
        })
    }
}

fn device(name: &str) -> Result<Device, String> {
    if name == "cpu" {
        return Ok(Device::Cpu);
    }
    let number = name.strip_prefix("cuda:").and_then(|it| it.parse().ok());
    number
        .map(Device::Cuda)
        .ok_or_else(|| "write cpu, or cuda: and a number".to_owned())
}
