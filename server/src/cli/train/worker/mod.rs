//! Training as a process of its own: a file in, lines of JSON out.
//!
//! `rankrate train-worker ORDER.json`, with the settings of encoder and word frequencies, opens no
//! database. Whoever starts it, at low priority, keeps its standard input open: when that closes, because
//! the server wants it to stop or has died, it ends after the tree, the step, the sources or the point of the
//! curve that it is at. What is written to standard input is not read.
//!
//! The order is an object:
//!
//! | key | value |
//! |---|---|
//! | `sources` | `[{"text", "references": […], "outputs": [{"text", "z", "ratings"}]}]`, as [`Source::group`] makes them |
//! | `plan` | [`Plan`]: `{"settings": …, "held_out": 0.1}`; its references above 0 train `learned-ref` |
//! | `tuning` | [`learn::tuning::Plan`]: trains `lens` or `cross-encoder` by it, and of `plan` nothing counts but what is held out |
//! | `from` | `"shipped"`, or the path of a model to go on from; without it, from these sources alone |
//! | `against` | `"shipped"`, or the path of the model that is in use: the new one is compared with it, where it is there |
//! | `without_encoder` | true where the metric sees letters and words only; false if it is not there |
//! | `work` | a folder for what is done so far, made where it is missing |
//! | `out` | the path where the model goes |
//!
//! Each line of standard output is an object with an `event`:
//!
//! | event | beside it |
//! |---|---|
//! | `features` | `done` of `of` sources have been looked at |
//! | `tree` | `tree` of `of` trees are grown, and `loss` is left, the mean squared error on what is learned from |
//! | `epoch` | `step` of `steps` is done of `epoch`, from 0, of `of`, and what the step's `loss` was, or the mean of all where the epoch `ended`; whether the encoder learns, `tuned` |
//! | `curve` | `outputs` of the order learned from, and `figures`, [`learn::metric::Figures`] on those of it held out |
//! | `done` | [`Trained`] |
//! | `stopped` | standard input closed; the exit code is 0 |
//! | `failed` | `why`, a sentence; the exit code is 1 |
//!
//! The last is `done`, `stopped` or `failed`; a process that ended without was killed. Started again with
//! the same order, it takes from `work` the features of trees, if they were all made, and the trees, or the
//! epochs, up to the last one told of: what comes out is the same to the byte. What another order left there is not taken.

mod fine_tuning;

use std::{
    collections::HashSet,
    fs,
    io::{self, Read as _, Write},
    ops::ControlFlow::{Break, Continue},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::Context as _;
use domain::{
    metrics::learned_quality::{LearnedMetricComparison, LearnedMetricQuality, LearningCurvePoint},
    statistics::bootstrap::ResamplingOptions,
};
use learn::{
    metric::{
        FeatureTable, HybridModelError, HybridPlan, HybridScorer, TrainError, TrainingSource,
        build_feature_table, compute_training_key, fingerprint, merge_tables, train,
        trees::TreeEnsemble,
    },
    tuning::{self, TuningError},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::save;
use crate::{learned_metric, settings::EncoderSettings};

/// Trains what a file says, for the server; people use `rankrate train`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct TrainWorkerCommand {
    /// What to train, as JSON: sources, plan, from, work, out.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// What to train; the module says more.
#[derive(Debug, Deserialize)]
struct TrainingRequest {
    sources: Vec<TrainingSource>,
    plan: HybridPlan,
    tuning: Option<tuning::TuningPlan>,
    from: Option<PathBuf>,
    against: Option<PathBuf>,
    #[serde(default)]
    without_encoder: bool,
    work: PathBuf,
    out: PathBuf,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TrainingResult {
    /// Where the model is.
    pub(crate) model: PathBuf,
    /// What its scores are computed by.
    pub(crate) signature: String,
    /// The fingerprints of the sources that it learned from, of the order and of what it went on from.
    pub(crate) trained_on: Vec<String>,
    /// Its agreement with people on those of the order that were held out; of none, all `None`.
    pub(crate) held_out: LearnedMetricQuality,
    /// It against the one in use, on those; or why that cannot be said.
    pub(crate) comparison: Option<Result<LearnedMetricComparison, String>>,
    /// How it does by how much it learned from.
    pub(crate) curve: Vec<LearningCurvePoint>,
}

impl TrainWorkerCommand {
    /// Trains, and tells of every step on standard output.
    pub(in crate::cli) fn run(self, encoder: &EncoderSettings) -> anyhow::Result<()> {
        lower_priority();
        let stop = stop_when_input_closes();
        let mut out = io::stdout();
        let result = run_request(&self.file, encoder, &stop, &mut out);
        let stopped = |error: &anyhow::Error| {
            matches!(error.downcast_ref(), Some(TrainError::Stopped))
                || matches!(error.downcast_ref(), Some(TuningError::Stopped))
        };
        match result {
            Ok(done) => Ok(write_event(&mut out, &done)?),
            Err(error) if stopped(&error) => {
                Ok(write_event(&mut out, &json!({"event": "stopped"}))?)
            }
            Err(error) => {
                let why = format!("{error:#}");
                write_event(&mut out, &json!({"event": "failed", "why": why}))?;
                Err(error)
            }
        }
    }
}

/// Does what the file says until `stop`, and makes the last line.
fn run_request(
    file: &Path,
    encoder: &EncoderSettings,
    stop: &AtomicBool,
    out: &mut (impl Write + Send),
) -> anyhow::Result<Value> {
    let unreadable = || format!("{} cannot be read", file.display());
    let text = fs::read_to_string(file).with_context(unreadable)?;
    let order: TrainingRequest = serde_json::from_str(&text).with_context(unreadable)?;
    fs::create_dir_all(&order.work)
        .with_context(|| format!("{} cannot be made", order.work.display()))?;
    if let Some(plan) = &order.tuning {
        return done_event(fine_tuning::run_request(&order, plan, encoder, stop, out)?);
    }
    let means = learned_metric::load_resources(encoder, !order.without_encoder)?;
    let settings = &order.plan.settings;
    let going_on = |told: io::Result<()>| match told {
        Ok(()) if !stop.load(Ordering::Relaxed) => Continue(()),
        _ => Break(()),
    };
    let (place, name) = (order.work.join("features.safetensors"), fingerprint(&text));
    let saved = load_saved(&place, |file| {
        FeatureTable::load(file, &name, &order.sources)
    })?;
    let made = match saved {
        Some(made) => made,
        None => {
            let of = order.sources.len();
            let made = build_feature_table(&order.sources, &means, settings, |done| {
                let event = json!({"event": "features", "done": done, "of": of});
                going_on(write_event(out, &event))
            })?;
            save(&place, |file| Ok(file.write_all(&made.save(&name))?))?;
            made
        }
    };
    let older = order
        .from
        .as_deref()
        .map(learned_metric::load_model)
        .transpose()?;
    let data = match &older {
        Some(older) => merge_tables(&made, older, &means, settings)?,
        None => made,
    };
    let (place, name) = (
        order.work.join("trees.safetensors"),
        compute_training_key(&data, &order.plan),
    );
    let so_far = load_saved(&place, |file| {
        TreeEnsemble::load(file, &name, data.columns())
    })?;
    let model = train(data, &means, &order.plan, older.as_ref(), so_far, |step| {
        let kept = save(&place, |file| Ok(file.write_all(&step.trees.save(&name))?));
        let (tree, of, loss) = (step.trees.len(), step.total, step.loss);
        let event = json!({"event": "tree", "tree": tree, "of": of, "loss": loss});
        let told = write_event(out, &event);
        going_on(kept.map_err(io::Error::other).and(told))
    })?;
    save(&order.out, |file| Ok(file.write_all(&model.write())?))?;
    let own: HashSet<String> = order
        .sources
        .iter()
        .map(TrainingSource::fingerprint)
        .collect();
    let mut told = Ok(());
    let curve = model.learning_curve(&own, |point| {
        told = write_event(
            out,
            &json!({"event": "curve", "outputs": point.outputs, "figures": point.figures}),
        );
        match told {
            Ok(()) if !stop.load(Ordering::Relaxed) => Continue(()),
            _ => Break(()),
        }
    });
    told?;
    if stop.load(Ordering::Relaxed) {
        return Err(TrainError::Stopped.into());
    }
    let against = order.against.as_deref().map(learned_metric::load_model);
    let comparison = against.map(|other| match other {
        Ok(other) if model.is_comparable_to(&other) => model
            .compare(&other, &own, ResamplingOptions::default())
            .map_err(|why| why.to_string()),
        Ok(_) => Err("the one in use sees outputs in another way".to_owned()),
        Err(error) => Err(format!("the one in use was not read: {error:#}")),
    });
    let (signature, trained_on) = (model.signature(), model.trained_on());
    let metric = HybridScorer::new(model, means)?;
    done_event(TrainingResult {
        model: order.out,
        signature,
        trained_on,
        // Of this order alone; the model's own card tells of all that it held out.
        held_out: LearnedMetricQuality {
            degenerate: metric.evaluate_guard(&order.sources, &order.plan)?,
            ..curve
                .last()
                .map_or_else(LearnedMetricQuality::default, |last| last.figures)
        },
        comparison,
        curve,
    })
}

/// The last line of a training that brought a model.
fn done_event(trained: TrainingResult) -> anyhow::Result<Value> {
    let mut done = serde_json::to_value(trained)?;
    done["event"] = json!("done");
    Ok(done)
}

/// What an earlier process left, if it is of this training; what is of another one, or damaged, is
/// made anew.
fn load_saved<T>(
    place: &Path,
    read: impl FnOnce(&[u8]) -> Result<T, HybridModelError>,
) -> anyhow::Result<Option<T>> {
    match fs::read(place) {
        Ok(file) => Ok(read(&file).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", place.display())),
    }
}

/// Lets everything else on the machine go first.
fn lower_priority() {
    #[cfg(unix)]
    if let Err(error) = rustix::process::nice(19) {
        tracing::debug!(%error, "the priority was not lowered");
    }
}

fn stop_when_input_closes() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let closed = Arc::clone(&stop);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut unread = [0; 256];
        while matches!(input.read(&mut unread), Ok(1..)) {}
        closed.store(true, Ordering::Relaxed);
    });
    stop
}

/// One line; fails where nobody listens any more.
fn write_event(out: &mut impl Write, event: &Value) -> io::Result<()> {
    writeln!(out, "{event}")?;
    out.flush()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::learned_metric::testing;

    #[test]
    fn what_another_training_left_is_not_taken() {
        let place = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(place.path(), "something else").expect("written");
        let found = load_saved(place.path(), |file| {
            TreeEnsemble::load(file, "a training", 3)
        });
        assert!(found.expect("readable").is_none());
        let none = load_saved(Path::new("nowhere"), |file| {
            TreeEnsemble::load(file, "a training", 3)
        });
        assert!(none.expect("not there").is_none());
    }

    /// Hears the lines, and stops the work after the one that says something.
    struct StoppingWriter<'a> {
        heard: Vec<u8>,
        stop: &'a AtomicBool,
        after: &'a str,
    }

    impl Write for StoppingWriter<'_> {
        fn write(&mut self, some: &[u8]) -> io::Result<usize> {
            self.heard.extend(some);
            let heard = String::from_utf8_lossy(&self.heard);
            let last = heard.lines().last().unwrap_or_default();
            let enough = !self.after.is_empty() && last.contains(self.after);
            self.stop.store(enough, Ordering::Relaxed);
            Ok(some.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What came of an order, and the lines; the work is stopped after a line that says `after`.
    pub(super) fn run(
        order: &Path,
        settings: &EncoderSettings,
        after: &str,
    ) -> (anyhow::Result<Value>, Vec<Value>) {
        let stop = AtomicBool::new(false);
        let mut listener = StoppingWriter {
            heard: Vec::new(),
            stop: &stop,
            after,
        };
        let result = run_request(order, settings, &stop, &mut listener);
        let heard = String::from_utf8_lossy(&listener.heard);
        let lines = heard.lines().map(serde_json::from_str);
        (result, lines.filter_map(Result::ok).collect())
    }

    #[test]
    fn a_worker_that_was_stopped_goes_on_from_its_last_tree() {
        let Some(settings) = testing::settings_with_words(&[]) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder can be made");
        let [order, out] = ["order.json", "metric"].map(|name| folder.path().join(name));
        let sources = testing::sample_sources();
        let text = json!({
            "sources": sources,
            "plan": testing::plan(),
            "without_encoder": true,
            "work": folder.path().join("work"),
            "out": out,
        });
        fs::write(&order, text.to_string()).expect("written");
        let run = |after: &str| {
            let (result, lines) = run(&order, &settings, after);
            let features = lines.iter().any(|it| it["event"] == "features");
            let trees: Vec<u64> = lines.iter().filter_map(|it| it["tree"].as_u64()).collect();
            (result, features, trees)
        };
        let (stopped, features, trees) = run("\"tree\":17}");
        let stopped = stopped.expect_err("it was stopped");
        assert!(
            matches!(stopped.downcast_ref(), Some(TrainError::Stopped)),
            "{stopped:#}"
        );
        assert!(features && !out.exists());
        assert_eq!(trees, (1..=17).collect::<Vec<_>>());
        let (done, features, trees) = run("");
        let done = done.expect("trained");
        assert!(!features, "they were kept");
        assert_eq!(trees, (18..=40).collect::<Vec<_>>());
        let whole = testing::train_model(&settings);
        assert_eq!(fs::read(&out).expect("there"), whole.write());
        assert_eq!(done["trained_on"], json!(whole.trained_on()));
        assert!(done["held_out"]["tau"].is_number(), "{done}");
        assert!(
            done["comparison"].is_null(),
            "there is none to compare with"
        );
        let curve = done["curve"].as_array().expect("a list");
        assert_eq!(curve.len(), 1);
        assert_eq!(curve[0]["figures"]["tau"], done["held_out"]["tau"]);
    }
}
