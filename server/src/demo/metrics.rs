//! Metrics of the demonstration: some that the server computes, and one with imported scores.

use std::collections::HashMap;

use domain::{
    ids::{MetricId, StudyId},
    metrics::{ScoreDirection, TextMetric},
};
use service::metrics::choose;
use store::{
    Store,
    metrics::{MetricOrigin, NewMetric, OutputScore},
};

use super::texts::DemoTexts;
use crate::clock;

/// The name of the imported scores, which says that they are simulated.
const EXTERNAL: &str = "external (simulated)";

/// Chooses metrics, which the server then computes, and imports scores made by a formula.
pub(super) async fn score(
    store: &Store,
    study: StudyId,
    texts: &DemoTexts,
    now_ms: i64,
) -> store::Result<()> {
    use TextMetric::{Compression, Fkgl, Sari};

    for metric in [Sari, TextMetric::BLEU, Fkgl, Compression] {
        choose(store, study, metric, clock::CONTEXT).await?;
    }

    let new = NewMetric {
        id: MetricId(clock::new_id()),
        name: EXTERNAL,
        signature: "external|simulated for the demonstration",
        origin: MetricOrigin::Imported,
        direction: ScoreDirection::HigherIsBetter,
        uses_references: false,
        trained_on: &[],
        model: None,
    };
    let metric = store.declare_metric(study, &new, now_ms).await?;

    let sources = store.sources(study).await?;
    let mut scores = vec![];
    for source in &texts.sources {
        let Some(entry) = sources.iter().find(|entry| entry.key == source.key) else {
            continue;
        };
        let qualities: HashMap<_, _> = source
            .outputs
            .iter()
            .filter_map(|output| Some((output.system.as_str(), f64::from(output.quality?))))
            .collect();

        for (place, output) in store.source_outputs(entry.id).await?.iter().enumerate() {
            let Some(quality) = qualities.get(output.system.as_str()) else {
                continue;
            };
            // Close to the quality, but too high for every ninth output, as if blind to its mistakes.
            let swing = [6.0, -9.0, 3.0, 14.0, -5.0, 0.0, -14.0][place % 7];
            let blind = if place % 9 == 5 { 30.0 } else { 0.0 };
            scores.push(OutputScore {
                output: output.id,
                value: Ok((quality + swing + blind).clamp(0.0, 100.0) / 100.0),
                references: 0,
            });
        }
    }

    store.put_scores(study, metric, &scores, now_ms).await?;
    Ok(())
}
