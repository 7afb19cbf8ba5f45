mod json;
mod report;
mod table;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use domain::{
    comprehension::{
        AnswerTable, ComprehensionSettings, MaterialWarning, Passage, StabilityOptions,
        find_material_warnings,
    },
    study::Slug,
};
use formats::{
    FileInput,
    comprehension::{ComprehensionFile, ComprehensionMapping, read_comprehension},
};
use service::figures::comprehension::SystemMeanScores;
use store::audit::{AuditKind, AuditSubject};

pub(super) use self::json::ComprehensionJson;
use super::{
    input_args::InputArgs,
    input_file::{read_bytes, shown},
    output::{CommandOutput, fold_repeats},
    study::find_study,
};
use crate::{audit::command_entry, clock, database, settings::DataSettings};

/// How well readers understood each condition.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("of").required(true).multiple(true).args(["file", "study"]))]
pub(crate) struct ComprehensionArgs {
    /// A file with answers: ATS-EVAL, or CSV or JSONL with one answer a row. With --study it is imported
    /// into the study first.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A study, by its short name.
    #[arg(long, value_name = "STUDY")]
    study: Option<Slug>,
    /// Which column or key holds which field of a CSV or JSONL file; may be repeated.
    #[arg(long, value_name = "FIELD=COLUMN", requires = "file")]
    map: Vec<String>,
    #[command(flatten)]
    input: InputArgs,
    /// Also report answerability on the questions that all of these conditions make answerable.
    #[arg(long, value_name = "CONDITION,…", value_delimiter = ',')]
    answerable_in: Vec<String>,
    /// The denominator: the answers to those questions, or all answers as in the paper.
    #[arg(long, value_enum, default_value_t, requires = "answerable_in")]
    denominator: DenominatorChoice,
    /// Also report how stable the ranking is under random subsets of this many passages.
    #[arg(long, value_name = "PASSAGES,…", value_delimiter = ',')]
    stability: Vec<usize>,
    /// Also report the figures of each passage and of each question.
    #[arg(long)]
    items: bool,
    /// Also report how well little support of question and answer in the text predicts “unanswerable”.
    #[arg(long)]
    support: bool,
    /// Words that support does not count, one a line; without it, English function words.
    #[arg(long, value_name = "FILE", requires = "support")]
    stop_words: Option<PathBuf>,
    /// Also report how metrics that compare texts with this condition correlate with accuracy over
    /// conditions.
    #[arg(long, value_name = "CONDITION")]
    original: Option<String>,
    /// The conditions that are references of such metrics.
    #[arg(
        long,
        alias = "references",
        value_name = "CONDITION,…",
        value_delimiter = ',',
        requires = "original"
    )]
    reference_conditions: Vec<String>,
    /// Conditions written by people, which support and metrics leave out.
    #[arg(long, value_name = "CONDITION,…", value_delimiter = ',')]
    people: Vec<String>,
    /// The number of resamples for intervals, and of random subsets for --stability.
    #[arg(long, alias = "draws", value_name = "N", default_value_t = StabilityOptions::default().count)]
    bootstrap: usize,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = StabilityOptions::default().seed)]
    seed: u64,
}

/// The denominator, as the command line names it.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum DenominatorChoice {
    #[default]
    Chosen,
    Paper,
}

/// The answers and passages that figures are computed from.
struct ComprehensionInput {
    answers: AnswerTable,
    passages: Vec<Passage>,
    /// Mean scores of the study's metrics on the conditions.
    scores: Vec<SystemMeanScores>,
    warnings: Vec<String>,
}

impl ComprehensionArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        if self.file.is_none() {
            self.input.refuse_for_study()?;
        }

        let file = self
            .file
            .as_deref()
            .map(|path| self.read_file(path))
            .transpose()?;
        let is_import = self.study.is_some() && file.is_some();
        let mut input = match (&self.study, file) {
            (Some(study), file) => read_study(data, study, file).await?,
            (None, Some((file, _))) => ComprehensionInput::from_file(file),
            (None, None) => anyhow::bail!("name a FILE, or a study with --study"),
        };

        if input.answers.answers().is_empty() {
            anyhow::ensure!(
                is_import,
                "there are no answers: there is nothing to compute"
            );
            // The import succeeded: the study has the file's content now.
            let warning =
                "The study has the passages and questions of the file, and no answers yet.";
            input.warnings.push(warning.to_owned());
        }

        let report = self.report(input)?;
        if output.is_json() {
            for warning in fold_repeats(&report.warnings) {
                tracing::warn!("{warning}");
            }
        }
        output.print(&ComprehensionJson::from(&report), || {
            table::report_table(&report)
        })
    }

    /// Reads the file, and the hash that identifies it as an origin of answers.
    fn read_file(&self, path: &Path) -> anyhow::Result<(ComprehensionFile, String)> {
        let bytes = read_bytes(path).with_context(|| format!("{} cannot be read", shown(path)))?;
        let mapping = ComprehensionMapping::parse(&self.map)?;
        let input = FileInput::new(&bytes[..], self.input.options());
        let file = read_comprehension(input, &mapping)
            .with_context(|| format!("{} was not read", shown(path)))?;
        Ok((file, service::accounts::digest(&bytes)))
    }
}

impl ComprehensionInput {
    /// The content of a file.
    fn from_file(file: ComprehensionFile) -> Self {
        Self {
            answers: file.main_answers(),
            warnings: warnings(&file),
            passages: file.passages,
            scores: vec![],
        }
    }
}

/// Reads the study's answers, after importing those of the file if there is one.
async fn read_study(
    data: &DataSettings,
    slug: &Slug,
    file: Option<(ComprehensionFile, String)>,
) -> anyhow::Result<ComprehensionInput> {
    let store = match file {
        Some(_) => database::open_existing(data).await?,
        None => database::open_to_read(data).await?,
    };
    let study = find_study(&store, slug).await?.id;

    let mut file_warnings = vec![];
    if let Some((file, digest)) = file {
        file_warnings = warnings(&file);
        if store.comprehension_settings(study).await?.is_none() {
            store
                .set_comprehension_settings(
                    study,
                    &ComprehensionSettings::default(),
                    clock::now_ms(),
                )
                .await?;
        }

        let entry = command_entry(AuditKind::ImportBegun, Some(study), AuditSubject::Nothing);
        let audited = store.audited(entry);
        service::comprehension::bring_in(&audited, study, &file, &digest, clock::CONTEXT).await?;
    }

    let passages = store.comprehension_material(study).await?.passages;
    Ok(ComprehensionInput {
        answers: store.comprehension_answers(study).await?,
        passages: passages.into_iter().map(|entry| entry.passage).collect(),
        scores: service::figures::comprehension::study_scores(&store, study).await?,
        warnings: file_warnings,
    })
}

/// The number of answers found word for word in a text that are named one by one.
const MAX_NAMED: usize = 3;

/// The warnings about a file.
fn warnings(file: &ComprehensionFile) -> Vec<String> {
    let (verbatim, others): (Vec<_>, Vec<_>) = find_material_warnings(&file.passages)
        .into_iter()
        .partition(|warning| matches!(warning, MaterialWarning::Verbatim { .. }));

    let sentences = |warnings: &[MaterialWarning]| {
        warnings
            .iter()
            .map(MaterialWarning::to_string)
            .collect::<Vec<_>>()
    };

    let mut lines = file.notes.clone();
    lines.extend(sentences(&others));
    lines.extend(sentences(&verbatim[..verbatim.len().min(MAX_NAMED)]));
    if verbatim.len() > MAX_NAMED {
        let total = verbatim.len();
        lines.push(format!(
            "In all, {total} answers are word for word in a text: they can be found without \
             understanding it."
        ));
    }
    lines.extend(file.bad_rows.iter().map(|bad| format!("Left out: {bad}.")));
    lines
}

#[cfg(test)]
mod tests;
