use learn::{
    metric::{TrainingOutput, TrainingSource},
    tuning::{TunedModelCard, TuningPlan},
};
use serde_json::{Value, json};

use super::{
    super::encoder_tests::{EncoderWorkspace, source, text},
    *,
};
use crate::learned_metric::testing;

/// Collects lines, and stops the training after the first one that contains `after`.
struct StoppingWriter<'a> {
    written: Vec<u8>,
    stop: &'a AtomicBool,
    after: &'a str,
}

impl Write for StoppingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.extend(bytes);
        let text = String::from_utf8_lossy(&self.written);
        let last = text.lines().last().unwrap_or_default();
        let enough = !self.after.is_empty() && last.contains(self.after);
        self.stop.store(enough, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a request and returns its result and events. Stops the training after a line that contains `after`.
fn run(
    order: &Path,
    settings: &EncoderSettings,
    after: &str,
) -> (anyhow::Result<Value>, Vec<Value>) {
    let stop = AtomicBool::new(false);
    let mut listener = StoppingWriter {
        written: Vec::new(),
        stop: &stop,
        after,
    };
    let result = run_request(order, settings, &stop, &mut listener);
    let result = result.map(|result| json!(TrainingEvent::Done(Box::new(result))));

    let text = String::from_utf8_lossy(&listener.written);
    let lines = text.lines().map(serde_json::from_str);
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
        let features = lines.iter().any(|line| line["event"] == "features");
        let trees: Vec<u64> = lines
            .iter()
            .filter_map(|line| line["tree"].as_u64())
            .collect();
        (result, features, trees)
    };

    let (stopped, features, trees) = run("\"tree\":17}");
    let stopped = stopped.expect_err("it was stopped");
    assert!(is_stopped(&stopped), "{stopped:#}");
    assert!(features && !out.exists());
    assert_eq!(trees, (1..=17).collect::<Vec<_>>());

    let (done, features, trees) = run("");
    let result = done.expect("trained");
    assert!(!features, "they were kept");
    assert_eq!(trees, (18..=40).collect::<Vec<_>>());

    let whole = testing::train_model(&settings);
    assert_eq!(fs::read(&out).expect("there"), whole.write());
    assert_eq!(result["trained_on"], json!(whole.trained_on()));
    assert!(result["held_out"]["tau"].is_number(), "{result}");
    assert!(
        result["comparison"].is_null(),
        "there is none to compare with"
    );
    let curve = result["curve"].as_array().expect("a list");
    assert_eq!(curve.len(), 1);
    assert_eq!(curve[0]["figures"]["tau"], result["held_out"]["tau"]);
}

/// Twelve sources of five outputs; longer outputs are rated higher.
fn sources() -> Vec<TrainingSource> {
    let output = |number: usize, at: usize| TrainingOutput {
        text: text(100 + number * 5 + at, 3 + at),
        z: at as f64 / 2.0 - 1.0,
        ratings: 2,
    };
    let training_source = |number| TrainingSource {
        text: source(number),
        references: vec![text(300 + number, 8)],
        outputs: (0..5).map(|at| output(number, at)).collect(),
    };
    (0..12).map(training_source).collect()
}

#[test]
fn a_worker_takes_the_metric_that_is_shipped_for_its_encoder() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    let place = folder.join("order.json");

    let train = |from: Option<&str>| {
        let text = json!({
            "sources": sources(),
            "plan": testing::plan(),
            "from": from,
            "against": "shipped",
            "work": folder.join("work"),
            "out": folder.join("model"),
        });
        fs::write(&place, text.to_string()).expect("written");
        run(&place, settings, "").0
    };

    // No metric is shipped for this encoder, neither to continue from nor to compare with.
    let why = format!("{:#}", train(Some("shipped")).expect_err("none is shipped"));
    assert!(
        why.starts_with("no learned metric is shipped for the encoder bert-2x16-"),
        "{why}"
    );

    let result = train(None).expect("trained");
    let why = result["comparison"]["Err"].as_str().expect("a reason");
    assert!(
        why.starts_with("the one in use was not read: no learned metric is shipped"),
        "{why}"
    );
}

#[test]
fn a_training_that_was_stopped_goes_on_from_its_last_epoch() {
    let Some(workspace) = EncoderWorkspace::open() else {
        return;
    };
    let (folder, settings) = workspace.parts();
    let plan = TuningPlan {
        frozen_epochs: 1,
        tuned_epochs: 2,
        tuned_layers: 1,
        validation: 0.0,
        ..TuningPlan::lens()
    };
    let order = |name: &str, against: Option<&Path>| -> (PathBuf, PathBuf) {
        let place = |end: &str| folder.join(format!("{name}.{end}"));
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
        let ended = lines.iter().filter(|line| line["ended"] == true);
        ended.filter_map(|line| line["epoch"].as_u64()).collect()
    };

    let (first, model) = order("first", None);
    let (stopped, lines) = run(&first, settings, "\"ended\":true,\"epoch\":1");
    let stopped = stopped.expect_err("it was stopped");
    assert!(is_stopped(&stopped), "{stopped:#}");
    assert_eq!((epochs(&lines), model.exists()), (vec![0, 1], false));

    let (done, lines) = run(&first, settings, "");
    assert_eq!(epochs(&lines), [2]);
    let result = done.expect("trained");

    let held_out = |source: &TrainingSource| {
        let plan = testing::plan();
        plan.holds_out(&source.fingerprint())
    };
    let mut learned: Vec<String> = sources()
        .iter()
        .filter(|source| !held_out(source))
        .map(TrainingSource::fingerprint)
        .collect();
    learned.sort();
    assert!(learned.len() < 12, "some are held out");
    assert_eq!(result["trained_on"], json!(learned));
    assert_eq!(result["held_out"]["sources"], json!(12 - learned.len()));
    assert!(result["held_out"]["tau"].is_number(), "{result}");
    assert!(result["comparison"].is_null(), "nothing was in use");

    let (second, whole) = order("second", Some(&model));
    let result = run(&second, settings, "").0.expect("trained");
    let [resumed, whole] = [&model, &whole].map(|path| TunedModelCard::read(path).expect("there"));
    assert_eq!(resumed, whole, "as in one go");
    assert_eq!(result["signature"], json!(whole.signature()));
    let comparison = &result["comparison"]["Ok"];
    assert!(comparison["tau"].is_number(), "{result}");
    assert_eq!(
        comparison["tau"], comparison["other"],
        "they are the same: {result}"
    );
}
