use domain::study::{SourcePurpose, WantedRaters};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use service::{wording::count_noun, written_texts::AdoptionPlan};
use store::{SourceEntry, SourceProgress};

use super::{purpose_title, visibility::HiddenSources, written_texts::WrittenSummary};
use app::{
    components::{FilterScript, Pages, page_number},
    error::Refusal,
    layout::{StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};

/// The number of sources on a page.
const AT_ONCE: usize = 50;

/// The search and its page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct SourceListQuery {
    words: String,
    purpose: Option<SourcePurpose>,
    /// The page, from 1.
    page: usize,
}

/// The sources of a study.
#[component]
pub fn SourcesPage() -> impl IntoView {
    let query = use_query_map().with_untracked(|query| SourceListQuery {
        words: query.get("q").unwrap_or_default().trim().to_owned(),
        purpose: query.get("purpose").and_then(|name| name.parse().ok()),
        page: page_number(query),
    });
    study_page(
        "Sources",
        StudyTab::Sources,
        RequestAccess::require_panel_access,
        move |access| sources(access, query),
    )
}

async fn sources(access: RequestAccess, wanted: SourceListQuery) -> Result<impl IntoView, Refusal> {
    let services = services();
    let all = services.live.source_list(&services.store, access.study.id);
    let all = all.await.map_err(refuse)?;
    let slug = access.study.slug.to_string();
    let leads = access.require_lead().is_ok();

    let hidden = match leads {
        true => services.store.hidden_sources(access.study.id).await,
        false => Ok(vec![]),
    };
    let hidden = hidden.map_err(refuse)?;
    if all.is_empty() && hidden.is_empty() {
        return Ok(view! { <NoSources slug leads/> }.into_any());
    }

    let count = all.len();
    let raters = access.study.settings.wanted_raters();
    let progress = describe_progress(&all, &raters);

    let matching = wanted.matching(&all);
    let hits = matching.len();
    let pages = hits.div_ceil(AT_ONCE).max(1);
    let page = wanted.page.min(pages);
    let shown: Vec<_> = matching
        .into_iter()
        .skip((page - 1) * AT_ONCE)
        .take(AT_ONCE)
        .cloned()
        .collect();

    let writing = match access.study.settings.protocol.write_step().cloned() {
        Some(step) => {
            let plan = AdoptionPlan::load(&services.store, &access.study).await;
            let (slug, plan) = (slug.clone(), plan.map_err(refuse)?);
            Some(view! { <WrittenSummary slug step plan leads/> })
        }
        None => None,
    };

    Ok(view! {
        <h1>"Sources"</h1>
        <p class="soft">{progress}</p>
        {writing}
        <Search wanted=wanted.clone() hits count/>
        {if shown.is_empty() {
            view! { <p class="empty">"No source contains these words. Try others."</p> }.into_any()
        } else {
            view! { <Table slug=slug.clone() shown wanted=raters/> }.into_any()
        }}
        <Pages address=wanted.address(&slug) page pages/>
        <HiddenSources slug hidden/>
    }
    .into_any())
}

impl SourceListQuery {
    /// The sources that contain all the words in their text or key, ignoring case.
    fn matching<'a>(&self, sources: &'a [SourceEntry]) -> Vec<&'a SourceEntry> {
        let words: Vec<_> = self
            .words
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let fits = |source: &&SourceEntry| {
            let text = format!("{} {}", source.key, source.text).to_lowercase();
            self.purpose.is_none_or(|purpose| purpose == source.purpose)
                && words.iter().all(|word| text.contains(word.as_str()))
        };
        sources.iter().filter(fits).collect()
    }

    /// The address of the same search.
    fn address(&self, slug: &str) -> String {
        let words: String = utf8_percent_encode(&self.words, NON_ALPHANUMERIC).collect();
        let purpose = self.purpose.map_or("", SourcePurpose::name);
        let list = StudyPage::Sources.address(slug);
        format!("{list}?q={words}&purpose={purpose}")
    }
}

/// The message before anything is imported.
#[component]
fn NoSources(slug: String, leads: bool) -> impl IntoView {
    let import = StudyPage::Import.address(&slug);
    let next = if leads {
        view! {
            <p><a class="button primary" href=import>"Import a file"</a></p>
        }
        .into_any()
    } else {
        view! { <p>"The study's lead can import them."</p> }.into_any()
    };

    view! {
        <h1>"Sources"</h1>
        <div class="empty">
            <p>"This study has no sources yet: no texts to simplify, and no systems' outputs."</p>
            {next}
        </div>
    }
}

/// The progress of the sources that are judged, in the overview's words.
fn describe_progress(sources: &[SourceEntry], wanted: &WantedRaters) -> String {
    let main: Vec<_> = sources
        .iter()
        .filter(|source| source.purpose == SourcePurpose::Main)
        .map(|source| source.progress(wanted))
        .collect();

    let count = |progress| main.iter().filter(|other| **other == progress).count();
    format!(
        "{} to judge: {} done, {} begun, {} not started.",
        count_noun(main.len(), "source"),
        count(SourceProgress::Done),
        count(SourceProgress::InProgress),
        count(SourceProgress::NotStarted),
    )
}

/// The search form.
#[component]
fn Search(wanted: SourceListQuery, hits: usize, count: usize) -> impl IntoView {
    let count_text = if hits == count {
        count_noun(count, "source")
    } else {
        format!("{hits} of {count} sources")
    };
    let option = |purpose: SourcePurpose| {
        view! {
            <option value=purpose.name() selected=wanted.purpose == Some(purpose)>
                {purpose_title(purpose)}
            </option>
        }
    };

    view! {
        <form class="search" role="search">
            <input
                type="search"
                name="q"
                aria-label="Words in the source"
                placeholder="words in the source"
                value=wanted.words.clone()
            />
            <select name="purpose" aria-label="Purpose">
                <option value="">"all"</option>
                {SourcePurpose::ALL.iter().copied().map(option).collect_view()}
            </select>
            <button>"Search"</button>
            <span class="soft" role="status">{count_text}</span>
        </form>
        <FilterScript/>
    }
}

/// A row for each source.
#[component]
fn Table(slug: String, shown: Vec<SourceEntry>, wanted: WantedRaters) -> impl IntoView {
    let row = |source: SourceEntry| {
        let address = StudyPage::Source(source.id).address(&slug);
        let mut raters = match source.purpose {
            SourcePurpose::Main => {
                let (filled, all) = (
                    source.filled(&wanted),
                    wanted.for_source(source.own_overlap),
                );
                match source.handed_in - i64::from(filled) {
                    0 => format!("{filled} of {all}"),
                    more => format!("{filled} of {all} + {more} more"),
                }
            }
            _ => source.handed_in.to_string(),
        };

        if source.imported_raters > 0 {
            raters += &format!(" + {} from files", source.imported_raters);
        }
        let main = source.purpose == SourcePurpose::Main;

        view! {
            <tr>
                <th scope="row" data-label="Source"><a href=address>{source.key}</a></th>
                <td class="excerpt" data-label="Text">{source.text}</td>
                <td data-label="Purpose">
                    <span class=if main { "" } else { "tag" }>{purpose_title(source.purpose)}</span>
                </td>
                <td data-label="References" class="number">{source.references}</td>
                <td data-label="Outputs" class="number">{source.outputs}</td>
                <td data-label="In progress" class="number">{source.open}</td>
                <td data-label="Raters" class="number">{raters}</td>
            </tr>
        }
    };

    view! {
        <div class="table-scroll" role="group" aria-label="Sources" tabindex="0">
            <table class="fold sources">
                <thead>
                    <tr>
                        <th scope="col">"Source"</th>
                        <th scope="col">"Text"</th>
                        <th scope="col">"Purpose"</th>
                        <th scope="col" class="number">"References"</th>
                        <th scope="col" class="number">"Outputs"</th>
                        <th scope="col" class="number">"In progress"</th>
                        <th scope="col" class="number">"Raters"</th>
                    </tr>
                </thead>
                <tbody>{shown.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::SourceId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn the_progress_is_told_as_on_the_overview() {
        let source = |handed_in, imported_raters, open, purpose| SourceEntry {
            id: SourceId(Uuid::nil()),
            key: String::new(),
            text: String::new(),
            purpose,
            references: 0,
            outputs: 0,
            handed_in,
            handed_in_groups: vec![],
            imported_raters,
            open,
            is_in_use: false,
            own_overlap: None,
        };
        let mut sources = vec![
            source(2, 0, 0, SourcePurpose::Main),
            source(1, 4, 0, SourcePurpose::Main),
            source(0, 4, 0, SourcePurpose::Main),
            source(0, 0, 1, SourcePurpose::Main),
            source(0, 0, 1, SourcePurpose::Training),
        ];
        assert_eq!(
            describe_progress(&sources, &2.into()),
            "4 sources to judge: 1 done, 2 begun, 1 not started."
        );
        (sources[0].own_overlap, sources[1].own_overlap) = (Some(3), Some(1));
        sources.push(sources[0].clone());
        assert_eq!(
            describe_progress(&sources, &2.into()),
            "5 sources to judge: 1 done, 3 begun, 1 not started."
        );
    }

    #[test]
    fn a_source_is_found_by_all_its_words_in_any_case() {
        let source = |key: &str, text: &str, purpose| SourceEntry {
            id: SourceId(Uuid::nil()),
            key: key.into(),
            text: text.into(),
            purpose,
            references: 0,
            outputs: 0,
            handed_in: 0,
            handed_in_groups: vec![],
            imported_raters: 0,
            open: 0,
            is_in_use: false,
            own_overlap: None,
        };
        let all = || {
            vec![
                source("1", "The old Ferry.", SourcePurpose::Main),
                source("2", "A ferry boat", SourcePurpose::Training),
            ]
        };
        let check = |words: &str, purpose, keys: &[&str]| {
            let query = SourceListQuery {
                words: words.into(),
                purpose,
                page: 1,
            };
            let sources = all();
            let matching = query.matching(&sources).into_iter();
            let actual: Vec<_> = matching.map(|entry| &entry.key).collect();
            assert_eq!(actual, keys, "{words}");
        };
        check("", None, &["1", "2"]);
        check("ferry OLD", None, &["1"]);
        check("ferry", Some(SourcePurpose::Training), &["2"]);
        check("harbour", None, &[]);
    }
}
