use std::{fmt, sync::Arc};

use crate::api_reference::ApiReference;

use domain::study::Dimension;
use store::{Store, Study, rating_rows::RatingScope};

use leptos::prelude::expect_context;
use service::{
    Context, FigureError,
    comparison_plans::ComparisonPlanner,
    figures::{
        comparisons::ComparisonFigureCache, metrics::ComparedMetricsCache,
        questions::QuestionFigureCache, spans::SpanFigureCache,
    },
    import::{JobMonitor, PreviewTurns},
    live::{LiveStudies, StudySnapshot},
    metrics::OfferedMetric,
    webhooks::AllowedAddresses,
    written_texts::WordRanks,
};

/// The services that the server provides to pages and server functions, through Leptos' context.
///
/// Functions below this layer take what they need as arguments.
#[derive(Clone)]
pub struct Services {
    pub store: Store,
    /// The sources of time, ids and random numbers.
    pub context: Context,
    /// How long a session lasts after its last use, in milliseconds.
    pub session_ms: i64,
    /// The site's public address without a trailing slash; `None` if it is not set.
    pub public_url: Option<String>,
    /// Whether cookies are sent over https only.
    pub secure_cookies: bool,
    /// The activity of this process's worker.
    pub job_monitor: JobMonitor,
    /// The turns of previews of files.
    pub previews: PreviewTurns,
    /// The studies whose figures this process keeps up to date.
    pub live: LiveStudies,
    /// The figures of studies' comparisons.
    pub comparisons: ComparisonFigureCache,
    /// The choice of the outputs to compare next.
    pub comparison_planner: ComparisonPlanner,
    /// The agreement of metrics with comparisons.
    pub compared_metrics: ComparedMetricsCache,
    /// The figures of studies' marked spans.
    pub spans: SpanFigureCache,
    /// The figures of studies' questions.
    pub questions: QuestionFigureCache,
    /// For administrators: the word aligner in use, and why it isn't a better one.
    pub aligner: Arc<str>,
    /// The metrics that studies may choose in addition to the text metrics.
    pub offered_metrics: Arc<[OfferedMetric]>,
    /// The description of the HTTP API.
    pub api: Arc<ApiReference>,
    /// The rarity of a text's words relative to its source's.
    pub word_ranks: WordRanks,
    /// The addresses that notices of studies may be sent to.
    pub webhooks: AllowedAddresses,
}

impl Services {
    /// The dimensions that a page of the study can show: see [`StudySnapshot::dimensions`].
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn dimensions(
        &self,
        study: &Study,
        which: RatingScope,
    ) -> Result<Vec<Dimension>, FigureError> {
        let of_settings = study.settings.dimensions.clone();
        let choose = move |snapshot: &StudySnapshot| snapshot.dimensions(&of_settings);
        self.live.read(&self.store, study.id, which, choose).await
    }
}

/// The services of this request.
pub fn services() -> Services {
    expect_context()
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").finish_non_exhaustive()
    }
}
