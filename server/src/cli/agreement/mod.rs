//! Krippendorff's alpha from the command line.

mod shown;

use std::path::Path;

use app::{
    figures::systems::Judged,
    live::{Held, Live, StudyCorrections},
};
use clap::ValueEnum;
use domain::{
    category::Category,
    statistics::{
        Ratings, Undefined,
        agreement::{Agreement, AlphaBootstrap, Level, agreement},
        bootstrap::{Interval, Resampling},
        standardise::{Deviation, standardise},
    },
    study::{Dimension, Slug},
};
use formats::RatedFile;

use super::{
    output::print,
    rated::{Place, Rated},
    study::named,
    systems::of_file,
};
use crate::{clock, database, settings::DataSettings};

/// Krippendorff's alpha of a study or straight of a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
z = (rating - mean)/sd of each rater over all of their ratings, population sd; a file's own z-scores are \
taken where it has them, and parts keep the z-scores of the whole. Identical outputs of a source are one \
unit. Intervals are percentile intervals at 95 %, z-scores held fixed.")]
pub(crate) struct AgreementOf {
    #[command(flatten)]
    of: Rated,
    /// What counts as the difference of two values: nominal, ordinal, interval or ratio.
    #[arg(long, default_value_t, value_name = "LEVEL")]
    level: Level,
    /// Also of each part on its own.
    #[arg(long, value_enum)]
    by: Option<By>,
    /// Intervals from so many resamples.
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    /// What the resamples are drawn from.
    #[arg(long, value_name = "S", default_value_t = Resampling::default().seed, requires = "bootstrap")]
    seed: u64,
    /// What is resampled: sources with all of their outputs, or outputs.
    #[arg(long, value_enum, default_value = "source", requires = "bootstrap")]
    unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// Split, deletion, paraphrase.
    Category,
    /// Who wrote the outputs.
    System,
    /// What outputs are rated on, and the mean over it.
    Dimension,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Unit {
    /// A source with all of its outputs.
    Source,
    /// An output.
    Output,
}

/// What is printed.
struct Figures {
    dimension: Dimension,
    all: Part,
    /// Of a file that carries z-scores: those computed anew from its raw ratings.
    recomputed: Option<Agreement>,
    /// Each part, where they were asked for.
    parts: Vec<Part>,
    /// The means over dimensions, where they were asked for.
    mean: Option<Mean>,
    /// Of a study: what annotators corrected of the automatic edits.
    corrections: Option<StudyCorrections>,
    warnings: Vec<String>,
}

/// The means over dimensions of α; undefined where one of them is.
struct Mean {
    raw: Result<f64, Undefined>,
    z: Result<f64, Undefined>,
}

/// Figures on some of the ratings.
struct Part {
    name: String,
    raw: Estimate,
    z: Estimate,
}

struct Estimate {
    agreement: Agreement,
    interval: Option<Result<Interval, Undefined>>,
}

impl AgreementOf {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let figures = match self.of.place()? {
            Place::File(file) => self.of_file(file)?,
            Place::Study(study) => self.of_study(data, study).await?,
        };
        print(json, &figures.json(), || figures.table())
    }

    async fn of_study(&self, data: &DataSettings, slug: &Slug) -> anyhow::Result<Figures> {
        let store = database::open(data).await?;
        let study = named(&store, slug).await?;
        let (asked, by_dimension) = (self.of.clone(), self.by == Some(By::Dimension));
        let judged = move |held: &Held| {
            let known = held.dimensions(&study.settings.dimensions);
            let chosen = asked.dimension(&known)?;
            let judge = |dimension: Dimension| {
                let judged = Judged::of_study(held, &dimension.name);
                (dimension, judged)
            };
            let rated = |it: &Dimension| held.dimension(&it.name).is_some_and(|it| !it.is_empty());
            let others = known.into_iter().filter(|it| by_dimension && rated(it));
            let dimensions: Vec<_> = others.map(judge).collect();
            anyhow::Ok((judge(chosen), dimensions, held.corrections()))
        };
        let of = (study.id, self.of.which());
        let read = Live::new(clock::now_ms).read(&store, of, judged).await?;
        let ((dimension, judged), dimensions, corrections) = read?;
        let (parts, mean) = self.parts_and_mean(&judged, &dimensions);
        Ok(Figures {
            all: self.part(dimension.name.clone(), &judged, |_| true),
            dimension,
            recomputed: None,
            parts,
            mean,
            corrections: Some(corrections),
            warnings: judged.warnings,
        })
    }

    /// The parts that were asked for. Dimensions come with the means over them.
    fn parts_and_mean<R: Clone + Ord, U: Clone + Ord>(
        &self,
        of: &Judged<R, U>,
        dimensions: &[(Dimension, Judged<R, U>)],
    ) -> (Vec<Part>, Option<Mean>) {
        if self.by != Some(By::Dimension) {
            return (self.parts(of), None);
        }
        let part = |(dimension, of): &(Dimension, Judged<R, U>)| {
            self.part(dimension.name.clone(), of, |_| true)
        };
        let parts: Vec<_> = dimensions.iter().map(part).collect();
        let mean = Mean {
            raw: mean(parts.iter().map(|it| it.raw.agreement.alpha)),
            z: mean(parts.iter().map(|it| it.z.agreement.alpha)),
        };
        (parts, Some(mean))
    }

    fn of_file(&self, path: &Path) -> anyhow::Result<Figures> {
        let parts = self.of.read_dimensions(path)?;
        let names = parts.iter().map(|(dimension, _)| &dimension.name[..]);
        let at = self.of.place_of(names)?;
        let has_z = !parts[at].1.z.is_empty();
        let judge = |(dimension, file): (Dimension, RatedFile)| (dimension, of_file(file));
        let judged: Vec<_> = parts.into_iter().map(judge).collect();
        let (parts, mean) = self.parts_and_mean(&judged[at].1, &judged);
        let (dimension, judged) = judged.into_iter().nth(at).expect("it was found");
        let recomputed = has_z.then(|| {
            let z = standardise(&judged.raw, Deviation::Population).z;
            agreement(&z, self.level)
        });
        Ok(Figures {
            all: self.part("all".to_owned(), &judged, |_| true),
            dimension,
            recomputed,
            parts,
            mean,
            corrections: None,
            warnings: judged.warnings,
        })
    }

    /// The parts that were asked for, but for dimensions.
    fn parts<R: Clone + Ord, U: Clone + Ord>(&self, of: &Judged<R, U>) -> Vec<Part> {
        match self.by {
            Some(By::Category) => {
                let part = |category: Category| {
                    let is_in = |unit: &U| {
                        of.outputs
                            .get(unit)
                            .is_some_and(|it| it.category == category)
                    };
                    self.part(category.name().to_owned(), of, is_in)
                };
                Category::ALL.into_iter().map(part).collect()
            }
            Some(By::System) => {
                let part = |(place, name): (usize, &str)| {
                    let is_in =
                        |unit: &U| of.outputs.get(unit).is_some_and(|it| it.system == place);
                    self.part(name.to_owned(), of, is_in)
                };
                let names = of.systems.iter().map(|it| it.name.as_str());
                names.enumerate().map(part).collect()
            }
            Some(By::Dimension) | None => vec![],
        }
    }

    fn part<R: Clone + Ord, U: Clone + Ord>(
        &self,
        name: String,
        of: &Judged<R, U>,
        is_in: impl Fn(&U) -> bool,
    ) -> Part {
        let estimate = |table: &Ratings<R, U>| {
            let table = table.retain(|_, unit| is_in(unit));
            Estimate {
                agreement: agreement(&table, self.level),
                interval: self.interval(of, &table),
            }
        };
        Part {
            name,
            raw: estimate(&of.raw),
            z: estimate(&of.z),
        }
    }

    fn interval<R, U: Ord>(
        &self,
        of: &Judged<R, U>,
        table: &Ratings<R, U>,
    ) -> Option<Result<Interval, Undefined>> {
        let resampling = Resampling {
            replicates: self.bootstrap?,
            seed: self.seed,
            ..Resampling::default()
        };
        let bootstrap = match self.unit {
            Unit::Output => AlphaBootstrap::over_outputs(table, self.level),
            Unit::Source => AlphaBootstrap::new(table, self.level, |unit| {
                of.outputs.get(unit).map(|it| it.source)
            }),
        };
        Some(bootstrap.interval(resampling))
    }
}

fn mean(alphas: impl Iterator<Item = Result<f64, Undefined>>) -> Result<f64, Undefined> {
    let alphas = alphas.collect::<Result<Vec<_>, _>>()?;
    if alphas.is_empty() {
        return Err(Undefined::NoPairableUnit);
    }
    Ok(alphas.iter().sum::<f64>() / alphas.len() as f64)
}
