//! A metric whose encoder learns, trained for the server.

use std::{
    io::Write,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::ensure;
use domain::{
    metrics::learned_quality::LearningCurvePoint, statistics::bootstrap::ResamplingOptions,
};
use learn::{
    metric::{MIN_OUTPUTS, TrainError, TrainingSource},
    tuning::{TunedScorer, TuningError, TuningPlan, TuningProgress, TuningResources, train},
};
use serde_json::json;

use super::{TrainingRequest, TrainingResult, write_event};
use crate::{aligner::MissingAligner, settings::EncoderSettings};

/// Trains on the sources that are not held out, and judges by the others.
pub(super) fn run_request(
    order: &TrainingRequest,
    plan: &TuningPlan,
    encoder: &EncoderSettings,
    stop: &AtomicBool,
    out: &mut (impl Write + Send),
) -> anyhow::Result<TrainingResult> {
    ensure!(
        order.from.is_none(),
        "a metric whose encoder learns begins with the encoder: it goes on from no other metric"
    );
    let means = TuningResources {
        encoder: encoder.settings().ok_or(MissingAligner::NoEncoder)?,
        checkpoint: Some(order.work.join("epochs.safetensors")),
    };
    let held_out = |source: &&TrainingSource| order.plan.holds_out(&source.fingerprint());
    let (held_out, learned): (Vec<&TrainingSource>, Vec<&TrainingSource>) =
        order.sources.iter().partition(held_out);
    let [held_out, learned] =
        [held_out, learned].map(|of| -> Vec<TrainingSource> { of.into_iter().cloned().collect() });
    let outputs = learned.iter().map(|source| source.outputs.len()).sum();
    if outputs < MIN_OUTPUTS || learned.len() < 2 {
        let sources = learned.len();
        return Err(TrainError::TooFew { outputs, sources }.into());
    }
    // The encoder comes out of the file.
    let open = |path: &Path| TunedScorer::open(path, &encoder.in_folder(path.to_owned()));
    let against = order.against.as_deref().map(open);
    let mut tell = |progress: TuningProgress| {
        let told = write_event(out, &progress_event(progress));
        told.is_ok() && !stop.load(Ordering::Relaxed)
    };
    train(&learned, plan, &means, &mut tell)?.save(&order.out)?;
    let model = open(&order.out)?;
    let judged = model.evaluate(&held_out)?;
    let compared = |other: Result<TunedScorer, TuningError>| {
        let other = other.map_err(|error| format!("the one in use was not read: {error}"))?;
        let found = model.compare(&other, &held_out, ResamplingOptions::default());
        let found = found.map_err(|error| error.to_string())?;
        found.map_err(|why| why.to_string())
    };
    let comparison = against.map(compared);
    Ok(TrainingResult {
        model: order.out.clone(),
        signature: model.card().signature(),
        trained_on: model.card().trained_on(),
        held_out: judged,
        comparison,
        curve: vec![LearningCurvePoint {
            outputs,
            figures: judged,
        }],
    })
}

fn progress_event(progress: TuningProgress) -> serde_json::Value {
    let TuningProgress {
        epoch,
        epochs,
        step,
        steps,
        tuned,
        loss,
        validation,
    } = progress;
    match loss {
        // Texts are looked at before the first epoch.
        None => json!({"event": "features", "done": step, "of": steps}),
        Some(loss) => json!({
            "event": "epoch", "epoch": epoch, "of": epochs, "step": step, "steps": steps,
            "tuned": tuned, "loss": loss, "ended": validation.is_some(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::PathBuf};

    use learn::{metric::TrainingOutput, tuning::TunedModelCard};
    use serde_json::Value;

    use super::{
        super::{
            super::fine_tuning::tests::{settings, source, text, tiny},
            tests::run,
        },
        *,
    };
    use crate::learned_metric::testing;

    /// Twelve sources of five outputs, of which the longer are liked better.
    fn sources() -> Vec<TrainingSource> {
        let output = |number: usize, at: usize| TrainingOutput {
            text: text(100 + number * 5 + at, 3 + at),
            z: at as f64 / 2.0 - 1.0,
            ratings: 2,
        };
        let of = |number| TrainingSource {
            text: source(number),
            references: vec![text(300 + number, 8)],
            outputs: (0..5).map(|at| output(number, at)).collect(),
        };
        (0..12).map(of).collect()
    }

    #[test]
    fn a_training_that_was_stopped_goes_on_from_its_last_epoch() {
        let encoder = tiny::encoder();
        let Some(settings) = settings(encoder.path(), &[]) else {
            return;
        };
        let folder = tempfile::tempdir().expect("a folder can be made");
        let plan = TuningPlan {
            frozen_epochs: 1,
            tuned_epochs: 2,
            tuned_layers: 1,
            validation: 0.0,
            ..TuningPlan::lens()
        };
        let order = |name: &str, against: Option<&Path>| -> (PathBuf, PathBuf) {
            let place = |end: &str| folder.path().join(format!("{name}.{end}"));
            let text = json!({
                "sources": sources(),
                "plan": testing::plan(),
                "tuning": plan,
                "against": against,
                "work": place("work"),
                "out": place("model"),
            });
            fs::write(place("json"), text.to_string()).expect("written");
            (place("json"), place("model"))
        };
        let epochs = |lines: &[Value]| -> Vec<u64> {
            let ended = lines.iter().filter(|it| it["ended"] == true);
            ended.filter_map(|it| it["epoch"].as_u64()).collect()
        };
        let (first, model) = order("first", None);
        let (stopped, lines) = run(&first, &settings, "\"ended\":true,\"epoch\":1");
        let stopped = stopped.expect_err("it was stopped");
        assert!(
            matches!(stopped.downcast_ref(), Some(TuningError::Stopped)),
            "{stopped:#}"
        );
        assert_eq!((epochs(&lines), model.exists()), (vec![0, 1], false));
        let (done, lines) = run(&first, &settings, "");
        assert_eq!(epochs(&lines), [2]);
        let done = done.expect("trained");
        let held_out = |source: &TrainingSource| {
            let plan = testing::plan();
            plan.holds_out(&source.fingerprint())
        };
        let mut learned: Vec<String> = sources()
            .iter()
            .filter(|it| !held_out(it))
            .map(TrainingSource::fingerprint)
            .collect();
        learned.sort();
        assert!(learned.len() < 12, "some are held out");
        assert_eq!(done["trained_on"], json!(learned));
        assert_eq!(done["held_out"]["sources"], json!(12 - learned.len()));
        assert!(done["held_out"]["tau"].is_number(), "{done}");
        assert!(done["comparison"].is_null(), "nothing was in use");

        let (second, whole) = order("second", Some(&model));
        let done = run(&second, &settings, "").0.expect("trained");
        let [resumed, whole] = [&model, &whole].map(|it| TunedModelCard::read(it).expect("there"));
        assert_eq!(resumed, whole, "as in one go");
        assert_eq!(done["signature"], json!(whole.signature()));
        let found = &done["comparison"]["Ok"];
        assert!(found["tau"].is_number(), "{done}");
        assert_eq!(found["tau"], found["other"], "they are the same: {done}");
    }
}
