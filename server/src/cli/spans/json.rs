//! Figures from marked spans as JSON.

use std::collections::BTreeMap;

use domain::statistics::{
    spans::{LevelledMarks, SPAN_AGREEMENT_DESCRIPTION, SystemMarks},
    systems::{SystemPairComparison, TEST_DESCRIPTION},
};
use formats::BadRow;
use serde::Serialize;
use service::figures::spans::{SpanAgreement, SpanFigures};

use super::SpansReport;
use crate::reports::{FigureJson, value_and_reason};

/// The report for programs.
#[derive(Debug, Serialize)]
pub(super) struct SpansJson<'a> {
    method: &'static str,
    tests: &'static str,
    outputs: usize,
    pairable_outputs: usize,
    sources: usize,
    raters: usize,
    rater_pairs: usize,
    /// All types together, told apart by their type.
    all_types: SpanAgreementJson,
    types: Vec<MarkedTypeJson<'a>>,
    /// The value of each level.
    levels: BTreeMap<&'a str, f64>,
    systems: Vec<MarkedSystemJson<'a>>,
    by_mean_value: Vec<MarkedPairJson<'a>>,
    by_count: Vec<MarkedPairJson<'a>>,
    skipped: &'a [BadRow],
}

#[derive(Debug, Serialize)]
struct MarkedTypeJson<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(flatten)]
    agreement: SpanAgreementJson,
}

#[derive(Debug, Serialize)]
struct SpanAgreementJson {
    marks: usize,
    f1: FigureJson,
    alpha: FigureJson,
}

#[derive(Debug, Serialize)]
struct MarkedSystemJson<'a> {
    system: &'a str,
    outputs: usize,
    judgements: usize,
    unchanged: usize,
    all_types: LevelledMarksJson<'a>,
    types: BTreeMap<&'a str, LevelledMarksJson<'a>>,
}

#[derive(Debug, Serialize)]
struct LevelledMarksJson<'a> {
    marks: usize,
    per_output: f64,
    levels: BTreeMap<&'a str, usize>,
    without_level: usize,
    mean_value: Option<f64>,
    sum_per_output: Option<f64>,
}

/// Two systems; the difference is a − b, over the sources that both have.
#[derive(Debug, Serialize)]
struct MarkedPairJson<'a> {
    a: &'a str,
    b: &'a str,
    sources: usize,
    difference: Option<f64>,
    t_p: Option<f64>,
    t_holm: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    t_undefined: Option<String>,
    wilcoxon_p: Option<f64>,
    wilcoxon_holm: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wilcoxon_undefined: Option<String>,
}

impl From<&SpanAgreement> for SpanAgreementJson {
    fn from(of: &SpanAgreement) -> Self {
        Self {
            marks: of.marks,
            f1: FigureJson::new(of.f1, of.f1_interval),
            alpha: FigureJson::new(of.alpha, of.alpha_interval),
        }
    }
}

impl<'a> From<&'a SpansReport> for SpansJson<'a> {
    fn from(report: &'a SpansReport) -> Self {
        let figures = &report.figures;
        let taxonomy = &figures.taxonomy;
        let types = taxonomy.types.iter().zip(&figures.types);
        let pairs = |pairs: &[SystemPairComparison<usize>]| {
            let pairs = pairs.iter();
            pairs
                .map(|pair| MarkedPairJson::new(figures, pair))
                .collect()
        };
        Self {
            method: SPAN_AGREEMENT_DESCRIPTION,
            tests: TEST_DESCRIPTION,
            outputs: figures.outputs,
            pairable_outputs: figures.pairable_outputs,
            sources: figures.sources,
            raters: figures.raters,
            rater_pairs: figures.rater_pairs,
            all_types: (&figures.all).into(),
            types: types
                .map(|(kind, of)| MarkedTypeJson {
                    kind: &kind.name,
                    agreement: of.into(),
                })
                .collect(),
            levels: taxonomy
                .levels
                .iter()
                .map(|level| (&*level.name, level.value))
                .collect(),
            systems: figures
                .systems
                .iter()
                .map(|of| MarkedSystemJson::new(figures, of))
                .collect(),
            by_mean_value: pairs(&figures.by_value),
            by_count: pairs(&figures.by_count),
            skipped: &report.skipped,
        }
    }
}

impl<'a> MarkedSystemJson<'a> {
    fn new(figures: &'a SpanFigures, of: &'a SystemMarks<String>) -> Self {
        let levelled = |marks: &LevelledMarks| {
            let levels = figures.taxonomy.levels.iter().map(|level| &*level.name);
            LevelledMarksJson {
                marks: marks.marks,
                per_output: marks.per_output,
                levels: levels.zip(marks.levels.iter().copied()).collect(),
                without_level: marks.without_level,
                mean_value: marks.mean_value,
                sum_per_output: marks.sum_per_output,
            }
        };
        let types = figures.taxonomy.types.iter().zip(&of.types);
        Self {
            system: &of.system,
            outputs: of.outputs,
            judgements: of.judgements,
            unchanged: of.unchanged,
            all_types: levelled(&of.all),
            types: types
                .map(|(kind, marks)| (&*kind.name, levelled(marks)))
                .collect(),
        }
    }
}

impl<'a> MarkedPairJson<'a> {
    fn new(figures: &'a SpanFigures, pair: &SystemPairComparison<usize>) -> Self {
        let (t, t_undefined) = value_and_reason(pair.of.t);
        let (wilcoxon, wilcoxon_undefined) = value_and_reason(pair.of.wilcoxon);
        Self {
            a: &figures.systems[pair.a].system,
            b: &figures.systems[pair.b].system,
            sources: pair.of.sources,
            difference: (pair.of.sources > 0).then_some(pair.of.difference),
            t_p: t.map(|test| test.p),
            t_holm: pair.t_holm,
            t_undefined,
            wilcoxon_p: wilcoxon.map(|test| test.p),
            wilcoxon_holm: pair.wilcoxon_holm,
            wilcoxon_undefined,
        }
    }
}
