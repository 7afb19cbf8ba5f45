//! Agreement between raters, for the card of a dataset: the figures that pages and commands show.

use std::sync::Arc;

use domain::{statistics::bootstrap::ResamplingOptions, study::Dimension};
use store::{Store, Study, rating_rows::RatingScope};

use crate::{
    computation::compute,
    export::{ExportFailure, ExportSummary},
    figures::{
        AgreementKey, StudyAgreement,
        comparisons::{ComparisonFigures, study_figures},
        spans::{SpanFigures, judged_spans},
    },
    live::{LiveStudies, StudySnapshot},
};

/// Figures of agreement.
#[derive(Debug, Default)]
pub(in crate::export) struct DatasetAgreement {
    /// The number of the event up to which ratings are included. It may be newer than the files' event.
    pub(super) event: i64,
    /// The dimensions of the study and of its ratings, with their agreement if they have ratings.
    pub(super) dimensions: Vec<(Dimension, Option<Arc<StudyAgreement>>)>,
    /// The comparisons on each dimension that has any.
    pub(super) comparisons: Vec<ComparisonFigures>,
    /// The marked spans, if there are any.
    pub(super) spans: Option<SpanFigures>,
}

impl DatasetAgreement {
    /// Computes the figures of a study. For a consensus these are the figures of the raters' own answers before it.
    pub(in crate::export) async fn read(
        store: &Store,
        live: &LiveStudies,
        study: &Study,
        scope: RatingScope,
        summary: &ExportSummary,
    ) -> Result<Self, ExportFailure> {
        let scope = match scope {
            RatingScope::Consensus => RatingScope::HandedIn,
            scope => scope,
        };

        let settings = study.settings.clone();
        let read = move |snapshot: &StudySnapshot| {
            let dimensions = snapshot.dimensions(&settings.dimensions).into_iter();
            let dimensions = dimensions.map(|dimension| {
                let is_rated = snapshot.has_ratings(&dimension.name);
                let key = AgreementKey {
                    dimension: dimension.name.clone(),
                    groups: settings.groups.clone(),
                };
                let agreement = is_rated.then(|| snapshot.get_or_compute(key));
                (dimension, agreement)
            });
            (snapshot.event(), dimensions.collect())
        };
        let (event, dimensions) = live.read(store, study.id, scope, read).await?;

        let comparisons = match summary.comparisons {
            0 => vec![],
            _ => {
                let compared = store.study_comparisons(study.id, scope).await?;
                compute(move || study_figures(&compared, ResamplingOptions::default())).await?
            }
        };

        let spans = match summary.marked_outputs {
            0 => None,
            _ => {
                let marks = store.study_marks(study.id, scope).await?;
                let step = study.settings.protocol.mark_spans_step();
                let taxonomy = step.map(|step| step.taxonomy.clone()).unwrap_or_default();
                let resampling = Some(ResamplingOptions::default());
                let spans =
                    move || SpanFigures::compute(taxonomy, &judged_spans(&marks), resampling);
                Some(compute(spans).await?)
            }
        };

        Ok(Self {
            event,
            dimensions,
            comparisons,
            spans,
        })
    }
}
