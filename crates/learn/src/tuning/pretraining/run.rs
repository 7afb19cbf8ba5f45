//! Pre-training: both stages, one after the other.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use domain::{random::SeededRandom, statistics::correlation::pearson};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{
    LearnedSignal, PretrainedCard, PretrainingEpoch, PretrainingPlan, PretrainingSignal,
    PretrainingStage, PretrainingText, StageCard,
    candidates::make_candidates,
    model::{LAYOUT, PRETRAINED_KEY},
    perplexity::LanguageTexts,
    signals::{compute_signals, standardise_signals},
    sources::{PretrainedSources, SOURCES_KEY},
    task::SignalTask,
};
use crate::{
    encoder::{Encoder, EncoderOptions, weights::read_texts},
    metric::WordFrequencies,
    tuning::{
        TuningError, TuningProgress,
        base_encoder::BaseEncoder,
        checkpoint::Checkpoint,
        fit::{FitRequest, fit},
        model::write_model,
        split::split_by_hash,
        task::TaskNetworks,
        train::with_threads,
    },
};

/// The texts of both stages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PretrainingData {
    /// Those of the first stage, whose references are candidates and nothing else. Without any there is no first stage.
    pub first: Vec<PretrainingText>,
    /// Those of the second stage, each with a reference. Without any there is no second stage.
    pub second: Vec<PretrainingText>,
}

/// The resources of pre-training.
#[derive(Debug, Clone)]
pub struct PretrainingResources {
    /// The encoder to start from, which also computes embeddings for signals, ONNX Runtime, and the number of threads.
    pub encoder: EncoderOptions,
    /// The list of word frequencies by which words are replaced.
    pub frequencies: WordFrequencies,
    /// The key of a source in the list of a file's sources, the same however the source is written.
    pub source_key: fn(&str) -> String,
    /// The folder, which exists, for the checkpoint and the encoder of each stage. Pre-training resumes from what the same
    /// pre-training left there.
    pub work: PathBuf,
}

/// A pre-trained encoder in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct PretrainedEncoder {
    /// Its description.
    pub card: PretrainedCard,
    /// The file, in the folder of the resources.
    pub path: PathBuf,
}

/// How far pre-training is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PretrainingProgress {
    /// The signals of `done` sources are computed.
    Signals {
        /// The stage.
        stage: PretrainingStage,
        /// Sources done.
        done: usize,
        /// All sources.
        total: usize,
    },
    /// The encoder is being prepared, or has made a step.
    Step {
        /// The stage.
        stage: PretrainingStage,
        /// Where its training is.
        step: TuningProgress,
    },
}

/// Pre-trains an encoder. `on_progress` receives each step and stops it by returning false. The same texts, plan and
/// threads give the same encoder on the same machine, whether it was interrupted or not.
///
/// # Errors
/// The plan, the texts or the encoder do not allow it, or it was stopped.
pub fn pretrain(
    data: &PretrainingData,
    plan: &PretrainingPlan,
    resources: &PretrainingResources,
    on_progress: &mut (dyn FnMut(PretrainingProgress) -> bool + Send),
) -> Result<PretrainedEncoder, TuningError> {
    plan.check()?;
    data.check(plan)?;
    let base = BaseEncoder::read(&resources.encoder.folder)?;
    let mut card = PretrainedCard {
        layout: LAYOUT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        encoder: base.name()?,
        frequencies: resources.frequencies.name().to_owned(),
        plan: plan.of_stages(&[]),
        stages: Vec::new(),
    };
    let mut base = base;
    let mut sources = PretrainedSources::default();
    let mut earlier = Vec::new();
    let mut first_sources = HashMap::new();
    for text in data.first.iter().chain(&data.second) {
        let key = (resources.source_key)(&text.source);
        first_sources.entry(key).or_insert(text.source.as_str());
    }
    let mut path = None;
    for (stage, texts) in [
        (PretrainingStage::First, &data.first),
        (PretrainingStage::Second, &data.second),
    ] {
        if texts.is_empty() {
            continue;
        }
        for text in texts {
            sources.add(&(resources.source_key)(&text.source));
        }
        let run = StageRun {
            stage,
            texts,
            plan,
            resources,
            sources: &sources,
            earlier: &earlier,
            first_sources: &first_sources,
        };
        let (learned, _) = run.split();
        let signature = run.signature(&base, &card)?;
        let file = run.file(&signature, "safetensors");
        if !StageRun::is_finished(&file, &signature) {
            with_threads(resources.encoder.threads, || {
                run.train(base, card, &signature, &file, on_progress)
            })?;
        }
        // Numbers of a card that was read can differ in their last digit, so that it is always the one that was read.
        card = PretrainedCard::read(&file)?;
        base = BaseEncoder::read(&file)?;
        path = Some(file);
        earlier.extend(learned.into_iter().map(|item| &texts[item]));
    }
    let path = path.expect("checked: there are texts");
    Ok(PretrainedEncoder { card, path })
}

impl PretrainingData {
    /// The same without the texts whose source `is_left_out` names.
    #[must_use]
    pub fn without(&self, is_left_out: &dyn Fn(&str) -> bool) -> Self {
        let keep = |texts: &[PretrainingText]| {
            let kept = texts.iter().filter(|text| !is_left_out(&text.source));
            kept.cloned().collect()
        };
        Self {
            first: keep(&self.first),
            second: keep(&self.second),
        }
    }

    /// Keeps as many texts of each stage at most, taken at random.
    pub fn limit(&mut self, most: usize, seed: u64) {
        for texts in [&mut self.first, &mut self.second] {
            SeededRandom::new(seed).shuffle(texts);
            texts.truncate(most);
        }
    }

    fn check(&self, plan: &PretrainingPlan) -> Result<(), TuningError> {
        let wrong = |reason: String| Err(TuningError::Data(reason));
        if self.first.is_empty() && self.second.is_empty() {
            return wrong("there are no texts to learn from".to_owned());
        }
        let all = self.first.iter().chain(&self.second);
        if all.into_iter().any(|text| text.source.trim().is_empty()) {
            return wrong("a source is empty: leave its line out".to_owned());
        }
        let bare = self.second.iter().find(|text| text.references.is_empty());
        if let Some(text) = bare {
            return wrong(format!(
                "the source “{}” has no references, which the second stage compares with",
                text.source
            ));
        }
        for (stage, texts) in [
            (PretrainingStage::First, &self.first),
            (PretrainingStage::Second, &self.second),
        ] {
            if !texts.is_empty() && plan.stage_signals(stage).is_empty() {
                return wrong(format!(
                    "stage {} has no signal to learn: name one that {}",
                    stage.number(),
                    match stage {
                        PretrainingStage::First => "needs no references",
                        PretrainingStage::Second => "it knows",
                    }
                ));
            }
        }
        Ok(())
    }
}

/// A stage with all that it needs.
struct StageRun<'a> {
    stage: PretrainingStage,
    texts: &'a [PretrainingText],
    plan: &'a PretrainingPlan,
    resources: &'a PretrainingResources,
    /// All sources, of this stage and of those before it.
    sources: &'a PretrainedSources,
    /// The texts that the stages before it learned from.
    earlier: &'a [&'a PretrainingText],
    /// By its key, each source of all stages as it is first written.
    first_sources: &'a HashMap<String, &'a str>,
}

impl StageRun<'_> {
    /// A file of the stage, whose name begins with its number and the first digits of its signature, so that stages that
    /// differ keep apart and stages that are the same are trained once.
    fn file(&self, signature: &str, extension: &str) -> PathBuf {
        let name = format!("stage-{}-{signature:.12}.{extension}", self.stage.number());
        self.resources.work.join(name)
    }

    fn signals(&self) -> Vec<PretrainingSignal> {
        self.plan.stage_signals(self.stage)
    }

    /// The numbers of the texts that are learned from, and of those by which the best epoch is chosen.
    fn split(&self) -> (Vec<usize>, Vec<usize>) {
        let all: Vec<usize> = (0..self.texts.len()).collect();
        let share = self.plan.stage(self.stage).validation;
        split_by_hash(&all, share, |item| {
            format!("{} {}", self.plan.seed, self.name_source(item))
        })
    }

    /// The source of a text as it is first written, so that the same source is on the same side however it is written.
    fn name_source(&self, item: usize) -> &str {
        let source = &self.texts[item].source;
        let key = (self.resources.source_key)(source);
        self.first_sources.get(&key).copied().unwrap_or(source)
    }

    fn learns_fluency(&self) -> bool {
        let mut signals = self.signals().into_iter();
        signals.any(PretrainingSignal::needs_language_model)
    }

    /// The texts of its language model: all that was learned from so far, but nothing of a development source.
    fn collect_language_texts(&self, split: &(Vec<usize>, Vec<usize>)) -> LanguageTexts {
        let (training, development) = split;
        let source_key = self.resources.source_key;
        let held_out = development.iter();
        let held_out = held_out.map(|item| source_key(&self.texts[*item].source));
        let held_out: HashSet<String> = held_out.collect();
        let own = training.iter().map(|item| &self.texts[*item]);
        let texts = self.earlier.iter().copied().chain(own);
        let texts = texts.filter(|text| !held_out.contains(&source_key(&text.source)));
        let zipf = |word: &str| self.resources.frequencies.zipf(word);
        LanguageTexts::new(texts, source_key, &zipf)
    }

    /// Identifies the stage: what it starts from, its texts and its settings.
    fn signature(&self, base: &BaseEncoder, card: &PretrainedCard) -> Result<String, TuningError> {
        let mut parts = serde_json::json!({
            "stage": self.stage,
            "base": base.name()?,
            "encoder": card.encoder,
            "program": card.program,
            "frequencies": card.frequencies,
            "plan": self.plan.of_stages(&[self.stage]),
            "texts": hash_texts(self.texts),
        });
        // By these the texts are split, and they can come from the stage before.
        let names: Vec<&str> = (0..self.texts.len())
            .map(|item| self.name_source(item))
            .collect();
        let sources = self.texts.iter().map(|text| &text.source[..]);
        if !sources.eq(names.iter().copied()) {
            parts["names"] = hash_texts(&names).into();
        }
        if self.learns_fluency() {
            parts["earlier_texts"] = hash_texts(self.earlier).into();
        }
        Ok(hash_bytes(parts.to_string().as_bytes()))
    }

    /// Whether the file is the encoder that the same stage left, with a list of its sources.
    fn is_finished(file: &Path, signature: &str) -> bool {
        let texts = read_texts(file).unwrap_or_default();
        texts.contains_key(SOURCES_KEY)
            && texts.get(SIGNATURE_KEY).is_some_and(|own| own == signature)
    }

    /// Trains the stage, and writes its encoder to the file.
    fn train(
        &self,
        base: BaseEncoder,
        mut card: PretrainedCard,
        signature: &str,
        file: &Path,
        on_progress: &mut (dyn FnMut(PretrainingProgress) -> bool + Send),
    ) -> Result<(), TuningError> {
        let (stage, signals) = (self.stage, self.signals());
        let settings = self.plan.stage(stage);
        let frequencies = &self.resources.frequencies;
        let zipf = |word: &str| frequencies.zipf(word);
        let mut sets = make_candidates(self.texts, self.plan.degraded, self.plan.seed, &zipf);
        if stage == PretrainingStage::First {
            sets.iter_mut().for_each(|set| set.references.clear());
        }
        let split = self.split();
        let (perplexities, language_model) = if self.learns_fluency() {
            let keys = self.texts.iter();
            let keys = keys.map(|text| (self.resources.source_key)(&text.source));
            let named: Vec<_> = keys.zip(&sets).collect();
            let (perplexities, card) = self
                .collect_language_texts(&split)
                .compute_perplexities(&named);
            (perplexities, Some(card))
        } else {
            (Vec::new(), None)
        };
        let values = {
            let encoder = Encoder::open(&self.resources.encoder)?;
            let total = sets.len();
            let mut on_source =
                |done| on_progress(PretrainingProgress::Signals { stage, done, total });
            compute_signals(&sets, &signals, &encoder, &perplexities, &mut on_source)?
                .ok_or(TuningError::Stopped)?
        };
        let (training, development) = split;
        let (scales, targets) = standardise_signals(&values, &training);
        let mut task = SignalTask::new(
            &base,
            self.plan.pooling(stage),
            &sets,
            &targets,
            signals.len(),
        )?;
        let steps = task.texts().pieces.len();
        let mut on_text = |step| {
            let step = TuningProgress {
                epoch: 0,
                epochs: settings.epochs(),
                step,
                steps,
                tuned: false,
                loss: None,
                validation: None,
            };
            on_progress(PretrainingProgress::Step { stage, step })
        };
        task.texts()
            .compute(&base, settings, &self.resources.encoder, &mut on_text)?;
        let checkpoint_file = self.file(signature, "checkpoint");
        let mut begin = Checkpoint::read(&checkpoint_file, signature)?.unwrap_or_default();
        signature.clone_into(&mut begin.state.signature);
        let request = FitRequest {
            task: &task,
            base: &base,
            plan: settings,
            training: &training,
            validation: &development,
        };
        let mut on_step = |step| on_progress(PretrainingProgress::Step { stage, step });
        let fitted = fit(&request, begin, &mut on_step, &mut |checkpoint| {
            checkpoint.write(&checkpoint_file)
        })?;
        let networks = TaskNetworks {
            encoder: fitted.encoder.as_ref(),
            head: &fitted.head,
            masks: None,
        };
        let compared = task.compare(&development, networks);
        let learned = signals.iter().zip(scales).zip(compared);
        card.stages.push(StageCard {
            stage,
            data: hash_texts(self.texts),
            sources: sets.len(),
            development_sources: development.len(),
            candidates: sets.iter().map(|set| set.candidates.len()).sum(),
            signals: learned
                .map(|((signal, scale), pairs)| LearnedSignal {
                    signal: *signal,
                    scale,
                    r: pearson(&pairs).ok().map(|found| found.coefficient),
                })
                .collect(),
            language_model,
            epoch: fitted.epoch,
            history: fitted
                .history
                .iter()
                .map(|result| PretrainingEpoch {
                    epoch: result.epoch,
                    loss: result.loss,
                    development_loss: result.validation_loss,
                })
                .collect(),
        });
        let stages: Vec<PretrainingStage> = card.stages.iter().map(|done| done.stage).collect();
        card.plan = self.plan.of_stages(&stages);
        let weights = fitted.into_weights("pretraining");
        let text = serde_json::to_string(&card).expect("a card is plain data");
        let texts = HashMap::from([
            (PRETRAINED_KEY.to_owned(), text),
            (SIGNATURE_KEY.to_owned(), signature.to_owned()),
            (SOURCES_KEY.to_owned(), self.sources.write()),
        ]);
        write_model(file, &base, &weights, texts)?;
        // What is finished needs no checkpoint, which is three times as large.
        fs::remove_file(&checkpoint_file)
            .map_err(|source| TuningError::file(&checkpoint_file, source))
    }
}

/// The key of what identifies a stage in the header of its file.
const SIGNATURE_KEY: &str = "rankrate-pretraining";

/// Identifies texts: the SHA-256 of all in their order.
fn hash_texts(texts: &(impl Serialize + ?Sized)) -> String {
    hash_bytes(&serde_json::to_vec(texts).expect("texts are plain data"))
}

fn hash_bytes(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
