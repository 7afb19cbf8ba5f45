use std::collections::HashMap;

use domain::comprehension::{ChoiceTally, ItemFigures, PassagePurpose};
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_query_map;
use store::comprehension::StoredPassage;

use super::{Answered, AnsweredHead, address, hardest::Hardest, purpose_title};
use crate::{
    charts::ChartDownloads,
    comprehension::sections::{ComprehensionSection, Sections},
};
use app::{
    components::Pages,
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    request::{RequestAccess, refuse},
    services,
};
use service::figures::comprehension::StudyComprehension;

/// The number of passages on a page.
const AT_ONCE: usize = 50;

/// All passages, and the hardest of them.
#[component]
pub fn ReadingPassagesPage() -> impl IntoView {
    let page = use_query_map().with_untracked(|query| query.get("page"));
    let page = page.and_then(|page| page.parse().ok()).unwrap_or(1);
    study_page(
        "Passages and questions",
        StudyTab::Reading,
        RequestAccess::require_panel_access,
        async move |access| content(access, page).await,
    )
}

async fn content(access: RequestAccess, page: usize) -> Result<impl IntoView, Refusal> {
    let services = services();
    let reading = StudyComprehension::load(&services.live, &services.store, access.study.id).await;
    let reading = reading.map_err(refuse)?;
    let slug = access.study.slug.to_string();

    let passages = &reading.material.passages;
    let pages = passages.len().div_ceil(AT_ONCE).max(1);
    let page = page.clamp(1, pages);
    let shown = passages.iter().skip((page - 1) * AT_ONCE).take(AT_ONCE);

    let names = reading.answers.passages().iter().map(String::as_str);
    let figures: HashMap<&str, &ItemFigures> = names.zip(&reading.passages).collect();
    let row = |passage: &StoredPassage| {
        let tally = figures.get(passage.passage.name.as_str());
        let tally = tally.map_or_else(ChoiceTally::default, |figures| figures.all);
        view! { <Passage slug=slug.clone() of=passage.clone() tally/> }
    };
    let rows = shown.map(row).collect_view();

    let hardest = (!reading.answers.answers().is_empty())
        .then(|| view! { <Hardest reading=reading.clone()/> });
    let all = ComprehensionSection::Passages.address(&slug) + "?all";
    let list = if passages.is_empty() {
        Either::Left(view! {
            <p class="empty">"There is nothing to read yet. A lead can import passages on the summary page."</p>
        })
    } else {
        Either::Right(view! {
            <section aria-labelledby="all-passages">
                <h2 id="all-passages">"All passages"</h2>
                <div class="table-scroll" role="group" aria-labelledby="all-passages" tabindex="0">
                    <table class="fold">
                        <AnsweredHead rows="Passage"/>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
                <Pages address=all page pages/>
            </section>
        })
    };

    Ok(view! {
        <div class="title-row">
            <h1>"Passages and questions"</h1>
            <LiveSign slug=slug.clone() event=reading.event/>
        </div>
        <Sections slug here=ComprehensionSection::Passages/>
        <div id="reading-passages" data-live>{hardest} {list}</div>
        <ChartDownloads study=access.study.name.clone()/>
    })
}

#[component]
fn Passage(slug: String, of: StoredPassage, tally: ChoiceTally) -> impl IntoView {
    let purpose = match of.passage.purpose {
        PassagePurpose::Main => String::new(),
        other => format!(" ({})", purpose_title(other)),
    };
    let name = format!("{} {}{purpose}", of.passage.name, of.passage.title);
    view! { <Answered name link=Some(address(&slug, of.id)) of=tally/> }
}
