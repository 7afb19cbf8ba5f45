//! The log of changes: all of it for administrators, the part of one study for its leads.

mod query;
mod table;

use leptos::prelude::*;
use store::audit::{AuditEntry, AuditKind};

use self::{
    query::AuditQuery,
    table::{AuditForm, AuditTable},
};
use app::{
    error::Refusal,
    layout::{Page, StudyTab, require_admin, signed_in_page, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, refuse},
    services,
};

/// The number of entries on a page.
const AT_ONCE: usize = 100;

/// The log of the whole platform.
#[component]
pub fn AuditPage() -> impl IntoView {
    let query = AuditQuery::from_url();
    signed_in_page(require_admin, move |_| platform_log(query))
}

/// The log of a study.
#[component]
pub fn StudyLogPage() -> impl IntoView {
    let query = AuditQuery::from_url();
    study_page(
        "Log of changes",
        StudyTab::Log,
        RequestAccess::require_lead,
        move |access| study_log(access, query),
    )
}

async fn platform_log(query: AuditQuery) -> Result<impl IntoView, Refusal> {
    let (entries, older) = load(&query, None).await?;
    let address = links::to(links::AUDIT);
    let people = links::to(links::PEOPLE);
    let kinds = AuditKind::ALL.to_vec();

    Ok(view! {
        <Page title="Log of changes">
            <p class="crumb"><a href=people>"Accounts"</a></p>
            <h1>"Log of changes"</h1>
            <p class="soft">
                "Sign-ins, accounts, members, imports and exports, newest first. Entries are kept for two years."
            </p>
            <AuditForm query=query.clone() kinds/>
            <AuditTable entries for_admins=true/>
            <OtherEntries address query older/>
        </Page>
    })
}

async fn study_log(access: RequestAccess, query: AuditQuery) -> Result<impl IntoView, Refusal> {
    let (entries, older) = load(&query, Some(&access)).await?;
    let address = StudyPage::Log.address(&access.study.slug);
    let kinds = AuditKind::ALL.iter().copied();
    let kinds: Vec<_> = kinds.filter(|kind| kind.concerns_studies()).collect();

    Ok(view! {
        <h1>"Log of changes"</h1>
        <p class="soft">
            "Members, imports, exports and models of this study, newest first. Entries are kept for two years."
        </p>
        <AuditForm query=query.clone() kinds/>
        <AuditTable entries for_admins=false/>
        <OtherEntries address query older/>
    })
}

/// The entries of a page, of one study or of all, and the page of older ones, if there are any.
async fn load(
    query: &AuditQuery,
    access: Option<&RequestAccess>,
) -> Result<(Vec<AuditEntry>, Option<AuditQuery>), Refusal> {
    let filter = query.filter(access.map(|access| access.study.id));
    let limit = u32::try_from(AT_ONCE + 1).unwrap_or(u32::MAX);
    let entries = services().store.audit_entries(&filter, limit).await;
    let mut entries = entries.map_err(refuse)?;
    let has_older = entries.len() > AT_ONCE;
    entries.truncate(AT_ONCE);
    let last = entries.last().filter(|_| has_older);
    let older = last.map(|entry| query.before(Some(entry.id)));
    Ok((entries, older))
}

/// Links to the newest entries, from a page of others, and to older ones.
#[component]
fn OtherEntries(
    address: String,
    query: AuditQuery,
    /// The page of older entries, if there are any.
    older: Option<AuditQuery>,
) -> impl IntoView {
    let newest = query.before.is_some().then(|| query.before(None));
    let link = move |query: AuditQuery, label: &'static str| {
        let address = query.address(&address);
        view! { <a class="button" href=address>{label}</a> }
    };

    (newest.is_some() || older.is_some()).then(|| {
        view! {
            <nav class="pages" aria-label="Pages">
                {newest.map(|query| link(query, "Newest"))}
                {older.map(|query| link(query, "Older"))}
            </nav>
        }
    })
}
