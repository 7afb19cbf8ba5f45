use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use super::{
    Page,
    refusal::refusal_page,
    scripts::{Commands, KeepUnsaved, ShowTab},
    tabs::{StudyTab, study_tabs},
};
use crate::{
    error::Refusal,
    request::{RequestAccess, access},
};

/// A page of the study that the address names (`/s/:slug/…`), for people who pass `may`: the header with the
/// study's name and its tabs, and `content` below. Others are redirected to sign in, or see the reason.
///
/// ```text
/// #[component]
/// pub fn Members() -> impl IntoView {
///     study_page("Members", StudyTab::People, RequestAccess::require_lead, members)
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

            let place = access.study.name.clone();
            let tabs = study_tabs(access.study.slug.as_str(), access.role, tab);
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
                        <Commands/>
                    </Page>
                }
                .into_any()
            }
            Err(refusal) => refusal_page(&refusal),
        }
    })
}
