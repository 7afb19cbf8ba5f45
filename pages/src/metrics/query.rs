use domain::{ids::MetricId, statistics::tau_like::TieThreshold};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::detail::EXAMINED;
use app::components::{RatingsQuery, ThresholdField};
use service::figures::metrics::StudyMetrics;

/// The query of the page's address.
#[derive(Debug, Clone, Default)]
pub(super) struct MetricsQuery {
    /// The choice of ratings.
    pub(super) which: RatingsQuery,
    /// Whether outputs that are one of their references are left out.
    pub(super) without_references: bool,
    /// The tie threshold as the address writes it.
    threshold: Option<String>,
    /// The id of the metric to examine.
    pub(super) metric: Option<String>,
    /// The id of the metric to compare the others with.
    pub(super) against: Option<String>,
}

impl MetricsQuery {
    /// The query that the address states.
    pub(super) fn from_url() -> Self {
        let which = RatingsQuery::from_url();
        use_query_map().with_untracked(|query| Self {
            which,
            without_references: query.get("references").is_some_and(|value| value == "out"),
            threshold: query
                .get("threshold")
                .filter(|threshold| !threshold.trim().is_empty()),
            metric: query.get("metric"),
            against: query.get("against"),
        })
    }

    /// The requested tie threshold, or the default with a sentence that says why the requested one is not
    /// valid.
    pub(super) fn tie(&self) -> (TieThreshold, Option<String>) {
        match self.threshold.as_deref().map(str::parse::<TieThreshold>) {
            None => (TieThreshold::default(), None),
            Some(Ok(threshold)) => (threshold, None),
            Some(Err(error)) => {
                let usual = TieThreshold::default();
                (usual, Some(format!("{error}. {usual} is used.")))
            }
        }
    }

    /// The address of the same page with a metric examined output by output.
    pub(super) fn examine(metric: MetricId) -> String {
        let mut query = use_query_map().get_untracked();
        query.replace("metric", metric.to_string());
        format!("{}#{EXAMINED}", query.to_query_string())
    }

    /// The page's own fields, in addition to those for the choice of ratings.
    pub(super) fn fields(&self, figures: &StudyMetrics) -> impl IntoView + use<> {
        let option = |chosen: &Option<String>| {
            let chosen = chosen.clone();
            figures
                .entries
                .iter()
                .map(|entry| {
                    let id = entry.metric.id.to_string();
                    let selected = chosen.as_ref() == Some(&id);
                    view! { <option value=id selected=selected>{entry.label.clone()}</option> }
                })
                .collect_view()
        };

        let (into, against) = (option(&self.metric), option(&self.against));
        let threshold = self.threshold.clone();
        let out = self.without_references;

        view! {
            <label class="field">
                <span>"Outputs identical to a reference"</span>
                <select name="references">
                    <option value="in" selected=!out>"count"</option>
                    <option value="out" selected=out>"are left out"</option>
                </select>
            </label>
            <label class="field">
                <span>"Examine"</span>
                <select name="metric">
                    <option value="">"none"</option>
                    {into}
                </select>
            </label>
            <label class="field">
                <span>"Test others against"</span>
                <select name="against">
                    <option value="">"none"</option>
                    {against}
                </select>
            </label>
            <ThresholdField asked=threshold/>
        }
    }
}
