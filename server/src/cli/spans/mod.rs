//! Figures from the marked spans of a study or a file.

mod json;
mod table;

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use domain::{statistics::bootstrap::ResamplingOptions, study::Slug};
use formats::{BadRow, MarkedSpanFile, MarkedSpanRow, read_marked_spans};
use service::figures::spans::{JudgedSpans, SpanFigures, judged_spans};

pub(super) use self::json::SpansJson;
use super::{
    input_args::InputArgs, input_file::shown, output::CommandOutput, ratings::StudyOrFile,
    scope_args::ScopeArgs, study::find_study,
};
use crate::{database, settings::DataSettings};

/// Agreement on marked spans, and marks by system, of a study or a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of a study, the marks of submitted sources count; an output that several systems wrote counts for each of them, though \
once for agreement, and hidden systems are left out. A file is one of `rankrate export STUDY --format spans`: JSONL, one \
rater's marks of one output a line, with source, output, system, rater, and marks, each with type, level, value, and its \
stretches of source and output as [first character, character after the last].

Agreement is counted in characters that are no white space. F1 compares the characters that two raters marked with a \
type, pooled over outputs; the figure is the mean over pairs of raters. Alpha is Krippendorff's unitised alpha, \
nominal: of one type, marked or not; of all types, the set of types of a character. Intervals are percentile intervals \
at 95 % over resampled sources. Systems are compared on the sources that both have, by the mean value of their marks \
and by the number of their marks.")]
pub(crate) struct SpansArgs {
    /// A study, by its short name, or a file of marked spans; it may be compressed (.gz). A name with a point or a
    /// slash is a file.
    #[arg(value_name = "STUDY|FILE", value_parser = StudyOrFile::parse)]
    place: StudyOrFile,
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
struct SpansReport {
    figures: SpanFigures,
    /// The lines that were left out.
    skipped: Vec<BadRow>,
}

impl SpansArgs {
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
        output.print(&SpansJson::from(&report), || table::report_table(&report))
    }

    fn report_file(&self, file: &Path) -> anyhow::Result<SpansReport> {
        let path = shown(file);
        let input = self.input.open(file)?;
        let MarkedSpanFile {
            taxonomy,
            rows,
            bad_rows,
        } = read_marked_spans(input).with_context(|| format!("{path} was not read"))?;
        let judged = join_systems(rows);
        Ok(SpansReport {
            figures: SpanFigures::compute(taxonomy, &judged, self.resampling()),
            skipped: bad_rows,
        })
    }

    async fn report_study(&self, data: &DataSettings, slug: &Slug) -> anyhow::Result<SpansReport> {
        let store = database::open_to_read(data).await?;
        let study = find_study(&store, slug).await?;
        let scope = self.scope.scope();
        let judged = judged_spans(&store.study_marks(study.id, scope).await?);
        anyhow::ensure!(
            !judged.is_empty(),
            "no marked spans were submitted in {slug} yet"
        );

        let step = study.settings.protocol.mark_spans_step();
        let taxonomy = step.map(|step| step.taxonomy.clone()).unwrap_or_default();
        Ok(SpansReport {
            figures: SpanFigures::compute(taxonomy, &judged, self.resampling()),
            skipped: vec![],
        })
    }

    fn resampling(&self) -> Option<ResamplingOptions> {
        (self.bootstrap > 0).then(|| ResamplingOptions {
            replicates: self.bootstrap,
            seed: self.seed,
            ..ResamplingOptions::default()
        })
    }
}

/// Joins the rows of a file into judgements. An output that several systems wrote has a row for each of them, but was
/// judged once.
fn join_systems(rows: Vec<MarkedSpanRow>) -> Vec<JudgedSpans> {
    let mut places = BTreeMap::new();
    let mut judged = Vec::<JudgedSpans>::new();

    for row in rows {
        let key = (row.rater.clone(), row.source.clone(), row.output.clone());
        let place = *places.entry(key).or_insert_with(|| {
            judged.push(JudgedSpans {
                rater: row.rater,
                source: row.source,
                source_text: row.source_text.into(),
                text: row.output,
                systems: vec![],
                marks: row.marks,
            });
            judged.len() - 1
        });
        judged[place].systems.extend(row.system);
    }

    judged
}
