//! Krippendorff's alpha of ratings, with its parts and corrections.

mod json;

use clap::ValueEnum;
use domain::{
    category::Category,
    protocol::StudyProtocol,
    rater_groups::RaterGroup,
    statistics::{
        RatingTable, UndefinedReason,
        agreement::{Agreement, AlphaBootstrap, MeasurementLevel, agreement},
        bootstrap::{BootstrapInterval, ResamplingOptions},
    },
    study::{Dimension, StudySettings},
};
use serde::Deserialize;
use service::{
    figures::{
        coefficients::{AgreementCoefficient, coefficients},
        questions::{QuestionFigures, question_figures},
        raters_in_group,
        systems::{JudgedRatings, SystemName},
    },
    live::{StudyCorrections, StudySnapshot},
};
use store::question_answers::StudyAnswers;
use utoipa::ToSchema;

pub(crate) use self::json::AgreementJson;
use super::choose_dimension;

/// The options of a report on agreement.
#[derive(Debug, Clone)]
pub(crate) struct AgreementOptions {
    /// The level of measurement, which decides how the difference of two values counts.
    pub(crate) level: MeasurementLevel,
    /// The parts that are also reported on their own.
    pub(crate) by: Option<AgreementGrouping>,
    /// The number of resamples; `None` for no intervals.
    pub(crate) bootstrap: Option<usize>,
    /// The random seed of the resamples.
    pub(crate) seed: u64,
    /// The unit of resampling.
    pub(crate) unit: ResamplingUnit,
}

/// The parts of an agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AgreementGrouping {
    /// Split, deletion, paraphrase.
    Category,
    /// The systems that wrote the outputs.
    System,
    /// The dimensions that outputs are rated on, and the mean over them.
    Dimension,
    /// The groups of raters of the study: each group's raters among themselves.
    Group,
}

/// The unit of resampling.
#[derive(Debug, Clone, Copy, Default, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResamplingUnit {
    /// A source with all of its outputs.
    #[default]
    Source,
    /// An output.
    Output,
}

/// The figures of a report.
pub(crate) struct AgreementReport {
    pub(crate) dimension: Dimension,
    pub(crate) all: AgreementPart,
    /// The agreement on z-scores recomputed from raw ratings, for a file that has its own z-scores.
    pub(crate) recomputed: Option<Agreement>,
    /// Each part, if `--by` is given.
    pub(crate) parts: Vec<AgreementPart>,
    /// The means over dimensions, with `--by dimension`.
    pub(crate) mean: Option<MeanAlpha>,
    /// Annotators' corrections of automatic edits; only for a study.
    pub(crate) corrections: Option<StudyCorrections>,
    /// The coefficients of raw ratings at the level.
    pub(crate) coefficients: Vec<AgreementCoefficient>,
    /// The figures of the study's questions with options that have answers; empty for a file.
    pub(crate) questions: Vec<QuestionFigures>,
    pub(crate) warnings: Vec<String>,
}

/// The means of α over dimensions; undefined if one of them is.
pub(crate) struct MeanAlpha {
    pub(crate) raw: Result<f64, UndefinedReason>,
    pub(crate) z: Result<f64, UndefinedReason>,
}

/// Figures on all ratings or some of them.
pub(crate) struct AgreementPart {
    pub(crate) name: String,
    pub(crate) raw: AgreementEstimate,
    pub(crate) z: AgreementEstimate,
}

/// An agreement with its interval, if one was resampled.
pub(crate) struct AgreementEstimate {
    pub(crate) agreement: Agreement,
    pub(crate) interval: Option<Result<BootstrapInterval, UndefinedReason>>,
}

impl AgreementOptions {
    /// The figures of a study's current state, on the dimension of this name, or by default on the first.
    ///
    /// # Errors
    /// When the study has no such dimension, or has no groups and its parts are asked for by group.
    pub(crate) fn read_snapshot(
        &self,
        snapshot: &StudySnapshot,
        settings: &StudySettings,
        dimension: Option<&str>,
    ) -> anyhow::Result<AgreementReport> {
        let dimensions = snapshot.dimensions(&settings.dimensions);
        let dimension = choose_dimension(dimension, &dimensions)?;

        let judge = |dimension: Dimension| {
            let ratings = JudgedRatings::from_snapshot(snapshot, &dimension.name);
            (dimension, ratings)
        };
        let is_rated = |dimension: &Dimension| snapshot.has_ratings(&dimension.name);

        let by_dimension = self.by == Some(AgreementGrouping::Dimension);
        let others = dimensions.into_iter();
        let others = others.filter(|dimension| by_dimension && is_rated(dimension));
        let others: Vec<_> = others.map(judge).collect();

        let (dimension, judged) = judge(dimension);
        let (mut parts, mean) = self.parts_and_mean(&judged, &others);

        if self.by == Some(AgreementGrouping::Group) {
            if settings.groups.is_empty() {
                anyhow::bail!(
                    "the study has no groups of raters: define them in its settings first"
                );
            }
            let part = |group: &RaterGroup| {
                let raters = raters_in_group(snapshot.raters(), &group.id);
                self.part(group.name.clone(), &judged, |rater, _| {
                    raters.contains(rater)
                })
            };
            parts = settings.groups.iter().map(part).collect();
        }

        Ok(AgreementReport {
            all: self.whole(dimension.name.clone(), &judged),
            coefficients: self.coefficients(&judged, &dimension),
            dimension,
            recomputed: None,
            parts,
            mean,
            corrections: Some(snapshot.corrections()),
            questions: vec![],
            warnings: judged.warnings,
        })
    }

    /// The figures of a study's questions from their answers, with intervals over sources from the requested
    /// number of resamples, or else from the default number.
    pub(crate) fn questions(
        &self,
        protocol: &StudyProtocol,
        answers: &StudyAnswers,
    ) -> Vec<QuestionFigures> {
        let usual = ResamplingOptions::default();
        let resampling = ResamplingOptions {
            replicates: self.bootstrap.unwrap_or(usual.replicates),
            seed: self.seed,
            ..usual
        };

        let step = protocol.answer_step();
        step.map_or_else(Vec::new, |step| question_figures(step, answers, resampling))
    }

    /// The parts of `--by`; dimensions come with the means over them.
    pub(crate) fn parts_and_mean<R: Clone + Ord, U: Clone + Ord>(
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

    /// Whether the figures need details of outputs, and not only which ratings belong to the same one.
    pub(crate) fn needs_outputs(&self) -> bool {
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
                    let is_in = |_: &R, unit: &U| {
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
                    let is_in = |_: &R, unit: &U| {
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
            Some(AgreementGrouping::Dimension | AgreementGrouping::Group) | None => vec![],
        }
    }

    fn part<R: Clone + Ord, U: Clone + Ord>(
        &self,
        name: String,
        ratings: &JudgedRatings<R, U>,
        is_in: impl Fn(&R, &U) -> bool,
    ) -> AgreementPart {
        let part = |table: &RatingTable<R, U>| table.retain(&is_in);
        AgreementPart {
            name,
            raw: self.estimate(ratings, &part(&ratings.raw)),
            z: self.estimate_z(ratings, &part(&ratings.z)),
        }
    }

    /// The figures on all ratings, which need no table of their own.
    pub(crate) fn whole<R: Ord, U: Ord>(
        &self,
        name: String,
        ratings: &JudgedRatings<R, U>,
    ) -> AgreementPart {
        AgreementPart {
            name,
            raw: self.estimate(ratings, &ratings.raw),
            z: self.estimate_z(ratings, &ratings.z),
        }
    }

    /// The coefficients of raw ratings next to α.
    pub(crate) fn coefficients<R: Ord, U: Ord>(
        &self,
        ratings: &JudgedRatings<R, U>,
        dimension: &Dimension,
    ) -> Vec<AgreementCoefficient> {
        let source = |unit: &U| match self.unit {
            ResamplingUnit::Output => ratings.raw.units().binary_search(unit).ok(),
            ResamplingUnit::Source => ratings.outputs.get(unit).map(|output| output.source),
        };
        coefficients(
            &ratings.raw,
            dimension.scale,
            self.level,
            source,
            self.resampling(),
        )
    }

    fn resampling(&self) -> Option<ResamplingOptions> {
        Some(ResamplingOptions {
            replicates: self.bootstrap?,
            seed: self.seed,
            ..ResamplingOptions::default()
        })
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

    /// Like [`Self::estimate`], on z-scores: undefined except at the interval level.
    fn estimate_z<R, U: Ord>(
        &self,
        ratings: &JudgedRatings<R, U>,
        z: &RatingTable<R, U>,
    ) -> AgreementEstimate {
        AgreementEstimate {
            agreement: self.z_agreement(z),
            interval: match self.level {
                MeasurementLevel::Interval => self.interval(ratings, z),
                _ => self.bootstrap.map(|_| Err(UndefinedReason::IntervalOnly)),
            },
        }
    }

    /// The agreement on z-scores, in which α is undefined except at the interval level: two raters' z-scores
    /// are hardly ever equal, so that their ranks depend on how strict each rater is, which z-scores are
    /// meant to remove.
    pub(crate) fn z_agreement<R, U>(&self, z: &RatingTable<R, U>) -> Agreement {
        let computed = agreement(z, self.level);
        match self.level {
            MeasurementLevel::Interval => computed,
            _ => Agreement {
                alpha: Err(UndefinedReason::IntervalOnly),
                ..computed
            },
        }
    }

    fn interval<R, U: Ord>(
        &self,
        ratings: &JudgedRatings<R, U>,
        table: &RatingTable<R, U>,
    ) -> Option<Result<BootstrapInterval, UndefinedReason>> {
        let resampling = self.resampling()?;
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
