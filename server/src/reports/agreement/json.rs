//! Agreement as JSON.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    edit::{EditKind, corrections::CorrectionCounts},
    statistics::{MeasurementLevel, UndefinedReason},
    study::Dimension,
};
use serde::Serialize;
use service::{
    figures::{
        coefficients::AgreementCoefficient,
        questions::{OptionAgreement, QuestionFigures},
    },
    live::StudyCorrections,
};
use utoipa::ToSchema;

use super::{AgreementEstimate, AgreementPart, AgreementReport};
use crate::reports::estimates::{AlphaJson, EstimateJson, FigureJson, value_and_reason};

/// The report for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgreementJson<'a> {
    /// The dimension that was rated.
    dimension: &'a Dimension,
    /// The level of measurement of raw ratings.
    level: MeasurementLevel,
    /// Alpha of the ratings as given.
    raw: EstimateJson,
    /// Alpha of z-scores within each rater; of a file with z-scores, of those. At the interval level only.
    z: EstimateJson,
    /// Of a file with z-scores: alpha of z-scores computed here.
    #[serde(skip_serializing_if = "Option::is_none")]
    z_recomputed: Option<AlphaJson>,
    /// Cohen's kappa with quadratic weights, of two raters on levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    quadratic_kappa: Option<KappaJson>,
    /// Coefficients of raw ratings next to alpha, by their keys: `ac1` at the nominal level, `ac2` and `quadratic_kappa` at
    /// the ordinal one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    coefficients: BTreeMap<&'static str, FigureJson>,
    /// The number of raters.
    raters: usize,
    /// The number of outputs with a rating.
    units: usize,
    /// The number of outputs with two or more ratings, which alpha rests on.
    pairable_units: usize,
    /// The same of each part, with `--by`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parts: BTreeMap<&'a str, PartJson>,
    /// The unweighted mean over the parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<MeanAlphaJson>,
    /// Corrections that annotators made to the automatic edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrections: Option<CorrectionsJson<'a>>,
    /// Of a study that asks questions with options: agreement on each that has answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    questions: Vec<QuestionAgreementJson<'a>>,
    /// Sentences on what limits the figures.
    warnings: &'a [String],
}

/// Agreement on the answers to a question.
#[derive(Debug, Serialize, ToSchema)]
struct QuestionAgreementJson<'a> {
    /// Its key.
    question: &'a str,
    /// Its wording.
    text: &'a str,
    /// The text that it is about: `output` or `source`.
    about: &'static str,
    /// The number of answers.
    answers: usize,
    /// Of a question with one answer, agreement on it; of one with several, on whether each option was chosen.
    agreement: Vec<OptionAgreementJson<'a>>,
}

/// Agreement on the options of a question.
#[derive(Debug, Serialize, ToSchema)]
struct OptionAgreementJson<'a> {
    /// The wording of the option, of a question with several answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<&'a str>,
    /// Krippendorff's alpha at the nominal level, with a percentile interval over sources.
    #[serde(flatten)]
    alpha: EstimateJson,
    /// The number of raters.
    raters: usize,
    /// The number of outputs or sources with an answer.
    units: usize,
    /// The number of these with two or more answers, which alpha rests on.
    pairable_units: usize,
}

/// Cohen's κ, or the reason why there is none.
#[derive(Debug, Serialize, ToSchema)]
struct KappaJson {
    /// At most 1; null where it is undefined.
    kappa: Option<f64>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct PartJson {
    /// Alpha of the ratings as given.
    raw: EstimateJson,
    /// Alpha of z-scores.
    z: EstimateJson,
    /// The number of outputs with a rating.
    units: usize,
    /// The number of outputs with two or more ratings.
    pairable_units: usize,
}

#[derive(Debug, Serialize, ToSchema)]
struct MeanAlphaJson {
    /// Alpha of the ratings as given.
    raw: AlphaJson,
    /// Alpha of z-scores.
    z: AlphaJson,
}

/// Corrections by annotators to the automatic edits; a key for each kind of edit.
#[derive(Debug, Serialize, ToSchema)]
struct CorrectionsJson<'a> {
    /// The number of outputs that annotators submitted.
    outputs: usize,
    /// The number of these with any correction.
    corrected: usize,
    /// The versions of the aligner that made the automatic edits.
    aligner: &'a BTreeSet<String>,
    #[serde(flatten)]
    by_kind: BTreeMap<String, CorrectionCountsJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct CorrectionCountsJson {
    /// Automatic edits of this kind.
    automatic: u64,
    /// Those that annotators left as they were.
    stood: u64,
    /// Those whose words they changed.
    changed: u64,
    /// Those that they removed.
    taken_away: u64,
    /// Edits of this kind that they added.
    added: u64,
    /// The share of edits that were corrected, 0 to 1; null where there are none.
    rate: Option<f64>,
    /// Why the rate is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl<'a> From<&'a AgreementReport> for AgreementJson<'a> {
    fn from(report: &'a AgreementReport) -> Self {
        let agreement = &report.all.raw.agreement;
        let parts = report.parts.iter();

        Self {
            dimension: &report.dimension,
            level: agreement.level,
            raw: (&report.all.raw).into(),
            z: (&report.all.z).into(),
            z_recomputed: report
                .recomputed
                .as_ref()
                .map(|recomputed| recomputed.alpha.into()),
            quadratic_kappa: find_kappa(&report.coefficients).map(|kappa| {
                let (kappa, undefined) = value_and_reason(kappa);
                KappaJson { kappa, undefined }
            }),
            coefficients: report
                .coefficients
                .iter()
                .map(|coefficient| {
                    let figure = FigureJson::new(coefficient.value, coefficient.interval);
                    (coefficient.key, figure)
                })
                .collect(),
            raters: agreement.raters,
            units: agreement.units,
            pairable_units: agreement.pairable_units,
            parts: parts.map(|part| (&part.name[..], part.into())).collect(),
            mean: report.mean.as_ref().map(|mean| MeanAlphaJson {
                raw: mean.raw.into(),
                z: mean.z.into(),
            }),
            corrections: report.corrections.as_ref().map(Into::into),
            questions: report.questions.iter().map(Into::into).collect(),
            warnings: &report.warnings,
        }
    }
}

/// Kappa, which had a key of its own before there were others.
fn find_kappa(coefficients: &[AgreementCoefficient]) -> Option<Result<f64, UndefinedReason>> {
    let kappa = coefficients
        .iter()
        .find(|coefficient| coefficient.key == "quadratic_kappa");
    kappa.map(|kappa| kappa.value)
}

impl<'a> From<&'a QuestionFigures> for QuestionAgreementJson<'a> {
    fn from(of: &'a QuestionFigures) -> Self {
        let on_option = |of: &'a OptionAgreement| OptionAgreementJson {
            option: of.option.as_deref(),
            alpha: EstimateJson::new(of.agreement.alpha, Some(of.interval)),
            raters: of.agreement.raters,
            units: of.agreement.units,
            pairable_units: of.agreement.pairable_units,
        };

        Self {
            question: &of.question.key,
            text: &of.question.text,
            about: of.question.about.name(),
            answers: of.answers,
            agreement: of.agreement.iter().map(on_option).collect(),
        }
    }
}

impl From<&AgreementPart> for PartJson {
    fn from(part: &AgreementPart) -> Self {
        let agreement = &part.raw.agreement;
        Self {
            raw: (&part.raw).into(),
            z: (&part.z).into(),
            units: agreement.units,
            pairable_units: agreement.pairable_units,
        }
    }
}

impl From<&AgreementEstimate> for EstimateJson {
    fn from(estimate: &AgreementEstimate) -> Self {
        Self::new(estimate.agreement.alpha, estimate.interval)
    }
}

impl<'a> From<&'a StudyCorrections> for CorrectionsJson<'a> {
    fn from(corrections: &'a StudyCorrections) -> Self {
        let by_kind = EditKind::ALL.map(|kind| {
            let counts = corrections.by_kind.of_kind(kind);
            (
                kind.title().to_lowercase(),
                CorrectionCountsJson::from(counts),
            )
        });

        Self {
            outputs: corrections.outputs,
            corrected: corrections.corrected,
            aligner: &corrections.versions,
            by_kind: by_kind.into(),
        }
    }
}

impl From<CorrectionCounts> for CorrectionCountsJson {
    fn from(counts: CorrectionCounts) -> Self {
        let (rate, undefined) = value_and_reason(counts.correction_rate());
        Self {
            automatic: counts.automatic(),
            stood: counts.unchanged,
            changed: counts.changed,
            taken_away: counts.removed,
            added: counts.added,
            rate,
            undefined,
        }
    }
}
