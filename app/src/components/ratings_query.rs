use domain::study::Dimension;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use service::figures::RatingScope;

/// Which of a study's ratings a page shows: what its address asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RatingsQuery {
    /// By its name.
    dimension: Option<String>,
    in_work: bool,
}

impl RatingsQuery {
    /// What the address of this page asks for.
    pub fn from_url() -> Self {
        use_query_map().with_untracked(|query| Self {
            dimension: query.get("dimension"),
            in_work: query.get("count").is_some(),
        })
    }

    /// The dimension that was asked for, else the first that the study has.
    pub fn dimension(&self, of: &[Dimension]) -> Dimension {
        let asked = of
            .iter()
            .find(|it| Some(&it.name) == self.dimension.as_ref());
        asked.or_else(|| of.first()).cloned().unwrap_or_default()
    }

    /// The same as a query, with the category that is asked for beside.
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

    /// Whether sources in work count.
    pub const fn rating_scope(&self) -> RatingScope {
        if self.in_work {
            RatingScope::IncludingOpen
        } else {
            RatingScope::HandedIn
        }
    }
}

/// Chooses which ratings are looked at; a plain form that asks for the page anew.
#[component]
pub fn WhichRatingsForm(
    /// The page.
    address: String,
    /// The study's dimensions.
    dimensions: Vec<Dimension>,
    /// What is chosen.
    chosen: RatingsQuery,
    /// What else the page can be asked for.
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
                <span>"Count sources that are still in work"</span>
            </label>
            <button>"Show"</button>
        </form>
    }
}
