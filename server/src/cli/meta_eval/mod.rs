//! Agreement of automatic metrics with the human ratings of a file or a study.

mod degenerate;
mod evaluation_subset;
mod human_ratings;
mod imported_scores;
mod json;
mod published;
mod rated_outputs;
mod rendering;
mod report;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::ValueEnum;
use domain::{statistics::tau_like::TieThreshold, study::Slug};

pub(super) use self::json::MetaEvalJson;
use self::{human_ratings::HumanRatings, published::PublishedEvaluation};
use super::{input_args::ReadingArgs, output::CommandOutput, references::ReferenceArgs};
use crate::settings::{DataSettings, EncoderSettings};

/// How well automatic metrics agree with people's ratings.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Kendall-tau-like: of every two outputs of one source and category, raw ratings that differ by up to the \
threshold are a tie for that rater; the rule says how many raters must prefer the same; pairs without a \
preference are skipped; pairs that the metric scores the same are discordant. `ci` is the percentile \
bootstrap interval of tau over sources. Pearson, Spearman and Kendall's tau-b are of scores and mean raw \
ratings; `pearson_fisher_ci` is Fisher's interval, which takes outputs for independent. Scores of metrics \
where lower is better (fkgl, word-rank, and imported ones by name or --lower-is-better) are negated before \
they are compared, and their names say so; JSON has each `direction`. With --like lens, outputs are cleaned of marks between sentences and of the spaces of \
tokenised text, and all texts are in lower case, as in the evaluation of Maddela et al. (2023); its SARI is \
sari-lens, and what it calls BLEU is GLEU, which is not computed here. With --like questeval, metrics get the first reference alone, as the figures \
of Scialom et al. (2021) suggest. Sources that a learned metric was trained on are left out of its figures.")]
pub(crate) struct MetaEvalArgs {
    /// Ratings of outputs: SimpEval (past with categories by step 1, 2022 by its `sentence_type`), direct
    /// assessment, Likert, ASSET's, JSONL, or any CSV by --map.
    #[arg(long, value_name = "FILE", required_unless_present = "study")]
    ratings: Option<PathBuf>,
    /// The ratings of a study that count, with its references and imported scores.
    #[arg(long, value_name = "STUDY", conflicts_with = "ratings")]
    study: Option<Slug>,
    /// The dimension of ratings; by default the first.
    #[arg(long, value_name = "NAME")]
    dimension: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE", requires = "ratings")]
    raters: Option<PathBuf>,
    #[command(flatten)]
    references: ReferenceArgs,
    /// The metrics to compute, by name; by default those that are quick, or none beside --scores.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    metrics: Vec<String>,
    /// Scores computed elsewhere, CSV or JSONL: id, or source with output or system, and a column for
    /// each metric.
    #[arg(long, value_name = "FILE")]
    scores: Vec<PathBuf>,
    /// A metric of --scores of which a lower score is better; may be repeated. Of the others it is
    /// guessed from the name, and said.
    #[arg(long, value_name = "NAME", requires = "scores")]
    lower_is_better: Vec<String>,
    /// A metric of --scores of which a higher score is better; may be repeated.
    #[arg(long, value_name = "NAME", requires = "scores")]
    higher_is_better: Vec<String>,
    /// How many raters must prefer an output.
    #[arg(long, value_enum, default_value = "majority")]
    rule: RuleName,
    /// Ratings that differ by no more are a tie: points such as 5, or a share of the scale such as 5%.
    #[arg(
        long,
        alias = "threshold",
        value_name = "POINTS|SHARE",
        default_value_t
    )]
    ties: TieThreshold,
    /// The number of resamples for intervals and tests.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    bootstrap: u32,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Leave out outputs that are one of their references word for word.
    #[arg(long)]
    without_reference_copies: bool,
    /// Judge learned metrics by the sources that they were trained on as well.
    #[arg(long)]
    include_training: bool,
    /// Test every other metric against this one.
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
    /// Say what a rater reaches who is held against all others.
    #[arg(long)]
    upper_limit: bool,
    /// Put each metric to nine kinds of worthless text, made of well-rated outputs.
    #[arg(long)]
    degenerate: bool,
    /// Give metrics the texts as an evaluation does that was released with a paper, so that figures can be
    /// compared with its own. Its rule and threshold are the usual ones.
    #[arg(long, value_name = "PAPER", value_enum)]
    like: Option<PublishedEvaluation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RuleName {
    /// More than half of those who rated both.
    Majority,
    /// All of them.
    AllAgree,
}

impl MetaEvalArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        let ratings = match &self.study {
            Some(study) => {
                // The other options of reading apply to files of scores and references.
                ensure!(
                    self.reading.is_unmapped(),
                    "--map and --scale are for --ratings: leave them out for a study"
                );
                HumanRatings::from_study(data, study, self.dimension.as_deref()).await?
            }
            None => self.read_ratings_file()?,
        };

        let report = self.report(ratings, encoder, output.progress())?;
        output.print(&MetaEvalJson::from(&report), || rendering::table(&report))
    }

    fn read_ratings_file(&self) -> anyhow::Result<HumanRatings> {
        let path = self.ratings.as_deref();
        let path = path.context("name a file with --ratings, or a study with --study")?;
        let dimension = self.dimension.as_deref();
        HumanRatings::from_file(path, self.raters.as_deref(), &self.reading, dimension)
    }
}
