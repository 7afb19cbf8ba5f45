use domain::study::Role;
use leptos::prelude::*;
use store::{Member, Study, overview::Overview};

use crate::links;

/// What the study needs before annotators can begin, each with the way to it; nothing where it
/// lacks nothing.
#[component]
pub fn Lacks(
    /// The study.
    study: Study,
    /// What it holds.
    holds: Overview,
    /// Who belongs to it.
    members: Vec<Member>,
) -> impl IntoView {
    let annotators = members.iter().any(|member| member.role == Role::Annotator);
    let missing = missing(&study, &holds, annotators);
    if missing.is_empty() {
        return ().into_any();
    }
    let item = |it: &Missing| {
        let address = links::to(&format!("/s/{}{}", study.slug, it.page));
        view! {
            <li>
                <a href=address>{it.todo}</a>
                <span class="soft">" " {it.why}</span>
            </li>
        }
    };
    view! {
        <section class="card lacks" aria-labelledby="lacks">
            <h2 id="lacks">"Before annotators can begin"</h2>
            <ol>{missing.iter().map(item).collect_view()}</ol>
        </section>
    }
    .into_any()
}

/// One thing that is missing.
#[derive(Debug, PartialEq, Eq)]
struct Missing {
    todo: &'static str,
    why: &'static str,
    page: &'static str,
}

fn missing(study: &Study, holds: &Overview, annotators: bool) -> Vec<Missing> {
    let mut missing = vec![];
    if holds.sources == 0 {
        missing.push(Missing {
            todo: "Import sources and system outputs",
            why: "There is nothing to judge yet.",
            page: "/import",
        });
    }
    if study.guidelines.is_empty() {
        missing.push(Missing {
            todo: "Write the guidelines",
            why: "Raters who follow the same rules agree better.",
            page: "/settings#texts",
        });
    }
    if !annotators && holds.raters.is_empty() {
        missing.push(Missing {
            todo: "Invite annotators",
            why: "Nobody is there to judge.",
            page: "/members#invitations",
        });
    }
    missing
}
