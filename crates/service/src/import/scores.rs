//! Imports of metric scores that were computed elsewhere.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use domain::ids::{MetricId, OutputId, StudyId};
use formats::{
    ArchivedAnswers, BadRow, FatalReadError, OutputIdentifier, ReadError, ScoreRows, loose_key,
    visible_form,
};
use store::{
    Store,
    metrics::{MetricOrigin, NewMetric, OutputEntry, OutputScore},
};

use super::{
    ImportChoices, ImportFailure, ImportReport, MatchedRowCounts, RunningJobProgress,
    references::fold_text, report::sheet_notes,
};
use crate::Context;

/// The reason why a row without a known output is left out.
const UNKNOWN_OUTPUT: &str = "is about an output that the study does not have";

/// Imports the scores that `open` opens, one metric per column; `choices` give their directions. A newer
/// file with the same name replaces the scores of the older one. Scores of a file with another name become
/// separate metrics.
pub async fn import_scores(
    store: &Store,
    context: Context,
    study: StudyId,
    file_name: &str,
    choices: ImportChoices,
    open: impl FnOnce() -> Result<ScoreRows<'static>, FatalReadError> + Send + 'static,
    progress: Arc<RunningJobProgress>,
) -> Result<ImportReport, ImportFailure> {
    let outputs = OutputIndex::from_entries(&store.output_entries(study).await?);
    let (mut report, scores) =
        tokio::task::spawn_blocking(move || read_scores(&outputs, open()?, &progress))
            .await
            .expect("reading rows does not panic")?;

    let scores = ImportedScores {
        by_metric: scores,
        choices,
    };
    scores
        .store(store, context, study, file_name, &mut report)
        .await?;
    Ok(report)
}

/// The scores of a file.
#[derive(Default)]
pub(super) struct ImportedScores {
    by_metric: ScoresByMetric,
    /// The directions of the metrics.
    choices: ImportChoices,
}

impl ImportedScores {
    /// Adds the scores of an output from an exported study.
    pub(super) fn add(&mut self, output: OutputId, archived: &ArchivedAnswers) {
        for (name, direction) in &archived.metric_directions {
            let directions = &mut self.choices.directions;
            if directions.iter().all(|(known, _)| known != name) {
                directions.push((name.clone(), *direction));
            }
        }

        for (name, value) in &archived.metric_scores {
            let index = metric_index(&mut self.by_metric, name);
            self.by_metric[index].1.push(OutputScore {
                output,
                value: Ok(*value),
                references: 0,
            });
        }
    }

    /// Stores the scores as those of a file with this name.
    pub(super) async fn store(
        self,
        store: &Store,
        context: Context,
        study: StudyId,
        file_name: &str,
        report: &mut ImportReport,
    ) -> store::Result<()> {
        for (name, scores) in self.by_metric {
            let direction = self.choices.direction(&name);
            let new = NewMetric {
                id: MetricId(context.new_id()),
                name: &name,
                signature: &format!("{name}|imported|file:{file_name}"),
                origin: MetricOrigin::Imported,
                direction,
                uses_references: false,
                trained_on: &[],
                model: None,
            };

            let now_ms = context.now_ms();
            let metric = store.declare_metric(study, &new, now_ms).await?;
            let count = store.put_scores(study, metric, &scores, now_ms).await?;
            report.metric_scores += count;
            report.notes.push(format!(
                "“{name}” has scores of {count} outputs; {}.",
                direction.title()
            ));
        }
        Ok(())
    }
}

/// The scores of each metric, in the order of the file.
type ScoresByMetric = Vec<(Arc<str>, Vec<OutputScore>)>;

fn read_scores(
    outputs: &OutputIndex,
    opened: ScoreRows<'static>,
    progress: &RunningJobProgress,
) -> Result<(ImportReport, ScoresByMetric), ImportFailure> {
    let mut report = ImportReport {
        format: "scores".to_owned(),
        notes: sheet_notes(&opened.input),
        ..ImportReport::default()
    };
    let mut matched = MatchedRowCounts::default();
    let names = opened.names.into_iter();
    let mut by_metric: ScoresByMetric = names.map(|name| (name, Vec::new())).collect();
    // The line and value of the first score, by metric and output.
    let mut first_scores = HashMap::<(usize, OutputId), (u64, f64)>::new();

    for item in opened.rows {
        if progress.stop_requested() {
            return Err(ImportFailure::Cancelled);
        }

        report.rows += 1;
        let row = match item {
            Ok(row) => row,
            Err(ReadError::Row(bad)) => {
                report.leave_out(bad);
                continue;
            }
            Err(ReadError::Fatal(fault)) => return Err(fault.into()),
        };

        let row_outputs = outputs.find(&row.output);
        if row_outputs.is_empty() {
            matched.unmatched += 1;
            report.leave_out(BadRow {
                line: row.line,
                column: None,
                reason: UNKNOWN_OUTPUT.to_owned(),
            });
            continue;
        }

        matched.matched += 1;
        let mut repeated_line = None;
        for (name, value) in row.scores {
            let index = metric_index(&mut by_metric, &name);
            for output in row_outputs {
                match first_scores.entry((index, *output)) {
                    Entry::Vacant(free) => {
                        free.insert((row.line, value));
                        by_metric[index].1.push(OutputScore {
                            output: *output,
                            value: Ok(value),
                            references: 0,
                        });
                    }
                    Entry::Occupied(first) => {
                        let (line, score) = *first.get();
                        if score.total_cmp(&value).is_ne() && repeated_line.is_none() {
                            repeated_line = Some((index, line));
                        }
                    }
                }
            }
        }

        if let Some((index, line)) = repeated_line {
            let (metric, _) = &by_metric[index];
            report.leave_out(BadRow {
                line: row.line,
                column: Some(metric.to_string()),
                reason: format!(
                    "is another score of an output that has one on line {line}: the first one counts"
                ),
            });
        }
    }

    report.matched = Some(matched);
    Ok((report, by_metric))
}

/// The index of a metric. It is added if it is new, because JSONL rows may name metrics that the first rows do not.
fn metric_index(by_metric: &mut ScoresByMetric, name: &str) -> usize {
    let index = by_metric.iter().position(|(metric, _)| **metric == *name);
    index.unwrap_or_else(|| {
        by_metric.push((name.into(), Vec::new()));
        by_metric.len() - 1
    })
}

/// The study's outputs by all that may identify them in a file.
struct OutputIndex {
    ids: HashMap<String, OutputId>,
    /// The outputs by source (name, or folded text) and system.
    by_system: HashMap<(String, String), Vec<OutputId>>,
    /// The outputs by source and their folded text; identical outputs share their scores.
    by_text: HashMap<(String, String), Vec<OutputId>>,
}

impl OutputIndex {
    fn from_entries(entries: &[OutputEntry]) -> Self {
        let mut index = Self {
            ids: HashMap::new(),
            by_system: HashMap::new(),
            by_text: HashMap::new(),
        };

        for entry in entries {
            index.ids.insert(entry.output.to_string(), entry.output);
            for source in [
                source_name_key(&entry.source_key),
                source_text_key(&entry.source_text),
                loose_text_key(&entry.source_text),
            ] {
                let system = visible_form(&entry.system_name).into_owned();
                let by_system = (source.clone(), system);
                let by_text = (source, fold_text(&entry.text));

                index
                    .by_system
                    .entry(by_system)
                    .or_default()
                    .push(entry.output);
                index.by_text.entry(by_text).or_default().push(entry.output);
            }
        }

        index
    }

    /// The outputs that a row identifies: the one with its id; otherwise those of its source by its system or, if it
    /// names no system, with its text.
    fn find(&self, identifier: &OutputIdentifier) -> &[OutputId] {
        let id = identifier
            .output_id
            .as_ref()
            .and_then(|id| self.ids.get(id));
        if let Some(id) = id {
            return std::slice::from_ref(id);
        }

        let sources = [
            identifier.source_id.as_deref().map(source_name_key),
            identifier.source.as_deref().map(source_text_key),
            // A file of scores may have the source's name in the column for its text.
            identifier.source.as_deref().map(source_name_key),
            identifier.source.as_deref().map(loose_text_key),
        ];

        for source in sources.into_iter().flatten() {
            let by_system = identifier
                .system
                .as_ref()
                .and_then(|system| self.by_system.get(&(source.clone(), system.clone())));
            let outputs = by_system.or_else(|| match (&identifier.system, &identifier.output) {
                (None, Some(output)) => self.by_text.get(&(source, fold_text(output))),
                _ => None,
            });

            if let Some(outputs) = outputs {
                return outputs;
            }
        }
        &[]
    }
}

/// The key of a source by its name. The prefix keeps it apart from texts.
fn source_name_key(key: &str) -> String {
    format!("key {}", visible_form(key))
}

/// The key of a source by its text, ignoring tokenisation, quotes, dashes and Unicode form.
fn loose_text_key(text: &str) -> String {
    format!("loose {}", loose_key(text))
}

/// The key of a source by its text.
fn source_text_key(text: &str) -> String {
    format!("text {}", fold_text(text))
}

#[cfg(test)]
mod tests {
    use domain::ids::{SourceId, SystemId};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_output_is_found_by_its_id_its_system_or_its_text() {
        let output = |number: u128, system: &str, text: &str| OutputEntry {
            output: OutputId(Uuid::from_u128(number)),
            source: SourceId(Uuid::nil()),
            source_key: "7".into(),
            source_text: "The Ferry sank.".into(),
            system: SystemId(Uuid::nil()),
            system_name: system.to_owned(),
            text: text.to_owned(),
            is_reference: false,
        };

        let outputs = [output(1, "a", "It sank."), output(2, "b", "It sank.")];
        let outputs = OutputIndex::from_entries(&outputs);

        let find = |names: [Option<&str>; 5]| {
            let [output_id, source_id, source, output, system] =
                names.map(|name| name.map(str::to_owned));
            let identifier = OutputIdentifier {
                output_id,
                source_id,
                source,
                output,
                system,
            };
            let ids = outputs.find(&identifier).iter();
            ids.map(|id| id.0.as_u128()).collect::<Vec<_>>()
        };

        let id = Uuid::from_u128(2).to_string();
        let source = Some("the ferry SANK. ");
        assert_eq!(find([Some(&id), None, None, None, None]), [2]);
        // "0" is the number of the row and not the id of an output.
        assert_eq!(find([Some("0"), None, source, None, Some("a")]), [1]);
        assert_eq!(find([None, Some("7"), None, None, Some("b")]), [2]);
        assert_eq!(find([None, None, Some("7"), None, Some("b")]), [2]);
        assert_eq!(find([None, None, source, Some("it sank."), None]), [1, 2]);

        for unknown in [
            [None, Some("8"), None, None, Some("b")],
            [None, None, source, Some("It sank."), Some("c")],
            [None, None, source, Some("It rose."), None],
        ] {
            assert_eq!(find(unknown), [0; 0]);
        }
    }
}
