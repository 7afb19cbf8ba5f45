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
    links,
    request::{RequestAccess, access},
};

/// The pages of a study that are always at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyTab {
    /// How far the study is.
    Overview,
    /// Its sources and outputs.
    Sources,
    /// Bringing files in.
    Import,
    /// Its members, invitations and assignments.
    People,
    /// What its lead sets.
    Settings,
    /// How far raters agree.
    Agreement,
    /// How each rater went about it.
    Quality,
    /// How good systems are.
    Systems,
    /// How metrics agree with people.
    Metrics,
    /// Every rating.
    Ratings,
    /// Reading comprehension.
    Reading,
    /// Taking the dataset out.
    Export,
    /// What an annotator has to do.
    Work,
    /// How to judge.
    Guidelines,
}

impl StudyTab {
    /// The pages for somebody of that role, in the order in which they are shown; `None` is an
    /// administrator who is no member.
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

    fn path(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::Sources => "/sources",
            Self::Import => "/import",
            Self::People => "/members",
            Self::Settings => "/settings",
            Self::Agreement => "/agreement",
            Self::Quality => "/quality",
            Self::Systems => "/systems",
            Self::Metrics => "/metrics",
            Self::Ratings => "/ratings",
            Self::Reading => "/reading",
            Self::Export => "/export",
            Self::Work => "/work",
            Self::Guidelines => "/guidelines",
        }
    }
}

/// A page of the study that the address names (`/s/:slug/…`), for whoever passes `may`: the
/// header with the study's name and its tabs, and `content` below. Everybody else is led to sign
/// in, or told why not.
///
/// ```text
/// #[component]
/// pub fn Members() -> impl IntoView {
///     study_page("People", Tab::People, Access::leads, members)
/// }
///
/// async fn members(access: Access) -> Result<impl IntoView, Refusal> { … }
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
        let address = links::to(&format!("/s/{}{}", access.study.slug, tab.path()));
        let current = (*tab == here).then_some("page");
        view! { <li><a href=address aria-current=current>{tab.label()}</a></li> }
    };
    let links = StudyTab::for_role(access.role)
        .iter()
        .map(link)
        .collect_view();
    view! { <nav class="tabs" aria-label="Study"><ul>{links}</ul></nav> }.into_any()
}
