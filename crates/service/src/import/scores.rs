//! Scores of outputs that were computed elsewhere.

use std::{collections::HashMap, sync::Arc};

use crate::import::{ImportChoices, ImportReport, MatchedRowCounts, RunningJobProgress};
use domain::ids::{MetricId, OutputId, StudyId};
use formats::{BadRow, FatalReadError, OutputIdentifier, ReadError, ScoreRows};
use store::{
    Store,
    metrics::{MetricOrigin, NewMetric, OutputEntry, OutputScore},
};

use super::{ImportFailure, references::fold_text};
use crate::Context;

/// Why a row has no output.
const UNKNOWN_OUTPUT: &str = "is about an output that the study does not have";

/// Gives the outputs of a study the scores that `open` opens from the file of that name, one metric a
/// column; `choices` say which way they point. The same file of newer scores takes the place of the older ones; another file's stand
/// beside them.
pub async fn import_scores(
    store: &Store,
    context: Context,
    study: StudyId,
    (file, choices): (&str, ImportChoices),
    open: impl FnOnce() -> Result<ScoreRows<'static>, FatalReadError> + Send + 'static,
    progress: Arc<RunningJobProgress>,
) -> Result<ImportReport, ImportFailure> {
    let outputs = OutputIndex::from_entries(&store.output_entries(study).await?);
    let (mut report, scores) =
        tokio::task::spawn_blocking(move || take_rows(&outputs, open()?, &progress))
            .await
            .expect("reading rows does not panic")?;
    for (name, scores) in scores {
        let direction = choices.direction(&name);
        let new = NewMetric {
            id: MetricId(context.new_id()),
            name: &name,
            signature: &format!("{name}|imported|file:{file}"),
            origin: MetricOrigin::Imported,
            direction,
            uses_references: false,
            trained_on: &[],
            model: None,
        };
        let now = context.now_ms();
        let metric = store.declare_metric(study, &new, now).await?;
        let count = store.put_scores(study, metric, &scores, now).await?;
        report.metric_scores += count;
        report.notes.push(format!(
            "“{name}” has scores of {count} outputs; {}.",
            direction.title()
        ));
    }
    Ok(report)
}

/// The scores of each metric, in the order of the file.
type ScoresByMetric = Vec<(Arc<str>, Vec<OutputScore>)>;

fn take_rows(
    outputs: &OutputIndex,
    opened: ScoreRows<'static>,
    progress: &RunningJobProgress,
) -> Result<(ImportReport, ScoresByMetric), ImportFailure> {
    let mut report = ImportReport {
        format: "scores".to_owned(),
        ..ImportReport::default()
    };
    let mut matched = MatchedRowCounts::default();
    let names = opened.names.into_iter();
    let mut by_metric: ScoresByMetric = names.map(|name| (name, Vec::new())).collect();
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
        let found = outputs.find(&row.output);
        if found.is_empty() {
            matched.unmatched += 1;
            report.leave_out(BadRow {
                line: row.line,
                column: None,
                reason: UNKNOWN_OUTPUT.to_owned(),
            });
            continue;
        }
        matched.matched += 1;
        for (name, value) in row.scores {
            let place = by_metric.iter().position(|(of, _)| *of == name);
            let place = place.unwrap_or_else(|| {
                by_metric.push((name, Vec::new()));
                by_metric.len() - 1
            });
            by_metric[place]
                .1
                .extend(found.iter().map(|output| OutputScore {
                    output: *output,
                    value: Ok(value),
                    references: 0,
                }));
        }
    }
    report.matched = Some(matched);
    Ok((report, by_metric))
}

/// The study's outputs by all that a file may call them.
struct OutputIndex {
    ids: HashMap<String, OutputId>,
    /// By source (its name, or its text folded) and system.
    by_system: HashMap<(String, String), Vec<OutputId>>,
    /// By source and the output's text folded; identical outputs share their scores.
    by_text: HashMap<(String, String), Vec<OutputId>>,
}

impl OutputIndex {
    fn from_entries(entries: &[OutputEntry]) -> Self {
        let mut outputs = Self {
            ids: HashMap::new(),
            by_system: HashMap::new(),
            by_text: HashMap::new(),
        };
        for entry in entries {
            outputs.ids.insert(entry.output.to_string(), entry.output);
            for source in [
                source_name_key(&entry.source_key),
                source_text_key(&entry.source_text),
            ] {
                let by_system = (source.clone(), entry.system_name.clone());
                let by_text = (source, fold_text(&entry.text));
                outputs
                    .by_system
                    .entry(by_system)
                    .or_default()
                    .push(entry.output);
                outputs
                    .by_text
                    .entry(by_text)
                    .or_default()
                    .push(entry.output);
            }
        }
        outputs
    }

    /// Which outputs a row means: the one of that id, else of the source those of the system, else
    /// those with the text.
    fn find(&self, of: &OutputIdentifier) -> &[OutputId] {
        let id = of.output_id.as_ref().and_then(|id| self.ids.get(id));
        if let Some(id) = id {
            return std::slice::from_ref(id);
        }
        let sources = [
            of.source_id.as_deref().map(source_name_key),
            of.source.as_deref().map(source_text_key),
            // A file of scores may write the source's name where its text belongs.
            of.source.as_deref().map(source_name_key),
        ];
        for source in sources.into_iter().flatten() {
            let by_system = of
                .system
                .as_ref()
                .and_then(|system| self.by_system.get(&(source.clone(), system.clone())));
            let found = by_system.or_else(|| match (&of.system, &of.output) {
                (None, Some(output)) => self.by_text.get(&(source, fold_text(output))),
                _ => None,
            });
            if let Some(found) = found {
                return found;
            }
        }
        &[]
    }
}

/// A source by its name, apart from one by its text.
fn source_name_key(key: &str) -> String {
    format!("key {key}")
}

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
        let found = |names: [Option<&str>; 5]| {
            let [output_id, source_id, source, output, system] =
                names.map(|name| name.map(str::to_owned));
            let of = OutputIdentifier {
                output_id,
                source_id,
                source,
                output,
                system,
            };
            let found = outputs.find(&of).iter();
            found.map(|id| id.0.as_u128()).collect::<Vec<_>>()
        };
        let id = Uuid::from_u128(2).to_string();
        let source = Some("the ferry SANK. ");
        assert_eq!(found([Some(&id), None, None, None, None]), [2]);
        // A number of the row, which is no output's id.
        assert_eq!(found([Some("0"), None, source, None, Some("a")]), [1]);
        assert_eq!(found([None, Some("7"), None, None, Some("b")]), [2]);
        assert_eq!(found([None, None, Some("7"), None, Some("b")]), [2]);
        assert_eq!(found([None, None, source, Some("it sank."), None]), [1, 2]);
        for nobody in [
            [None, Some("8"), None, None, Some("b")],
            [None, None, source, Some("It sank."), Some("c")],
            [None, None, source, Some("It rose."), None],
        ] {
            assert_eq!(found(nobody), [0; 0]);
        }
    }
}
