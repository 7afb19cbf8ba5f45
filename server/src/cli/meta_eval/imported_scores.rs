//! Scores that were computed elsewhere.

use std::path::Path;

use anyhow::{Context as _, bail};
use domain::metrics::ScoreDirection;
use formats::{FileInput, RatedOutput, ScoreFile};

use crate::{cli::input_file::shown, metrics::BatchScores};

/// Reads a file of scores.
pub(super) fn read_scores(path: &Path, input: FileInput<'_>) -> anyhow::Result<ScoreFile> {
    ScoreFile::read(input).with_context(|| format!("{} was not read", shown(path)))
}

/// Adds the metrics of a file to `scores`. Guesses the direction of metrics that `directions` does not name, and warns
/// where it takes a lower score for better.
pub(super) fn add_scores(
    path: &Path,
    file: ScoreFile,
    outputs: &[&RatedOutput],
    directions: &[(String, ScoreDirection)],
    scores: &mut Vec<BatchScores>,
    warnings: &mut Vec<String>,
) -> anyhow::Result<()> {
    let shown = shown(path);
    warnings.extend(file.notes.iter().map(ToString::to_string));
    if let Some(name) = file
        .metrics
        .iter()
        .find(|name| scores.iter().any(|existing| existing.name == **name))
    {
        bail!(
            "two metrics are called “{name}”, one of them in {shown}: rename its column, or leave the \
             other out"
        );
    }

    if let Some(first) = file.bad_rows.first() {
        warnings.push(format!(
            "{} rows of {shown} are left out, the first: {first}",
            file.bad_rows.len()
        ));
    }

    let matched = file.match_outputs(outputs);
    if let Some(first) = matched.repeated.first() {
        warnings.push(format!(
            "{} rows of {shown} have another score of an output that has one, the first on line {first}: the first \
             score of an output counts",
            matched.repeated.len()
        ));
    }
    if matched.scores.iter().flatten().all(Option::is_none) {
        bail!(
            "no score of {shown} belongs to a rated output: give each row the id, or the source with \
             output or system, as they stand in the ratings"
        );
    }
    if let Some(first) = matched.unmatched.first() {
        warnings.push(format!(
            "{} rows of {shown} belong to no rated output, the first on line {first}",
            matched.unmatched.len()
        ));
    }

    for (name, values) in file.metrics.into_iter().zip(matched.scores) {
        let missing = values.iter().filter(|score| score.is_none()).count();
        if missing > 0 {
            warnings.push(format!(
                "{missing} of {} outputs have no score “{name}” in {shown}: they count against it",
                values.len()
            ));
        }

        let stated = directions.iter().find(|(metric, _)| *metric == name);
        let direction =
            stated.map_or_else(|| ScoreDirection::guess(&name), |(_, direction)| *direction);
        if stated.is_none() && direction == ScoreDirection::LowerIsBetter {
            warnings.push(format!(
                "a lower “{name}” is taken for better, by its name: --higher-is-better {name} says \
                 otherwise"
            ));
        }

        scores.push(BatchScores {
            name,
            direction,
            signature: None,
            trained_on: Vec::new(),
            values,
            meanings: vec![],
        });
    }
    Ok(())
}

/// Refuses the direction of a metric that no file has, since it would have no effect.
pub(super) fn check_named(
    directions: &[(String, ScoreDirection)],
    imported: &[BatchScores],
) -> anyhow::Result<()> {
    for (name, _) in directions {
        if !imported.iter().any(|metric| metric.name == *name) {
            let names: Vec<&str> = imported.iter().map(|metric| &metric.name[..]).collect();
            bail!(
                "no file has scores of “{name}”; there are: {}",
                names.join(", ")
            );
        }
    }
    Ok(())
}
