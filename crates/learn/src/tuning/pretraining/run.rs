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
    LanguageModelCard, LearnedSignal, PretrainedCard, PretrainingEpoch, PretrainingPlan,
    PretrainingSignal, PretrainingStage, PretrainingText, StageCard,
    candidates::{CandidateSet, make_candidates},
    model::{LAYOUT, PRETRAINED_KEY},
    perplexity::{LanguageTexts, PairPerplexity},
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
        fit::{FitRequest, FitResult, fit},
        model::write_model,
        split::split_by_hash,
        task::TaskNetworks,
        train::with_threads,
    },
};

/// The texts of both stages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PretrainingData {
    /// The texts of the first stage, whose references serve only as candidates. Empty to skip the stage.
    pub first: Vec<PretrainingText>,
    /// The texts of the second stage, each with a reference. Empty to skip the stage.
    pub second: Vec<PretrainingText>,
}

/// The resources of pre-training.
#[derive(Debug, Clone)]
pub struct PretrainingResources {
    /// The encoder to start from, which also computes embeddings for signals, ONNX Runtime, and the number of threads.
    pub encoder: EncoderOptions,
    /// The list of word frequencies by which words are replaced.
    pub frequencies: WordFrequencies,
    /// The key of a source in the list of a file's sources, the same for all spellings of the source.
    pub source_key: fn(&str) -> String,
    /// The folder, which exists, for the checkpoint and the encoder of each stage. Pre-training resumes from files of
    /// the same pre-training.
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

/// The progress of pre-training.
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
        /// The progress of its training.
        step: TuningProgress,
    },
}

/// Pre-trains an encoder. `on_progress` receives each step and stops it by returning false. The same texts, plan and
/// threads give the same encoder on the same machine, whether it was interrupted or not.
///
/// # Errors
/// The plan, the texts or the encoder cannot be trained with, or pre-training was stopped.
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
    let first_sources = data.find_first_sources(resources.source_key);
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

        // Numbers that were read can differ in their last digit, so the card is always read from the file.
        card = PretrainedCard::read(&file)?;
        base = BaseEncoder::read(&file)?;
        path = Some(file);
        earlier.extend(learned.into_iter().map(|item| &texts[item]));
    }

    let path = path.expect("checked: there are texts");
    Ok(PretrainedEncoder { card, path })
}

impl PretrainingData {
    /// The same data, without the texts whose source `is_left_out` names.
    #[must_use]
    pub fn without(&self, is_left_out: &dyn Fn(&str) -> bool) -> Self {
        Self {
            first: filter_texts(&self.first, is_left_out),
            second: filter_texts(&self.second, is_left_out),
        }
    }

    /// Keeps at most `most` texts of each stage, taken at random.
    pub fn limit(&mut self, most: usize, seed: u64) {
        for texts in [&mut self.first, &mut self.second] {
            SeededRandom::new(seed).shuffle(texts);
            texts.truncate(most);
        }
    }

    /// By its key, each source of all stages as it is first written.
    fn find_first_sources(&self, source_key: fn(&str) -> String) -> HashMap<String, &str> {
        let mut first_sources = HashMap::new();
        for text in self.first.iter().chain(&self.second) {
            let key = source_key(&text.source);
            first_sources.entry(key).or_insert(text.source.as_str());
        }
        first_sources
    }

    fn check(&self, plan: &PretrainingPlan) -> Result<(), TuningError> {
        if self.first.is_empty() && self.second.is_empty() {
            return refuse("there are no texts to learn from".to_owned());
        }

        let all = self.first.iter().chain(&self.second);
        if all.into_iter().any(|text| text.source.trim().is_empty()) {
            return refuse("a source is empty: leave its line out".to_owned());
        }

        let bare = self.second.iter().find(|text| text.references.is_empty());
        if let Some(text) = bare {
            return refuse(format!(
                "the source “{}” has no references, which the second stage compares with",
                text.source
            ));
        }

        for (stage, texts) in [
            (PretrainingStage::First, &self.first),
            (PretrainingStage::Second, &self.second),
        ] {
            if !texts.is_empty() && plan.stage_signals(stage).is_empty() {
                return refuse(format!(
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

fn filter_texts(
    texts: &[PretrainingText],
    is_left_out: &dyn Fn(&str) -> bool,
) -> Vec<PretrainingText> {
    texts
        .iter()
        .filter(|text| !is_left_out(&text.source))
        .cloned()
        .collect()
}

fn refuse(reason: String) -> Result<(), TuningError> {
    Err(TuningError::Data(reason))
}

/// A stage with all that it needs.
struct StageRun<'a> {
    stage: PretrainingStage,
    texts: &'a [PretrainingText],
    plan: &'a PretrainingPlan,
    resources: &'a PretrainingResources,
    /// All sources of this stage and of the stages before it.
    sources: &'a PretrainedSources,
    /// The texts that the stages before it learned from.
    earlier: &'a [&'a PretrainingText],
    /// By its key, each source of all stages as it is first written.
    first_sources: &'a HashMap<String, &'a str>,
}

impl StageRun<'_> {
    /// A file of the stage. Its name has the stage's number and the first digits of its signature, so that different
    /// stages are kept apart and equal ones are trained once.
    fn file(&self, signature: &str, extension: &str) -> PathBuf {
        let name = format!("stage-{}-{signature:.12}.{extension}", self.stage.number());
        self.resources.work.join(name)
    }

    fn signals(&self) -> Vec<PretrainingSignal> {
        self.plan.stage_signals(self.stage)
    }

    /// The numbers of the training texts, and of those by which the best epoch is chosen.
    fn split(&self) -> (Vec<usize>, Vec<usize>) {
        let all: Vec<usize> = (0..self.texts.len()).collect();
        let share = self.plan.stage(self.stage).validation;
        split_by_hash(&all, share, |item| {
            format!("{} {}", self.plan.seed, self.name_source(item))
        })
    }

    /// The source of a text as it is first written, so that all spellings of a source are on the same side.
    fn name_source(&self, item: usize) -> &str {
        let source = &self.texts[item].source;
        let key = (self.resources.source_key)(source);
        self.first_sources.get(&key).copied().unwrap_or(source)
    }

    fn learns_fluency(&self) -> bool {
        let mut signals = self.signals().into_iter();
        signals.any(PretrainingSignal::needs_language_model)
    }

    /// The texts of its language model: all training texts so far, without those of a development source.
    fn collect_language_texts(&self, split: &(Vec<usize>, Vec<usize>)) -> LanguageTexts {
        let (training, development) = split;
        let source_key = self.resources.source_key;
        let held_out = development.iter();
        let held_out = held_out.map(|item| source_key(&self.texts[*item].source));
        let held_out: HashSet<String> = held_out.collect();

        let own = training.iter().map(|item| &self.texts[*item]);
        let texts = self.earlier.iter().copied().chain(own);
        let texts = texts.filter(|text| !held_out.contains(&source_key(&text.source)));
        LanguageTexts::new(texts, source_key, &|word: &str| {
            self.resources.frequencies.zipf(word)
        })
    }

    /// The identity of the stage: the encoder it starts from, its texts and its settings.
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

        // The names split the texts, and can come from the stage before.
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

    /// Whether the file is the finished encoder of the same stage, with a list of its sources.
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
        let signals = self.signals();
        let sets = self.build_candidates();
        let split = self.split();
        let (perplexities, language_model) = self.compute_perplexities(&split, &sets);
        let values = self.measure_signals(&sets, &perplexities, on_progress)?;

        let (training, development) = split;
        let (scales, targets) = standardise_signals(&values, &training);
        let pooling = self.plan.pooling(self.stage);
        let mut task = SignalTask::new(&base, pooling, &sets, &targets, signals.len())?;
        self.precompute_vectors(&mut task, &base, on_progress)?;
        let indices = (&training[..], &development[..]);
        let fitted = self.fit(&task, &base, indices, signature, on_progress)?;

        let networks = TaskNetworks {
            encoder: fitted.encoder.as_ref(),
            head: &fitted.head,
            masks: None,
        };
        let predictions = task.compare(&development, networks);
        let learned_signals = signals.iter().zip(scales).zip(predictions);
        card.stages.push(StageCard {
            stage: self.stage,
            data: hash_texts(self.texts),
            sources: sets.len(),
            development_sources: development.len(),
            candidates: sets.iter().map(|set| set.candidates.len()).sum(),
            signals: learned_signals
                .map(|((signal, scale), pairs)| LearnedSignal {
                    signal: *signal,
                    scale,
                    r: pearson(&pairs)
                        .ok()
                        .map(|correlation| correlation.coefficient),
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
        let stages: Vec<PretrainingStage> = card.stages.iter().map(|card| card.stage).collect();
        card.plan = self.plan.of_stages(&stages);

        let weights = fitted.into_weights("pretraining");
        let text = serde_json::to_string(&card).expect("a card is plain data");
        let texts = HashMap::from([
            (PRETRAINED_KEY.to_owned(), text),
            (SIGNATURE_KEY.to_owned(), signature.to_owned()),
            (SOURCES_KEY.to_owned(), self.sources.write()),
        ]);
        write_model(file, &base, &weights, texts)?;

        // A finished stage does not need its checkpoint, which is three times as large as the encoder.
        let checkpoint_file = self.file(signature, "checkpoint");
        fs::remove_file(&checkpoint_file)
            .map_err(|source| TuningError::file(&checkpoint_file, source))
    }

    /// The candidates of each text. The first stage does not compare with references.
    fn build_candidates(&self) -> Vec<CandidateSet> {
        let zipf = &|word: &str| self.resources.frequencies.zipf(word);
        let mut sets = make_candidates(self.texts, self.plan.degraded, self.plan.seed, zipf);
        if self.stage == PretrainingStage::First {
            sets.iter_mut().for_each(|set| set.references.clear());
        }
        sets
    }

    /// The perplexities of the candidates, and the card of their language model. Empty if the stage learns no fluency.
    fn compute_perplexities(
        &self,
        split: &(Vec<usize>, Vec<usize>),
        sets: &[CandidateSet],
    ) -> (Vec<Vec<PairPerplexity>>, Option<LanguageModelCard>) {
        if !self.learns_fluency() {
            return (Vec::new(), None);
        }

        let keys = self.texts.iter();
        let keys = keys.map(|text| (self.resources.source_key)(&text.source));
        let keyed_sets: Vec<_> = keys.zip(sets).collect();
        let (perplexities, card) = self
            .collect_language_texts(split)
            .compute_perplexities(&keyed_sets);
        (perplexities, Some(card))
    }

    /// The signals of each candidate of each text.
    fn measure_signals(
        &self,
        sets: &[CandidateSet],
        perplexities: &[Vec<PairPerplexity>],
        on_progress: &mut (dyn FnMut(PretrainingProgress) -> bool + Send),
    ) -> Result<Vec<Vec<Vec<f64>>>, TuningError> {
        let encoder = Encoder::open(&self.resources.encoder)?;
        let (stage, total) = (self.stage, sets.len());
        let values = compute_signals(sets, &self.signals(), &encoder, perplexities, &mut |done| {
            on_progress(PretrainingProgress::Signals { stage, done, total })
        })?;
        values.ok_or(TuningError::Stopped)
    }

    /// Computes the vectors of the task's texts that can be computed before training.
    fn precompute_vectors(
        &self,
        task: &mut SignalTask,
        base: &BaseEncoder,
        on_progress: &mut (dyn FnMut(PretrainingProgress) -> bool + Send),
    ) -> Result<(), TuningError> {
        let (stage, settings) = (self.stage, self.plan.stage(self.stage));
        let texts = task.texts();
        let steps = texts.pieces.len();
        texts.compute(base, settings, &self.resources.encoder, &mut |step| {
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
        })
    }

    /// Trains the networks on the texts with these indices, from the stage's checkpoint if there is one.
    fn fit(
        &self,
        task: &SignalTask,
        base: &BaseEncoder,
        (training, development): (&[usize], &[usize]),
        signature: &str,
        on_progress: &mut (dyn FnMut(PretrainingProgress) -> bool + Send),
    ) -> Result<FitResult, TuningError> {
        let checkpoint_file = self.file(signature, "checkpoint");
        let mut begin = Checkpoint::read(&checkpoint_file, signature)?.unwrap_or_default();
        signature.clone_into(&mut begin.state.signature);

        let stage = self.stage;
        let request = FitRequest {
            task,
            base,
            plan: self.plan.stage(stage),
            training,
            validation: development,
        };
        fit(
            &request,
            begin,
            &mut |step| on_progress(PretrainingProgress::Step { stage, step }),
            &mut |checkpoint| checkpoint.write(&checkpoint_file),
        )
    }
}

/// The key of a stage's signature in the header of its file.
const SIGNATURE_KEY: &str = "rankrate-pretraining";

/// The identity of texts: the SHA-256 of all in their order.
fn hash_texts(texts: &(impl Serialize + ?Sized)) -> String {
    hash_bytes(&serde_json::to_vec(texts).expect("texts are plain data"))
}

fn hash_bytes(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
