use domain::study::Dimension;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use store::Study;

use crate::{error::Refusal, request::refuse, services};
use service::figures::RatingScope;

/// The ratings that a page shows, as its address states them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RatingsQuery {
    /// The name of the dimension.
    dimension: Option<String>,
    in_work: bool,
}

impl RatingsQuery {
    /// The query of the page's address.
    pub fn from_url() -> Self {
        use_query_map().with_untracked(|query| Self {
            dimension: query.get("dimension"),
            in_work: query.get("count").is_some(),
        })
    }

    /// The dimensions of the study that these ratings can be on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load_dimensions(&self, study: &Study) -> Result<Vec<Dimension>, Refusal> {
        let dimensions = services().dimensions(study, self.rating_scope()).await;
        dimensions.map_err(refuse)
    }

    /// The requested dimension, else the first one of the study.
    pub fn dimension(&self, of: &[Dimension]) -> Dimension {
        let dimension = of
            .iter()
            .find(|candidate| Some(&candidate.name) == self.dimension.as_ref());
        dimension
            .or_else(|| of.first())
            .cloned()
            .unwrap_or_default()
    }

    /// The same as a query string, with the requested category.
    pub fn query(&self, category: Option<&str>) -> String {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let dimension = self.dimension.as_deref().unwrap_or_default();
        let mut query = format!(
            "dimension={}&category={}",
            encoded(dimension),
            encoded(category.unwrap_or_default())
        );
        if self.in_work {
            query += "&count=in-work";
        }
        query
    }

    /// Whether sources in progress count.
    pub const fn rating_scope(&self) -> RatingScope {
        if self.in_work {
            RatingScope::IncludingOpen
        } else {
            RatingScope::HandedIn
        }
    }
}

/// The filter of ratings; a plain form that loads the page again.
#[component]
pub fn WhichRatingsForm(
    /// The address of the page.
    address: String,
    dimensions: Vec<Dimension>,
    /// The current choice.
    chosen: RatingsQuery,
    /// Further fields of the page's own.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let current = chosen.dimension(&dimensions).name;
    let option = move |dimension: Dimension| {
        let name = dimension.name;
        view! { <option value=name.clone() selected=name == current>{name.clone()}</option> }
    };
    let select = (dimensions.len() > 1).then(|| {
        view! {
            <label class="field">
                <span>"Dimension"</span>
                <select name="dimension">{dimensions.into_iter().map(option).collect_view()}</select>
            </label>
        }
    });
    view! {
        <form method="get" action=address class="asked">
            {select}
            {children.map(|children| children())}
            <label class="choice">
                <input type="checkbox" name="count" value="in-work" checked=chosen.in_work/>
                <span>"Include sources that are still in progress"</span>
            </label>
            <button>"Show"</button>
        </form>
    }
}
