//! The learned metric and what it needs, by the settings.

use std::path::Path;

use anyhow::Context as _;
use learn::metric::{self, FeatureResources, HybridModel, WordFrequencies};

use crate::{aligner::open_encoder, settings::EncoderSettings};

/// Encoder and word frequencies; the encoder may be gone without.
///
/// # Errors
/// Where one is missing: a sentence that says how to get it.
pub(crate) fn load_resources(
    settings: &EncoderSettings,
    with_encoder: bool,
) -> anyhow::Result<FeatureResources> {
    let frequencies = WordFrequencies::open(&settings.frequencies())
        .context("the learned metric needs a list of word frequencies")?;
    let encoder = with_encoder.then(|| open_encoder(settings)).transpose();
    let encoder = encoder.context("the learned metric needs the sentence encoder")?;
    Ok(FeatureResources {
        frequencies,
        encoder,
    })
}

/// The model that is shipped, or that of a file.
///
/// # Errors
/// Where the file cannot be read, or is none.
pub(crate) fn load_model(name: &Path) -> anyhow::Result<HybridModel> {
    if name.as_os_str() == "shipped" {
        return Ok(metric::load_shipped_model());
    }
    let file = std::fs::read(name).with_context(|| format!("{} cannot be read", name.display()))?;
    HybridModel::read(&file).with_context(|| format!("{} was not taken", name.display()))
}

#[cfg(test)]
pub(crate) mod testing {
    //! A metric that sees letters and words alone, and what it learned from.

    use std::{env, ops::ControlFlow::Continue, path::PathBuf};

    use clap::Parser as _;
    use learn::metric::{
        HybridPlan, HybridSettings, TrainingRating, TrainingSource, build_feature_table, train,
    };

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct EncoderCommand {
        #[command(flatten)]
        encoder: EncoderSettings,
    }

    /// Settings that name nothing.
    pub(crate) fn empty_settings() -> EncoderSettings {
        EncoderCommand::parse_from(["test"]).encoder
    }

    /// Settings with the list of words, and these arguments; none where it is not fetched.
    pub(crate) fn settings_with_words(more: &[&str]) -> Option<EncoderSettings> {
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
        Some(EncoderCommand::parse_from(arguments).encoder)
    }

    /// Eight sources of eight outputs each: who keeps more of the words is liked better.
    pub(crate) fn sample_sources() -> Vec<TrainingSource> {
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
        TrainingSource::group_ratings(all.iter().flat_map(|(source, outputs)| {
            let rating = |(at, output)| TrainingRating {
                source,
                output,
                z: 1.5 - at as f64 / 2.0,
            };
            outputs.iter().map(String::as_str).enumerate().map(rating)
        }))
    }

    /// How the metric is trained.
    pub(crate) fn plan() -> HybridPlan {
        let mut settings = HybridSettings::reference_free(1);
        settings.trees.max_trees = 40;
        HybridPlan {
            settings,
            held_out: 0.3,
        }
    }

    /// A metric that learned from most of these sources.
    pub(crate) fn train_model(settings: &EncoderSettings) -> HybridModel {
        let means = load_resources(settings, false).expect("there is a list of words");
        let going_on = |_: usize| Continue(());
        let made = build_feature_table(&sample_sources(), &means, &plan().settings, going_on)
            .expect("features");
        train(made, &means, &plan(), None, None, |_| Continue(())).expect("trained")
    }
}
