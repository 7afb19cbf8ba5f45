//! Figures from a file of pairwise and best-worst comparisons.

mod json;
mod table;

use std::{collections::BTreeMap, fs::File, io::BufReader, path::PathBuf};

use anyhow::Context as _;
use domain::{
    dimensions::dimension_name,
    statistics::{
        Agreement, RatingTableError, UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions},
        pairwise::{
            BestWorstCounts, BradleyTerryFit, ComparisonIntervals, ComparisonTable, PairTest,
            WinMatrix, bradley_terry,
        },
        ranks::competition_ranks,
    },
};
use formats::{BadRow, ComparisonFile, ComparisonRow, FileInput, read_comparisons};

use super::{input_args::InputArgs, output::CommandOutput};

/// Scores of systems from a file of pairwise or best-worst comparisons.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Columns (or keys): source, rater, dimension (optional); of two systems system_a, system_b and outcome (a, b, tie, \
or the name of the better system); of several system_1, system_2, … (or systems, with | between them), best and \
worst. ASSET's file of comparisons is read as it is. A rater's second answer about the same systems, source and \
dimension is left out.

Log strengths are those of Bradley and Terry's model with Davidson's ties, by maximum likelihood, with mean 0; \
where some systems never lose to the others, they are drawn to 0 a little (penalty 0.1 times the sum of squares). \
The win share is the chance to win against another system drawn at random, a tie counting half. A choice of best \
and worst counts as the pairs that it decides, and its score is (best - worst)/shown. Intervals are percentile \
intervals at 95 % over resampled sources. Alpha is nominal, on the outcomes of a pair of systems on a source. \
Pairs are tested by a sign test over sources, corrected by Holm.")]
pub(crate) struct PairwiseArgs {
    /// The file: a table (CSV or .xlsx) or JSONL, one answer a row; it may be compressed (.gz). No
    /// database is touched.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The dimension to report; by default each has a report of its own.
    #[arg(long, value_name = "NAME")]
    dimension: Option<String>,
    /// The number of resamples for intervals; 0 for none.
    #[arg(long, value_name = "N", default_value_t = ResamplingOptions::default().replicates)]
    bootstrap: usize,
    /// The random seed of the resamples.
    #[arg(long, value_name = "S", default_value_t = ResamplingOptions::default().seed)]
    seed: u64,
    #[command(flatten)]
    input: InputArgs,
}

/// The figures, as they are printed.
struct PairwiseReport {
    dimensions: Vec<DimensionReport>,
    /// The rows that were left out.
    skipped: Vec<BadRow>,
}

/// The figures of the comparisons on one dimension. Systems are numbered as in the table.
struct DimensionReport {
    name: String,
    table: ComparisonTable<String>,
    matrix: WinMatrix,
    fit: Result<BradleyTerryFit, UndefinedReason>,
    /// The systems, the strongest first; in the order of their names where there are no strengths.
    order: Vec<usize>,
    /// 1 for the strongest; systems of the same strength share the smallest rank.
    ranks: Option<Vec<usize>>,
    best_worst: Vec<BestWorstCounts>,
    /// `None` without resamples.
    intervals: Option<ComparisonIntervals>,
    agreement: Agreement,
    agreement_interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    pairs: Vec<PairTest>,
}

impl PairwiseArgs {
    pub(crate) fn run(self, mut output: CommandOutput) -> anyhow::Result<()> {
        let report = self.report()?;
        output.print(&json::PairwiseJson::from(&report), || {
            table::report_table(&report)
        })
    }

    fn report(&self) -> anyhow::Result<PairwiseReport> {
        let path = self.file.display();
        let file = File::open(&self.file).with_context(|| format!("{path} cannot be opened"))?;
        let input = FileInput::new(BufReader::new(file), self.input.options());
        let ComparisonFile { rows, bad_rows } =
            read_comparisons(input).with_context(|| format!("{path} was not read"))?;
        let mut by_dimension = BTreeMap::<String, Vec<ComparisonRow>>::new();
        for row in rows {
            by_dimension
                .entry(row.dimension.clone())
                .or_default()
                .push(row);
        }
        if let Some(chosen) = &self.dimension {
            let names: Vec<_> = by_dimension.keys().cloned().collect();
            by_dimension.retain(|name, _| *name == dimension_name(chosen));
            anyhow::ensure!(
                !by_dimension.is_empty(),
                "there are no comparisons on “{chosen}”; the dimensions are: {}",
                names.join(", ")
            );
        }
        let resampling = (self.bootstrap > 0).then(|| ResamplingOptions {
            replicates: self.bootstrap,
            seed: self.seed,
            ..ResamplingOptions::default()
        });
        let dimensions = by_dimension
            .into_iter()
            .map(|(name, rows)| DimensionReport::new(name, rows, resampling))
            .collect::<Result<_, _>>()?;
        Ok(PairwiseReport {
            dimensions,
            skipped: bad_rows,
        })
    }
}

impl DimensionReport {
    fn new(
        name: String,
        rows: Vec<ComparisonRow>,
        resampling: Option<ResamplingOptions>,
    ) -> Result<Self, RatingTableError> {
        let rows = rows.into_iter();
        let table = ComparisonTable::new(rows.map(|row| (row.rater, row.source, row.comparison)))?;
        let matrix = table.win_matrix();
        let fit = bradley_terry(&matrix);
        let ranks = fit.as_ref().ok().map(|fit| {
            // Equal strengths differ in their last digits.
            let rounded = fit.strengths.iter().map(|x| (x * 1e9).round());
            competition_ranks(&rounded.collect::<Vec<_>>())
        });
        let mut order: Vec<usize> = (0..table.systems().len()).collect();
        if let Some(ranks) = &ranks {
            order.sort_by_key(|system| ranks[*system]);
        }
        Ok(Self {
            order,
            ranks,
            best_worst: table.best_worst(),
            intervals: resampling.map(|resampling| table.intervals(resampling)),
            agreement: table.agreement(),
            agreement_interval: resampling.map(|resampling| table.agreement_interval(resampling)),
            pairs: table.pair_tests(),
            name,
            matrix,
            fit,
            table,
        })
    }

    /// Whether some comparisons are choices of the best and the worst.
    fn has_choices(&self) -> bool {
        self.best_worst.iter().any(|counts| counts.shown > 0)
    }
}
