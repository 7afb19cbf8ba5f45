//! Training the learned metric.

mod fine_tuning;
mod worker;

use std::{
    io::Write as _,
    ops::ControlFlow::{self, Continue},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, ensure};
use domain::statistics::{DeviationKind, standardise};
use formats::FileRatings;
use indicatif::ProgressBar;
use learn::metric::{
    CrossValidationSettings, FeatureResources, HybridModel, HybridPlan, HybridSettings,
    LearnedMetricQuality, TrainingRating, TrainingSource, build_degenerate_features,
    build_feature_table, cross_validate, merge_tables, train,
};
use serde_json::json;

use self::fine_tuning::{TrainerKind, TuningArgs};
pub(super) use self::worker::TrainWorkerCommand;
pub(crate) use self::worker::TrainingResult;
use super::{align::save, output::print, ratings::read_raters, references::read_references};
use crate::{
    learned_metric,
    metrics::{TunedMetric, progress_bar},
    settings::EncoderSettings,
};

/// Trains the learned metric on rated outputs.
#[derive(Debug, clap::Args)]
pub(super) struct TrainCommand {
    /// A SimpEval file, past or 2022.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE")]
    raters: Option<PathBuf>,
    /// References of the sources: an ASSET folder, one with test.src and test.dst, or a file of rows.
    /// With them a metric is trained that looks at references, without them one that needs none.
    #[arg(long, value_name = "DIR|FILE")]
    references: Option<PathBuf>,
    /// What learns.
    #[arg(long, value_enum, default_value = "hybrid")]
    trainer: TrainerKind,
    /// Say how well such a metric agrees with people on sources that it was not trained on.
    #[arg(long)]
    cross_validate: bool,
    /// Into how many parts the sources are put for that, each left out once.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..))]
    folds: u16,
    /// How often they are put into parts anew; figures are the means.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    repeats: u16,
    /// What the parts are drawn from, one more each time; settings were chosen on those of 1.
    #[arg(long, value_name = "N", default_value_t = 11)]
    fold_seed: u64,
    /// The metric to go on from: `shipped`, a file of this command, or `none`. Few ratings by themselves
    /// teach too little. By default `shipped`, and `none` with references.
    #[arg(long, value_name = "shipped|FILE|none")]
    from: Option<PathBuf>,
    /// Where the metric goes.
    #[arg(long, value_name = "FILE", required_unless_present = "cross_validate")]
    out: Option<PathBuf>,
    /// What begins everything that is drawn by lot.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// The share of the sources that is held out to judge the metric by; lens and cross-encoder choose
    /// their best epoch by it.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    held_out: f64,
    /// Go without the sentence encoder: the metric sees letters, words and edits only.
    #[arg(long)]
    without_encoder: bool,
    #[command(flatten)]
    tuning: TuningArgs,
}

impl TrainCommand {
    pub(super) fn run(self, json: bool, encoder: &EncoderSettings) -> anyhow::Result<()> {
        ensure!(
            (0.0..1.0).contains(&self.held_out),
            "--held-out is a share from 0 to 1, and 1 would leave nothing to learn from"
        );
        let tuned = match self.trainer {
            TrainerKind::Hybrid => None,
            TrainerKind::Lens => Some(TunedMetric::Lens),
            TrainerKind::CrossEncoder => Some(TunedMetric::Cross),
        };
        if let Some(metric) = tuned {
            return fine_tuning::run(&self, metric, json, encoder);
        }
        ensure!(
            !self.tuning.is_set(),
            "how an encoder learns is set for --trainer lens or cross-encoder"
        );
        let sources = self.read_sources()?;
        let settings = if self.references.is_some() {
            HybridSettings::with_references(self.seed)
        } else {
            HybridSettings::reference_free(self.seed)
        };
        let means = learned_metric::load_resources(encoder, !self.without_encoder)?;
        let bar = progress_bar(sources.len(), "sources looked at");
        let made = build_feature_table(&sources, &means, &settings, set_position(&bar))?;
        bar.finish_and_clear();
        let figures = match self.cross_validate {
            true => Some(self.validate(&sources, &made, &means, &settings)?),
            false => None,
        };
        let mut facts = json!({
            "metric": if settings.references > 0 { "learned-ref" } else { "learned-free" },
            "sources": sources.len(),
            "outputs": made.outputs(),
            "seed": self.seed,
            "cross_validated": figures,
            "folds": self.folds,
            "repeats": self.repeats,
            "fold_seed": self.fold_seed,
        });
        if let Some(figures) = &figures {
            for (name, value) in list_figures(figures) {
                facts[name] = json!(value);
            }
        }
        let mut text = figures
            .map(|it| format_figures(&list_figures(&it)))
            .unwrap_or_default();
        if let Some(out) = &self.out {
            let plan = HybridPlan {
                settings,
                held_out: self.held_out,
            };
            let mut model = self.train_model(made, &means, &plan)?;
            if let Some(figures) = figures {
                model = model.with_cross_validation(figures);
            }
            save(out, |file| Ok(file.write_all(&model.write())?))?;
            facts["model"] = json!(out);
            facts["signature"] = json!(model.signature());
            facts["held_out"] = json!(model.card().held_out);
            text += &format!("{} outputs made {}\n", facts["outputs"], out.display());
        }
        print(json, &facts, || text)
    }

    fn train_model(
        &self,
        made: learn::metric::FeatureTable,
        means: &FeatureResources,
        plan: &HybridPlan,
    ) -> anyhow::Result<HybridModel> {
        let older = self.load_older_model()?;
        let data = match &older {
            Some(older) => merge_tables(&made, older, means, &plan.settings)?,
            None => made,
        };
        let bar = progress_bar(plan.settings.trees.max_trees, "trees");
        let model = train(data, means, plan, older.as_ref(), None, |step| {
            bar.set_position(step.trees.len() as u64);
            Continue(())
        })?;
        bar.finish_and_clear();
        Ok(model)
    }

    fn load_older_model(&self) -> anyhow::Result<Option<HybridModel>> {
        let usual = match (&self.references, self.without_encoder) {
            (None, false) => "shipped",
            _ => "none",
        };
        let name = self.from.as_deref().unwrap_or(Path::new(usual));
        (name.as_os_str() != "none")
            .then(|| learned_metric::load_model(name))
            .transpose()
    }

    fn validate(
        &self,
        sources: &[TrainingSource],
        made: &learn::metric::FeatureTable,
        means: &FeatureResources,
        settings: &HybridSettings,
    ) -> anyhow::Result<LearnedMetricQuality> {
        let looked = progress_bar(sources.len(), "sources made worse");
        let worse =
            build_degenerate_features(sources, made, means, settings, set_position(&looked))?;
        looked.finish_and_clear();
        let validation = CrossValidationSettings {
            folds: self.folds.into(),
            repeats: self.repeats.into(),
            seed: self.fold_seed,
        };
        let trained = progress_bar(validation.folds * validation.repeats, "metrics trained");
        let tell = || {
            trained.inc(1);
            Continue(())
        };
        let figures = cross_validate(made, &worse, settings, validation, tell);
        trained.finish_and_clear();
        figures.context("there is nothing to cross-validate on")
    }

    /// The rated outputs, with as many references as there are.
    fn read_sources(&self) -> anyhow::Result<Vec<TrainingSource>> {
        let raters = self.raters.as_deref().map(read_raters).transpose()?;
        let file = super::references::open_reader(&self.file)?;
        let file = formats::read_ratings(file, raters)
            .with_context(|| format!("{} was not read", self.file.display()))?;
        let mut sources = collect_sources(&file);
        if let Some(path) = &self.references {
            let references = read_references(path)?;
            for source in &mut sources {
                source.references = references.references_for(&source.text).to_vec();
            }
        }
        Ok(sources)
    }
}

/// A file's outputs with the mean of their z-scores, each rater's ratings standardised by their own
/// mean and deviation.
fn collect_sources(file: &FileRatings) -> Vec<TrainingSource> {
    let z = standardise(&file.raw, DeviationKind::Population).z;
    let ratings = z.entries().filter_map(|(_, unit, z_score)| {
        let output = file.outputs.get(&z.units()[unit])?;
        Some(TrainingRating {
            source: &output.source_text,
            output: &output.text,
            z: z_score,
        })
    });
    TrainingSource::group_ratings(ratings)
}

fn list_figures(figures: &LearnedMetricQuality) -> [(&'static str, Option<f64>); 4] {
    [
        ("r", figures.r),
        ("tau", figures.tau),
        ("hard", figures.hard),
        ("degenerate", figures.degenerate),
    ]
}

fn format_figures(figures: &[(&str, Option<f64>)]) -> String {
    let line = |(name, value): &(&str, Option<f64>)| {
        let value = value.map_or("undefined".to_owned(), |value| format!("{value:.4}"));
        format!("{name:<12}{value}\n")
    };
    figures.iter().map(line).collect()
}

fn set_position(bar: &ProgressBar) -> impl FnMut(usize) -> ControlFlow<()> {
    |done| {
        bar.set_position(done as u64);
        Continue(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser as _;

    use super::*;
    use crate::learned_metric::testing;

    #[derive(Debug, clap::Parser)]
    struct TrainTestCli {
        #[command(flatten)]
        train: TrainCommand,
    }

    /// A file in which two raters each rate the outputs of our own in their own way.
    fn ratings(folder: &Path) -> PathBuf {
        let mut rows = vec![
            "original_id,original,generation,system,sentence_type,rating_1,rating_2".to_owned(),
        ];
        for (at, source) in testing::sample_sources().iter().enumerate() {
            for (system, output) in source.outputs.iter().enumerate() {
                let (a, b) = (50.0 + 20.0 * output.z, 40.0 + 5.0 * output.z);
                let (source, output) = (&source.text, &output.text);
                rows.push(format!(
                    "{at},{source},{output},{system},Paraphrases,{a},{b}"
                ));
            }
        }
        let path = folder.join("ratings.csv");
        fs::write(&path, rows.join("\n")).expect("written");
        path
    }

    fn run(settings: &EncoderSettings, arguments: &[&str]) -> anyhow::Result<()> {
        let arguments = ["train"].iter().chain(arguments);
        TrainTestCli::try_parse_from(arguments)?
            .train
            .run(true, settings)
    }

    #[test]
    fn ratings_become_a_file_with_what_is_to_be_known_of_it() {
        let Some(settings) = testing::settings_with_words(&[]) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder can be made");
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (file, out, next) = (ratings(folder.path()), at("metric"), at("next"));
        let file = file.display().to_string();
        let common = [&file, "--without-encoder", "--held-out", "0.3", "--out"];
        let more = ["--cross-validate", "--folds", "2", "--repeats", "1"];
        run(&settings, &[&common[..], &[&out], &more].concat()).expect("trained");
        let model = HybridModel::read(&fs::read(&out).expect("there")).expect("whole");
        assert_eq!(
            (model.name(), model.table().outputs()),
            ("learned-free", 64)
        );
        assert_eq!(model.card().sources.len(), 8);
        let figures = model.card().cross_validated.expect("asked for");
        assert!(figures.tau.is_some_and(|tau| tau > 0.5), "{figures:?}");
        run(&settings, &[&common[..], &[&next, "--from", &out]].concat()).expect("trained");
        let next = HybridModel::read(&fs::read(&next).expect("there")).expect("whole");
        assert_eq!(next.card().from, Some(model.signature()));
        let why = |more: &[&str]| {
            let error = run(&settings, &[&[&file[..], "--out", &out][..], more].concat());
            format!("{:#}", error.expect_err("refused"))
        };
        assert!(why(&["--held-out", "1"]).contains("nothing to learn from"));
        let why = why(&["--without-encoder", "--from", "shipped"]);
        assert!(why.contains("encoder"), "{why}");
    }
}
