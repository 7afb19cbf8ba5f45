//! One step of fine-tuning and the time that steps take, for `bench/gradients` to compare with PyTorch.
//! `gradients lens|cross|signals ENCODER OUT.safetensors THREADS STEPS < SOURCE.json`; answers with the seconds
//! of each step as a JSON list.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]
#![allow(clippy::disallowed_methods, reason = "a bench reads the clock")]

use std::{env, error::Error, io, path::Path, time::Instant};

use learn::{
    metric::TrainingSource,
    tuning::{PretrainingPlan, TuningError, TuningPlan, export_batch, export_signal_batch},
};

type ExportFunction = fn(
    (&Path, usize),
    &TrainingSource,
    &TuningPlan,
    &Path,
    &mut (dyn FnMut(f64) -> bool + Send),
) -> Result<(), TuningError>;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds a flag of its own.
    let own = |argument: &String| !argument.starts_with("--");
    let arguments: Vec<String> = env::args().skip(1).filter(own).collect();
    let [kind, folder, out, threads, steps] = arguments.as_slice() else {
        return Err(
            "say: gradients lens|cross|signals ENCODER OUT.safetensors THREADS STEPS".into(),
        );
    };
    let (plan, export): (_, ExportFunction) = match kind.as_str() {
        "lens" => (TuningPlan::lens(), export_batch),
        "signals" => (PretrainingPlan::new(1).first, export_signal_batch),
        _ => (TuningPlan::cross(), export_batch),
    };
    let source: TrainingSource = serde_json::from_reader(io::stdin())?;
    let steps: usize = steps.parse()?;
    let mut seconds = Vec::new();
    let mut since = None;
    let encoder = (Path::new(folder), threads.parse()?);
    export(encoder, &source, &plan, Path::new(out), &mut |_| {
        // The first step has memory to ask for: its time is not taken.
        let now = Instant::now();
        if let Some(since) = since.replace(now) {
            seconds.push(now.duration_since(since).as_secs_f64());
        }
        seconds.len() < steps
    })?;
    println!("{}", serde_json::to_string(&seconds)?);
    Ok(())
}
