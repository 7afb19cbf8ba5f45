//! Outputs read and scored slice by slice, so that a file of any length needs the memory of one slice.

use std::collections::{HashMap, HashSet};

use domain::metrics::ReferenceCount;
use formats::SourceReferences;
use learn::training::MeaningUse;

use super::{
    input::{OutputFiles, OutputRows, ScoreInputRow},
    survey::{OutputSurvey, TextHash},
};
use crate::{
    metrics::{BatchScores, MetricKind, MetricResources, ScoringBatch, score_part},
    progress::{ProgressDisplay, ProgressMeter},
};

/// The most outputs, and the most bytes of their texts, that are scored at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceLimits {
    pub(super) outputs: usize,
    pub(super) bytes: usize,
}

impl Default for SliceLimits {
    /// Enough for every dataset of the field in one slice: an encoder's vectors differ in their last digits with the
    /// other texts of their batch.
    fn default() -> Self {
        Self {
            outputs: 1 << 15,
            bytes: 32 << 20,
        }
    }
}

/// The metrics to score by, with all that they need.
pub(super) struct ScoringPlan<'a> {
    pub(super) metrics: &'a [MetricKind],
    pub(super) resources: &'a MetricResources,
    pub(super) meanings: MeaningUse,
    /// References from separate files, which replace those of the rows.
    pub(super) references: Option<&'a SourceReferences>,
    /// The number of references of all sources.
    pub(super) reference_count: ReferenceCount,
    pub(super) limits: SliceLimits,
    pub(super) progress: ProgressDisplay<'a>,
}

/// Some outputs with their scores.
pub(super) struct ScoredSlice {
    pub(super) rows: Vec<ScoreInputRow>,
    pub(super) batch: ScoringBatch,
    pub(super) scores: Vec<BatchScores>,
}

/// The slices of files. If there are ratings, each distinct output is scored once; a hash of 16 bytes is kept for each.
pub(super) struct ScoredSlices<'a> {
    rows: OutputRows<'a>,
    survey: &'a OutputSurvey,
    plan: ScoringPlan<'a>,
    seen: HashSet<TextHash>,
    /// The references of sources whose rows differ in them: the first row decides.
    first_references: HashMap<TextHash, Vec<String>>,
    repeats: usize,
    meter: ProgressMeter<'a>,
}

impl<'a> ScoredSlices<'a> {
    pub(super) fn open(
        files: &'a OutputFiles<'a>,
        survey: &'a OutputSurvey,
        plan: ScoringPlan<'a>,
    ) -> anyhow::Result<Self> {
        let meter = plan
            .progress
            .begin("scores", plan.metrics.len() * survey.rows);

        Ok(Self {
            rows: files.open()?,
            survey,
            plan,
            seen: HashSet::new(),
            first_references: HashMap::new(),
            repeats: 0,
            meter,
        })
    }

    /// The number of rows so far that repeat an output with another rating.
    pub(super) const fn repeats(&self) -> usize {
        self.repeats
    }

    fn read_rows(&mut self) -> anyhow::Result<Vec<ScoreInputRow>> {
        let SliceLimits { outputs, bytes } = self.plan.limits;
        let (mut slice, mut taken) = (Vec::new(), 0);
        while slice.len() < outputs && taken < bytes {
            let Some(output) = self.rows.next() else {
                break;
            };
            let mut row = output?.row;
            if self.survey.has_ratings && !self.seen.insert(self.survey.hasher.hash(&row)) {
                self.repeats += 1;
                self.meter.add(self.plan.metrics.len());
                continue;
            }

            if !self.survey.differing.is_empty() {
                self.settle_references(&mut row);
            }
            taken += row.bytes();
            slice.push(row);
        }
        Ok(slice)
    }

    /// Gives a row the references in the first row of its source.
    fn settle_references(&mut self, row: &mut ScoreInputRow) {
        let source = self.survey.hasher.hash(&row.source);
        if self.survey.differing.contains(&source) {
            let first = self.first_references.entry(source);
            let first = first.or_insert_with(|| row.references.clone());
            row.references.clone_from(first);
        }
    }

    fn score(&self, rows: Vec<ScoreInputRow>) -> anyhow::Result<ScoredSlice> {
        let plan = &self.plan;
        let mut batch = ScoringBatch::of_larger(plan.reference_count);
        for row in &rows {
            batch.add(&row.source, &row.output, || match plan.references {
                Some(references) => references.references_for(&row.source),
                None => &row.references,
            });
        }

        let scores = score_part(
            &batch,
            plan.metrics,
            plan.resources,
            plan.meanings,
            plan.progress,
            Some(&self.meter),
        )?;

        Ok(ScoredSlice {
            rows,
            batch,
            scores,
        })
    }
}

impl Iterator for ScoredSlices<'_> {
    type Item = anyhow::Result<ScoredSlice>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read_rows() {
            Ok(rows) if rows.is_empty() => None,
            rows => Some(rows.and_then(|rows| self.score(rows))),
        }
    }
}
