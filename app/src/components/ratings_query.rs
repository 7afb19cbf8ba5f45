use domain::study::Dimension;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use store::Study;

use crate::{error::Refusal, page_script::PageScript, request::refuse, services};
use service::figures::RatingScope;

/// The ratings that a page shows, as its address states them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RatingsQuery {
    /// The name of the dimension.
    dimension: Option<String>,
    scope: RatingScope,
}

impl RatingsQuery {
    /// The query of the page's address.
    pub fn from_url() -> Self {
        use_query_map().with_untracked(|query| Self {
            dimension: query.get("dimension"),
            scope: match query.get("count").as_deref() {
                Some(CONSENSUS) => RatingScope::Consensus,
                Some(IN_WORK) => RatingScope::IncludingOpen,
                _ => RatingScope::HandedIn,
            },
        })
    }

    /// Loads the dimensions that these ratings can be on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load_dimensions(&self, study: &Study) -> Result<Vec<Dimension>, Refusal> {
        let dimensions = services().dimensions(study, self.rating_scope()).await;
        dimensions.map_err(refuse)
    }

    /// The requested dimension, or else the first one.
    pub fn dimension(&self, of: &[Dimension]) -> Dimension {
        let dimension = of
            .iter()
            .find(|candidate| Some(&candidate.name) == self.dimension.as_ref());
        dimension
            .or_else(|| of.first())
            .cloned()
            .unwrap_or_default()
    }

    /// The same choice as a query string, with the requested category.
    pub fn query(&self, category: Option<&str>) -> String {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let dimension = self.dimension.as_deref().unwrap_or_default();

        let mut query = format!(
            "dimension={}&category={}",
            encoded(dimension),
            encoded(category.unwrap_or_default())
        );

        let count = scope_value(self.scope);
        if !count.is_empty() {
            query += &format!("&count={count}");
        }
        query
    }

    /// The ratings that count.
    pub const fn rating_scope(&self) -> RatingScope {
        self.scope
    }
}

/// The value of `count` that includes sources in progress.
const IN_WORK: &str = "in-work";

/// The value of `count` for the raters' consensus.
const CONSENSUS: &str = "consensus";

const fn scope_value(scope: RatingScope) -> &'static str {
    match scope {
        RatingScope::HandedIn => "",
        RatingScope::IncludingOpen => IN_WORK,
        RatingScope::Consensus => CONSENSUS,
    }
}

/// The filter of ratings; a plain form that reloads the page, with scripts as soon as a choice changes.
#[component]
pub fn WhichRatingsForm(
    /// The address of the page.
    address: String,
    dimensions: Vec<Dimension>,
    /// The current choice.
    chosen: RatingsQuery,
    /// Whether the study has a consensus, whose figures can be shown.
    #[prop(optional)]
    has_consensus: bool,
    /// Additional fields of the page.
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
            <ScopeChoice scope=chosen.scope has_consensus/>
            <button>"Show"</button>
        </form>
        <FilterScript/>
    }
}

/// The script that sends filter forms as soon as a choice changes, placed after them. Without it their button does.
#[component]
pub fn FilterScript() -> impl IntoView {
    view! { <PageScript name="filters"/> }
}

/// The choice of the answers that count: a select if the study has a consensus, otherwise a checkbox.
#[component]
pub fn ScopeChoice(
    /// The current choice.
    #[prop(optional)]
    scope: RatingScope,
    /// Whether the study has a consensus.
    has_consensus: bool,
) -> impl IntoView {
    if has_consensus || scope == RatingScope::Consensus {
        let option = |own: RatingScope, words: &'static str| {
            view! { <option value=scope_value(own) selected=own == scope>{words}</option> }
        };
        return view! {
            <label class="field">
                <span>"Answers"</span>
                <select name="count">
                    {option(RatingScope::HandedIn, "of submitted sources")}
                    {option(RatingScope::IncludingOpen, "of sources in progress, too")}
                    {option(RatingScope::Consensus, "of the consensus")}
                </select>
            </label>
        }
        .into_any();
    }

    view! {
        <label class="choice">
            <input type="checkbox" name="count" value=IN_WORK checked=scope == RatingScope::IncludingOpen/>
            <span>"Include sources that are still in progress"</span>
        </label>
    }
    .into_any()
}
