//! Leave one dataset out, with an encoder that learns.

use std::path::Path;

use super::{ProgressCallback, TrainingError, TrainingProgress, encoder_trainer::open_scorer};
use crate::{
    metric::{
        DatasetProbe, DatasetScores, DatasetSource, LeaveOneOutSettings, RatedDataset,
        TrainingSource, check_left_out, list_left_out, make_dataset_probes, place_sources,
    },
    tuning::{ScoringCase, TuningPlan, TuningResources, train},
};

/// For each dataset, the scores of its outputs and probes by metrics whose encoder learned from all other datasets,
/// without the sources that they score. A metric with references learns from sources that have some, and has no score
/// for others. Each model is kept in the file `work` until the next one takes its place.
///
/// # Errors
/// What is left is too little to learn from, the encoder fails, or `on_progress` stops it.
pub fn score_left_out_by_encoder(
    datasets: &[RatedDataset],
    plan: &TuningPlan,
    resources: &TuningResources,
    validation: LeaveOneOutSettings,
    work: &Path,
    on_progress: &mut ProgressCallback<'_>,
) -> Result<Vec<DatasetScores>, TrainingError> {
    let kind = plan.objective.kind();
    let needs_references = kind.needs_references();
    let can_be_used = |source: &TrainingSource| !(needs_references && source.references.is_empty());
    let places = place_sources(datasets, validation);
    check_left_out(datasets, &places, kind)?;
    let probes: Vec<_> = datasets.iter().map(make_dataset_probes).collect();
    let unscored = datasets.iter().zip(&probes);
    let mut scores: Vec<DatasetScores> = unscored
        .map(|(dataset, probes)| leave_unscored(dataset, probes))
        .collect();
    let sources: Vec<(usize, &DatasetSource)> = datasets
        .iter()
        .flat_map(|dataset| dataset.sources.iter().enumerate())
        .collect();
    for (models_before, left_out) in list_left_out(&places).into_iter().enumerate() {
        let learned = places.iter().zip(&sources);
        let learned: Vec<TrainingSource> = learned
            .filter(|(place, (_, source))| place.teaches(left_out) && can_be_used(&source.training))
            .map(|(_, (_, source))| source.training.clone())
            .collect();
        let mut on_step = |step| {
            let progress = TrainingProgress::Step {
                step,
                models_before,
            };
            on_progress(progress).is_continue()
        };
        train(&learned, plan, resources, &mut on_step)?.save(work)?;
        let scorer = open_scorer(work, &resources.encoder)?;
        let probes = &probes[left_out.dataset];
        let own = &mut scores[left_out.dataset];
        for (place, (at, source)) in places.iter().zip(&sources) {
            if *place != left_out || !can_be_used(&source.training) {
                continue;
            }
            let case = |output| ScoringCase {
                source: &source.training.text,
                output,
                references: &source.training.references,
            };
            let outputs = source.training.outputs.iter();
            let cases: Vec<_> = outputs.map(|output| case(&output.text)).collect();
            own.outputs[*at] = scorer.predict_z(&cases)?;
            let cases: Vec<_> = probes[*at].iter().map(|probe| case(&probe.text)).collect();
            own.probes[*at] = scorer.predict_z(&cases)?;
        }
    }
    Ok(scores)
}

/// The scores of a dataset before anything is scored: not a number.
fn leave_unscored(dataset: &RatedDataset, probes: &[Vec<DatasetProbe>]) -> DatasetScores {
    let outputs = dataset.sources.iter();
    let outputs = outputs.map(|source| vec![f64::NAN; source.training.outputs.len()]);
    DatasetScores {
        outputs: outputs.collect(),
        probes: probes.iter().map(|own| vec![f64::NAN; own.len()]).collect(),
    }
}
