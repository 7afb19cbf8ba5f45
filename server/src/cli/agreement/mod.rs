//! Krippendorff's alpha from the command line.

mod table;

use std::path::Path;

use domain::{
    statistics::{
        agreement::MeasurementLevel,
        bootstrap::ResamplingOptions,
        standardise::{DeviationKind, standardise},
    },
    study::{Dimension, Slug},
};
use formats::FileRatings;
use service::live::{LiveStudies, StudySnapshot};

use super::{
    output::CommandOutput,
    ratings::{RatingsArgs, RatingsPlace},
    study::find_study,
    systems::{CategoryUse, from_rated_file},
};
use crate::{
    clock, database,
    reports::{
        AgreementGrouping, AgreementJson, AgreementOptions, AgreementReport, ResamplingUnit,
    },
    settings::DataSettings,
};

/// Krippendorff's alpha of a study or straight of a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
z = (rating - mean)/sd of each rater over all of their ratings, population sd; a file's own z-scores are \
taken where it has them, and parts keep the z-scores of the whole. Identical outputs of a source are one \
unit; of a SimpEval table, each row is one. Of a study that asks questions, alpha of each question with options comes as \
well, always at the nominal level and with an interval over sources. Intervals are percentile intervals at 95 %, z-scores held fixed. With --level ordinal, Cohen's kappa with \
quadratic weights comes as well: its mean over all pairs of raters, by the outputs that they have in common.")]
pub(crate) struct AgreementArgs {
    #[command(flatten)]
    ratings: RatingsArgs,
    /// How the difference of two values counts: nominal, ordinal, interval or ratio.
    #[arg(long, default_value_t, value_name = "LEVEL")]
    level: MeasurementLevel,
    /// Also report each part on its own.
    #[arg(long, value_enum, value_name = "PART")]
    by: Option<AgreementGrouping>,
    /// The number of resamples for intervals; by default there are none.
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    /// The random seed.
    #[arg(long, value_name = "SEED", default_value_t = ResamplingOptions::default().seed, requires = "bootstrap")]
    seed: u64,
    /// The unit of resampling: sources with all of their outputs, or outputs.
    #[arg(long, value_enum, default_value = "source", requires = "bootstrap")]
    unit: ResamplingUnit,
}

impl AgreementArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let report = match self.ratings.place()? {
            RatingsPlace::File(file) => self.report_file(file)?,
            RatingsPlace::Study(study) => self.report_study(data, study).await?,
        };
        output.print(&AgreementJson::from(&report), || table::table(&report))
    }

    async fn report_study(
        &self,
        data: &DataSettings,
        slug: &Slug,
    ) -> anyhow::Result<AgreementReport> {
        let store = database::open_to_read(data).await?;
        let study = find_study(&store, slug).await?;
        let (id, scope) = (study.id, self.ratings.which());
        let (options, ratings) = (self.options(), self.ratings.clone());

        let protocol = &study.settings.protocol;
        let questions = match protocol.answer_step() {
            Some(_) => {
                let answers = store.study_answers(id, scope).await?;
                options.questions(protocol, &answers)
            }
            None => vec![],
        };

        let read = move |snapshot: &StudySnapshot| {
            options.read_snapshot(snapshot, &study.settings, ratings.dimension_name())
        };
        let report = LiveStudies::new(clock::now_ms)
            .read(&store, id, scope, read)
            .await??;

        Ok(AgreementReport {
            questions,
            ..report
        })
    }

    fn options(&self) -> AgreementOptions {
        AgreementOptions {
            level: self.level,
            by: self.by,
            bootstrap: self.bootstrap,
            seed: self.seed,
            unit: self.unit,
        }
    }

    fn report_file(&self, path: &Path) -> anyhow::Result<AgreementReport> {
        let options = self.options();
        if self.by == Some(AgreementGrouping::Group) {
            anyhow::bail!("a file has no groups of raters: use --by group with --study");
        }
        let parts = match options.needs_outputs() {
            true => self.ratings.read_dimensions(path)?,
            false => self.ratings.read_dimensions_without_outputs(path)?,
        };

        let names = parts.iter().map(|(dimension, _)| &dimension.name[..]);
        let at = self.ratings.dimension_index(names)?;
        let has_z = !parts[at].1.z.is_empty();
        let categories = match self.by {
            Some(AgreementGrouping::Category) => CategoryUse::Needed,
            _ => CategoryUse::Unneeded,
        };

        let judge = |(dimension, file): (Dimension, FileRatings)| {
            (dimension, from_rated_file(file, categories))
        };
        let judged_parts: Vec<_> = parts.into_iter().map(judge).collect();
        let (parts, mean) = options.parts_and_mean(&judged_parts[at].1, &judged_parts);

        let (dimension, judged) = judged_parts.into_iter().nth(at).expect("it was found");
        let recomputed = has_z.then(|| {
            let z = standardise(&judged.raw, DeviationKind::Population).z;
            options.z_agreement(&z)
        });

        Ok(AgreementReport {
            all: options.whole("all".to_owned(), &judged),
            coefficients: options.coefficients(&judged, &dimension),
            dimension,
            recomputed,
            parts,
            mean,
            corrections: None,
            questions: vec![],
            warnings: judged.warnings,
        })
    }
}
