//! Opening learned metrics and their resources, by the settings.

use std::path::Path;

use anyhow::{Context as _, bail};
use learn::{
    metric::{FeatureResources, HybridModel, HybridScorer, WordFrequencies},
    training::{LearnedScorer, ModelFile},
    tuning::TunedScorer,
};

use crate::{aligner::open_encoder, settings::EncoderSettings};

/// Opens the list of word frequencies and, if asked for, the encoder.
///
/// # Errors
/// A sentence that says how to get what is missing.
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

/// Whether the name means the model shipped for the encoder rather than a file.
pub(crate) fn is_shipped(name: &Path) -> bool {
    name.as_os_str() == "shipped"
}

/// A model of any kind: the one shipped for this encoder, or that of a file.
///
/// # Errors
/// If none is shipped for the encoder, or the file cannot be read or does not hold a model.
pub(crate) fn open_model(name: &Path, encoder: Option<&str>) -> anyhow::Result<ModelFile> {
    Ok(match is_shipped(name) {
        true => ModelFile::shipped(encoder)?,
        false => ModelFile::open(name)?,
    })
}

/// The tree model from which a training with this encoder continues.
///
/// # Errors
/// Those of [`open_model`]; also for a model that isn't made of trees.
pub(crate) fn open_older_model(name: &Path, encoder: Option<&str>) -> anyhow::Result<HybridModel> {
    match open_model(name, encoder)? {
        ModelFile::Hybrid(model) => Ok(*model),
        ModelFile::Tuned { .. } => bail!(
            "{} was not taken: a training does not continue from a metric whose encoder learned",
            name.display()
        ),
    }
}

/// Opens the scorer of a model. `resources` opens the word frequencies and, if the model needs it, the encoder.
///
/// # Errors
/// A sentence on what is missing or damaged, or does not fit the model.
pub(crate) fn open_scorer(
    model: ModelFile,
    settings: &EncoderSettings,
    resources: impl FnOnce(bool) -> anyhow::Result<FeatureResources>,
) -> anyhow::Result<LearnedScorer> {
    Ok(match model {
        ModelFile::Hybrid(model) => {
            let resources = resources(model.card().features.encoder.is_some())?;
            LearnedScorer::Hybrid(Box::new(HybridScorer::new(*model, resources)?))
        }
        ModelFile::Tuned { path, .. } => {
            // A tuned model carries its own encoder.
            let options = settings.in_folder(path.clone());
            LearnedScorer::Tuned(Box::new(TunedScorer::open(&path, &options)?))
        }
    })
}

#[cfg(test)]
pub(crate) mod testing {
    //! A metric that uses only letters and words, and the sources that it learned from.

    use std::ops::ControlFlow::Continue;

    use clap::Parser as _;
    use learn::metric::{
        FREQUENCIES_FILE, HybridPlan, HybridSettings, TrainingRating, TrainingSource,
        build_feature_table, train,
    };
    use testdata::{are_fetched, tool_path};

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct EncoderCommand {
        #[command(flatten)]
        encoder: EncoderSettings,
    }

    /// Settings without any file.
    pub(crate) fn empty_settings() -> EncoderSettings {
        EncoderCommand::parse_from(["test"]).encoder
    }

    /// Settings with the list of words and these arguments; `None` if the list was not fetched.
    pub(crate) fn settings_with_words(more: &[&str]) -> Option<EncoderSettings> {
        let fetched = Path::new("frequencies").join(FREQUENCIES_FILE);
        let words = tool_path("RANKRATE_FREQUENCIES", fetched);
        if !are_fetched(&[&words]) {
            return None;
        }
        let words = words.display().to_string();
        let fixed = ["test", "--frequencies", &words];
        let arguments = fixed.iter().chain(more);
        Some(EncoderCommand::parse_from(arguments).encoder)
    }

    /// Eight sources with eight outputs each. Outputs that keep more words are rated higher.
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

    /// The plan by which the metric is trained.
    pub(crate) fn plan() -> HybridPlan {
        let mut settings = HybridSettings::reference_free(1);
        settings.trees.max_trees = 40;
        HybridPlan {
            settings,
            held_out: 0.3,
        }
    }

    /// A metric trained on most of the sample sources.
    pub(crate) fn train_model(settings: &EncoderSettings) -> HybridModel {
        let resources = load_resources(settings, false).expect("there is a list of words");
        let going_on = |_: usize| Continue(());
        let feature_table =
            build_feature_table(&sample_sources(), &resources, &plan().settings, going_on)
                .expect("features");
        train(feature_table, &resources, &plan(), None, None, |_| {
            Continue(())
        })
        .expect("trained")
    }
}
