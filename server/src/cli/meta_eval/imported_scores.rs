//! Scores that were computed elsewhere.

use std::path::Path;

use anyhow::{Context as _, bail};
use domain::metrics::ScoreDirection;
use formats::{RatedOutput, ScoreFile};

use crate::{cli::references::open_reader, metrics::BatchScores};

/// Puts the metrics of a file beside those that there are. Of a metric that `directions` do not name the
/// direction is guessed; where a lower score is better by the guess, that is said.
pub(super) fn add_scores(
    path: &Path,
    outputs: &[&RatedOutput],
    directions: &[(String, ScoreDirection)],
    scores: &mut Vec<BatchScores>,
    warnings: &mut Vec<String>,
) -> anyhow::Result<()> {
    let shown = path.display();
    let file =
        ScoreFile::read(open_reader(path)?).with_context(|| format!("{shown} was not read"))?;
    if let Some(name) = file
        .metrics
        .iter()
        .find(|name| scores.iter().any(|of| of.name == **name))
    {
        bail!(
            "two metrics are called “{name}”, one of them in {shown}: rename its column, or leave the \
             other out"
        );
    }
    let found = file.match_outputs(outputs);
    if found.scores.iter().flatten().all(Option::is_none) {
        bail!(
            "no score of {shown} belongs to a rated output: give each row the id, or the source with \
             output or system, as they stand in the ratings"
        );
    }
    if let Some(first) = found.unmatched.first() {
        warnings.push(format!(
            "{} rows of {shown} belong to no rated output, the first on line {first}",
            found.unmatched.len()
        ));
    }
    for (name, values) in file.metrics.into_iter().zip(found.scores) {
        let missing = values.iter().filter(|score| score.is_none()).count();
        if missing > 0 {
            warnings.push(format!(
                "{missing} of {} outputs have no score “{name}” in {shown}: they count against it",
                values.len()
            ));
        }
        let said = directions.iter().find(|(of, _)| *of == name);
        let direction =
            said.map_or_else(|| ScoreDirection::guess(&name), |(_, direction)| *direction);
        if said.is_none() && direction == ScoreDirection::LowerIsBetter {
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
        });
    }
    Ok(())
}

/// Refuses a direction of a metric that no file has: it would change nothing.
pub(super) fn check_named(
    directions: &[(String, ScoreDirection)],
    imported: &[BatchScores],
) -> anyhow::Result<()> {
    for (name, _) in directions {
        if !imported.iter().any(|of| of.name == *name) {
            let names: Vec<&str> = imported.iter().map(|of| &of.name[..]).collect();
            bail!(
                "no file has scores of “{name}”; there are: {}",
                names.join(", ")
            );
        }
    }
    Ok(())
}
