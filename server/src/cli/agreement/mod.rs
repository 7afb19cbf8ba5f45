//! Krippendorff's alpha from the command line.

mod json;
mod table;

use std::path::Path;

use clap::ValueEnum;
use domain::{
    category::Category,
    statistics::{
        RatingTable, UndefinedReason,
        agreement::{
            Agreement, AlphaBootstrap, KappaWeights, MeasurementLevel, agreement,
            mean_pairwise_kappa,
        },
        bootstrap::{BootstrapInterval, ResamplingOptions},
        standardise::{DeviationKind, standardise},
    },
    study::{Dimension, Slug},
};
use formats::FileRatings;
use service::{
    figures::systems::{JudgedRatings, SystemName},
    live::{LiveStudies, StudyCorrections, StudySnapshot},
};

use self::json::AgreementJson;
use super::{
    output::CommandOutput,
    ratings::{RatingsArgs, RatingsPlace},
    study::find_study,
    systems::{CategoryUse, from_rated_file},
};
use crate::{clock, database, settings::DataSettings};

/// Krippendorff's alpha of a study or straight of a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
z = (rating - mean)/sd of each rater over all of their ratings, population sd; a file's own z-scores are \
taken where it has them, and parts keep the z-scores of the whole. Identical outputs of a source are one \
unit. Intervals are percentile intervals at 95 %, z-scores held fixed. With --level ordinal, Cohen's kappa with \
quadratic weights comes as well: its mean over all pairs of raters, by the outputs that they have in common.")]
pub(crate) struct AgreementArgs {
    #[command(flatten)]
    ratings: RatingsArgs,
    /// How the difference of two values counts: nominal, ordinal, interval or ratio.
    #[arg(long, default_value_t, value_name = "LEVEL")]
    level: MeasurementLevel,
    /// Also report each part on its own.
    #[arg(long, value_enum)]
    by: Option<AgreementGrouping>,
    /// Report intervals from this many resamples.
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    /// The random seed of the resamples.
    #[arg(long, value_name = "S", default_value_t = ResamplingOptions::default().seed, requires = "bootstrap")]
    seed: u64,
    /// The unit of resampling: sources with all of their outputs, or outputs.
    #[arg(long, value_enum, default_value = "source", requires = "bootstrap")]
    unit: ResamplingUnit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AgreementGrouping {
    /// Split, deletion, paraphrase.
    Category,
    /// The systems that wrote the outputs.
    System,
    /// The dimensions that outputs are rated on, and the mean over them.
    Dimension,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ResamplingUnit {
    /// A source with all of its outputs.
    Source,
    /// An output.
    Output,
}

/// The figures, as they are printed.
struct AgreementReport {
    dimension: Dimension,
    all: AgreementPart,
    /// The agreement on z-scores recomputed from raw ratings, for a file that has its own z-scores.
    recomputed: Option<Agreement>,
    /// Each part, where `--by` is given.
    parts: Vec<AgreementPart>,
    /// The means over dimensions, with `--by dimension`.
    mean: Option<MeanAlpha>,
    /// The corrections of automatic edits by annotators; of a study only.
    corrections: Option<StudyCorrections>,
    /// The mean of Cohen's κ with quadratic weights over pairs of raters, of raw ratings; at the ordinal level.
    kappa: Option<Result<f64, UndefinedReason>>,
    warnings: Vec<String>,
}

/// The means over dimensions of α; undefined where one of them is.
struct MeanAlpha {
    raw: Result<f64, UndefinedReason>,
    z: Result<f64, UndefinedReason>,
}

/// Figures on some of the ratings.
struct AgreementPart {
    name: String,
    raw: AgreementEstimate,
    z: AgreementEstimate,
}

struct AgreementEstimate {
    agreement: Agreement,
    interval: Option<Result<BootstrapInterval, UndefinedReason>>,
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
        output.print(&AgreementJson::from(&report), || report.table())
    }

    async fn report_study(
        &self,
        data: &DataSettings,
        slug: &Slug,
    ) -> anyhow::Result<AgreementReport> {
        let store = database::open(data).await?;
        let study = find_study(&store, slug).await?;
        let (ratings, by_dimension) = (
            self.ratings.clone(),
            self.by == Some(AgreementGrouping::Dimension),
        );
        let read_snapshot = move |snapshot: &StudySnapshot| {
            let dimensions_of_study = snapshot.dimensions(&study.settings.dimensions);
            let chosen = ratings.dimension(&dimensions_of_study)?;
            let judge = |dimension: Dimension| {
                let judged_ratings = JudgedRatings::from_snapshot(snapshot, &dimension.name);
                (dimension, judged_ratings)
            };
            let is_rated = |dimension: &Dimension| {
                let ratings = snapshot.dimension(&dimension.name);
                ratings.is_some_and(|ratings| !ratings.is_empty())
            };
            let others = dimensions_of_study
                .into_iter()
                .filter(|dimension| by_dimension && is_rated(dimension));
            let dimensions: Vec<_> = others.map(judge).collect();
            anyhow::Ok((judge(chosen), dimensions, snapshot.corrections()))
        };
        let (id, scope) = (study.id, self.ratings.which());
        let read = LiveStudies::new(clock::now_ms)
            .read(&store, id, scope, read_snapshot)
            .await?;
        let ((dimension, judged), dimensions, corrections) = read?;
        let (parts, mean) = self.parts_and_mean(&judged, &dimensions);
        Ok(AgreementReport {
            all: self.whole(dimension.name.clone(), &judged),
            kappa: self.kappa(&judged.raw, &dimension),
            dimension,
            recomputed: None,
            parts,
            mean,
            corrections: Some(corrections),
            warnings: judged.warnings,
        })
    }

    /// The parts of `--by`. Dimensions come with the means over them.
    fn parts_and_mean<R: Clone + Ord, U: Clone + Ord>(
        &self,
        ratings: &JudgedRatings<R, U>,
        dimensions: &[(Dimension, JudgedRatings<R, U>)],
    ) -> (Vec<AgreementPart>, Option<MeanAlpha>) {
        if self.by != Some(AgreementGrouping::Dimension) {
            return (self.parts(ratings), None);
        }
        let part = |(dimension, ratings): &(Dimension, JudgedRatings<R, U>)| {
            self.whole(dimension.name.clone(), ratings)
        };
        let parts: Vec<_> = dimensions.iter().map(part).collect();
        let mean = MeanAlpha {
            raw: mean_alpha(parts.iter().map(|part| part.raw.agreement.alpha)),
            z: mean_alpha(parts.iter().map(|part| part.z.agreement.alpha)),
        };
        (parts, Some(mean))
    }

    fn report_file(&self, path: &Path) -> anyhow::Result<AgreementReport> {
        let parts = match self.needs_outputs() {
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
        let (parts, mean) = self.parts_and_mean(&judged_parts[at].1, &judged_parts);
        let (dimension, judged) = judged_parts.into_iter().nth(at).expect("it was found");
        let recomputed = has_z.then(|| {
            let z = standardise(&judged.raw, DeviationKind::Population).z;
            agreement(&z, self.level)
        });
        Ok(AgreementReport {
            all: self.whole("all".to_owned(), &judged),
            kappa: self.kappa(&judged.raw, &dimension),
            dimension,
            recomputed,
            parts,
            mean,
            corrections: None,
            warnings: judged.warnings,
        })
    }

    /// Whether figures need more of an output than which of the ratings are of the same one.
    fn needs_outputs(&self) -> bool {
        let has_parts = matches!(
            self.by,
            Some(AgreementGrouping::Category | AgreementGrouping::System)
        );
        has_parts || self.bootstrap.is_some()
    }

    /// The parts of `--by`, except dimensions.
    fn parts<R: Clone + Ord, U: Clone + Ord>(
        &self,
        ratings: &JudgedRatings<R, U>,
    ) -> Vec<AgreementPart> {
        match self.by {
            Some(AgreementGrouping::Category) => {
                let part = |category: Category| {
                    let is_in = |unit: &U| {
                        ratings
                            .outputs
                            .get(unit)
                            .is_some_and(|output| output.category == Some(category))
                    };
                    self.part(category.name().to_owned(), ratings, is_in)
                };
                Category::ALL.into_iter().map(part).collect()
            }
            Some(AgreementGrouping::System) => {
                let part = |(place, system): (usize, &SystemName)| {
                    let is_in = |unit: &U| {
                        ratings
                            .outputs
                            .get(unit)
                            .is_some_and(|output| output.system == place)
                    };
                    self.part(system.name.clone(), ratings, is_in)
                };
                let systems = ratings.systems.iter().enumerate();
                let shown = systems.filter(|(_, system)| !system.is_hidden);
                shown.map(part).collect()
            }
            Some(AgreementGrouping::Dimension) | None => vec![],
        }
    }

    fn part<R: Clone + Ord, U: Clone + Ord>(
        &self,
        name: String,
        ratings: &JudgedRatings<R, U>,
        is_in: impl Fn(&U) -> bool,
    ) -> AgreementPart {
        let part = |table: &RatingTable<R, U>| table.retain(|_, unit| is_in(unit));
        AgreementPart {
            name,
            raw: self.estimate(ratings, &part(&ratings.raw)),
            z: self.estimate(ratings, &part(&ratings.z)),
        }
    }

    /// All ratings, which need no table of their own.
    fn whole<R: Ord, U: Ord>(&self, name: String, ratings: &JudgedRatings<R, U>) -> AgreementPart {
        AgreementPart {
            name,
            raw: self.estimate(ratings, &ratings.raw),
            z: self.estimate(ratings, &ratings.z),
        }
    }

    fn kappa<R, U>(
        &self,
        raw: &RatingTable<R, U>,
        dimension: &Dimension,
    ) -> Option<Result<f64, UndefinedReason>> {
        (self.level == MeasurementLevel::Ordinal)
            .then(|| mean_pairwise_kappa(raw, dimension.scale, KappaWeights::Quadratic))
    }

    fn estimate<R, U: Ord>(
        &self,
        ratings: &JudgedRatings<R, U>,
        table: &RatingTable<R, U>,
    ) -> AgreementEstimate {
        AgreementEstimate {
            agreement: agreement(table, self.level),
            interval: self.interval(ratings, table),
        }
    }

    fn interval<R, U: Ord>(
        &self,
        ratings: &JudgedRatings<R, U>,
        table: &RatingTable<R, U>,
    ) -> Option<Result<BootstrapInterval, UndefinedReason>> {
        let resampling = ResamplingOptions {
            replicates: self.bootstrap?,
            seed: self.seed,
            ..ResamplingOptions::default()
        };
        let bootstrap = match self.unit {
            ResamplingUnit::Output => AlphaBootstrap::over_outputs(table, self.level),
            ResamplingUnit::Source => AlphaBootstrap::new(table, self.level, |unit| {
                ratings.outputs.get(unit).map(|output| output.source)
            }),
        };
        Some(bootstrap.interval(resampling))
    }
}

fn mean_alpha(
    alphas: impl Iterator<Item = Result<f64, UndefinedReason>>,
) -> Result<f64, UndefinedReason> {
    let alphas = alphas.collect::<Result<Vec<_>, _>>()?;
    if alphas.is_empty() {
        return Err(UndefinedReason::NoPairableUnit);
    }
    Ok(alphas.iter().sum::<f64>() / alphas.len() as f64)
}
