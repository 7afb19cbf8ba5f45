use leptos::{either::Either, prelude::*};
use store::visibility::{HiddenOutput, HiddenSource};

use crate::{api::SetVisibility, islands::EnhancedForm, links};

/// A button that hides, shows or removes a source, or one output of it.
#[component]
pub fn VisibilityForm(
    /// The study's short name.
    slug: String,
    /// The source.
    source: String,
    /// The output; empty for the source.
    output: String,
    /// `hide`, `show` or `remove`.
    action: &'static str,
    /// What it is about, for those who do not see where the button stands.
    what: String,
) -> impl IntoView {
    let title = match action {
        "hide" => "Hide",
        "show" => "Show again",
        _ => "Remove for good",
    };
    let post = links::action::<SetVisibility>();
    view! {
        <EnhancedForm action=post class="inline" label=format!("{title}: {what}")>
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="source" value=source/>
            <input type="hidden" name="output" value=output/>
            <input type="hidden" name="change" value=action/>
            <button class:danger=action == "remove">
                {title}<span class="visually-hidden">{format!(" {what}")}</span>
            </button>
        </EnhancedForm>
    }
}

/// The ways to take a source or an output out of the study, for its lead.
#[component]
pub fn TakeOut(
    /// The study's short name.
    slug: String,
    /// The source.
    source: String,
    /// The output; empty for the source.
    output: String,
    /// What it is about.
    what: String,
    /// Whether nobody has or judged anything of the source.
    untouched: bool,
) -> impl IntoView {
    let whole = output.is_empty();
    let form = |action| {
        view! {
            <VisibilityForm
                slug=slug.clone()
                source=source.clone()
                output=output.clone()
                action
                what=what.clone()
            />
        }
    };
    let remove = match untouched {
        true => Either::Left(form("remove")),
        false => Either::Right(view! {
            <p class="soft">"It was judged, so it cannot be removed for good."</p>
        }),
    };
    view! {
        <details class="take-out">
            <summary>{if whole { "Take this source out" } else { "Take this output out" }}</summary>
            <p class="soft">
                "Nobody is given what is hidden, and no figure or export has it. What was said of it is \
                 kept, and it can be shown again."
            </p>
            <div class="actions">{form("hide")} {remove}</div>
        </details>
    }
}

/// The sources that were hidden, each with the way to show it again.
#[component]
pub fn HiddenSources(slug: String, hidden: Vec<HiddenSource>) -> impl IntoView {
    (!hidden.is_empty()).then(|| {
        let count = hidden.len();
        let item = |of: HiddenSource| {
            view! {
                <li>
                    <p class="text"><b>{of.key.clone()}</b> " " {of.text}</p>
                    <VisibilityForm
                        slug=slug.clone()
                        source=of.id.to_string()
                        output=String::new()
                        action="show"
                        what=format!("source {}", of.key)
                    />
                </li>
            }
        };
        view! {
            <details class="hidden-parts">
                <summary>{format!("Hidden sources ({count})")}</summary>
                <ul>{hidden.into_iter().map(item).collect_view()}</ul>
            </details>
        }
    })
}

/// The outputs of a source that were hidden, each with the way to show it again.
#[component]
pub fn HiddenOutputs(slug: String, source: String, hidden: Vec<HiddenOutput>) -> impl IntoView {
    (!hidden.is_empty()).then(|| {
        let count = hidden.len();
        let item = |of: HiddenOutput| {
            view! {
                <li>
                    <p class="text"><b>{of.system.clone()}</b> " " {of.text}</p>
                    <VisibilityForm
                        slug=slug.clone()
                        source=source.clone()
                        output=of.id.to_string()
                        action="show"
                        what=format!("output of {}", of.system)
                    />
                </li>
            }
        };
        view! {
            <details class="hidden-parts">
                <summary>{format!("Hidden outputs ({count})")}</summary>
                <ul>{hidden.into_iter().map(item).collect_view()}</ul>
            </details>
        }
    })
}
