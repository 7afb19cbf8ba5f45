//! Figures from marked spans as JSON.

use std::collections::BTreeMap;

use domain::statistics::{
    spans::{LevelledMarks, SPAN_AGREEMENT_DESCRIPTION, SystemMarks},
    systems::{SystemPairComparison, TEST_DESCRIPTION},
};
use formats::BadRow;
use serde::Serialize;
use service::figures::spans::{SpanAgreement, SpanFigures};
use utoipa::ToSchema;

use super::SpansReport;
use crate::reports::{FigureJson, value_and_reason};

/// The report for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct SpansJson<'a> {
    /// How agreement is computed.
    method: &'static str,
    /// How pairs of systems are tested.
    tests: &'static str,
    /// The number of outputs whose spans were judged.
    outputs: usize,
    /// Those judged by two or more raters.
    pairable_outputs: usize,
    /// The number of sources.
    sources: usize,
    /// The number of raters.
    raters: usize,
    /// The number of pairs of raters with an output in common.
    rater_pairs: usize,
    /// All types together, told apart by their type.
    all_types: SpanAgreementJson,
    /// Each type alone.
    types: Vec<MarkedTypeJson<'a>>,
    /// The value of each level.
    levels: BTreeMap<&'a str, f64>,
    /// The marks in the outputs of each system.
    systems: Vec<MarkedSystemJson<'a>>,
    /// Tests of pairs of systems by the mean value of their marks.
    by_mean_value: Vec<MarkedPairJson<'a>>,
    /// Tests of pairs of systems by the number of their marks.
    by_count: Vec<MarkedPairJson<'a>>,
    /// Rows of the file that could not be read.
    skipped: &'a [BadRow],
}

#[derive(Debug, Serialize, ToSchema)]
struct MarkedTypeJson<'a> {
    /// The type.
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(flatten)]
    agreement: SpanAgreementJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct SpanAgreementJson {
    /// The number of marks.
    marks: usize,
    /// The mean over pairs of raters of F1 on overlapping characters, 0 to 1.
    f1: FigureJson,
    /// Krippendorff's nominal alpha on characters, at most 1.
    alpha: FigureJson,
}

#[derive(Debug, Serialize, ToSchema)]
struct MarkedSystemJson<'a> {
    /// Its name.
    system: &'a str,
    /// The number of its outputs that were judged.
    outputs: usize,
    /// The number of judgements of these outputs.
    judgements: usize,
    /// Outputs that equal their source.
    unchanged: usize,
    /// Marks of any type.
    all_types: LevelledMarksJson<'a>,
    /// Marks of each type.
    types: BTreeMap<&'a str, LevelledMarksJson<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
struct LevelledMarksJson<'a> {
    /// The number of marks.
    marks: usize,
    /// The mean over outputs of the mean over their raters of the number of marks.
    per_output: f64,
    /// The number of each level.
    levels: BTreeMap<&'a str, usize>,
    /// Those without a level.
    without_level: usize,
    /// The mean of the values of their levels; null without any.
    mean_value: Option<f64>,
    /// The mean over outputs of the mean over their raters of the sum of the marks' values; null without levels.
    sum_per_output: Option<f64>,
}

/// Two systems; the difference is a − b, over the sources that both have.
#[derive(Debug, Serialize, ToSchema)]
struct MarkedPairJson<'a> {
    /// A system.
    a: &'a str,
    /// Another.
    b: &'a str,
    /// The number of sources that both have.
    sources: usize,
    /// The mean difference, a - b.
    difference: Option<f64>,
    /// The two-sided p of the paired t-test.
    t_p: Option<f64>,
    /// The same after Holm's correction over all pairs.
    t_holm: Option<f64>,
    /// Why the t-test is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    t_undefined: Option<String>,
    /// The two-sided p of Wilcoxon's signed ranks.
    wilcoxon_p: Option<f64>,
    /// The same after Holm's correction over all pairs.
    wilcoxon_holm: Option<f64>,
    /// Why Wilcoxon's test is undefined.
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
