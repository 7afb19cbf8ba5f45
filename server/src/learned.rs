//! The learned metric and what it needs, by the settings.

use std::path::Path;

use anyhow::Context as _;
use learn::metric::{self, Frequencies, Means, Model};

use crate::{aligner::encoder, settings::EncoderSettings};

/// Encoder and word frequencies; the encoder may be gone without.
///
/// # Errors
/// Where one is missing: a sentence that says how to get it.
pub(crate) fn means(settings: &EncoderSettings, with_encoder: bool) -> anyhow::Result<Means> {
    let frequencies = Frequencies::open(&settings.frequencies())
        .context("the learned metric needs a list of word frequencies")?;
    let encoder = with_encoder.then(|| encoder(settings)).transpose();
    let encoder = encoder.context("the learned metric needs the sentence encoder")?;
    Ok(Means {
        frequencies,
        encoder,
    })
}

/// The model that is shipped, or that of a file.
///
/// # Errors
/// Where the file cannot be read, or is none.
pub(crate) fn model(name: &Path) -> anyhow::Result<Model> {
    if name.as_os_str() == "shipped" {
        return Ok(metric::shipped());
    }
    let file = std::fs::read(name).with_context(|| format!("{} cannot be read", name.display()))?;
    Model::read(&file).with_context(|| format!("{} was not taken", name.display()))
}

#[cfg(test)]
pub(crate) mod testing {
    //! A metric that sees letters and words alone, and what it learned from.

    use std::{env, ops::ControlFlow::Continue, path::PathBuf};

    use clap::Parser as _;
    use learn::metric::{Plan, Rating, Settings, Source, table, train};

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Command {
        #[command(flatten)]
        encoder: EncoderSettings,
    }

    /// Settings that name nothing.
    pub(crate) fn bare() -> EncoderSettings {
        Command::parse_from(["test"]).encoder
    }

    /// Settings with the list of words, and these arguments; none where it is not fetched.
    pub(crate) fn settings(more: &[&str]) -> Option<EncoderSettings> {
        let tools = env::var_os("RANKRATE_TOOLS").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.tools"),
            PathBuf::from,
        );
        let fetched = || tools.join("frequencies").join(metric::FREQUENCIES_FILE);
        let words = env::var_os("RANKRATE_FREQUENCIES").map_or_else(fetched, PathBuf::from);
        if !words.exists() {
            let reason = format!("there is no {}; run ./run", words.display());
            assert!(env::var_os("CI").is_none(), "{reason}");
            eprintln!("skipped: {reason}");
            return None;
        }
        let words = words.display().to_string();
        let fixed = ["test", "--frequencies", &words];
        let arguments = fixed.iter().chain(more);
        Some(Command::parse_from(arguments).encoder)
    }

    /// Eight sources of eight outputs each: who keeps more of the words is liked better.
    pub(crate) fn made_up() -> Vec<Source> {
        let words = "the old grey ships that sank near several rocky islands carried copper";
        let words: Vec<&str> = words.split(' ').collect();
        let source = |at: usize| [&words[at..], &words[..at]].concat();
        let all: Vec<(String, Vec<String>)> = (0..8)
            .map(|at| {
                let words = source(at);
                let output = |cut: usize| format!("{}.", words[..words.len() - cut].join(" "));
                (output(0), (0..8).map(output).collect())
            })
            .collect();
        Source::group(all.iter().flat_map(|(source, outputs)| {
            let rating = |(at, output)| Rating {
                source,
                output,
                z: 1.5 - at as f64 / 2.0,
            };
            outputs.iter().map(String::as_str).enumerate().map(rating)
        }))
    }

    /// How the metric is trained.
    pub(crate) fn plan() -> Plan {
        let mut settings = Settings::free(1);
        settings.trees.trees = 40;
        Plan {
            settings,
            held_out: 0.3,
        }
    }

    /// A metric that learned from most of these sources.
    pub(crate) fn trained(settings: &EncoderSettings) -> Model {
        let means = means(settings, false).expect("there is a list of words");
        let going_on = |_: usize| Continue(());
        let made = table(&made_up(), &means, &plan().settings, going_on).expect("features");
        train(made, &means, &plan(), None, None, |_| Continue(())).expect("trained")
    }
}
