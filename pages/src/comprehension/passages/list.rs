use std::{collections::HashMap, sync::Arc};

use domain::comprehension::{ChoiceTally, ItemFigures, PassagePurpose};
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_query_map;
use store::comprehension::{StoredPassage, StudyMaterial};

use super::{Answered, AnsweredHead, PassagesFacts, address, hardest::Hardest, purpose_title};
use crate::{
    charts::ChartDownloads,
    comprehension::sections::{ComprehensionSection, Sections},
};
use app::{
    components::{Pages, ShownFigure},
    error::Refusal,
    layout::{LiveSign, StudyTab, study_page},
    request::RequestAccess,
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
    let PassagesFacts {
        event,
        material,
        reading,
    } = PassagesFacts::load(access.study.id).await?;
    let slug = access.study.slug.to_string();

    Ok(view! {
        <div class="title-row">
            <h1>"Passages and questions"</h1>
            <LiveSign slug=slug.clone() event/>
        </div>
        <Sections slug=slug.clone() here=ComprehensionSection::Passages/>
        <div id="reading-passages" data-live>
            <PassageList slug material reading page/>
        </div>
        <ChartDownloads study=access.study.name.clone()/>
    })
}

#[component]
fn PassageList(
    slug: String,
    material: Arc<StudyMaterial>,
    reading: ShownFigure<Arc<StudyComprehension>>,
    page: usize,
) -> impl IntoView {
    let passages = &material.passages;
    let pages = passages.len().div_ceil(AT_ONCE).max(1);
    let page = page.clamp(1, pages);
    let shown = passages.iter().skip((page - 1) * AT_ONCE).take(AT_ONCE);

    let figures = reading
        .as_ref()
        .ok()
        .map(|reading| figures_by_name(reading));
    let row = |passage: &StoredPassage| {
        let figures = figures.as_ref();
        let figures = figures.and_then(|by_name| by_name.get(passage.passage.name.as_str()));
        let tally = figures.map_or_else(ChoiceTally::default, |figures| figures.all);
        view! { <Passage slug=slug.clone() of=passage.clone() tally/> }
    };
    let rows = shown.map(row).collect_view();

    let hardest = match reading {
        Ok(reading) if reading.answers.answers().is_empty() => None,
        Ok(reading) => Some(view! { <Hardest reading/> }.into_any()),
        Err(notice) => Some(notice),
    };
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

    view! { {hardest} {list} }
}

/// The figures of each passage, by its name.
fn figures_by_name(reading: &StudyComprehension) -> HashMap<&str, &ItemFigures> {
    let names = reading.answers.passages().iter().map(String::as_str);
    names.zip(&reading.passages).collect()
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

#[cfg(test)]
mod tests {
    use domain::{comprehension::Passage, ids::PassageId};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn passages_are_listed_even_if_no_figure_can_be_computed() {
        let passage = Passage {
            name: "ferry".parse().unwrap(),
            title: "The old ferry".to_owned(),
            texts: vec![],
            questions: vec![],
            spans: vec![],
            purpose: PassagePurpose::Main,
        };
        let stored = StoredPassage {
            id: PassageId(Uuid::nil()),
            given: true,
            passage,
            questions: vec![],
        };
        let material = Arc::new(StudyMaterial {
            conditions: vec![],
            passages: vec![stored],
        });
        let notice = view! { <p>"This figure cannot be computed"</p> }.into_any();

        let page = Owner::new().with(|| {
            let slug = "river".to_owned();
            view! { <PassageList slug material reading=Err(notice) page=1/> }.to_html()
        });
        assert!(page.contains("This figure cannot be computed"), "{page}");
        assert!(page.contains("ferry The old ferry"), "{page}");
    }
}
