//! Calls, and what is kept open between them.

use std::{
    collections::{HashMap, hash_map::Entry},
    path::Path,
    sync::Arc,
};

use domain::text::{
    align::{AlignerGrade, grid::AlignmentStyle},
    categorise::{ThresholdRule, categorise},
    tokenised_text::TokenisedText,
};
use learn::{aligner::Aligner, training::MeaningUse};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    CallError, CallName,
    arguments::{
        AlignCall, AlignResult, AlignedPair, CandidateChoice, CategoriseCall, CategoriseResult,
        MetricDescription, MetricScores, MetricsResult, RerankCall, RerankResult, ScoreCall,
        ScoreResult, VersionResult, check_lengths, check_texts,
    },
};
use crate::{
    candidates::{CandidateScorer, choose_model},
    metrics::{
        BatchScores, MetricError, MetricKind, MetricResources, ScoringBatch, corpus_score,
        score_part,
    },
    progress::ProgressDisplay,
    settings::EncoderSettings,
};

/// Models and lists of words that calls have opened.
pub(crate) struct CallSession {
    settings: EncoderSettings,
    resources: Arc<MetricResources>,
    /// By the requested grade; `None` for the best.
    aligners: HashMap<Option<AlignerGrade>, OpenedAligner>,
    /// By name: `shipped` or a file.
    rerankers: HashMap<String, CandidateScorer>,
}

impl CallSession {
    pub(crate) fn new(settings: &EncoderSettings) -> Self {
        Self::with_resources(settings, MetricResources::new(settings))
    }

    /// A session with resources of these settings, some of which may be open.
    pub(crate) fn with_resources(settings: &EncoderSettings, resources: MetricResources) -> Self {
        Self {
            settings: settings.clone(),
            resources: Arc::new(resources),
            aligners: HashMap::new(),
            rerankers: HashMap::new(),
        }
    }

    /// Answers a call. Its result does not depend on earlier calls.
    pub(crate) fn call(
        &mut self,
        name: CallName,
        arguments: Value,
        progress: ProgressDisplay<'_>,
    ) -> Result<Value, CallError> {
        self.forget_texts();
        match name {
            CallName::Score => to_json(self.score(&parse(arguments)?, progress)?),
            CallName::Rerank => to_json(self.rerank(&parse(arguments)?, progress)?),
            CallName::Align => to_json(self.align(&parse(arguments)?, progress)?),
            CallName::Categorise => to_json(categorise_pairs(&parse(arguments)?)?),
            CallName::Metrics => to_json(list_metrics()),
            CallName::Version => to_json(VersionResult {
                version: env!("CARGO_PKG_VERSION"),
            }),
        }
    }

    /// Drops the vectors of earlier texts, whose last digits depend on the texts that they were computed
    /// with.
    pub(crate) fn forget_texts(&self) {
        self.resources.forget_texts();
    }

    /// The resources of metrics, for calls that need nothing else of the session.
    pub(crate) fn resources(&self) -> Arc<MetricResources> {
        self.resources.clone()
    }

    /// Scores outputs.
    pub(crate) fn score(
        &self,
        call: &ScoreCall,
        progress: ProgressDisplay<'_>,
    ) -> Result<ScoreResult, CallError> {
        score(call, &self.resources, progress)
    }

    /// Picks the best candidate of each source.
    pub(crate) fn rerank(
        &mut self,
        call: &RerankCall,
        progress: ProgressDisplay<'_>,
    ) -> Result<RerankResult, CallError> {
        let RerankCall {
            sources,
            candidates,
            model,
        } = call;

        check_lengths(sources, candidates.len(), "lists of candidates")?;
        check_texts("sources", sources)?;
        for (place, list) in candidates.iter().enumerate() {
            check_texts(&format!("candidates[{place}]"), list)?;
        }
        if let Some(place) = candidates.iter().position(Vec::is_empty) {
            return Err(CallError::bad_arguments(format!(
                "source {place} (counted from 0) has no candidate"
            )));
        }

        let scorer = self.reranker(model.as_deref())?;
        let meter = progress.begin("sources", sources.len());
        let mut choices = Vec::with_capacity(sources.len());
        for (source, candidates) in sources.iter().zip(candidates) {
            let scores = scorer.score(source, candidates, &[]);
            let scores = scores.map_err(CallError::failed)?;
            let best = scorer.best(&scores);
            choices.push(CandidateChoice { best, scores });
            meter.add(1);
        }

        Ok(RerankResult { choices })
    }

    /// The learned metric of this name, which is opened once.
    fn reranker(&mut self, model: Option<&str>) -> Result<&CandidateScorer, CallError> {
        let unavailable = |error: anyhow::Error| CallError::unavailable(format!("{error:#}"));
        let path = choose_model(model.map(Path::new), &self.settings);
        let path = path.map_err(CallError::bad_arguments)?;
        match self.rerankers.entry(path.display().to_string()) {
            Entry::Occupied(open) => Ok(open.into_mut()),
            Entry::Vacant(place) => {
                let scorer = CandidateScorer::open(&self.resources, path, false);
                Ok(place.insert(scorer.map_err(unavailable)?))
            }
        }
    }

    fn align(
        &mut self,
        call: &AlignCall,
        progress: ProgressDisplay<'_>,
    ) -> Result<AlignResult, CallError> {
        check_lengths(&call.sources, call.outputs.len(), "outputs")?;
        check_texts("sources", &call.sources)?;
        check_texts("outputs", &call.outputs)?;

        let texts = |texts: &[String]| -> Vec<TokenisedText> {
            texts.iter().map(|text| TokenisedText::new(text)).collect()
        };
        let (sources, outputs) = (texts(&call.sources), texts(&call.outputs));
        let pairs: Vec<_> = sources.iter().zip(&outputs).collect();

        let (aligner, warning) = self.aligner(call.grade)?;
        let meter = progress.begin("pairs aligned", pairs.len());
        let alignments = aligner
            .align_with_progress(&pairs, AlignmentStyle::Word, |more| meter.add(more))
            .map_err(|error| CallError::failed(error.into()))?;

        let pairs = pairs.into_iter().zip(&alignments);
        Ok(AlignResult {
            pairs: pairs
                .map(|((source, output), found)| AlignedPair::new(source, output, found))
                .collect(),
            warnings: warning.iter().cloned().collect(),
        })
    }

    /// The aligner of a grade, which is opened once.
    fn aligner(&mut self, grade: Option<AlignerGrade>) -> Result<&OpenedAligner, CallError> {
        match self.aligners.entry(grade) {
            Entry::Occupied(open) => Ok(open.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(open_aligner(grade, &self.resources)?)),
        }
    }
}

/// Scores outputs.
pub(crate) fn score(
    call: &ScoreCall,
    resources: &MetricResources,
    progress: ProgressDisplay<'_>,
) -> Result<ScoreResult, CallError> {
    call.check_lengths()?;
    check_texts("sources", &call.sources)?;
    check_texts("outputs", &call.outputs)?;
    for (place, list) in call.references.iter().flatten().enumerate() {
        check_texts(&format!("references[{place}]"), list)?;
    }

    let metrics = call.metric_kinds()?;
    if call.outputs.is_empty() {
        let scores = metrics.into_iter().map(no_scores).collect();
        return Ok(ScoreResult { scores });
    }

    let batch = make_batch(call)?;
    let meanings = match call.meaning {
        true => MeaningUse::Needed,
        false => MeaningUse::Unneeded,
    };
    let scores = score_part(&batch, &metrics, resources, meanings, progress, None);
    let scores = scores.map_err(|error| match error {
        MetricError::NoReferences { name } => CallError::bad_arguments(format!(
            "{name} needs references: give a list of them for each output"
        )),
        MetricError::Unknown { .. } => CallError::bad_arguments(error),
        MetricError::Missing { .. } => CallError::unavailable(error),
        MetricError::Encoding(_) | MetricError::Learned(_) => CallError::failed(error.into()),
    })?;

    let scores = scores.into_iter().map(from_batch_scores).collect();
    let mut result = ScoreResult { scores };
    if call.corpus {
        add_corpus_scores(&batch, &mut result);
    }
    Ok(result)
}

/// Adds the scores of all outputs of a call as one corpus.
pub(crate) fn score_corpus(
    call: &ScoreCall,
    mut result: ScoreResult,
) -> Result<ScoreResult, CallError> {
    add_corpus_scores(&make_batch(call)?, &mut result);
    Ok(result)
}

fn add_corpus_scores(batch: &ScoringBatch, result: &mut ScoreResult) {
    for scores in &mut result.scores {
        scores.corpus = corpus_score(batch, &scores.name, &scores.values, |_| true);
    }
}

fn make_batch(call: &ScoreCall) -> Result<ScoringBatch, CallError> {
    let whole = call.whole.map(ScoringBatch::of_larger);
    let mut batch = whole.unwrap_or_default();
    for (at, (source, output)) in call.sources.iter().zip(&call.outputs).enumerate() {
        let references = call.references.as_ref();
        let references = references.map_or(&[][..], |lists| &lists[at]);
        // Outputs may share a source and differ in its references.
        let key = serde_json::to_string(&(source, references));
        let key = key.map_err(|error| CallError::failed(error.into()))?;
        batch.add_with_key(&key, source, output, || references);
    }
    Ok(batch)
}

/// An aligner, with the reason if it is not the best one.
type OpenedAligner = (Aligner, Option<String>);

/// Opens the aligner of a grade, or else the best that the installed models allow.
fn open_aligner(
    grade: Option<AlignerGrade>,
    resources: &MetricResources,
) -> Result<OpenedAligner, CallError> {
    let with_encoder = || -> Result<Aligner, String> {
        let encoder = resources.encoder().map_err(str::to_owned)?;
        Aligner::with_encoder(encoder.clone()).map_err(|error| error.to_string())
    };
    let without_encoder = |missing: String| {
        let warning = format!("words are aligned without the encoder: {missing}");
        (Aligner::grid(), Some(warning))
    };

    match grade {
        Some(AlignerGrade::String) => Ok((Aligner::strings(), None)),
        Some(AlignerGrade::Grid) => Ok((Aligner::grid(), None)),
        Some(AlignerGrade::Encoder) => match with_encoder() {
            Ok(aligner) => Ok((aligner, None)),
            Err(missing) => Err(CallError::unavailable(missing)),
        },
        None => Ok(with_encoder().map_or_else(without_encoder, |aligner| (aligner, None))),
    }
}

fn categorise_pairs(call: &CategoriseCall) -> Result<CategoriseResult, CallError> {
    check_lengths(&call.sources, call.outputs.len(), "outputs")?;
    check_texts("sources", &call.sources)?;
    check_texts("outputs", &call.outputs)?;

    let name = call.rule.as_deref().unwrap_or(ThresholdRule::TUNED.name());
    let rule = ThresholdRule::from_name(name, call.threshold).map_err(CallError::bad_arguments)?;
    let pairs = call.sources.iter().zip(&call.outputs);
    Ok(CategoriseResult {
        pairs: pairs
            .map(|(source, output)| categorise(source, output, rule))
            .collect(),
        rule: rule.version(),
    })
}

/// The metrics that outputs can be scored by.
pub(crate) fn list_metrics() -> MetricsResult {
    let names = MetricKind::names().into_iter();
    let metrics = names.filter_map(|name| {
        let kind = MetricKind::named(name).ok()?;
        Some(MetricDescription {
            name,
            direction: kind.direction(),
            needs_references: kind.needs_references(),
        })
    });
    MetricsResult {
        metrics: metrics.collect(),
    }
}

/// A metric without scores. Its signature would have to say how many references each output has.
fn no_scores(metric: MetricKind) -> MetricScores {
    MetricScores {
        name: metric.name().to_owned(),
        signature: None,
        direction: metric.direction(),
        values: Vec::new(),
        corpus: None,
        meanings: Vec::new(),
    }
}

fn from_batch_scores(scores: BatchScores) -> MetricScores {
    let meanings = scores.meanings.into_iter();
    MetricScores {
        name: scores.name,
        signature: scores.signature,
        direction: scores.direction,
        values: scores.values,
        corpus: None,
        meanings: meanings.map(|meaning| meaning.map(Into::into)).collect(),
    }
}

fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T, CallError> {
    serde_json::from_value(arguments)
        .map_err(|error| CallError::bad_arguments(format!("the arguments do not fit: {error}")))
}

fn to_json(result: impl Serialize) -> Result<Value, CallError> {
    serde_json::to_value(result).map_err(|error| CallError::failed(error.into()))
}
