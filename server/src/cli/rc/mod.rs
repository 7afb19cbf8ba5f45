mod json;
mod table;

use std::{fs::File, io::BufReader, path::PathBuf};

use anyhow::Context as _;
use domain::{
    comprehension::{
        Answers, ConditionFigures, Denominator, Doubly, Draws, Stability, answerability_on,
        answerable_in, by_condition, double_agreement, doubts, stability,
    },
    statistics::{Undefined, bootstrap::Resampling, quality::Share},
};
use formats::comprehension::{Comprehension, Mapping, read_comprehension};

use super::output::print;
use crate::settings::DataSettings;

/// How well readers understood each condition.
#[derive(Debug, clap::Args)]
pub(crate) struct ComprehensionOf {
    /// A file with answers: ATS-EVAL, or CSV or JSONL with one answer a row.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Which column or key holds which field of a CSV or JSONL file; may be repeated.
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<String>,
    /// Also answerability on the questions that all of these conditions make answerable.
    #[arg(long, value_name = "CONDITION,…", value_delimiter = ',')]
    answerable_in: Vec<String>,
    /// What that is divided by: the answers to those questions, or all answers as in the paper.
    #[arg(long, value_enum, default_value_t, requires = "answerable_in")]
    denominator: By,
    /// Also how stable the ranking is under random subsets of so many passages.
    #[arg(long, value_name = "PASSAGES,…", value_delimiter = ',')]
    stability: Vec<usize>,
    /// How many subsets are drawn.
    #[arg(long, value_name = "N", default_value_t = Draws::default().count, requires = "stability")]
    draws: usize,
    /// The seed of the draws and of the resampled intervals.
    #[arg(long, value_name = "SEED", default_value_t = Draws::default().seed)]
    seed: u64,
}

/// The denominator, as the command line names it.
#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum By {
    #[default]
    Chosen,
    Paper,
}

/// What is printed.
struct Figures {
    answers: Answers,
    conditions: Vec<ConditionFigures>,
    agreement: Doubly,
    chosen: Option<Chosen>,
    stability: Vec<Result<Stability, Undefined>>,
    warnings: Vec<String>,
}

/// Answerability on the questions that chosen conditions make answerable.
struct Chosen {
    conditions: Vec<String>,
    denominator: Denominator,
    questions: usize,
    /// By condition.
    shares: Vec<Share>,
}

impl ComprehensionOf {
    #[expect(clippy::unused_async, reason = "a study's answers will be waited for")]
    pub(crate) async fn run(self, json: bool, _data: &DataSettings) -> anyhow::Result<()> {
        let file = self.read()?;
        let figures = self.figures(file.table(), warnings(&file))?;
        for warning in figures.warnings.iter().filter(|_| json) {
            tracing::warn!("{warning}");
        }
        print(json, &json::all(&figures), || table::all(&figures))
    }

    fn read(&self) -> anyhow::Result<Comprehension> {
        let path = &self.file;
        let file =
            File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
        let mapping = Mapping::parse(&self.map)?;
        let file = read_comprehension(BufReader::new(file), &mapping)
            .with_context(|| format!("{} was not read", path.display()))?;
        anyhow::ensure!(
            !file.answers.is_empty(),
            "{} holds no answers (as {}): there is nothing to compute",
            path.display(),
            file.format,
        );
        Ok(file)
    }

    fn figures(&self, answers: Answers, warnings: Vec<String>) -> anyhow::Result<Figures> {
        let resampling = Resampling {
            seed: self.seed,
            ..Resampling::default()
        };
        let draws = Draws {
            count: self.draws,
            seed: self.seed,
        };
        Ok(Figures {
            conditions: by_condition(&answers, resampling),
            agreement: double_agreement(&answers),
            chosen: self.chosen(&answers)?,
            stability: stability(&answers, &self.stability, draws),
            answers,
            warnings,
        })
    }

    fn chosen(&self, answers: &Answers) -> anyhow::Result<Option<Chosen>> {
        if self.answerable_in.is_empty() {
            return Ok(None);
        }
        let number = |name: &String| {
            answers.condition(name).with_context(|| {
                let known = answers.conditions().join(", ");
                format!("“{name}” is no condition here: use some of {known}")
            })
        };
        let numbers = self
            .answerable_in
            .iter()
            .map(number)
            .collect::<Result<Vec<_>, _>>()?;
        let questions = answerable_in(answers, &numbers);
        let denominator = match self.denominator {
            By::Chosen => Denominator::Chosen,
            By::Paper => Denominator::Paper,
        };
        Ok(Some(Chosen {
            conditions: self.answerable_in.clone(),
            denominator,
            questions: questions.len(),
            shares: answerability_on(answers, &questions, denominator),
        }))
    }
}

/// What to say about a file beside its figures.
fn warnings(file: &Comprehension) -> Vec<String> {
    let doubts = doubts(&file.passages)
        .into_iter()
        .map(|doubt| doubt.to_string());
    let left_out = file.bad_rows.iter().map(|bad| format!("Left out: {bad}."));
    file.notes
        .iter()
        .cloned()
        .chain(doubts)
        .chain(left_out)
        .collect()
}

#[cfg(test)]
mod tests;
