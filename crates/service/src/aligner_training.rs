//! Aligners that learn from the edits that annotators of a study checked: their training data, jobs and reports. The
//! server runs the training.

use std::collections::HashMap;

use domain::{
    aligner_comparison::AlignerComparison,
    edit::Edit,
    ids::{JobId, PersonId, RaterId, SourceId, StudyId},
    random::SeededRandom,
    study::RaterKind,
    text::{align::edit_links::MAX_OUTPUT_CELLS, tokenised_text::TokenisedText},
};
use serde::{Deserialize, Serialize};
use store::{JobKind, NewJob, Store, metrics::StudyModel, rating_rows::RatingScope};

use crate::{Context, export::edit_reviews, metrics::running_job};

/// The fewest sources with a corrected output that an aligner is trained on. With fewer, no difference would be
/// certain.
pub const MIN_CORRECTED_SOURCES: usize = AlignerComparison::FEWEST_SOURCES;

/// The most outputs that an aligner is trained on. Time and memory grow with them, and further sources teach little
/// that these do not.
pub const MAX_OUTPUTS: usize = 2_000;

/// The most pairs of words of an output and its source, over all reviews. Each takes 632 bytes with word vectors (twice
/// 78 features and a label), so these take 0.8 GB at most.
pub const MAX_CELLS: usize = 1_200_000;

/// The outputs that are read at a time.
const PAGE_SIZE: u32 = 500;

/// A source, and its outputs whose edits annotators checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedSource {
    /// The source.
    pub id: SourceId,
    /// Its text.
    pub text: String,
    /// Its outputs; only the first of identical ones.
    pub outputs: Vec<CheckedOutput>,
}

/// An output whose edits annotators checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedOutput {
    /// Its text.
    pub text: String,
    /// The edits that each annotator left.
    pub reviews: Vec<Vec<Edit>>,
    /// Whether one of them corrected the automatic edits.
    pub corrected: bool,
}

impl CheckedSource {
    /// The number of word pairs that a training keeps of the source, over all reviews of its outputs.
    fn count_cells(&self) -> usize {
        let words = TokenisedText::new(&self.text).len();
        let outputs = self.outputs.iter().map(|output| {
            let cells = words.saturating_mul(TokenisedText::new(&output.text).len());
            match cells <= MAX_OUTPUT_CELLS {
                true => cells * output.reviews.len(),
                false => 0,
            }
        });
        outputs.sum()
    }

    /// Whether an annotator corrected the edits of one of its outputs.
    #[must_use]
    pub fn is_corrected(&self) -> bool {
        self.outputs.iter().any(|output| output.corrected)
    }
}

/// The training data of a study.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AlignerTrainingSet {
    /// The sources to learn from.
    pub sources: Vec<CheckedSource>,
    /// The number of sources that were left out because of [`MAX_OUTPUTS`] and [`MAX_CELLS`].
    pub left_out: usize,
}

impl AlignerTrainingSet {
    /// Reads the edits of main outputs that annotators checked and handed in, without quality-control and practice
    /// items.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load(store: &Store, study: StudyId) -> store::Result<Self> {
        let mut export = store.begin_export(study, RatingScope::HandedIn).await?;
        let raters: HashMap<RaterId, RaterKind> = export
            .raters
            .iter()
            .map(|rater| (rater.id, rater.kind))
            .collect();

        // Outputs come in the order of their import, in which those of a source need not be adjacent.
        let mut sources: Vec<CheckedSource> = Vec::new();
        let mut places = HashMap::<SourceId, usize>::new();
        loop {
            let page = export.next_page(PAGE_SIZE).await?;
            if page.is_empty() {
                break;
            }
            for output in &page {
                let mut checked = CheckedOutput {
                    text: output.text.clone(),
                    reviews: Vec::new(),
                    corrected: false,
                };
                for review in edit_reviews(|rater| raters.get(&rater).copied(), output) {
                    checked.reviews.push(review.edits.to_vec());
                    checked.corrected |= review.corrected;
                }

                if checked.reviews.is_empty() {
                    continue;
                }

                let id = output.source.source;
                let place = *places.entry(id).or_insert_with(|| {
                    sources.push(CheckedSource {
                        id,
                        text: output.source.text.clone(),
                        outputs: vec![],
                    });
                    sources.len() - 1
                });
                sources[place].outputs.push(checked);
            }
        }

        Ok(Self::limited(sources, MAX_OUTPUTS, MAX_CELLS))
    }

    /// Keeps sources within both limits. Those with corrections come first, each kind in a random order that is the
    /// same for the same sources. A source that does not fit is left out; smaller ones after it are kept.
    fn limited(mut sources: Vec<CheckedSource>, max_outputs: usize, max_cells: usize) -> Self {
        let count = sources.len();
        SeededRandom::new(1).shuffle(&mut sources);
        // The sort is stable, so the order within each kind stays random.
        sources.sort_by_key(|source| !source.is_corrected());

        let (mut outputs, mut cells) = (0, 0);
        sources.retain(|source| {
            let sums = (outputs + source.outputs.len(), cells + source.count_cells());
            let fits = sums.0 <= max_outputs && sums.1 <= max_cells;
            if fits {
                (outputs, cells) = sums;
            }
            fits
        });

        Self {
            left_out: count - sources.len(),
            sources,
        }
    }

    /// The number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.sources.iter().map(|source| source.outputs.len()).sum()
    }

    /// The number of outputs with corrected edits.
    #[must_use]
    pub fn corrected_outputs(&self) -> usize {
        let outputs = self.sources.iter().flat_map(|source| &source.outputs);
        outputs.filter(|output| output.corrected).count()
    }

    /// Checks that there is enough to learn from.
    ///
    /// # Errors
    /// Below [`MIN_CORRECTED_SOURCES`], a sentence that says so.
    pub fn require_enough(&self) -> Result<(), String> {
        let corrected = self.sources.iter();
        let corrected = corrected.filter(|source| source.is_corrected()).count();
        match corrected >= MIN_CORRECTED_SOURCES {
            true => Ok(()),
            false => Err(format!(
                "An aligner needs corrected highlights of at least {MIN_CORRECTED_SOURCES} submitted sources. The \
                 study has {corrected}."
            )),
        }
    }
}

/// The report that is stored with a trained aligner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignerReport {
    /// The version of its edits. The store reads it, too.
    pub edits_version: String,
    /// The sources that it learned from.
    pub learned_from: Vec<SourceId>,
    /// The number of their outputs.
    pub outputs: usize,
    /// The number of these with corrected edits.
    pub corrected: usize,
    /// The number of outputs that were too long to learn from.
    pub too_long: usize,
    /// The aligner in use at the time, with which it was compared.
    pub against: String,
    /// The version of that aligner's edits.
    pub against_version: String,
    /// The comparison, on sources that neither learned from, or the reason why there is none.
    pub comparison: Result<AlignerComparison, String>,
    /// The duration of the training, in milliseconds.
    pub ms: i64,
}

impl AlignerReport {
    /// The report of a stored aligner; `None` if another version of the program wrote it.
    #[must_use]
    pub fn from_model(model: &StudyModel) -> Option<Self> {
        serde_json::from_value(model.report.clone()).ok()
    }

    /// Whether the aligner was compared with the one that the study uses now, whose edits have the version `current`.
    #[must_use]
    pub fn is_against(&self, current: Option<&str>) -> bool {
        current == Some(&self.against_version)
    }

    /// Whether the aligner is certainly better than the one that it was compared with. Only then can a study use it.
    #[must_use]
    pub fn is_better(&self) -> bool {
        self.comparison
            .as_ref()
            .is_ok_and(AlignerComparison::is_better)
    }
}

/// The sentences that say why an arm of an experiment cannot have an aligner of its own.
pub const REFUSED_IN_EXPERIMENT: &str = "This study is part of an experiment, whose arms must not differ in how \
                                         highlights are made. So it cannot have an aligner of its own.";

/// The version of the edits that the study's aligner makes now, where `models` are the study's aligners; `None` if no
/// server has reported its aligner.
///
/// # Errors
/// When the database fails.
pub async fn current_edits_version(
    store: &Store,
    models: &[StudyModel],
) -> store::Result<Option<String>> {
    match adopted_aligner(models) {
        Some(model) => Ok(AlignerReport::from_model(model).map(|report| report.edits_version)),
        None => {
            let version = store.server_aligner().await?;
            Ok(version.map(|version| version.to_string()))
        }
    }
}

/// The aligner that the study uses in place of the server's.
#[must_use]
pub fn adopted_aligner(models: &[StudyModel]) -> Option<&StudyModel> {
    models.iter().find(|model| model.adopted_at.is_some())
}

/// Queues a training of an aligner for the study, unless one is queued or running.
///
/// # Errors
/// When the database fails.
pub async fn enqueue(
    store: &Store,
    study: StudyId,
    created_by: Option<PersonId>,
    context: Context,
) -> store::Result<()> {
    let kind = JobKind::TrainAligner;
    if running_job(store, study, kind).await?.is_some() {
        return Ok(());
    }

    let new = NewJob {
        id: JobId(context.new_id()),
        study: Some(study),
        kind,
        input: &serde_json::Value::Null,
        created_by,
    };
    store.enqueue_job(&new, context.now_ms()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources of one output with four pairs of words and two reviews; every tenth one is corrected.
    fn sources(count: u128) -> Vec<CheckedSource> {
        let source = |number| CheckedSource {
            id: SourceId(crate::testing::new_id()),
            text: "two words".to_owned(),
            outputs: vec![CheckedOutput {
                text: "two again".to_owned(),
                reviews: vec![vec![], vec![]],
                corrected: number % 10 == 9,
            }],
        };
        (0..count).map(source).collect()
    }

    #[test]
    fn sources_with_corrections_are_kept_first() {
        let all = sources(100);
        let by_outputs = AlignerTrainingSet::limited(all.clone(), 25, usize::MAX);
        assert_eq!((by_outputs.sources.len(), by_outputs.left_out), (25, 75));
        assert_eq!(by_outputs.corrected_outputs(), 10);

        let again = AlignerTrainingSet::limited(all.clone(), 25, usize::MAX);
        assert_eq!(by_outputs, again);

        let others = &by_outputs.sources[10..];
        let first: Vec<_> = all.iter().filter(|source| !source.is_corrected()).collect();
        assert!(
            others.iter().ne(first.into_iter().take(15)),
            "the others are drawn at random"
        );

        // Each source has 2 · 2 pairs of words in each of its two reviews.
        let by_cells = AlignerTrainingSet::limited(all.clone(), usize::MAX, 8 * 12 + 7);
        assert_eq!(by_cells.sources.len(), 12);
        assert_eq!(by_cells.corrected_outputs(), 10);
        let within = AlignerTrainingSet::limited(all, MAX_OUTPUTS, MAX_CELLS);
        assert_eq!((within.sources.len(), within.left_out), (100, 0));
    }
}
