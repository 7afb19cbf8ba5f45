use leptos::{either::Either, prelude::*};
use store::visibility::{HiddenOutput, HiddenSource};

use app::{api::SetVisibility, enhanced::EnhancedForm, links};

/// A button that hides, shows or deletes a source or one of its outputs.
#[component]
pub fn VisibilityForm(
    slug: String,
    source: String,
    /// The output; empty for the whole source.
    output: String,
    /// `hide`, `show` or `remove`.
    action: &'static str,
    /// The name of the source or output, for screen readers.
    what: String,
) -> impl IntoView {
    let title = match action {
        "hide" => "Hide",
        "show" => "Show",
        _ => "Permanently delete",
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

/// The actions to hide or delete a source or an output, for the lead.
#[component]
pub fn VisibilityActions(
    slug: String,
    source: String,
    /// The output; empty for the whole source.
    output: String,
    /// The name of the source or output.
    what: String,
    /// Whether no part of the source has been assigned or judged.
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
            <p class="soft">"It has been judged, so it cannot be deleted permanently."</p>
        }),
    };

    view! {
        <details class="take-out">
            <summary>{if whole { "Hide or delete this source" } else { "Hide or delete this output" }}</summary>
            <p class="soft">
                "Hidden items are not shown to annotators and not counted in figures or exports. Their answers \
                 are kept, and you can show them again."
            </p>
            <div class="actions">{form("hide")} {remove}</div>
        </details>
    }
}

/// The hidden sources, each with a button to show it again.
#[component]
pub fn HiddenSources(slug: String, hidden: Vec<HiddenSource>) -> impl IntoView {
    (!hidden.is_empty()).then(|| {
        let count = hidden.len();
        let item = |source: HiddenSource| {
            view! {
                <li>
                    <p class="text"><b>{source.key.clone()}</b> " " {source.text}</p>
                    <VisibilityForm
                        slug=slug.clone()
                        source=source.id.to_string()
                        output=String::new()
                        action="show"
                        what=format!("source {}", source.key)
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

/// The hidden outputs of a source, each with a button to show it again.
#[component]
pub fn HiddenOutputs(slug: String, source: String, hidden: Vec<HiddenOutput>) -> impl IntoView {
    (!hidden.is_empty()).then(|| {
        let count = hidden.len();
        let item = |output: HiddenOutput| {
            view! {
                <li>
                    <p class="text"><b>{output.system.clone()}</b> " " {output.text}</p>
                    <VisibilityForm
                        slug=slug.clone()
                        source=source.clone()
                        output=output.id.to_string()
                        action="show"
                        what=format!("output of {}", output.system)
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
