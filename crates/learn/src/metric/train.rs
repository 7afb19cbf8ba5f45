//! From rated outputs to a metric.

use std::ops::ControlFlow;

use domain::metrics::degenerate::{DegenerateKind, GoodOutput, SEED, build_probes};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    SourceGroup, TrainingSource,
    feature_table::FeatureTable,
    features::FeatureResources,
    hybrid::{HybridPredictor, HybridSettings, compute_targets},
    model::{FeatureSpec, HybridModel, HybridModelCard, KnownSource},
    tensors::HybridModelError,
    trees::{FeatureRows, TreeEnsemble, TreeGrower},
    validate::{DegenerateFeatures, compute_figures},
};
use crate::encoder::EncoderError;

/// Of how many good outputs of a source worse ones are made to judge a metric by.
const JUDGED_OUTPUTS_PER_SOURCE: usize = 3;
/// Of how many they are made to learn from, with another seed: people rated none like them.
const TAUGHT_OUTPUTS_PER_SOURCE: usize = 2;

/// The fewest rated outputs that are learned from.
pub const MIN_OUTPUTS: usize = 20;

/// What to train, beside the ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HybridPlan {
    /// How.
    pub settings: HybridSettings,
    /// The share of the sources that is held out, from 0 to 1. Which these are depends on each source
    /// alone, so that a source stays on its side when others come.
    pub held_out: f64,
}

/// A tree that is grown.
#[derive(Debug)]
pub struct TreeStep<'a> {
    /// All so far.
    pub trees: &'a TreeEnsemble,
    /// How many there will be.
    pub total: usize,
    /// The mean squared error that is left, on what is learned from.
    pub loss: f64,
}

/// Why there is no trained metric.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// Nothing, or too little, to learn from.
    #[error(
        "{outputs} rated outputs of {sources} sources are too few to learn from: 20 outputs of 2 \
         sources are the least, and to go on from the metric that is shipped is better below some 500"
    )]
    TooFew {
        /// How many outputs there are.
        outputs: usize,
        /// Of how many sources.
        sources: usize,
    },
    /// A metric with references is to learn from a source without.
    #[error(
        "there is no reference of the source “{0}”: name them with --references, or train without"
    )]
    NoReference(String),
    /// A metric without references is to learn from rows with some, or the other way round.
    #[error(transparent)]
    Model(#[from] HybridModelError),
    /// The encoder fails.
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    /// Whoever asked for it stopped it.
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

/// The features of rated outputs; `tell` hears how many sources are done.
///
/// # Errors
/// A source has no reference where some are needed, the encoder fails, or `tell` says to stop.
pub fn build_feature_table(
    sources: &[TrainingSource],
    means: &FeatureResources,
    settings: &HybridSettings,
    mut tell: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<FeatureTable, TrainError> {
    let made: Vec<Vec<DegenerateOutput>> = sources
        .iter()
        .map(|it| make_degenerate_outputs(it, TAUGHT_OUTPUTS_PER_SOURCE, SEED + 1))
        .collect();
    let mut groups = make_groups(sources, settings)?;
    for (group, made) in groups.iter_mut().zip(&made) {
        // What an unchanged copy is worth, people say themselves: there is a system that copies.
        let taught = made.iter().filter(|it| it.kind != DegenerateKind::Copy);
        group.outputs.extend(taught.map(|it| it.text.as_str()));
    }
    let columns = means.feature_names(settings.references > 0)?.len();
    let rows = means.compute_rows(&groups, |done| tell(done).is_continue())?;
    if rows.len() < groups.len() {
        return Err(TrainError::Stopped);
    }
    Ok(FeatureTable::new(sources, columns, rows))
}

/// The features of texts that are worse than a good output, for [`super::cross_validate`]: of up to
/// three outputs of each source whose mean z is above 0. `table` is that of the same sources.
///
/// # Errors
/// As [`table()`].
pub fn build_degenerate_features(
    sources: &[TrainingSource],
    table: &FeatureTable,
    means: &FeatureResources,
    settings: &HybridSettings,
    mut tell: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<DegenerateFeatures, TrainError> {
    let made: Vec<Vec<DegenerateOutput>> = sources
        .iter()
        .map(|it| make_degenerate_outputs(it, JUDGED_OUTPUTS_PER_SOURCE, SEED))
        .collect();
    let groups = make_groups(sources, settings)?.into_iter().zip(&made);
    let groups: Vec<SourceGroup<'_>> = groups
        .map(|(group, made)| SourceGroup {
            outputs: made.iter().map(|it| it.text.as_str()).collect(),
            ..group
        })
        .collect();
    let rows = means.compute_rows(&groups, |done| tell(done).is_continue())?;
    if rows.len() < groups.len() {
        return Err(TrainError::Stopped);
    }
    let mut cases = Vec::with_capacity(made.len());
    for (source, (made, rows)) in made.into_iter().zip(rows).enumerate() {
        let first = table.outputs.partition_point(|it| it.source < source);
        let of_source = made.into_iter().zip(rows);
        cases.push(
            of_source
                .map(|(made, rows)| (first + made.good, rows))
                .collect(),
        );
    }
    Ok(DegenerateFeatures { cases })
}

/// A text that is worse than a good output.
pub(super) struct DegenerateOutput {
    /// The place of the good output among those of its source.
    pub(super) good: usize,
    kind: DegenerateKind,
    pub(super) text: String,
}

/// What is made of the first so many good outputs of a source.
pub(super) fn make_degenerate_outputs(
    source: &TrainingSource,
    most: usize,
    seed: u64,
) -> Vec<DegenerateOutput> {
    let good = source
        .outputs
        .iter()
        .enumerate()
        .filter(|(_, it)| it.z > 0.0);
    let good: Vec<usize> = good.map(|(at, _)| at).take(most).collect();
    let outputs: Vec<GoodOutput<'_>> = good
        .iter()
        .map(|at| GoodOutput {
            source: &source.text,
            output: &source.outputs[*at].text,
        })
        .collect();
    let probes = build_probes(&outputs, seed).into_iter();
    let made = probes.filter_map(|probe| {
        Some(DegenerateOutput {
            good: good[probe.case],
            kind: probe.kind?,
            text: probe.text,
        })
    });
    made.collect()
}

fn make_groups<'a>(
    sources: &'a [TrainingSource],
    settings: &HybridSettings,
) -> Result<Vec<SourceGroup<'a>>, TrainError> {
    let group = |source: &'a TrainingSource| {
        if settings.references > 0 && source.references.is_empty() {
            return Err(TrainError::NoReference(source.text.clone()));
        }
        let references = &source.references;
        Ok(SourceGroup {
            references: &references[..settings.references.min(references.len())],
            ..source.as_group()
        })
    };
    sources.iter().map(group).collect()
}

/// Which training this is, for the trees of one that was stopped.
#[must_use]
pub fn compute_training_key(table: &FeatureTable, plan: &HybridPlan) -> String {
    let plan = serde_json::to_string(plan).expect("a plan is plain data");
    format!("{}|{plan}", table.hash())
}

/// Trains a metric on a table, made by [`table()`] and, where it is to go on from `older`, by
/// [`joined`]. `so_far` are trees of the same training, where one was stopped; what comes out is the
/// same as in one go. `tell` hears of each tree.
///
/// # Errors
/// There is too little to learn from, the older metric does not fit, or `tell` says to stop.
pub fn train(
    table: FeatureTable,
    means: &FeatureResources,
    plan: &HybridPlan,
    older: Option<&HybridModel>,
    so_far: Option<TreeEnsemble>,
    mut tell: impl FnMut(&TreeStep<'_>) -> ControlFlow<()>,
) -> Result<HybridModel, TrainError> {
    let settings = plan.settings;
    let held_out: Vec<bool> = table.sources.iter().map(|it| plan.holds_out(it)).collect();
    let learned = table.select_sources(|source| !held_out[source]);
    let (outputs, sources) = (learned.outputs(), learned.sources.len());
    if outputs < MIN_OUTPUTS || sources < 2 {
        return Err(TrainError::TooFew { outputs, sources });
    }
    let mut hybrid = HybridPredictor::new(&learned, &settings);
    if let Some(trees) = so_far {
        hybrid.trees = trees;
    }
    let learned = learned.without_degenerate();
    let values = hybrid.clip_table(&learned);
    let rows = FeatureRows {
        values: &values,
        columns: learned.columns,
    };
    let wanted: Vec<f64> = compute_targets(&learned, settings.negative_scale).collect();
    let mut grower = TreeGrower::new(&hybrid.trees, rows, &wanted, settings.trees, settings.seed);
    while let Some(loss) = grower.step(&mut hybrid.trees) {
        let step = TreeStep {
            trees: &hybrid.trees,
            total: settings.trees.max_trees,
            loss,
        };
        if tell(&step).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    let judged = table.select_sources(|source| held_out[source]);
    let score = |output| hybrid.score(judged.rows_of(output));
    let scores: Vec<f64> = judged.outputs.iter().map(score).collect();
    let sources = table.sources.iter().zip(&held_out);
    let card = HybridModelCard {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        features: FeatureSpec::new(means, means.feature_names(settings.references > 0)?),
        settings,
        data: table.hash(),
        sources: sources
            .map(|(fingerprint, held_out)| KnownSource {
                fingerprint: fingerprint.clone(),
                held_out: *held_out,
            })
            .collect(),
        from: older.map(HybridModel::signature),
        held_out: (!scores.is_empty()).then(|| compute_figures(&judged, &scores)),
        cross_validated: None,
    };
    Ok(HybridModel {
        card,
        hybrid,
        table,
    })
}

/// A table together with what an older metric was trained on, so that a training goes on from it: few
/// ratings by themselves teach too little. Sources rated anew take the place of the same ones.
///
/// # Errors
/// The older metric sees outputs in another way, by other means, or is of the other kind.
pub fn merge_tables(
    table: &FeatureTable,
    older: &HybridModel,
    means: &FeatureResources,
    settings: &HybridSettings,
) -> Result<FeatureTable, HybridModelError> {
    older.check_resources(means)?;
    if older.needs_references() != (settings.references > 0) {
        return Err(HybridModelError::Kind(
            "a metric with references cannot go on from one without, nor the other way round: use \
             --from none, or a metric of the same kind",
        ));
    }
    Ok(table.merge_older(older.table()))
}
