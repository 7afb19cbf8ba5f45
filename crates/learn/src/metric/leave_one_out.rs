//! Leave-one-dataset-out evaluation: a metric's figures on a dataset whose systems, scales and raters it never saw.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use domain::metrics::{LearnedMetricKind, degenerate::SEED};
use sha2::{Digest as _, Sha256};

use super::{
    FeatureResources, HybridSettings, RatedDataset, TrainError, TrainingSource,
    build_degenerate_features, build_feature_table, collect_letters,
    feature_table::FeatureTable,
    hybrid::HybridPredictor,
    left_out_figures::{DatasetProbe, DatasetScores},
    train::{JUDGED_OUTPUTS_PER_SOURCE, MIN_OUTPUTS, make_degenerate_outputs},
    validate::{DegenerateFeatures, fit_predictor},
};

/// The settings of a leave-one-dataset-out evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaveOneOutSettings {
    /// The number of parts that the sources are split into. A model that scores the outputs of one part learned from no
    /// output of its sources, because datasets share sources.
    pub folds: usize,
    /// The random seed of the split.
    pub seed: u64,
}

/// The progress of the evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaveOneOutProgress {
    /// The features of `done` sources are computed.
    Features {
        /// Sources done.
        done: usize,
        /// All sources.
        total: usize,
    },
    /// The features of the degenerate outputs of `done` sources are computed.
    DegenerateFeatures {
        /// Sources done.
        done: usize,
        /// All sources.
        total: usize,
    },
    /// Models are trained and have scored what they did not learn from.
    Models {
        /// Models done.
        done: usize,
        /// All models.
        total: usize,
    },
}

/// The degenerate texts by which metrics are judged on a dataset, by source, made from up to three good outputs each.
#[must_use]
pub fn make_dataset_probes(dataset: &RatedDataset) -> Vec<Vec<DatasetProbe>> {
    let sources = dataset.sources.iter();
    sources
        .map(|source| make_probes(&source.training))
        .collect()
}

fn make_probes(source: &TrainingSource) -> Vec<DatasetProbe> {
    make_degenerate_outputs(source, JUDGED_OUTPUTS_PER_SOURCE, SEED)
        .into_iter()
        .map(|output| DatasetProbe {
            good: output.good,
            text: output.text,
        })
        .collect()
}

/// For each dataset, the scores of its outputs and probes by metrics that were trained on all other datasets, without
/// the sources that they score.
///
/// # Errors
/// Too little is left to learn from, the encoder fails, or `on_progress` stops the evaluation.
pub fn score_left_out(
    datasets: &[RatedDataset],
    resources: &FeatureResources,
    settings: &HybridSettings,
    validation: LeaveOneOutSettings,
    on_progress: &(dyn Fn(LeaveOneOutProgress) -> ControlFlow<()> + Sync),
) -> Result<Vec<DatasetScores>, TrainError> {
    let places = place_sources(datasets, validation);
    let kind = match settings.references {
        0 => LearnedMetricKind::LearnedFree,
        _ => LearnedMetricKind::LearnedRef,
    };
    check_left_out(datasets, &places, kind)?;

    let all: Vec<TrainingSource> = datasets
        .iter()
        .flat_map(|dataset| dataset.sources.iter().map(|source| source.training.clone()))
        .collect();
    let total = all.len();
    let table = build_feature_table(&all, resources, settings, |done| {
        on_progress(LeaveOneOutProgress::Features { done, total })
    })?;

    let numbers = datasets.iter().enumerate();
    let numbers = numbers.flat_map(|(at, dataset)| dataset.sources.iter().map(move |_| at));
    let table = table.with_datasets(numbers.collect());
    let degenerate = build_degenerate_features(&all, &table, resources, settings, |done| {
        on_progress(LeaveOneOutProgress::DegenerateFeatures { done, total })
    })?;

    let jobs = list_left_out(&places);
    let evaluation = LeftOutTables {
        table: &table,
        degenerate: &degenerate,
        places: &places,
    };
    let mut by_source = evaluation.score_all(&jobs, settings, on_progress)?;
    by_source.sort_by_key(|scores| scores.source);

    let mut scores = vec![DatasetScores::default(); datasets.len()];
    for (place, source_scores) in places.iter().zip(by_source) {
        let dataset = &mut scores[place.dataset];
        dataset.outputs.push(source_scores.outputs);
        dataset.probes.push(source_scores.probes);
    }
    Ok(scores)
}

/// The dataset and the fold of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourcePlace {
    pub(crate) dataset: usize,
    fold: usize,
}

impl SourcePlace {
    /// Whether a model that scores the sources of `left_out` may learn from this one.
    pub(crate) const fn teaches(self, left_out: Self) -> bool {
        self.dataset != left_out.dataset && self.fold != left_out.fold
    }
}

/// The place of each source of each dataset, in their order.
pub(crate) fn place_sources(
    datasets: &[RatedDataset],
    validation: LeaveOneOutSettings,
) -> Vec<SourcePlace> {
    let numbered = datasets.iter().enumerate();
    let places = numbered.flat_map(|(dataset, sources)| {
        let sources = sources.sources.iter();
        sources.map(move |source| SourcePlace {
            dataset,
            fold: assign_fold(&source.training.text, validation),
        })
    });
    places.collect()
}

/// The folds of datasets, each of which is left out in turn and scored by its own model.
pub(crate) fn list_left_out(places: &[SourcePlace]) -> Vec<SourcePlace> {
    let mut left_out = places.to_vec();
    left_out.sort_unstable();
    left_out.dedup();
    left_out
}

/// The number of models that an evaluation trains.
#[must_use]
pub fn count_left_out(datasets: &[RatedDataset], validation: LeaveOneOutSettings) -> usize {
    list_left_out(&place_sources(datasets, validation)).len()
}

/// Checks that enough is left to learn from, whichever fold of a dataset is left out. A metric with references learns
/// from sources that have some.
///
/// # Errors
/// Too little is left for one of them.
pub(crate) fn check_left_out(
    datasets: &[RatedDataset],
    places: &[SourcePlace],
    kind: LearnedMetricKind,
) -> Result<(), TrainError> {
    let all: Vec<&TrainingSource> = datasets
        .iter()
        .flat_map(|dataset| dataset.sources.iter().map(|source| &source.training))
        .collect();
    let with_references = kind.needs_references();

    for left_out in list_left_out(places) {
        let teachers = places.iter().zip(&all);
        let teachers = teachers.filter(|(place, source)| {
            place.teaches(left_out) && !(with_references && source.references.is_empty())
        });
        let counts = teachers.map(|(_, source)| source.outputs.len());
        let (sources, outputs) = counts.fold((0, 0), |(sources, outputs), own| {
            (sources + 1, outputs + own)
        });

        if outputs >= MIN_OUTPUTS && sources >= 2 {
            continue;
        }

        let dataset = datasets[left_out.dataset].name.clone();
        return Err(match with_references && sources == 0 {
            true => TrainError::NoOtherReferences { dataset, kind },
            false => TrainError::TooFewOthers {
                dataset,
                outputs,
                sources,
                with_references,
            },
        });
    }
    Ok(())
}

/// The scores of one source of the table.
#[derive(Debug)]
struct SourceScores {
    source: usize,
    outputs: Vec<f64>,
    probes: Vec<f64>,
}

/// The features of all datasets.
struct LeftOutTables<'a> {
    table: &'a FeatureTable,
    degenerate: &'a DegenerateFeatures,
    /// By source of the table.
    places: &'a [SourcePlace],
}

impl LeftOutTables<'_> {
    /// Trains a model for each job and scores what it left out, on all threads.
    fn score_all(
        &self,
        jobs: &[SourcePlace],
        settings: &HybridSettings,
        on_progress: &(dyn Fn(LeaveOneOutProgress) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<SourceScores>, TrainError> {
        let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || -> Result<Vec<SourceScores>, TrainError> {
            let mut scores = Vec::new();
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                scores.extend(self.score(*job, settings)?);

                let progress = LeaveOneOutProgress::Models {
                    done: finished.fetch_add(1, Ordering::Relaxed) + 1,
                    total: jobs.len(),
                };
                if on_progress(progress).is_break() {
                    return Err(TrainError::Stopped);
                }
            }
            Ok(scores)
        };

        let workers = thread::available_parallelism().map_or(1, usize::from);
        let results: Vec<Result<Vec<SourceScores>, TrainError>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
            joined
                .map(|scores| scores.expect("training does not panic"))
                .collect()
        });

        let mut all = Vec::with_capacity(self.places.len());
        for scores in results {
            all.extend(scores?);
        }
        Ok(all)
    }

    /// Trains on the other datasets and the other folds, and scores one fold of one dataset.
    fn score(
        &self,
        left_out: SourcePlace,
        settings: &HybridSettings,
    ) -> Result<Vec<SourceScores>, TrainError> {
        let places = self.places;
        let training = self
            .table
            .select_sources(|source| places[source].teaches(left_out));
        let model = fit_predictor(&training, settings);

        let own = (0..places.len()).filter(|source| places[*source] == left_out);
        Ok(own
            .map(|source| self.score_source(source, &model))
            .collect())
    }

    fn score_source(&self, source: usize, model: &HybridPredictor) -> SourceScores {
        let first = self
            .table
            .outputs
            .partition_point(|output| output.source < source);
        let outputs = self.table.outputs[first..].iter();
        let rated_outputs = outputs
            .take_while(|output| output.source == source)
            .filter(|output| !output.is_degenerate);
        let probes = self.degenerate.cases[source].iter();

        SourceScores {
            source,
            outputs: rated_outputs
                .map(|output| model.score(self.table.rows_of(output)))
                .collect(),
            probes: probes
                .map(|(_, rows)| model.score(rows.iter().map(Vec::as_slice)))
                .collect(),
        }
    }
}

/// The fold of a source, by its letters: datasets write the same source with different spaces and signs.
fn assign_fold(source: &str, validation: LeaveOneOutSettings) -> usize {
    let letters = collect_letters(source);
    let digest = Sha256::digest(format!("{}|{letters}", validation.seed));
    let number = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    usize::try_from(number).unwrap_or(0) % validation.folds.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{DatasetRating, TrainingRating};

    #[test]
    fn a_source_has_one_fold_however_it_is_spaced() {
        let validation = LeaveOneOutSettings { folds: 5, seed: 1 };
        let fold = |text| assign_fold(text, validation);
        assert_eq!(
            fold("Voice of America( VOA ) 's English ."),
            fold("Voice of America (VOA)'s English.")
        );
        let texts: Vec<String> = (0..40).map(|at| format!("source {at}")).collect();
        let mut folds: Vec<usize> = texts.iter().map(|text| fold(text)).collect();
        folds.sort_unstable();
        folds.dedup();
        assert_eq!(folds, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn neither_a_dataset_nor_its_sources_teach_what_scores_it() {
        let rate = |source| DatasetRating {
            rating: TrainingRating {
                source,
                output: "It sank.",
                z: 0.0,
            },
            human: false,
        };
        let texts: Vec<String> = (0..12).map(|at| format!("Source {at} .")).collect();
        let others: Vec<String> = texts.iter().map(|text| text.replace(" .", ".")).collect();
        let datasets = [&texts, &others].map(|texts| {
            let ratings: Vec<_> = texts.iter().map(|text| rate(text)).collect();
            RatedDataset::from_ratings("rated".to_owned(), &ratings)
        });
        let places = place_sources(&datasets, LeaveOneOutSettings { folds: 3, seed: 1 });
        let (first, second) = places.split_at(12);
        let teachers = |left_out: SourcePlace| {
            let of = |places: &[SourcePlace]| {
                let teaching = places.iter().filter(|place| place.teaches(left_out));
                teaching.count()
            };
            [of(first), of(second)]
        };
        for (at, place) in first.iter().enumerate() {
            assert!(!second[at].teaches(*place) && !place.teaches(second[at]));
            let own_fold = second.iter().filter(|other| other.fold == place.fold);
            assert_eq!(teachers(*place), [0, 12 - own_fold.count()]);
        }
        assert!(first.iter().any(|place| teachers(*place)[1] > 0));
    }
}
