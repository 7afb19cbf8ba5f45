//! Agreement as JSON.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    edit::{EditKind, corrections::CorrectionCounts},
    study::Dimension,
};
use serde::Serialize;
use service::live::StudyCorrections;
use utoipa::ToSchema;

use super::{AgreementEstimate, AgreementPart, AgreementReport};
use crate::reports::estimates::{AlphaJson, EstimateJson, value_and_reason};

/// The report for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgreementJson<'a> {
    #[schema(value_type = Object)]
    dimension: &'a Dimension,
    level: &'static str,
    raw: EstimateJson,
    z: EstimateJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    z_recomputed: Option<AlphaJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quadratic_kappa: Option<KappaJson>,
    raters: usize,
    units: usize,
    pairable_units: usize,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parts: BTreeMap<&'a str, PartJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<MeanAlphaJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrections: Option<CorrectionsJson<'a>>,
    warnings: &'a [String],
}

/// Cohen's κ, or the reason why there is none.
#[derive(Debug, Serialize, ToSchema)]
struct KappaJson {
    kappa: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct PartJson {
    raw: EstimateJson,
    z: EstimateJson,
    units: usize,
    pairable_units: usize,
}

#[derive(Debug, Serialize, ToSchema)]
struct MeanAlphaJson {
    raw: AlphaJson,
    z: AlphaJson,
}

/// Corrections by annotators to the automatic edits; a key for each kind of edit.
#[derive(Debug, Serialize, ToSchema)]
struct CorrectionsJson<'a> {
    outputs: usize,
    corrected: usize,
    aligner: &'a BTreeSet<String>,
    #[serde(flatten)]
    by_kind: BTreeMap<String, CorrectionCountsJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct CorrectionCountsJson {
    automatic: u64,
    stood: u64,
    changed: u64,
    taken_away: u64,
    added: u64,
    rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undefined: Option<String>,
}

impl<'a> From<&'a AgreementReport> for AgreementJson<'a> {
    fn from(report: &'a AgreementReport) -> Self {
        let agreement = &report.all.raw.agreement;
        let parts = report.parts.iter();
        Self {
            dimension: &report.dimension,
            level: agreement.level.name(),
            raw: (&report.all.raw).into(),
            z: (&report.all.z).into(),
            z_recomputed: report
                .recomputed
                .as_ref()
                .map(|recomputed| recomputed.alpha.into()),
            quadratic_kappa: report.kappa.map(|kappa| {
                let (kappa, undefined) = value_and_reason(kappa);
                KappaJson { kappa, undefined }
            }),
            raters: agreement.raters,
            units: agreement.units,
            pairable_units: agreement.pairable_units,
            parts: parts.map(|part| (&part.name[..], part.into())).collect(),
            mean: report.mean.as_ref().map(|mean| MeanAlphaJson {
                raw: mean.raw.into(),
                z: mean.z.into(),
            }),
            corrections: report.corrections.as_ref().map(Into::into),
            warnings: &report.warnings,
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
