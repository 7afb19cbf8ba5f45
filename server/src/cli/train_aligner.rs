//! Training an aligner in a process of its own, for the server; [`aligner_protocol`](crate::worker::aligner_protocol)
//! describes input and output.

use std::{
    cell::RefCell,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::Context as _;
use domain::{
    aligner_comparison::{AlignerComparison, SourceTallies},
    statistics::bootstrap::ResamplingOptions,
};
use learn::{
    aligner::{Aligner, AlignerRetraining, CheckedTexts, RetrainingError, RetrainingProgress},
    metric::fingerprint,
};
use service::aligner_training::CheckedSource;

use super::{
    align::read_network,
    train::{lower_priority, stop_when_input_closes},
};
use crate::{
    aligner::{open_aligner, open_encoder},
    settings::EncoderSettings,
    worker::aligner_protocol::{
        AlignerStepEvent, AlignerTrainingEvent, AlignerTrainingRequest, AlignerTrainingResult,
    },
};

/// Trains the aligner that a file requests, for the server; people use `rankrate align train`.
#[derive(Debug, clap::Args)]
pub(super) struct TrainAlignerWorkerArgs {
    /// The request, as JSON.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl TrainAlignerWorkerArgs {
    /// Trains, and reports its progress on standard output.
    pub(super) fn run(self, encoder: &EncoderSettings) -> anyhow::Result<()> {
        lower_priority();
        let stop = stop_when_input_closes();
        let mut out = io::stdout();

        match run_request(&self.file, encoder, &stop, &mut out) {
            Ok(result) => Ok(AlignerTrainingEvent::Done(Box::new(result)).write(&mut out)?),
            Err(error) if matches!(error.downcast_ref(), Some(RetrainingError::Stopped)) => {
                Ok(AlignerTrainingEvent::Stopped.write(&mut out)?)
            }
            Err(error) => {
                let why = format!("{error:#}");
                AlignerTrainingEvent::Failed { why }.write(&mut out)?;
                Err(error)
            }
        }
    }
}

/// Trains what the file requests, until `stop` is set.
fn run_request(
    file: &Path,
    encoder: &EncoderSettings,
    stop: &AtomicBool,
    out: &mut impl Write,
) -> anyhow::Result<AlignerTrainingResult> {
    let unreadable = || format!("{} cannot be read", file.display());
    let text = fs::read_to_string(file).with_context(unreadable)?;
    let request: AlignerTrainingRequest = serde_json::from_str(&text).with_context(unreadable)?;
    let folder = request.work.join(name_work(&text, &request)?);
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;

    let open = |path: &Path| -> anyhow::Result<Aligner> {
        let network = Some(read_network(path)?);
        Ok(open_aligner(None, network, || open_encoder(encoder))?.0)
    };
    let base = open(&request.from)?;
    let own = request.against.as_deref().map(open).transpose()?;
    let current = own.as_ref().unwrap_or(&base);

    let out = RefCell::new(out);
    let report = |event: AlignerTrainingEvent| {
        let written = event.write(&mut *out.borrow_mut());
        written.is_ok() && !stop.load(Ordering::Relaxed)
    };

    let texts: Vec<_> = request.sources.iter().map(checked_texts).collect();
    let retraining = AlignerRetraining::prepare((&base, current), &texts, request.seed, |done| {
        report(AlignerTrainingEvent::Prepared {
            done: done as u64,
            of: texts.len() as u64,
        })
    })?;

    let on_progress = |progress: RetrainingProgress| {
        report(AlignerTrainingEvent::Step(AlignerStepEvent {
            network: progress.network as u64,
            networks: progress.networks as u64,
            step: progress.step.step as u64,
            steps: progress.step.steps as u64,
            loss: progress.step.loss,
        }))
    };

    let (model, tallies) = retraining.run(&folder, on_progress)?;
    fs::write(&request.out, model.write())
        .with_context(|| format!("{} cannot be written", request.out.display()))?;

    Ok(AlignerTrainingResult {
        too_long: retraining.left_out(),
        comparison: compare(&request, &tallies),
        model: request.out,
    })
}

/// The name of the folder for the networks of a request. It depends on the request and on the content of the networks
/// at its paths, so that nothing is continued that another request left behind, or that began with another network,
/// such as that of a server of another version.
fn name_work(text: &str, request: &AlignerTrainingRequest) -> anyhow::Result<String> {
    let mut inputs = fingerprint(text);
    for path in [Some(&request.from), request.against.as_ref()] {
        inputs.push(' ');
        if let Some(path) = path {
            let file = fs::read(path);
            let file = file.with_context(|| format!("{} cannot be read", path.display()))?;
            inputs.push_str(&fingerprint(&file));
        }
    }
    Ok(fingerprint(&inputs))
}

fn checked_texts(source: &CheckedSource) -> CheckedTexts<'_> {
    let outputs = source.outputs.iter();
    CheckedTexts {
        source: &source.text,
        outputs: outputs
            .map(|output| (&output.text[..], &output.reviews[..]))
            .collect(),
    }
}

/// Compares the aligners on the sources with alignments that the one in use did not learn from.
fn compare(
    request: &AlignerTrainingRequest,
    tallies: &[SourceTallies],
) -> Result<AlignerComparison, String> {
    let sources = request.sources.iter().zip(tallies);
    let unseen = sources.filter(|(source, _)| !request.known.contains(&source.id));
    let with_pairs = unseen.map(|(_, tallies)| *tallies);
    let compared: Vec<_> = with_pairs
        .filter(|tallies| tallies.current.evaluation().pairs > 0)
        .collect();
    AlignerComparison::from_sources(&compared, ResamplingOptions::default()).map_err(|_| {
        "there are too few checked sources that the aligner in use did not learn from".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use domain::{
        ids::SourceId,
        text::{edits::derive_edits, tokenised_text::TokenisedText},
    };
    use service::aligner_training::CheckedOutput;

    use super::*;
    use crate::{clock, learned_metric::testing::empty_settings};

    /// Sources whose edits an annotator removed, except those of the last.
    fn checked_sources() -> Vec<CheckedSource> {
        let pairs = [
            ("The old boat sank in the bay.", "The ship went down."),
            ("It rained all day on the hill.", "The hill was wet."),
            ("The council withdrew its plan.", "The town gave up."),
            ("A storm destroyed the harbour.", "Wind broke the port."),
            ("She purchased a large house.", "She bought a home."),
            ("They commenced the journey.", "They began the trip."),
        ];

        let source = |(at, (text, output)): (usize, &(&str, &str))| {
            let (from, to) = (TokenisedText::new(text), TokenisedText::new(output));
            let links = Aligner::grid()
                .align(
                    &[(&from, &to)],
                    domain::text::align::grid::AlignmentStyle::Word,
                )
                .expect("no encoder is needed");
            let edits = derive_edits(&from, &to, &links[0]);
            CheckedSource {
                id: SourceId(clock::new_id()),
                text: (*text).to_owned(),
                outputs: vec![CheckedOutput {
                    text: (*output).to_owned(),
                    corrected: at + 1 < pairs.len(),
                    reviews: vec![match at + 1 < pairs.len() {
                        true => Vec::new(),
                        false => edits,
                    }],
                }],
            }
        };

        pairs.iter().enumerate().map(source).collect()
    }

    /// Writes a request to a file in the folder, and returns its path.
    fn write_request(folder: &Path, change: impl FnOnce(&mut AlignerTrainingRequest)) -> PathBuf {
        let network = Aligner::grid();
        let network = network.network().expect("it has a network").write();
        let from = folder.join("from");
        fs::write(&from, network).expect("written");
        let mut request = AlignerTrainingRequest {
            sources: checked_sources(),
            from,
            against: None,
            known: Vec::new(),
            seed: 1,
            work: folder.join("work"),
            out: folder.join("model"),
        };

        change(&mut request);
        let file = folder.join("order.json");
        fs::write(&file, request.to_json().expect("plain data")).expect("written");
        file
    }

    fn run(
        file: &Path,
        stop: bool,
    ) -> (
        anyhow::Result<AlignerTrainingResult>,
        Vec<serde_json::Value>,
    ) {
        let mut out = Vec::new();
        let stop = AtomicBool::new(stop);
        let result = run_request(file, &empty_settings(), &stop, &mut out);

        let text = String::from_utf8(out).expect("JSON");
        let lines = text.lines();
        let events = lines.map(|line| serde_json::from_str(line).expect("an event"));
        (result, events.collect())
    }

    fn count_steps(events: &[serde_json::Value]) -> usize {
        events
            .iter()
            .filter(|event| event["event"] == "step")
            .count()
    }

    #[test]
    fn every_source_is_held_out_once_and_a_broken_training_continues_to_the_same_network() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_request(folder.path(), |_| {});
        let (result, events) = run(&file, false);
        let result = result.expect("a network");
        let comparison = result.comparison.expect("a comparison");
        assert_eq!((comparison.sources, comparison.new.pairs), (6, 6));
        assert_eq!(comparison.current.pairs, 6);
        assert!(!comparison.is_better(), "on six sources nothing is certain");
        let network = fs::read(&result.model).expect("the network");
        let read = learn::aligner::AlignerModel::read(&network).expect("a network");
        let shipped = Aligner::grid().version();
        assert_eq!(read.card().version, shipped + 1);
        let steps = count_steps(&events);

        // Five networks without a fifth of the sources, and one from all.
        assert!(
            events
                .iter()
                .any(|event| event["network"] == 5 && event["networks"] == 6)
        );

        // A killed process leaves two of the networks unfinished.
        let work = fs::read_dir(folder.path().join("work")).expect("its work");
        let work = work.flatten().next().expect("a folder").path();
        for name in ["fold-4.safetensors", "all.safetensors"] {
            fs::remove_file(work.join(name)).expect("removed");
        }
        let (again, events) = run(&file, false);
        let again = again.expect("a network");
        assert_eq!(again.comparison, Ok(comparison));
        assert!(fs::read(&again.model).expect("the network") == network);
        assert_eq!(count_steps(&events) * 3, steps);
    }

    #[test]
    fn another_network_at_the_same_path_has_another_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_request(folder.path(), |request| {
            request.against = Some(request.from.with_file_name("against"));
        });
        let text = fs::read_to_string(file).expect("the request");
        let request: AlignerTrainingRequest = serde_json::from_str(&text).expect("a request");
        let against = request.against.as_ref().expect("a path");
        let name = || name_work(&text, &request).expect("files that read");

        fs::write(against, "one").expect("written");
        let first = name();
        assert_eq!(first, name());
        fs::write(against, "two").expect("written");
        let second = name();
        fs::write(&request.from, "two").expect("written");
        assert!(first != second && name() != second);
    }

    #[test]
    fn a_training_stops_when_it_is_told_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_request(folder.path(), |_| {});
        let (result, events) = run(&file, true);
        let error = result.expect_err("it was stopped");
        assert!(matches!(
            error.downcast_ref(),
            Some(RetrainingError::Stopped)
        ));
        assert_eq!(events.len(), 1);
    }

    #[test]
    fn sources_that_the_aligner_in_use_learned_from_are_in_no_comparison() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = write_request(folder.path(), |request| {
            let known = request.sources[..3].iter();
            request.known = known.map(|source| source.id).collect();
            request.against = Some(request.from.clone());
        });
        let (result, _) = run(&file, false);
        let comparison = result.expect("a network").comparison;
        assert_eq!(comparison.expect("a comparison").sources, 3);

        let file = write_request(folder.path(), |request| {
            let known = request.sources[..5].iter();
            request.known = known.map(|source| source.id).collect();
        });
        let (result, _) = run(&file, false);
        let why = result
            .expect("a network")
            .comparison
            .expect_err("one source");
        assert!(why.contains("too few"), "{why}");
    }
}
