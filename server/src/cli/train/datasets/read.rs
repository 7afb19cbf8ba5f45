//! Reading the files of a dataset.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, bail, ensure};
use domain::{
    comparison::{ComparisonAnswer, PairOutcome},
    dimensions::dimension_name,
    statistics::{DeviationKind, RatingTable, standardise},
    study::SystemKind,
};
use formats::{FileReadOptions, InputOptions, ReadError, read_comparisons};
use learn::metric::{DatasetComparison, DatasetRating, RatedDataset, TrainingRating};

use super::{OpenedDataset, manifest::DatasetEntry};
use crate::cli::{
    input_file::open_input,
    references::{SimilarityThreshold, read_references},
};

/// The rater of ratings that name none, such as the means that some files have.
const UNNAMED_RATER: &str = "(means)";

/// A judged output: its source, its text, and whether a person wrote it.
type JudgedOutput = (String, String, bool);

/// The options for reading a dataset's files.
pub(super) struct DatasetReading {
    /// For the file of ratings or comparisons.
    pub(super) input: InputOptions,
    /// For the file of references.
    pub(super) companion: InputOptions,
    /// For the columns of ratings.
    pub(super) rows: FileReadOptions,
}

pub(super) fn read_dataset(
    entry: &DatasetEntry,
    folder: &Path,
    reading: &DatasetReading,
) -> anyhow::Result<OpenedDataset> {
    let mut warnings = Vec::new();
    let dataset = match (&entry.ratings, &entry.comparisons) {
        (Some(ratings), _) => read_ratings(entry, &folder.join(ratings), reading, &mut warnings)?,
        (_, Some(comparisons)) => {
            read_compared_texts(entry, &folder.join(comparisons), reading, &mut warnings)?
        }
        (None, None) => bail!("it names no file"),
    };

    let mut references = match &entry.references {
        Some(path) => Some(read_references(&folder.join(path), &reading.companion)?),
        None => None,
    };
    if let (Some(references), Some(share)) = (&mut references, &entry.accept_similar) {
        let threshold: SimilarityThreshold = share.parse().map_err(anyhow::Error::msg)?;
        let sources = dataset.sources.iter();
        let sources: Vec<&str> = sources.map(|source| &source.training.text[..]).collect();
        references.accept_similar(&sources, threshold.0);
    }

    let warnings = warnings
        .into_iter()
        .map(|warning| format!("{}: {warning}", entry.name));
    Ok(OpenedDataset {
        dataset,
        references,
        warnings: warnings.collect(),
    })
}

/// Reads ratings and standardises them by rater and dimension.
fn read_ratings(
    entry: &DatasetEntry,
    path: &Path,
    reading: &DatasetReading,
    warnings: &mut Vec<String>,
) -> anyhow::Result<RatedDataset> {
    let shown = path.display();
    let input = open_input(path, reading.input.clone())?;
    let opened = formats::open(input, reading.rows.clone())
        .with_context(|| format!("{shown} was not read"))?;
    let sheet_notes = opened.input.sheet_notes.iter();
    warnings.extend(sheet_notes.map(ToString::to_string));

    let human: BTreeSet<&str> = entry.human.iter().map(String::as_str).collect();
    let (mut systems, mut outputs) = (BTreeSet::new(), Vec::<JudgedOutput>::new());
    // The ratings of each dimension: rater, index of the output, value.
    let mut by_dimension = BTreeMap::<String, Vec<(String, usize, f64)>>::new();

    for row in opened.rows {
        let row = match row {
            Ok(row) => row,
            Err(ReadError::Row(bad)) => {
                warnings.push(format!("left out: {bad}"));
                continue;
            }
            Err(ReadError::Fatal(fault)) => {
                return Err(fault).with_context(|| format!("{shown} was not read"));
            }
        };

        let Some(output) = row.output else { continue };
        let system = output.system.unwrap_or_default();
        let by_person = human.contains(&system[..]) || output.kind == Some(SystemKind::Human);
        for rating in output.ratings {
            let rater = rating.rater.unwrap_or_else(|| UNNAMED_RATER.to_owned());
            let ratings = by_dimension
                .entry(dimension_name(&rating.dimension))
                .or_default();
            ratings.push((rater, outputs.len(), rating.value.value()));
        }
        systems.insert(system);
        outputs.push((row.source.text, output.text, by_person));
    }

    let remarks = opened.remarks.list();
    warnings.extend(remarks.iter().map(ToString::to_string));
    check_systems(&human, &systems)?;
    choose_dimensions(entry, &mut by_dimension)?;

    let mut z_scores: Vec<(usize, f64)> = Vec::new();
    for (dimension, ratings) in by_dimension {
        let table = RatingTable::new(ratings)
            .with_context(|| format!("the ratings on {dimension} cannot be used"))?;
        let z = standardise(&table, DeviationKind::Population).z;
        z_scores.extend(z.entries().map(|(_, unit, value)| (z.units()[unit], value)));
    }

    ensure!(
        !z_scores.is_empty(),
        "{shown} has no ratings that differ: map its columns (source, output, rating, and rater where there is \
         one) with `map`"
    );

    let ratings: Vec<DatasetRating<'_>> = z_scores
        .iter()
        .map(|(at, z)| {
            let (source, output, human) = &outputs[*at];
            DatasetRating {
                rating: TrainingRating {
                    source,
                    output,
                    z: *z,
                },
                human: *human,
            }
        })
        .collect();

    Ok(RatedDataset::from_ratings(entry.name.clone(), &ratings))
}

fn read_compared_texts(
    entry: &DatasetEntry,
    path: &Path,
    reading: &DatasetReading,
    warnings: &mut Vec<String>,
) -> anyhow::Result<RatedDataset> {
    let shown = path.display();
    let input = open_input(path, reading.input.clone())?;
    let file = read_comparisons(input).with_context(|| format!("{shown} was not read"))?;
    warnings.extend(file.notes.iter().map(ToString::to_string));
    warnings.extend(file.bad_rows.iter().map(|bad| format!("left out: {bad}")));

    let human: BTreeSet<&str> = entry.human.iter().map(String::as_str).collect();
    let mut systems = BTreeSet::new();
    let mut by_dimension = BTreeMap::<String, Vec<_>>::new();

    for row in &file.rows {
        let ComparisonAnswer::Pair(pair) = &row.comparison else {
            continue;
        };
        let Some(texts) = &row.texts else { continue };
        systems.extend([pair.a().clone(), pair.b().clone()]);
        let outcome = match pair.outcome() {
            PairOutcome::A => 1,
            PairOutcome::B => -1,
            PairOutcome::Tie => 0,
        };
        let comparisons = by_dimension.entry(row.dimension.clone()).or_default();
        comparisons.push(DatasetComparison {
            source: &texts.source,
            a: &texts.a,
            b: &texts.b,
            outcome,
            human: [pair.a(), pair.b()].map(|system| human.contains(&system[..])),
        });
    }

    ensure!(
        !by_dimension.is_empty(),
        "{shown} compares systems, but has no texts of two outputs: give it the columns source, output_a and output_b"
    );
    check_systems(&human, &systems)?;
    choose_dimensions(entry, &mut by_dimension)?;

    let comparisons: Vec<_> = by_dimension.into_values().flatten().collect();
    Ok(RatedDataset::from_comparisons(
        entry.name.clone(),
        &comparisons,
    ))
}

/// Refuses a system that the entry names as human but that wrote no output.
fn check_systems(human: &BTreeSet<&str>, systems: &BTreeSet<String>) -> anyhow::Result<()> {
    if let Some(unknown) = human.iter().find(|name| !systems.contains(**name)) {
        let names: Vec<&str> = systems.iter().map(String::as_str).collect();
        bail!(
            "`human` names “{unknown}”, which wrote no output; the systems are: {}",
            names.join(", ")
        );
    }
    Ok(())
}

/// Keeps the dimensions that the entry names, or all if it names none.
fn choose_dimensions<T>(
    entry: &DatasetEntry,
    by_dimension: &mut BTreeMap<String, T>,
) -> anyhow::Result<()> {
    let chosen: BTreeSet<String> = entry
        .dimensions
        .iter()
        .map(|name| dimension_name(name))
        .collect();

    if let Some(missing) = chosen.iter().find(|name| !by_dimension.contains_key(*name)) {
        let names: Vec<&str> = by_dimension.keys().map(String::as_str).collect();
        bail!(
            "there is nothing on “{missing}”; the dimensions are: {}",
            names.join(", ")
        );
    }

    if !chosen.is_empty() {
        by_dimension.retain(|name, _| chosen.contains(name));
    }
    Ok(())
}
