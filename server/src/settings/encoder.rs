use std::{ffi::OsString, path::PathBuf};

use learn::{
    encoder::{EncoderDevice, EncoderOptions, library_name},
    metric::FREQUENCIES_FILE,
};

use super::python_packages;

/// The sentence encoder of the word aligner and the learned metric, and the latter's list of words.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Encoder")]
pub(crate) struct EncoderSettings {
    /// The folder of the model: model.safetensors, config.json and tokenizer.json of a model of BERT, RoBERTa,
    /// XLM-RoBERTa, CamemBERT or MPNet, which cannot be trained; by default the folder `encoder` beside the program, or that of the Python package
    /// rankrate-encoder. Without one, words are aligned by their letters and places alone.
    #[arg(
        long = "encoder",
        env = "RANKRATE_ENCODER",
        global = true,
        value_name = "DIR"
    )]
    folder: Option<PathBuf>,
    /// ONNX Runtime's library; by default looked for beside the program, in the Python package
    /// onnxruntime that was installed with it, and in the system.
    #[arg(
        long = "onnx-runtime",
        env = "RANKRATE_RUNTIME",
        global = true,
        value_name = "FILE"
    )]
    runtime: Option<PathBuf>,
    /// How many threads the encoder computes with; 0 for one per core.
    #[arg(
        long = "encoder-threads",
        env = "RANKRATE_ENCODER_THREADS",
        default_value_t = 0,
        global = true,
        value_name = "NUMBER"
    )]
    threads: usize,
    /// The device that the encoder computes on: cpu, cuda:0 and so on.
    #[arg(
        long = "encoder-device",
        env = "RANKRATE_ENCODER_DEVICE",
        default_value = "cpu",
        global = true,
        value_name = "DEVICE",
        value_parser = device
    )]
    device: EncoderDevice,
    /// How many MiB of word vectors are kept in memory.
    #[arg(
        long = "encoder-cache",
        env = "RANKRATE_ENCODER_CACHE",
        default_value_t = 64,
        global = true,
        value_name = "MIB"
    )]
    cache: usize,
    /// The list of word frequencies that the learned metric needs: wordfreq's large_en.msgpack.gz; by
    /// default looked for beside the program, and in the Python package wordfreq that was installed with it.
    #[arg(
        long = "frequencies",
        env = "RANKRATE_FREQUENCIES",
        global = true,
        value_name = "FILE"
    )]
    frequencies: Option<PathBuf>,
    /// The learned metrics behind the names `learned-free`, `learned-ref`, `lens` and `cross-encoder`: files
    /// of `rankrate train`, separated by commas; by default the one without references that is shipped for the encoder.
    #[arg(
        long = "learned-metric",
        env = "RANKRATE_LEARNED_METRIC",
        global = true,
        value_name = "FILE",
        value_delimiter = ','
    )]
    learned_metrics: Vec<PathBuf>,
}

impl EncoderSettings {
    /// The options that open the encoder; `None` if no model is named, next to the program or in a Python
    /// package.
    pub(crate) fn settings(&self) -> Option<EncoderOptions> {
        let beside = || beside("encoder").filter(|folder| folder.is_dir());
        let folder = self.folder.clone().or_else(beside);
        Some(self.in_folder(folder.or_else(python_packages::find_encoder)?))
    }

    /// The same options for an encoder in another folder.
    pub(crate) fn in_folder(&self, folder: PathBuf) -> EncoderOptions {
        EncoderOptions {
            folder,
            runtime: self.runtime.clone().unwrap_or_else(default_runtime),
            threads: self.threads,
            device: self.device,
            cache_mib: self.cache,
        }
    }

    /// The same settings on the command line, for another process of this program.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = Vec::new();
        let mut add = |name: &str, value: OsString| arguments.extend([name.into(), value]);

        for (name, path) in [
            ("--encoder", &self.folder),
            ("--onnx-runtime", &self.runtime),
            ("--frequencies", &self.frequencies),
        ] {
            if let Some(path) = path {
                add(name, path.into());
            }
        }

        let device = match self.device {
            EncoderDevice::Cpu => "cpu".to_owned(),
            EncoderDevice::Cuda(number) => format!("cuda:{number}"),
        };
        add("--encoder-device", device.into());
        add("--encoder-threads", self.threads.to_string().into());

        arguments
    }

    /// The files of the user's own learned metrics.
    pub(crate) fn learned_metrics(&self) -> &[PathBuf] {
        &self.learned_metrics
    }

    /// The path of the list of word frequencies, whether or not it exists.
    pub(crate) fn frequencies(&self) -> PathBuf {
        let named = self.frequencies.clone();
        let beside = beside(FREQUENCIES_FILE);
        let is_there = |path: &PathBuf| path.exists();
        named
            .or_else(|| beside.clone().filter(is_there))
            .or_else(python_packages::find_frequencies)
            // If there is none, an error names this place.
            .or(beside)
            .unwrap_or_else(|| FREQUENCIES_FILE.into())
    }
}

/// The library of a Python package, unless one is next to the program; otherwise its name, which is looked
/// for next to the program and then in the system.
fn default_runtime() -> PathBuf {
    let name = library_name();
    let is_beside = beside(&name).is_some_and(|path| path.exists());
    let packaged = (!is_beside).then(python_packages::find_runtime);
    let packaged = packaged.flatten();
    packaged.unwrap_or_else(|| name.into())
}

fn beside(name: &str) -> Option<PathBuf> {
    Some(std::env::current_exe().ok()?.parent()?.join(name))
}

fn device(name: &str) -> Result<EncoderDevice, String> {
    if name == "cpu" {
        return Ok(EncoderDevice::Cpu);
    }
    let number = name
        .strip_prefix("cuda:")
        .and_then(|digits| digits.parse().ok());
    number
        .map(EncoderDevice::Cuda)
        .ok_or_else(|| "write cpu, or cuda: and a number".to_owned())
}
