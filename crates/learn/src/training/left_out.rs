//! Leave-one-dataset-out evaluation of metrics that fine-tune an encoder.

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
/// without the sources that they score. A metric with references learns only from sources that have some, and does not
/// score others. Each model is kept in the file `work` until the next one replaces it.
///
/// # Errors
/// Too little is left to learn from, the encoder fails, or `on_progress` stops the evaluation.
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
    let is_usable = |source: &TrainingSource| !(needs_references && source.references.is_empty());
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
            .filter(|(place, (_, source))| place.teaches(left_out) && is_usable(&source.training))
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
            if *place != left_out || !is_usable(&source.training) {
                continue;
            }
            let outputs = source.training.outputs.iter();
            let cases: Vec<_> = outputs
                .map(|output| make_case(&source.training, &output.text))
                .collect();
            own.outputs[*at] = scorer.predict_z(&cases)?;
            let cases: Vec<_> = probes[*at]
                .iter()
                .map(|probe| make_case(&source.training, &probe.text))
                .collect();
            own.probes[*at] = scorer.predict_z(&cases)?;
        }
    }

    Ok(scores)
}

fn make_case<'a>(source: &'a TrainingSource, output: &'a str) -> ScoringCase<'a> {
    ScoringCase {
        source: &source.text,
        output,
        references: &source.references,
    }
}

/// The scores of a dataset before anything is scored: NaN.
fn leave_unscored(dataset: &RatedDataset, probes: &[Vec<DatasetProbe>]) -> DatasetScores {
    let outputs = dataset.sources.iter();
    let outputs = outputs.map(|source| vec![f64::NAN; source.training.outputs.len()]);
    DatasetScores {
        outputs: outputs.collect(),
        probes: probes.iter().map(|own| vec![f64::NAN; own.len()]).collect(),
    }
}
