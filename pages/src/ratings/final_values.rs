use domain::{category::Category, ids::OutputId, score::RatingScale, study::Dimension};
use leptos::prelude::*;
use store::final_values::{FinalAnswer, FinalValue};

use super::output::format_rating;
use app::{
    api::{MakeGoldItem, RecordFinalValue},
    components::Moment,
    links,
};

/// The rights of the person who looks at an output.
#[derive(Debug, Clone, Copy)]
pub(super) struct FinalValueRights {
    /// Whether they may record final values.
    pub decides: bool,
    /// Whether they may make training items.
    pub makes_items: bool,
}

/// The final values of an output, and the forms to record one and to use them.
#[component]
pub(super) fn FinalValues(
    slug: String,
    output: OutputId,
    /// The dimension that the page is about.
    dimension: Dimension,
    /// The scale of the study's first dimension, on which expected ratings are.
    first: Dimension,
    /// The final values of the output.
    decided: Vec<FinalValue>,
    rights: FinalValueRights,
    /// The query of the page.
    query: String,
) -> impl IntoView {
    let on = |name: &str| {
        decided.iter().find_map(|decision| match &decision.answer {
            FinalAnswer::Value(own, value) if own == name => Some((*value, &decision.reason)),
            _ => None,
        })
    };
    let category = decided.iter().find_map(|decision| match decision.answer {
        FinalAnswer::Category(category) => Some((category, &decision.reason)),
        FinalAnswer::Value(..) => None,
    });

    let value = on(&dimension.name);
    let reason = value.map(|(_, reason)| reason);
    let reason = reason.or(category.map(|(_, reason)| reason));
    let is_usable = on(&first.name).is_some() || category.is_some();

    let current = CurrentDecision {
        value: value.map(|(value, _)| value),
        category: category.map(|(category, _)| category),
        reason: reason.cloned().unwrap_or_default(),
    };

    let form = rights.decides.then(|| {
        let (slug, query) = (slug.clone(), query.clone());
        view! { <FinalValueForm slug output dimension current query/> }
    });
    let gold = (rights.makes_items && is_usable)
        .then(|| view! { <GoldItemForm slug output scale=first.scale/> });

    view! {
        {decided.into_iter().map(decision_line).collect_view()}
        {form}
        {gold}
    }
}

/// A final value with its reason, the person who decided it and the time.
fn decision_line(decision: FinalValue) -> impl IntoView {
    let what = match decision.answer {
        FinalAnswer::Value(dimension, value) => {
            format!("Final value ({dimension}): {}", format_rating(value))
        }
        FinalAnswer::Category(category) => format!("Final category: {}", category.title()),
    };
    let who = decision.decided_by;
    let who = who.unwrap_or_else(|| "a former lead".to_owned());
    let reason = (!decision.reason.is_empty()).then(|| format!(" · {}", decision.reason));

    view! {
        <p class="final-value">
            <strong>{what}</strong>
            <span class="soft">" by " {who} ", " <Moment ms=decision.decided_at/> {reason}</span>
        </p>
    }
}

/// The current decision on a dimension.
#[derive(Debug, Clone)]
struct CurrentDecision {
    value: Option<f64>,
    category: Option<Category>,
    reason: String,
}

impl CurrentDecision {
    const fn is_none(&self) -> bool {
        self.value.is_none() && self.category.is_none()
    }
}

/// The form that records a final value, and the one that removes it.
#[component]
fn FinalValueForm(
    slug: String,
    output: OutputId,
    dimension: Dimension,
    current: CurrentDecision,
    query: String,
) -> impl IntoView {
    let action = links::action::<RecordFinalValue>();
    let summary = match current.is_none() {
        true => "Record a final value…",
        false => "Change the final value…",
    };

    let hidden = {
        let dimension = dimension.name.clone();
        move || {
            view! {
                <input type="hidden" name="slug" value=slug.clone()/>
                <input type="hidden" name="output" value=output.to_string()/>
                <input type="hidden" name="dimension" value=dimension.clone()/>
                <input type="hidden" name="query" value=query.clone()/>
            }
        }
    };

    let removal = (!current.is_none()).then(|| {
        view! {
            <form method="post" action=action.clone()>
                {hidden()}
                <button>"Remove it"</button>
            </form>
        }
    });

    let chosen = current.category;
    let option = move |category: Category| {
        view! { <option value=category.name() selected=chosen == Some(category)>{category.title()}</option> }
    };
    let scale = dimension.scale;
    let label = format!(
        "Final value ({}, {} to {})",
        dimension.name, scale.low, scale.high
    );

    view! {
        <details class="ask">
            <summary>{summary}</summary>
            <form method="post" action=action>
                {hidden()}
                <label class="field">
                    <span>{label}</span>
                    <input
                        name="value"
                        type="number"
                        step="any"
                        min=scale.low
                        max=scale.high
                        value=current.value.map(|value| value.to_string())
                    />
                </label>
                <label class="field">
                    <span>"Final category (optional)"</span>
                    <select name="category">
                        <option value="">"No decision"</option>
                        {Category::ALL.map(option)}
                    </select>
                </label>
                <label class="field">
                    <span>"Reason (optional)"</span>
                    <input name="reason" maxlength="300" value=current.reason/>
                </label>
                <p class="soft">
                    "A final value is kept next to the ratings. It changes no rating, and no figure uses it. \
                     Exports have it in columns of its own."
                </p>
                <button>"Save the final value"</button>
            </form>
            {removal}
        </details>
    }
}

/// The form that makes the output's source a training, qualification or attention item.
#[component]
fn GoldItemForm(slug: String, output: OutputId, scale: RatingScale) -> impl IntoView {
    let action = links::action::<MakeGoldItem>();
    let width = scale.high - scale.low;

    view! {
        <details class="ask">
            <summary>"Use as a qualification or attention item…"</summary>
            <form method="post" action=action>
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="output" value=output.to_string()/>
                <label class="field">
                    <span>"Purpose"</span>
                    <select name="purpose">
                        <option value="qualification">"qualification"</option>
                        <option value="attention">"attention"</option>
                        <option value="training">"training"</option>
                        <option value="tutorial">"tutorial"</option>
                    </select>
                </label>
                <label class="field">
                    <span>"A rating is right within ± points"</span>
                    <input name="tolerance" type="number" min="0" max=width value=width / 10/>
                </label>
                <p class="soft">
                    "Makes a copy of this source with all of its outputs that have a final value. The final values become \
                     the expected answers, and the reasons their explanations. The source itself stays as it is."
                </p>
                <button>"Make the item"</button>
            </form>
        </details>
    }
}
