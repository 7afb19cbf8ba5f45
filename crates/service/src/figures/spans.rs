//! Figures from marked spans, of a study or of an exported file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use domain::{
    span_marks::{
        SpanMark,
        taxonomy::{SpanTaxonomy, SpanType},
    },
    statistics::{
        UndefinedReason,
        bootstrap::{BootstrapInterval, ResamplingOptions},
        spans::{
            JudgedMarks, MarkMeasure, MarkScope, SpanTable, SystemMarks, compare_marks,
            summarise_systems,
        },
        systems::SystemPairComparison,
    },
};
use store::{Store, Study, marked_spans::StudyMarks, rating_rows::RatingScope};

use super::comparisons::systems_by_output;
use crate::{
    computation::{FigureError, compute},
    live::ScopedEventCache,
};

/// One rater's marks of one output, with the systems that wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedSpans {
    /// The rater.
    pub rater: String,
    /// The name of the source.
    pub source: String,
    /// Its text.
    pub source_text: Arc<str>,
    /// The output. Outputs of one source with the same text are the same output.
    pub text: String,
    /// The systems whose output it is, without hidden ones.
    pub systems: Vec<String>,
    /// The marks; empty if the rater said that there is nothing to mark.
    pub marks: Vec<SpanMark>,
}

/// The figures of marked spans. Systems are numbered as in `systems`.
#[derive(Debug, Clone)]
pub struct SpanFigures {
    /// The types and levels: those of the study, followed by other types that marks have.
    pub taxonomy: SpanTaxonomy,
    /// The number of outputs whose spans were marked.
    pub outputs: usize,
    /// The number of these that two raters or more judged.
    pub pairable_outputs: usize,
    /// The number of sources.
    pub sources: usize,
    /// The number of raters.
    pub raters: usize,
    /// The number of pairs of raters who judged an output in common.
    pub rater_pairs: usize,
    /// The agreement of raters on the spans of all types, which are distinguished.
    pub all: SpanAgreement,
    /// The agreement of raters on each type of the taxonomy, in its order.
    pub types: Vec<SpanAgreement>,
    /// Marks by system, in the order of the systems' names.
    pub systems: Vec<SystemMarks<String>>,
    /// Each pair of systems by the mean value of their marks; empty if no mark has a level.
    pub by_value: Vec<SystemPairComparison<usize>>,
    /// Each pair of systems by the number of their marks.
    pub by_count: Vec<SystemPairComparison<usize>>,
}

/// The agreement of raters on where spans are.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanAgreement {
    /// The number of marks of all raters.
    pub marks: usize,
    /// F1 of overlap, from 0 to 1: the mean over pairs of raters.
    pub f1: Result<f64, UndefinedReason>,
    /// The percentile interval of F1 over sources; `None` without resamples.
    pub f1_interval: Option<Result<BootstrapInterval, UndefinedReason>>,
    /// Krippendorff's unitised α on characters.
    pub alpha: Result<f64, UndefinedReason>,
    /// The percentile interval of α over sources; `None` without resamples.
    pub alpha_interval: Option<Result<BootstrapInterval, UndefinedReason>>,
}

impl SpanAgreement {
    fn compute(
        table: &SpanTable,
        scope: MarkScope,
        marks: usize,
        resampling: Option<ResamplingOptions>,
    ) -> Self {
        Self {
            marks,
            f1: table.f1(scope),
            f1_interval: resampling.map(|options| table.f1_interval(scope, options)),
            alpha: table.alpha(scope),
            alpha_interval: resampling.map(|options| table.alpha_interval(scope, options)),
        }
    }
}

impl SpanFigures {
    /// Computes the figures of judgements. If a rater judged the same output twice, the later judgement counts.
    #[must_use]
    pub fn compute(
        mut taxonomy: SpanTaxonomy,
        judgements: &[JudgedSpans],
        resampling: Option<ResamplingOptions>,
    ) -> Self {
        add_unknown_types(&mut taxonomy, judgements);

        let mut latest = BTreeMap::new();
        for of in judgements {
            latest.insert((&*of.source, &*of.text, &*of.rater), of);
        }

        let judged = latest.into_values().map(|of| JudgedMarks {
            rater: &*of.rater,
            source: &*of.source,
            output: (&*of.source, &*of.text),
            texts: (&*of.source_text, &*of.text),
            marks: &of.marks,
        });
        let judged: Vec<_> = judged.collect();

        let names: Vec<&str> = taxonomy.types.iter().map(|kind| &*kind.name).collect();
        let table = SpanTable::new(&names, judged.iter().cloned());

        let count = |kind: Option<&str>| {
            let marks = judged.iter().flat_map(|of| of.marks);
            let of_kind = marks.filter(|mark| kind.is_none_or(|kind| mark.kind == kind));
            of_kind.count()
        };
        let agreement = |scope, marks| SpanAgreement::compute(&table, scope, marks, resampling);

        let types = names.iter().enumerate();
        let types =
            types.map(|(number, name)| agreement(MarkScope::Type(number), count(Some(name))));
        let types = types.collect();

        let numbered: BTreeSet<&str> = judgements
            .iter()
            .flat_map(|of| &of.systems)
            .map(|name| &**name)
            .collect();
        let numbered: BTreeMap<&str, usize> = numbered.into_iter().zip(0..).collect();

        let mut systems = BTreeMap::<_, BTreeSet<usize>>::new();
        for of in judgements {
            let written = systems.entry((&*of.source, &*of.text)).or_default();
            written.extend(of.systems.iter().map(|name| numbered[&**name]));
        }

        let systems_of = |output: &(&str, &str)| systems[output].iter().copied().collect();
        let compare =
            |measure| compare_marks(&taxonomy, &judged, systems_of, MarkScope::All, measure);
        let name = |number| numbered.keys().nth(number).map(|name| (*name).to_owned());
        let summaries = summarise_systems(&taxonomy, &judged, systems_of);

        let distinct = |key: fn(&JudgedSpans) -> &str| {
            judgements.iter().map(key).collect::<BTreeSet<_>>().len()
        };

        Self {
            outputs: systems.len(),
            pairable_outputs: table.pairable_outputs(),
            sources: table.sources(),
            raters: distinct(|of| &of.rater),
            rater_pairs: table.rater_pairs(),
            all: agreement(MarkScope::All, count(None)),
            types,
            systems: summaries
                .into_iter()
                .map(|of| SystemMarks {
                    system: name(of.system).unwrap_or_default(),
                    outputs: of.outputs,
                    judgements: of.judgements,
                    unchanged: of.unchanged,
                    all: of.all,
                    types: of.types,
                })
                .collect(),
            by_value: compare(MarkMeasure::MeanValue),
            by_count: compare(MarkMeasure::Count),
            taxonomy,
        }
    }
}

/// Adds the types of marks that the study no longer has, so that every mark is in a row.
fn add_unknown_types(taxonomy: &mut SpanTaxonomy, judgements: &[JudgedSpans]) {
    for mark in judgements.iter().flat_map(|of| &of.marks) {
        if taxonomy.find_type(&mark.kind).is_none() {
            taxonomy.types.push(SpanType {
                name: mark.kind.clone(),
                ..SpanType::default()
            });
        }
    }
}

/// The judgements of a study. Outputs that only hidden systems wrote are left out.
#[must_use]
pub fn judged_spans(of: &StudyMarks) -> Vec<JudgedSpans> {
    let mut outputs = of.outputs.clone();
    outputs.retain(|output| !output.is_hidden);
    let systems = systems_by_output(&outputs);

    let judgement = |mark: &store::marked_spans::MarkRecord| {
        let systems = systems.get(&mark.output)?;
        Some(JudgedSpans {
            rater: mark.rater.clone(),
            source: mark.source.clone(),
            source_text: Arc::clone(&mark.source_text),
            text: mark.text.clone(),
            systems: systems.iter().map(|name| (*name).to_owned()).collect(),
            marks: mark.marks.clone(),
        })
    };

    of.judgements.iter().filter_map(judgement).collect()
}

/// The figures of studies' marked spans. Cloning is cheap: all clones share them.
#[derive(Clone, Default)]
pub struct SpanFigureCache(ScopedEventCache<CachedSpans>);

/// The marks and the taxonomy of a study, with the figures.
struct CachedSpans {
    of: StudyMarks,
    taxonomy: SpanTaxonomy,
    figures: Arc<SpanFigures>,
}

impl fmt::Debug for SpanFigureCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpanFigureCache").finish_non_exhaustive()
    }
}

impl SpanFigureCache {
    /// The figures of the study's marked spans as of its newest event; `None` if its protocol has no step that
    /// marks spans. After an event the marks are read again; the figures are computed again only if marks changed.
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn get(
        &self,
        store: &Store,
        study: &Study,
        scope: RatingScope,
    ) -> Result<Option<Arc<SpanFigures>>, FigureError> {
        let Some(step) = study.settings.protocol.mark_spans_step() else {
            return Ok(None);
        };

        let load = async |last: Option<(i64, Arc<CachedSpans>)>| {
            let (of, taxonomy) = (
                store.study_marks(study.id, scope).await?,
                step.taxonomy.clone(),
            );
            if let Some((_, last)) = last
                && last.of == of
                && last.taxonomy == taxonomy
            {
                let figures = last.figures.clone();
                return Ok(CachedSpans {
                    of,
                    taxonomy,
                    figures,
                });
            }
            let figures = move || {
                let judged = judged_spans(&of);
                let resampling = Some(ResamplingOptions::default());
                let figures = SpanFigures::compute(taxonomy.clone(), &judged, resampling);
                let figures = Arc::new(figures);
                CachedSpans {
                    of,
                    taxonomy,
                    figures,
                }
            };
            compute(figures).await
        };

        let cached = self.0.get(store, study.id, scope, load).await?;
        Ok(Some(cached.figures.clone()))
    }
}

#[cfg(test)]
mod tests {
    use domain::{ids::OutputId, span::Span, span_marks::taxonomy::MarkLevel};
    use store::{comparisons::ComparedOutput, marked_spans::MarkRecord};
    use uuid::Uuid;

    use super::*;

    fn output(number: u128) -> OutputId {
        OutputId(Uuid::from_u128(number))
    }

    fn written(judged_as: u128, system: &str, is_hidden: bool) -> ComparedOutput {
        ComparedOutput {
            output: OutputId(Uuid::from_u128(judged_as)),
            judged_as: output(judged_as),
            system: system.to_owned(),
            is_hidden,
        }
    }

    fn record(rater: &str, number: u128, level: &str, end: usize) -> MarkRecord {
        MarkRecord {
            rater: rater.to_owned(),
            source: "s1".to_owned(),
            source_text: "The old boat sank.".into(),
            output: output(number),
            text: format!("The boat {number}."),
            marks: vec![SpanMark {
                kind: "Removal".to_owned(),
                level: Some(level.to_owned()),
                source: vec![Span::new(4, end)],
                output: vec![],
            }],
        }
    }

    fn taxonomy() -> SpanTaxonomy {
        let level = |name: &str, value| MarkLevel {
            name: name.to_owned(),
            value,
            ..MarkLevel::default()
        };

        SpanTaxonomy {
            types: vec![SpanType {
                name: "Split".to_owned(),
                ..SpanType::default()
            }],
            levels: vec![level("correct", 1.0), level("wrong", 0.0)],
            rules: vec![],
        }
    }

    #[test]
    fn a_judgement_counts_for_every_system_and_once_for_agreement() {
        let of = StudyMarks {
            judgements: vec![
                record("annotator 1", 1, "correct", 7),
                record("annotator 2", 1, "wrong", 12),
                record("annotator 1", 2, "wrong", 7),
                record("annotator 1", 3, "wrong", 7),
                record("annotator 1", 9, "wrong", 7),
            ],
            outputs: vec![
                written(1, "BART", false),
                written(2, "T5", false),
                written(1, "copy", false),
                written(3, "tutorial-1", true),
            ],
        };

        let judged = judged_spans(&of);
        // The hidden system, and an output that no longer exists, are left out.
        assert_eq!(judged.len(), 3);

        let figures = SpanFigures::compute(taxonomy(), &judged, None);
        assert_eq!(
            (
                figures.outputs,
                figures.pairable_outputs,
                figures.raters,
                figures.rater_pairs
            ),
            (2, 1, 2, 1)
        );

        // A type that the study no longer has is listed after its own.
        let types: Vec<_> = figures
            .taxonomy
            .types
            .iter()
            .map(|kind| &*kind.name)
            .collect();
        assert_eq!(types, ["Split", "Removal"]);
        assert_eq!(
            (
                figures.all.marks,
                figures.types[0].marks,
                figures.types[1].marks
            ),
            (3, 0, 3)
        );

        // "old" against "old boat".
        assert_eq!(figures.types[1].f1, Ok(2.0 * 3.0 / 10.0));
        assert_eq!(figures.types[0].f1, Err(UndefinedReason::NoMark));

        let systems: Vec<_> = figures
            .systems
            .iter()
            .map(|of| (&*of.system, of.all.marks))
            .collect();
        assert_eq!(systems, [("BART", 2), ("T5", 1), ("copy", 2)]);
        assert_eq!(figures.systems[0].all.mean_value, Some(0.5));
        assert_eq!(
            (figures.by_value.len(), figures.by_value[0].of.difference),
            (3, 0.5)
        );
    }
}
