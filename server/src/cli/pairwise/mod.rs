//! Figures from the pairwise and best-worst comparisons of a study or a file.

mod json;
mod table;

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use domain::{dimensions::dimension_name, statistics::bootstrap::ResamplingOptions, study::Slug};
use formats::{BadRow, ComparisonFile, read_comparisons};
use service::figures::{
    comparisons::{ComparisonFigures, DimensionComparisons, compared_systems},
    metrics::{ComparedMetrics, StudyMetricScores},
};

pub(super) use self::json::PairwiseJson;
use super::{
    input_args::InputArgs,
    input_file::shown,
    output::{CommandOutput, print_warnings},
    ratings::StudyOrFile,
    scope_args::ScopeArgs,
    study::find_study,
};
use crate::{database, settings::DataSettings};

/// Scores of systems from the pairwise or best-worst comparisons of a study or a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of a study, comparisons of submitted sources count; an output that several systems wrote stands for each of them, \
though not for agreement, and hidden systems are left out.

Columns (or keys) of a file: source, rater, dimension (optional); of two systems system_a, system_b and outcome (a, b, tie, \
or the name of the better system); of several system_1, system_2, … (or systems, with | between them), best and \
worst. ASSET's file of comparisons is read as it is. A rater's second answer about the same systems, source and \
dimension is left out.

Log strengths are those of Bradley and Terry's model with Davidson's ties, by maximum likelihood, with mean 0; \
where some systems never lose to the others, they are drawn to 0 a little (penalty 0.1 times the sum of squares). \
The win share is the chance to win against another system drawn at random, a tie counting half. A choice of best \
and worst counts as the pairs that it decides, and its score is (best - worst)/shown. Intervals are percentile \
intervals at 95 % over resampled sources. Alpha is nominal, on the outcomes of a pair of systems on a source. \
Pairs are tested by a sign test over sources, corrected by Holm.

Of a study with scores of metrics, the agreement of each metric with the comparisons follows: Kendall-tau-like on the \
pairs of outputs that a majority decided, a metric's own ties counting against it, and over systems Pearson's r and \
Spearman's rho of mean scores and log strengths. Scores of metrics where lower is better are negated.")]
pub(crate) struct PairwiseArgs {
    /// A study, by its short name, or a file: a table (CSV or .xlsx) or JSONL, one answer a row; it may be
    /// compressed (.gz). A name with a point or a slash is a file.
    #[arg(value_name = "STUDY|FILE", value_parser = StudyOrFile::parse)]
    place: StudyOrFile,
    /// The dimension to report; by default each has a report of its own.
    #[arg(long, value_name = "NAME")]
    dimension: Option<String>,
    /// The number of resamples for intervals; 0 for none.
    #[arg(long, value_name = "N", default_value_t = ResamplingOptions::default().replicates)]
    bootstrap: usize,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = ResamplingOptions::default().seed)]
    seed: u64,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    input: InputArgs,
}

/// The figures, as they are printed.
struct PairwiseReport {
    dimensions: Vec<ComparisonFigures>,
    /// The agreement of the study's metrics with the comparisons on each dimension.
    metrics: Vec<ComparedMetrics>,
    /// The rows that were left out.
    skipped: Vec<BadRow>,
}

impl PairwiseArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let report = match &self.place {
            StudyOrFile::Study(slug) => {
                self.input.refuse_for_study()?;
                self.report_study(data, slug).await?
            }
            StudyOrFile::File(path) => self.report_file(path)?,
        };

        output.print(&PairwiseJson::from(&report), || {
            table::report_table(&report)
        })
    }

    fn report_file(&self, file: &Path) -> anyhow::Result<PairwiseReport> {
        let path = shown(file);
        let input = self.input.open(file)?;
        let ComparisonFile {
            rows,
            bad_rows,
            notes,
        } = read_comparisons(input).with_context(|| format!("{path} was not read"))?;

        let notes: Vec<_> = notes.iter().map(ToString::to_string).collect();
        print_warnings(&notes);

        let mut by_dimension = BTreeMap::<String, DimensionComparisons>::new();
        for row in rows {
            by_dimension.entry(row.dimension).or_default().given.push((
                row.rater,
                row.source,
                row.comparison,
            ));
        }

        self.report(by_dimension, bad_rows)
    }

    async fn report_study(
        &self,
        data: &DataSettings,
        slug: &Slug,
    ) -> anyhow::Result<PairwiseReport> {
        let store = database::open_to_read(data).await?;
        let study = find_study(&store, slug).await?;
        let scope = self.scope.scope();
        let comparisons = store.study_comparisons(study.id, scope).await?;
        let by_dimension = compared_systems(&comparisons);
        anyhow::ensure!(
            !by_dimension.is_empty(),
            "no comparisons were submitted in {slug} yet"
        );

        let mut report = self.report(by_dimension, vec![])?;
        let scores = StudyMetricScores::new(
            store.metrics(study.id).await?,
            store.output_entries(study.id).await?,
            &store.metric_scores(study.id).await?,
        );
        report.metrics = ComparedMetrics::compute(&comparisons, &scores, self.resampling());
        Ok(report)
    }

    fn report(
        &self,
        mut by_dimension: BTreeMap<String, DimensionComparisons>,
        skipped: Vec<BadRow>,
    ) -> anyhow::Result<PairwiseReport> {
        if let Some(chosen) = &self.dimension {
            let names: Vec<_> = by_dimension.keys().cloned().collect();
            by_dimension.retain(|name, _| *name == dimension_name(chosen));
            anyhow::ensure!(
                !by_dimension.is_empty(),
                "there are no comparisons on “{chosen}”; the dimensions are: {}",
                names.join(", ")
            );
        }

        let resampling = (self.bootstrap > 0).then(|| self.resampling());
        let dimensions = by_dimension
            .into_iter()
            .map(|(name, comparisons)| ComparisonFigures::compute(name, comparisons, resampling))
            .collect::<Result<_, _>>()?;

        Ok(PairwiseReport {
            dimensions,
            metrics: vec![],
            skipped,
        })
    }

    fn resampling(&self) -> ResamplingOptions {
        ResamplingOptions {
            replicates: self.bootstrap,
            seed: self.seed,
            ..ResamplingOptions::default()
        }
    }
}
