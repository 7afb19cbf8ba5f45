use domain::study::Role;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{
    Page,
    refusal::refusal_page,
    scripts::{KeepUnsaved, ShowTab},
};
use crate::{
    error::Refusal,
    links::StudyPage,
    request::{RequestAccess, access},
};

/// The tabs of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyTab {
    Overview,
    Sources,
    Import,
    People,
    Settings,
    Agreement,
    Quality,
    Systems,
    Metrics,
    Ratings,
    Reading,
    Export,
    /// The annotator's home.
    Work,
    Guidelines,
}

impl StudyTab {
    /// The tabs for a role, in order; `None` is an administrator who is not a member.
    fn for_role(role: Option<Role>) -> &'static [Self] {
        match role {
            None | Some(Role::Lead) => &[
                Self::Overview,
                Self::Sources,
                Self::Import,
                Self::People,
                Self::Settings,
                Self::Agreement,
                Self::Quality,
                Self::Systems,
                Self::Metrics,
                Self::Ratings,
                Self::Reading,
                Self::Export,
            ],
            Some(Role::Researcher) => &[
                Self::Overview,
                Self::Sources,
                Self::Agreement,
                Self::Quality,
                Self::Systems,
                Self::Metrics,
                Self::Ratings,
                Self::Reading,
                Self::Export,
            ],
            Some(Role::Annotator) => &[Self::Work, Self::Guidelines],
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Sources => "Sources",
            Self::Import => "Import",
            Self::People => "People",
            Self::Settings => "Settings",
            Self::Agreement => "Agreement",
            Self::Quality => "Quality",
            Self::Systems => "Systems",
            Self::Metrics => "Metrics",
            Self::Ratings => "Ratings",
            Self::Reading => "Reading",
            Self::Export => "Export",
            Self::Work => "Work",
            Self::Guidelines => "Guidelines",
        }
    }

    fn page(self) -> StudyPage<'static> {
        match self {
            Self::Overview => StudyPage::Overview,
            Self::Sources => StudyPage::Sources,
            Self::Import => StudyPage::Import,
            Self::People => StudyPage::Members,
            Self::Settings => StudyPage::Settings,
            Self::Agreement => StudyPage::Agreement,
            Self::Quality => StudyPage::Quality,
            Self::Systems => StudyPage::Systems,
            Self::Metrics => StudyPage::Metrics,
            Self::Ratings => StudyPage::Ratings,
            Self::Reading => StudyPage::Reading,
            Self::Export => StudyPage::Export,
            Self::Work => StudyPage::Work,
            Self::Guidelines => StudyPage::Guidelines,
        }
    }
}

/// A page of the study that the address names (`/s/:slug/…`), for people who pass `may`: the header with
/// the study's name and its tabs, and `content` below. Others are led to sign in, or see the reason.
///
/// ```text
/// #[component]
/// pub fn Members() -> impl IntoView {
///     study_page("People", StudyTab::People, RequestAccess::require_lead, members)
/// }
///
/// async fn members(access: RequestAccess) -> Result<impl IntoView, Refusal> { … }
/// ```
pub fn study_page<Content, Answer, View>(
    title: &'static str,
    tab: StudyTab,
    may: fn(&RequestAccess) -> Result<(), Refusal>,
    content: Content,
) -> impl IntoView
where
    Content: FnOnce(RequestAccess) -> Answer + Send + 'static,
    Answer: Future<Output = Result<View, Refusal>> + Send + 'static,
    View: IntoView + 'static,
{
    let slug = use_params_map().with_untracked(|params| params.get("slug"));
    Suspend::new(async move {
        let answer = async {
            let access = access(&slug.unwrap_or_default()).await?;
            may(&access)?;
            let (place, tabs) = (access.study.name.clone(), tabs(&access, tab));
            let leads = access.require_lead().is_ok();
            Ok((place, tabs, leads, content(access).await?))
        };
        match answer.await {
            Ok((place, tabs, leads, content)) => {
                let title = format!("{title} · {place}");
                let keep_unsaved = leads.then(|| view! { <KeepUnsaved/> });
                view! {
                    <Page title place tabs>
                        {content}
                        {keep_unsaved}
                        <ShowTab/>
                    </Page>
                }
                .into_any()
            }
            Err(refusal) => refusal_page(&refusal),
        }
    })
}

fn tabs(access: &RequestAccess, here: StudyTab) -> AnyView {
    let link = |tab: &StudyTab| {
        let address = tab.page().address(&access.study.slug);
        let current = (*tab == here).then_some("page");
        view! { <li><a href=address aria-current=current>{tab.label()}</a></li> }
    };
    let links = StudyTab::for_role(access.role)
        .iter()
        .map(link)
        .collect_view();
    view! { <nav class="tabs" aria-label="Study"><ul>{links}</ul></nav> }.into_any()
}
