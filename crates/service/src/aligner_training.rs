//! Aligners that learn from the edits that annotators of a study checked: their training data, jobs and reports. The
//! server runs the training.

use std::collections::HashMap;

use domain::{
    aligner_comparison::AlignerComparison,
    edit::Edit,
    ids::{JobId, PersonId, RaterId, SourceId, StudyId},
    random::SeededRandom,
    study::RaterKind,
};
use serde::{Deserialize, Serialize};
use store::{JobKind, NewJob, Store, metrics::StudyModel, rating_rows::RatingScope};

use crate::{Context, export::edit_reviews, metrics::running_job};

/// The fewest sources with a corrected output that an aligner is trained on: on fewer no difference is certain.
pub const MIN_CORRECTED_SOURCES: usize = AlignerComparison::FEWEST_SOURCES;

/// The most outputs that an aligner is trained on. Time and memory grow with them, and those of more sources teach little
/// that these did not.
pub const MAX_OUTPUTS: usize = 2_000;

/// The outputs that are read at a time.
const PAGE_SIZE: u32 = 500;

/// A source, and its outputs whose edits annotators checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckedSource {
    /// The source.
    pub id: SourceId,
    /// Its text.
    pub text: String,
    /// Its outputs; of identical ones the first.
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
    /// The number of sources that are left out, because there are more than [`MAX_OUTPUTS`] outputs.
    pub left_out: usize,
}

impl AlignerTrainingSet {
    /// Reads the edits that annotators checked of main outputs, and handed in. Neither quality-control items nor practice
    /// ones are among them.
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
        let mut sources: Vec<CheckedSource> = Vec::new();
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
                match sources.last_mut() {
                    Some(source) if source.id == output.source.source => {
                        source.outputs.push(checked);
                    }
                    _ => sources.push(CheckedSource {
                        id: output.source.source,
                        text: output.source.text.clone(),
                        outputs: vec![checked],
                    }),
                }
            }
        }
        Ok(Self::limited(sources))
    }

    /// Keeps sources in random order, the same for the same sources, until there are enough outputs.
    fn limited(sources: Vec<CheckedSource>) -> Self {
        let all: usize = sources.iter().map(|source| source.outputs.len()).sum();
        if all <= MAX_OUTPUTS {
            return Self {
                sources,
                left_out: 0,
            };
        }
        let (count, mut sources) = (sources.len(), sources);
        SeededRandom::new(1).shuffle(&mut sources);
        let mut outputs = 0;
        sources.retain(|source| {
            outputs += source.outputs.len();
            outputs <= MAX_OUTPUTS
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

    /// The reason why there is too little to learn from, as a sentence.
    ///
    /// # Errors
    /// Below [`MIN_CORRECTED_SOURCES`].
    pub fn require_enough(&self) -> Result<(), String> {
        let corrected = self.sources.iter();
        let corrected = corrected.filter(|source| source.is_corrected()).count();
        match corrected >= MIN_CORRECTED_SOURCES {
            true => Ok(()),
            false => Err(format!(
                "An aligner needs corrected highlights of at least {MIN_CORRECTED_SOURCES} submitted sources. The study \
                 has {corrected}."
            )),
        }
    }
}

/// The report that is stored with a trained aligner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlignerReport {
    /// The version of edits that it makes. The store reads it, too.
    pub edits_version: String,
    /// The sources that it learned from.
    pub learned_from: Vec<SourceId>,
    /// The number of their outputs.
    pub outputs: usize,
    /// The number of these with corrected edits.
    pub corrected: usize,
    /// The number of outputs that were too long to learn from.
    pub too_long: usize,
    /// The aligner that was in use, with which it was compared.
    pub against: String,
    /// The comparison, on sources that neither learned from, or why there is none.
    pub comparison: Result<AlignerComparison, String>,
    /// The duration of the training, in milliseconds.
    pub ms: i64,
}

impl AlignerReport {
    /// The report of a stored aligner; `None` where another version of the program wrote it.
    #[must_use]
    pub fn from_model(model: &StudyModel) -> Option<Self> {
        serde_json::from_value(model.report.clone()).ok()
    }

    /// Whether the aligner is certainly better than the one that was in use; only then can a study use it.
    #[must_use]
    pub fn is_better(&self) -> bool {
        self.comparison
            .as_ref()
            .is_ok_and(AlignerComparison::is_better)
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
