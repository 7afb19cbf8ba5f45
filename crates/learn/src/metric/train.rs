//! From rated outputs to a metric.

use std::ops::ControlFlow;

use domain::metrics::degenerate::{Degenerate, GoodOutput, SEED, probes};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    Group, Source,
    features::Means,
    hybrid::{Hybrid, Settings, wanted},
    model::{Card, KnownSource, Model, Seen},
    table::Table,
    tensors::ModelError,
    trees::{Grower, Rows, Trees},
    validate::{Worse, figures},
};
use crate::encoder::EncoderError;

/// Of how many good outputs of a source worse ones are made to judge a metric by.
const ASKED: usize = 3;
/// Of how many they are made to learn from, with another seed: people rated none like them.
const TAUGHT: usize = 2;

/// The fewest rated outputs that are learned from.
pub const FEWEST: usize = 20;

/// What to train, beside the ratings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// How.
    pub settings: Settings,
    /// The share of the sources that is held out, from 0 to 1. Which these are depends on each source
    /// alone, so that a source stays on its side when others come.
    pub held_out: f64,
}

/// A tree that is grown.
#[derive(Debug)]
pub struct Step<'a> {
    /// All so far.
    pub trees: &'a Trees,
    /// How many there will be.
    pub of: usize,
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
    Model(#[from] ModelError),
    /// The encoder fails.
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    /// Whoever asked for it stopped it.
    #[error("the training was stopped")]
    Stopped,
}

impl Plan {
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
pub fn table(
    sources: &[Source],
    means: &Means,
    settings: &Settings,
    mut tell: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Table, TrainError> {
    let made: Vec<Vec<Made>> = sources
        .iter()
        .map(|it| made(it, TAUGHT, SEED + 1))
        .collect();
    let mut groups = groups(sources, settings)?;
    for (group, made) in groups.iter_mut().zip(&made) {
        // What an unchanged copy is worth, people say themselves: there is a system that copies.
        let taught = made.iter().filter(|it| it.of != Degenerate::Copy);
        group.outputs.extend(taught.map(|it| it.text.as_str()));
    }
    let columns = means.names(settings.references > 0)?.len();
    let rows = means.rows(&groups, |done| tell(done).is_continue())?;
    if rows.len() < groups.len() {
        return Err(TrainError::Stopped);
    }
    Ok(Table::new(sources, columns, rows))
}

/// The features of texts that are worse than a good output, for [`super::cross_validate`]: of up to
/// three outputs of each source whose mean z is above 0. `table` is that of the same sources.
///
/// # Errors
/// As [`table()`].
pub fn worse(
    sources: &[Source],
    table: &Table,
    means: &Means,
    settings: &Settings,
    mut tell: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Worse, TrainError> {
    let made: Vec<Vec<Made>> = sources.iter().map(|it| made(it, ASKED, SEED)).collect();
    let groups = groups(sources, settings)?.into_iter().zip(&made);
    let groups: Vec<Group<'_>> = groups
        .map(|(group, made)| Group {
            outputs: made.iter().map(|it| it.text.as_str()).collect(),
            ..group
        })
        .collect();
    let rows = means.rows(&groups, |done| tell(done).is_continue())?;
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
    Ok(Worse { cases })
}

/// A text that is worse than a good output.
pub(super) struct Made {
    /// The place of the good output among those of its source.
    pub(super) good: usize,
    of: Degenerate,
    pub(super) text: String,
}

/// What is made of the first so many good outputs of a source.
pub(super) fn made(source: &Source, most: usize, seed: u64) -> Vec<Made> {
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
    let probes = probes(&outputs, seed).into_iter();
    let made = probes.filter_map(|probe| {
        Some(Made {
            good: good[probe.case],
            of: probe.of?,
            text: probe.text,
        })
    });
    made.collect()
}

fn groups<'a>(sources: &'a [Source], settings: &Settings) -> Result<Vec<Group<'a>>, TrainError> {
    let group = |source: &'a Source| {
        if settings.references > 0 && source.references.is_empty() {
            return Err(TrainError::NoReference(source.text.clone()));
        }
        let references = &source.references;
        Ok(Group {
            references: &references[..settings.references.min(references.len())],
            ..source.as_group()
        })
    };
    sources.iter().map(group).collect()
}

/// Which training this is, for the trees of one that was stopped.
#[must_use]
pub fn training(table: &Table, plan: &Plan) -> String {
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
    table: Table,
    means: &Means,
    plan: &Plan,
    older: Option<&Model>,
    so_far: Option<Trees>,
    mut tell: impl FnMut(&Step<'_>) -> ControlFlow<()>,
) -> Result<Model, TrainError> {
    let settings = plan.settings;
    let held_out: Vec<bool> = table.sources.iter().map(|it| plan.holds_out(it)).collect();
    let learned = table.only(|source| !held_out[source]);
    let (outputs, sources) = (learned.outputs(), learned.sources.len());
    if outputs < FEWEST || sources < 2 {
        return Err(TrainError::TooFew { outputs, sources });
    }
    let mut hybrid = Hybrid::start(&learned, &settings);
    if let Some(trees) = so_far {
        hybrid.trees = trees;
    }
    let learned = learned.rated();
    let values = hybrid.clipped(&learned);
    let rows = Rows {
        values: &values,
        columns: learned.columns,
    };
    let wanted: Vec<f64> = wanted(&learned, settings.low).collect();
    let mut grower = Grower::new(&hybrid.trees, rows, &wanted, settings.trees, settings.seed);
    while let Some(loss) = grower.step(&mut hybrid.trees) {
        let step = Step {
            trees: &hybrid.trees,
            of: settings.trees.trees,
            loss,
        };
        if tell(&step).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    let judged = table.only(|source| held_out[source]);
    let score = |output| hybrid.score(judged.rows_of(output));
    let scores: Vec<f64> = judged.outputs.iter().map(score).collect();
    let sources = table.sources.iter().zip(&held_out);
    let card = Card {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        features: Seen::by(means, means.names(settings.references > 0)?),
        settings,
        data: table.hash(),
        sources: sources
            .map(|(fingerprint, held_out)| KnownSource {
                fingerprint: fingerprint.clone(),
                held_out: *held_out,
            })
            .collect(),
        from: older.map(Model::signature),
        held_out: (!scores.is_empty()).then(|| figures(&judged, &scores)),
        cross_validated: None,
    };
    Ok(Model {
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
pub fn joined(
    table: &Table,
    older: &Model,
    means: &Means,
    settings: &Settings,
) -> Result<Table, ModelError> {
    older.fits(means)?;
    if older.needs_references() != (settings.references > 0) {
        return Err(ModelError::Kind(
            "a metric with references cannot go on from one without, nor the other way round: use \
             --from none, or a metric of the same kind",
        ));
    }
    Ok(table.after(older.table()))
}
