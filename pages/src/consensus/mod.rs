//! Sources that several raters submitted, and how far they agree on one judgement.

mod question;
mod source;

use std::sync::Arc;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use store::consensus::{ConsensusEntry, ConsensusState};

pub use self::source::SourceConsensusPage;
use crate::rater_names::RaterNames;
use app::{
    components::{Moment, Pages, page_number},
    error::Refusal,
    layout::{StudyTab, study_page},
    links::StudyPage,
    request::{RequestAccess, refuse},
    services,
};
use service::wording::{count_noun, list_words};

/// The number of sources on a page.
const AT_ONCE: usize = 50;

/// The sources on which raters can agree. Annotators see their own.
#[component]
pub fn ConsensusPage() -> impl IntoView {
    let page = use_query_map().with_untracked(page_number);
    study_page(
        "Consensus",
        StudyTab::Consensus,
        require_part,
        async move |access| content(access, page).await,
    )
}

/// Admits people who may read panels, and annotators if the study lets them agree.
fn require_part(access: &RequestAccess) -> Result<(), Refusal> {
    if access.require_panel_access().is_ok() {
        return Ok(());
    }
    access.require_annotator()?;
    match access.study.settings.annotators_agree {
        true => Ok(()),
        false => Err(Refusal::NotAllowed),
    }
}

/// The sources of a study on which the person may see a consensus.
async fn visible_consensus_list(
    access: &RequestAccess,
) -> Result<Arc<Vec<ConsensusEntry>>, Refusal> {
    let (services, study) = (services(), access.study.id);
    let store = &services.store;
    let entries = match access.require_panel_access() {
        Ok(()) => services.live.consensus_list(store, study).await,
        Err(_) => {
            let own = store.own_consensus_list(study, access.person.id).await;
            own.map(Arc::new)
        }
    };
    entries.map_err(refuse)
}

async fn content(access: RequestAccess, page: usize) -> Result<impl IntoView, Refusal> {
    let visible = visible_consensus_list(&access).await?;
    let names = RaterNames::load(&access).await?;
    let mut entries: Vec<_> = visible.iter().collect();
    // First the ones to continue, then those to begin; finished ones need no work.
    entries.sort_by_key(|entry| match entry.state {
        ConsensusState::Open => 0,
        ConsensusState::NotBegun => 1,
        ConsensusState::Agreed(_) => 2,
    });

    let in_state = |state: fn(ConsensusState) -> bool| {
        let entries = entries.iter();
        entries.filter(|entry| state(entry.state)).count()
    };
    let agreed = in_state(|state| matches!(state, ConsensusState::Agreed(_)));
    let open = in_state(|state| state == ConsensusState::Open);

    let pages = entries.len().div_ceil(AT_ONCE).max(1);
    let page = page.min(pages);
    let slug = access.study.slug.to_string();
    let shown = entries.iter().skip((page - 1) * AT_ONCE).take(AT_ONCE);
    let row = |entry: &&ConsensusEntry| entry_row(&slug, (*entry).clone(), &names);
    let body = if entries.is_empty() {
        view! {
            <section class="empty">
                <h2>"Nothing to agree on yet"</h2>
                <p>"A source appears here as soon as two annotators have submitted it."</p>
            </section>
        }
        .into_any()
    } else {
        view! {
            <dl class="facts">
                <div><dt>"Sources with two raters or more"</dt><dd>{entries.len()}</dd></div>
                <div><dt>"Begun"</dt><dd>{open}</dd></div>
                <div><dt>"Finished"</dt><dd>{agreed}</dd></div>
            </dl>
            <div class="table-scroll" role="group" aria-label="Sources" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Source"</th>
                            <th scope="col">"Submitted by"</th>
                            <th scope="col">"Consensus"</th>
                            <th scope="col"><span class="visually-hidden">"Open"</span></th>
                        </tr>
                    </thead>
                    <tbody>{shown.map(row).collect_view()}</tbody>
                </table>
            </div>
        }
        .into_any()
    };

    let hint = (access.require_lead().is_ok() && !access.study.settings.annotators_agree).then(|| {
        let settings = StudyPage::ProtocolSettings.address(&slug);
        view! {
            <p class="soft">
                "At the moment only leads can begin a consensus. To let annotators agree by themselves, turn it on under "
                <a href=settings>"Protocol"</a> "."
            </p>
        }
    });

    let address = StudyPage::Consensus.address(&slug);

    Ok(view! {
        <h1>"Consensus"</h1>
        <p class="lead">
            "Raters who submitted the same source look at their answers together and agree on one judgement. \
             Their own answers stay as they are, and figures can be shown for either."
        </p>
        {hint}
        {body}
        <Pages address=format!("{address}?") page pages/>
    })
}

fn entry_row(slug: &str, entry: ConsensusEntry, names: &RaterNames) -> impl IntoView + use<> {
    let address = StudyPage::SourceConsensus(entry.source).address(slug);
    let raters = entry.raters.iter();
    let raters: Vec<_> = raters.map(|rater| names.label(&rater.label)).collect();

    let (state, action) = match entry.state {
        ConsensusState::NotBegun => ("not begun".into_any(), "Begin"),
        ConsensusState::Open => ("begun".into_any(), "Continue"),
        ConsensusState::Agreed(at) => (
            view! { "finished " <Moment ms=at/> }.into_any(),
            "Look at it",
        ),
    };
    let label = format!("{action}: {}", entry.key);

    view! {
        <tr>
            <th scope="row" data-label="Source">{entry.key}</th>
            <td data-label="Submitted by">{list_words(&raters)}</td>
            <td data-label="Consensus">{state}</td>
            <td><a class="button" href=address aria-label=label>{action}</a></td>
        </tr>
    }
}

/// The link on an annotator's home to the sources on which they can agree with others.
#[component]
pub fn AgreeWithOthers(slug: String, entries: Vec<ConsensusEntry>) -> impl IntoView {
    let left = entries
        .iter()
        .filter(|entry| !matches!(entry.state, ConsensusState::Agreed(_)))
        .count();
    let sentence = match left {
        0 => "You and others agree on all sources that you submitted together.".to_owned(),
        left => format!(
            "Others submitted {} that you submitted, too. Look at your answers together and agree on one judgement.",
            count_noun(left, "source")
        ),
    };
    let address = StudyPage::Consensus.address(&slug);

    (!entries.is_empty()).then(|| {
        view! {
            <section class="agree-with-others">
                <h2>"Agree with others"</h2>
                <p>{sentence}</p>
                <p><a class="button" href=address>"Show these sources"</a></p>
            </section>
        }
    })
}
