//! The ratings that metrics are compared with: those of a file, or of a study.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use anyhow::{Context as _, bail};
use domain::{
    dimensions::dimension_name,
    ids::OutputId,
    statistics::RatingTable,
    study::{Dimension, Slug},
};
use formats::{RatedOutput, SourceReferences};
use service::{
    figures::systems::JudgedRatings,
    live::{LiveStudies, StudySnapshot},
};
use store::{metrics::MetricOrigin, rating_rows::RatingScope};

use crate::{
    cli::{
        input_args::ReadingArgs,
        ratings::{read_dimensions, warnings},
        study::find_study,
    },
    clock, database,
    metrics::BatchScores,
    settings::DataSettings,
};

/// Human ratings on one dimension, with what else the evaluation needs.
pub(super) struct HumanRatings {
    pub(super) dimension: Dimension,
    /// Raw ratings of outputs, which are identified by numbers.
    pub(super) raw: RatingTable<String, u64>,
    pub(super) outputs: BTreeMap<u64, RatedOutput>,
    /// The references of a study's sources; `None` for a file.
    pub(super) references: Option<SourceReferences>,
    /// The scores that were imported into a study, by output in the order of `raw`.
    pub(super) scores: Vec<BatchScores>,
    pub(super) warnings: Vec<String>,
}

impl HumanRatings {
    /// Reads the ratings of a file of any format; those of SimpEval files as agreement takes them.
    pub(super) fn from_file(
        path: &Path,
        raters: Option<&Path>,
        reading: &ReadingArgs,
        dimension: Option<&str>,
    ) -> anyhow::Result<Self> {
        let mut parts = read_dimensions(path, reading, raters)?;
        if raters.is_some() && parts.iter().any(|(_, file)| !file.format.is_simpeval()) {
            bail!(
                "{}: only SimpEval files need a file of raters",
                path.display()
            );
        }

        let names: Vec<_> = parts
            .iter()
            .map(|(dimension, _)| dimension.name.clone())
            .collect();
        let place = match dimension {
            None => 0,
            Some(name) => {
                let place = names
                    .iter()
                    .position(|candidate| *candidate == dimension_name(name));
                place.with_context(|| {
                    format!(
                        "{} has no ratings on “{name}”; it has some on: {}",
                        path.display(),
                        names.join(", ")
                    )
                })?
            }
        };

        let (dimension_read, file) = parts.swap_remove(place);
        if file.raw.is_empty() {
            bail!("{} holds no rated output", path.display());
        }

        let mut warnings = warnings(&file);
        if dimension.is_none() && names.len() > 1 {
            warnings.push(format!(
                "these are ratings on {}, the first of: {}; --dimension takes another",
                dimension_read.name,
                names.join(", ")
            ));
        }

        Ok(Self {
            dimension: dimension_read,
            raw: file.raw,
            outputs: file.outputs,
            references: None,
            scores: Vec::new(),
            warnings,
        })
    }

    /// Reads the ratings of a study that count, with its references and imported scores.
    pub(super) async fn from_study(
        data: &DataSettings,
        slug: &Slug,
        dimension: Option<&str>,
    ) -> anyhow::Result<Self> {
        let store = database::open_to_read(data).await?;
        let study = find_study(&store, slug).await?;

        let dimensions = &study.settings.dimensions;
        let dimension = match dimension {
            None => dimensions.first().cloned().unwrap_or_default(),
            Some(name) => {
                let matching_dimension = dimensions.iter().find(|dimension| dimension.name == name);
                matching_dimension.cloned().with_context(|| {
                    let names: Vec<_> = dimensions
                        .iter()
                        .map(|dimension| &dimension.name[..])
                        .collect();
                    format!(
                        "“{slug}” has no dimension “{name}”; it has: {}",
                        names.join(", ")
                    )
                })?
            }
        };

        let entries = store.output_entries(study.id).await?;
        let numbers: HashMap<OutputId, u64> = (1..)
            .zip(&entries)
            .map(|(number, entry)| (entry.output, number))
            .collect();

        let (name, numbers_of_outputs) = (dimension.name.clone(), numbers.clone());
        let read_snapshot = move |snapshot: &StudySnapshot| {
            let judged_ratings = JudgedRatings::from_snapshot(snapshot, &name);
            let raters = snapshot.raters().iter();
            let labels: HashMap<_, _> = raters.map(|rater| (rater.id, &rater.label)).collect();
            let rows = judged_ratings
                .raw
                .entries()
                .filter_map(|(rater, unit, value)| {
                    let rater = judged_ratings.raw.raters()[rater];
                    let label = labels.get(&rater)?;
                    let output = &judged_ratings.raw.units()[unit];
                    let number = numbers_of_outputs.get(output)?;
                    let is_shown = !judged_ratings.is_hidden(output);
                    is_shown.then_some(((*label).clone(), *number, value))
                });

            let categories = judged_ratings
                .outputs
                .iter()
                .filter_map(|(id, output)| Some((*id, output.category?)));

            (
                rows.collect::<Vec<_>>(),
                categories.collect::<HashMap<_, _>>(),
                judged_ratings.warnings.clone(),
            )
        };

        let (rows, categories, warnings) = LiveStudies::new(clock::now_ms)
            .read(&store, study.id, RatingScope::HandedIn, read_snapshot)
            .await?;
        let raw =
            RatingTable::new(rows).context("the study holds one rating a rater and output")?;
        if raw.is_empty() {
            bail!("“{slug}” has no ratings on “{}” that count", dimension.name);
        }

        let mut references = SourceReferences::default();
        for (line, source) in (1..).zip(store.sources(study.id).await?) {
            if source.references > 0 {
                references.add(line, &source.text, store.references(source.id).await?);
            }
        }

        let outputs = entries.into_iter().map(|entry| {
            let rated_output = RatedOutput {
                system: entry.system_name.into(),
                id: Some(entry.output.to_string()),
                source: entry.source_key,
                category: categories.get(&entry.output).copied(),
                source_text: entry.source_text,
                text: entry.text.into(),
            };
            (numbers[&entry.output], rated_output)
        });
        let outputs = outputs.collect();

        let mut by_metric = HashMap::<_, HashMap<u64, f64>>::new();
        for score in store.metric_scores(study.id).await? {
            if let Some(number) = numbers.get(&score.output) {
                let scores = by_metric.entry(score.metric).or_default();
                scores.insert(*number, score.value);
            }
        }

        let metrics = store.metrics(study.id).await?.into_iter();
        let imported = metrics.filter(|metric| metric.origin == MetricOrigin::Imported);
        let scores = imported.map(|metric| {
            let own_scores = by_metric.get(&metric.id);
            let value = |unit: &u64| own_scores.and_then(|scores| scores.get(unit).copied());
            BatchScores {
                values: raw.units().iter().map(value).collect(),
                name: metric.name,
                signature: Some(metric.signature),
                direction: metric.direction,
                trained_on: metric.trained_on,
                meanings: vec![],
            }
        });

        Ok(Self {
            scores: scores.collect(),
            references: (!references.is_empty()).then_some(references),
            dimension,
            raw,
            outputs,
            warnings,
        })
    }
}
