//! The directions of metrics on the command line.

use std::sync::Arc;

use anyhow::bail;
use domain::metrics::ScoreDirection;
use service::import::ImportChoices;

/// The metrics that the command line names, with their directions.
pub(in crate::cli) fn directions(
    lower: &[String],
    higher: &[String],
) -> Vec<(String, ScoreDirection)> {
    let each = |names: &[String], direction| {
        let named = names.iter().map(|name| (name.clone(), direction));
        named.collect::<Vec<_>>()
    };
    let lower = each(lower, ScoreDirection::LowerIsBetter);
    [lower, each(higher, ScoreDirection::HigherIsBetter)].concat()
}

/// Refuses a direction for a metric that the file does not have, since it would have no effect.
pub(super) fn check_named(choices: &ImportChoices, names: &[Arc<str>]) -> anyhow::Result<()> {
    for (name, _) in &choices.directions {
        if !names.iter().any(|metric_name| **metric_name == **name) {
            bail!(
                "the file has no scores of “{name}”; there are: {}",
                names.join(", ")
            );
        }
    }
    Ok(())
}
