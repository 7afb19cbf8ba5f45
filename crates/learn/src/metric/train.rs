//! Training of trees and ranker.

use std::ops::ControlFlow;

use domain::metrics::{
    LearnedMetricKind,
    degenerate::{DegenerateKind, GoodOutput, SEED, build_probes},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    SourceGroup, TrainingSource,
    feature_table::FeatureTable,
    features::FeatureResources,
    hybrid::{HybridPredictor, HybridSettings, compute_targets},
    model::{FeatureSpec, HybridModel, HybridModelCard, KnownSource},
    ranker_pairs::TAUGHT_OUTPUTS_PER_SOURCE,
    tensors::HybridModelError,
    trees::{FeatureRows, TreeEnsemble, TreeGrower},
    validate::{DegenerateFeatures, compute_figures},
};
use crate::encoder::EncoderError;

/// The number of good outputs of a source from which the degenerate texts that judge a metric are made.
pub(super) const JUDGED_OUTPUTS_PER_SOURCE: usize = 3;

/// The fewest rated outputs that a model is trained on.
pub const MIN_OUTPUTS: usize = 20;

/// The settings of a training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HybridPlan {
    /// The settings of features, trees and guard.
    pub settings: HybridSettings,
    /// The share of the sources that is held out, from 0 to 1. Whether a source is held out depends on its text
    /// alone, so that it stays on its side when others are added.
    pub held_out: f64,
}

/// The state after a tree is grown.
#[derive(Debug)]
pub struct TreeStep<'a> {
    /// All trees so far.
    pub trees: &'a TreeEnsemble,
    /// The number of trees to grow.
    pub total: usize,
    /// The mean squared error on the training data.
    pub loss: f64,
}

/// Reasons why no model was trained.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// There is too little training data.
    #[error(
        "{outputs} rated outputs of {sources} sources are too few to learn from: 20 outputs of 2 \
         sources are the least, and below some 500 it is better to continue from the built-in metric"
    )]
    TooFew {
        /// The number of rated outputs.
        outputs: usize,
        /// The number of their sources.
        sources: usize,
    },
    /// There is too little training data without a dataset.
    #[error(
        "without “{dataset}”, {outputs} rated outputs of {sources} sources are left, too few to learn from: 20 outputs \
         of 2 sources are the least{}",
        if *with_references { ", each with references" } else { "" }
    )]
    TooFewOthers {
        /// The dataset that is left out.
        dataset: String,
        /// The number of rated outputs that are left.
        outputs: usize,
        /// The number of their sources.
        sources: usize,
        /// Whether only sources with references are counted.
        with_references: bool,
    },
    /// A metric with references has nothing to learn from without a dataset.
    #[error(
        "without “{dataset}”, no source has references, which {kind} learns from: name `references` in the list"
    )]
    NoOtherReferences {
        /// The dataset that is left out.
        dataset: String,
        /// The metric.
        kind: LearnedMetricKind,
    },
    /// A metric with references was to learn from a source without any.
    #[error(
        "there is no reference of the source “{0}”: name them with --references, or train without"
    )]
    NoReference(String),
    /// A model or its resources do not fit the training.
    #[error(transparent)]
    Model(#[from] HybridModelError),
    /// The encoder fails.
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    /// The caller stopped the training.
    #[error("the training was stopped")]
    Stopped,
}

impl HybridPlan {
    /// Whether a source is held out.
    #[must_use]
    pub fn holds_out(&self, fingerprint: &str) -> bool {
        let digest = Sha256::digest(format!("held out|{fingerprint}"));
        let number = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
        f64::from(number) / 2.0_f64.powi(32) < self.held_out
    }
}

/// Computes the features of rated outputs; `on_progress` receives the number of sources done.
///
/// # Errors
/// A source lacks a required reference, the encoder fails, or `on_progress` stops the computation.
pub fn build_feature_table(
    sources: &[TrainingSource],
    resources: &FeatureResources,
    settings: &HybridSettings,
    mut on_progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<FeatureTable, TrainError> {
    let degenerate_outputs: Vec<Vec<DegenerateOutput>> = sources
        .iter()
        .map(|source| make_degenerate_outputs(source, TAUGHT_OUTPUTS_PER_SOURCE, SEED + 1))
        .collect();

    let mut groups = make_groups(sources, settings)?;
    for (group, made) in groups.iter_mut().zip(&degenerate_outputs) {
        // People rated unchanged copies themselves: one of the systems copies.
        let taught = made
            .iter()
            .filter(|output| output.kind != DegenerateKind::Copy);
        group
            .outputs
            .extend(taught.map(|output| output.text.as_str()));
    }

    let columns = resources.feature_names(settings.references > 0)?.len();
    let rows = resources.compute_rows(&groups, |done| on_progress(done).is_continue())?;
    if rows.len() < groups.len() {
        return Err(TrainError::Stopped);
    }
    Ok(FeatureTable::new(sources, columns, rows))
}

/// Computes the features of degenerate texts, for [`super::cross_validate`]: those made from up to three outputs of
/// each source whose mean z is above 0. `table` holds the same sources.
///
/// # Errors
/// As for [`build_feature_table`].
pub fn build_degenerate_features(
    sources: &[TrainingSource],
    table: &FeatureTable,
    resources: &FeatureResources,
    settings: &HybridSettings,
    mut on_progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<DegenerateFeatures, TrainError> {
    let degenerate_outputs: Vec<Vec<DegenerateOutput>> = sources
        .iter()
        .map(|source| make_degenerate_outputs(source, JUDGED_OUTPUTS_PER_SOURCE, SEED))
        .collect();

    let groups = make_groups(sources, settings)?
        .into_iter()
        .zip(&degenerate_outputs);
    let groups: Vec<SourceGroup<'_>> = groups
        .map(|(group, degenerate)| SourceGroup {
            outputs: degenerate
                .iter()
                .map(|output| output.text.as_str())
                .collect(),
            ..group
        })
        .collect();

    let rows = resources.compute_rows(&groups, |done| on_progress(done).is_continue())?;
    if rows.len() < groups.len() {
        return Err(TrainError::Stopped);
    }

    let mut cases = Vec::with_capacity(degenerate_outputs.len());
    for (source, (made, rows)) in degenerate_outputs.into_iter().zip(rows).enumerate() {
        let first = table
            .outputs
            .partition_point(|output| output.source < source);
        let source_cases = made.into_iter().zip(rows);
        cases.push(
            source_cases
                .map(|(output, rows)| (first + output.good, rows))
                .collect(),
        );
    }

    Ok(DegenerateFeatures { cases })
}

/// A degenerate text, made from a good output.
pub(super) struct DegenerateOutput {
    /// The index of the good output among those of its source.
    pub(super) good: usize,
    kind: DegenerateKind,
    pub(super) text: String,
}

/// The degenerate texts made from the first `most` good outputs of a source.
pub(super) fn make_degenerate_outputs(
    source: &TrainingSource,
    most: usize,
    seed: u64,
) -> Vec<DegenerateOutput> {
    let good = source
        .outputs
        .iter()
        .enumerate()
        .filter(|(_, output)| output.z > 0.0);
    let good: Vec<usize> = good.map(|(at, _)| at).take(most).collect();

    let outputs: Vec<GoodOutput<'_>> = good
        .iter()
        .map(|at| GoodOutput {
            source: &source.text,
            output: &source.outputs[*at].text,
        })
        .collect();

    let probes = build_probes(&outputs, seed).into_iter();
    let degenerate = probes.filter_map(|probe| {
        Some(DegenerateOutput {
            good: good[probe.case],
            kind: probe.kind?,
            text: probe.text,
        })
    });
    degenerate.collect()
}

fn make_groups<'a>(
    sources: &'a [TrainingSource],
    settings: &HybridSettings,
) -> Result<Vec<SourceGroup<'a>>, TrainError> {
    sources
        .iter()
        .map(|source| {
            if settings.references > 0 && source.references.is_empty() {
                return Err(TrainError::NoReference(source.text.clone()));
            }
            let references = &source.references;
            Ok(SourceGroup {
                references: &references[..settings.references.min(references.len())],
                ..source.as_group()
            })
        })
        .collect()
}

/// A key that identifies a training, under which the trees of a stopped one are kept.
#[must_use]
pub fn compute_training_key(table: &FeatureTable, plan: &HybridPlan) -> String {
    let plan = serde_json::to_string(plan).expect("a plan is plain data");
    format!("{}|{plan}", table.hash())
}

/// Trains a model on a table of [`build_feature_table`] or, to continue from `older`, of [`merge_tables`]. `so_far`
/// holds the trees of the same training if it was stopped before; the result is the same as without the interruption.
/// `on_progress` receives each tree.
///
/// # Errors
/// There is too little training data, the resources fail, or `on_progress` stops the training.
pub fn train(
    table: FeatureTable,
    resources: &FeatureResources,
    plan: &HybridPlan,
    older: Option<&HybridModel>,
    so_far: Option<TreeEnsemble>,
    on_progress: impl FnMut(&TreeStep<'_>) -> ControlFlow<()>,
) -> Result<HybridModel, TrainError> {
    let settings = plan.settings;
    let held_out: Vec<bool> = table
        .sources
        .iter()
        .map(|fingerprint| plan.holds_out(fingerprint))
        .collect();
    let learned = table.select_sources(|source| !held_out[source]);
    let (outputs, sources) = (learned.outputs(), learned.sources.len());
    if outputs < MIN_OUTPUTS || sources < 2 {
        return Err(TrainError::TooFew { outputs, sources });
    }

    // Clip ranges, ranker and guard take little time and depend on the table alone: a resumed training fits them again
    // and takes over only the trees.
    let mut hybrid = HybridPredictor::new(&learned, &settings);
    if let Some(trees) = so_far {
        hybrid.trees = trees;
    }

    grow_trees(
        &mut hybrid,
        &learned.without_degenerate(),
        &settings,
        on_progress,
    )?;

    let test_table = table.select_sources(|source| held_out[source]);
    let scores: Vec<f64> = test_table
        .outputs
        .iter()
        .map(|output| hybrid.score(test_table.rows_of(output)))
        .collect();

    let sources = table.sources.iter().zip(&held_out);
    let card = HybridModelCard {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        features: FeatureSpec::new(resources, resources.feature_names(settings.references > 0)?),
        settings,
        data: table.hash(),
        sources: sources
            .map(|(fingerprint, held_out)| KnownSource {
                fingerprint: fingerprint.clone(),
                held_out: *held_out,
            })
            .collect(),
        from: older.map(HybridModel::signature),
        held_out: (!scores.is_empty()).then(|| compute_figures(&test_table, &scores)),
        cross_validated: None,
        calibration: None,
    };

    let held_out_scores: Vec<[f64; 2]> = test_table
        .outputs
        .iter()
        .zip(&scores)
        .filter(|(output, _)| !output.is_degenerate)
        .map(|(output, score)| [*score, f64::from(output.z)])
        .collect();
    let model = HybridModel {
        card,
        hybrid,
        table,
    };
    Ok(model.calibrated_by(held_out_scores))
}

/// Grows the trees that are still missing on the rated outputs of `table`.
fn grow_trees(
    hybrid: &mut HybridPredictor,
    table: &FeatureTable,
    settings: &HybridSettings,
    mut on_progress: impl FnMut(&TreeStep<'_>) -> ControlFlow<()>,
) -> Result<(), TrainError> {
    let values = hybrid.clip_table(table);
    let rows = FeatureRows {
        values: &values,
        columns: table.columns,
    };
    let targets: Vec<f64> = compute_targets(table, settings.negative_scale).collect();

    let mut grower = TreeGrower::new(&hybrid.trees, rows, &targets, settings.trees, settings.seed);
    while let Some(loss) = grower.step(&mut hybrid.trees) {
        let step = TreeStep {
            trees: &hybrid.trees,
            total: settings.trees.max_trees,
            loss,
        };
        if on_progress(&step).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    Ok(())
}

/// A table together with an older model's training data, so that training continues from it: a few new
/// ratings alone are too little. Sources in both come from `table`.
///
/// # Errors
/// The older model has other features or resources, or is of another kind.
pub fn merge_tables(
    table: &FeatureTable,
    older: &HybridModel,
    resources: &FeatureResources,
    settings: &HybridSettings,
) -> Result<FeatureTable, HybridModelError> {
    older.check_resources(resources)?;
    if older.needs_references() != (settings.references > 0) {
        return Err(HybridModelError::Kind(
            "a metric with references cannot continue from one without, nor the other way round: use \
             --from none, or a metric of the same kind",
        ));
    }
    Ok(table.merge_older(older.table()))
}
