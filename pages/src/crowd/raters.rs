use domain::crowd::{CrowdEnd, CrowdSettings};
use leptos::prelude::*;
use store::crowd::CrowdRater;

use crate::participant_forms::{ListedParticipant, ParticipantForms, ParticipantWords};
use app::{components::format_duration, links::StudyPage};

/// The crowd raters, with their ids, states and codes.
#[component]
pub(super) fn CrowdRaters(
    slug: String,
    raters: Vec<CrowdRater>,
    crowd: CrowdSettings,
) -> impl IntoView {
    if raters.is_empty() {
        return view! {
            <p class="empty">"Nobody has come yet. Set it up below, make a link, and send it."</p>
        }
        .into_any();
    }

    let row = |rater: CrowdRater| {
        let code = rater
            .end
            .and_then(|end| crowd.codes.code(end))
            .unwrap_or("–");
        view! {
            <tr class:past=rater.end.is_some_and(|end| end != CrowdEnd::Completed)>
                <th scope="row" data-label="Crowd rater">{rater.label.clone()}</th>
                <td data-label="Platform’s ID">{platform_ids(&rater)}</td>
                <td data-label="Pseudonym">{rater.pseudonym.clone().unwrap_or_else(|| "–".to_owned())}</td>
                <td data-label="Answers">{rater.screening.join(", ")}</td>
                <td data-label="State">{describe_end(&rater)}</td>
                <td data-label="Sources" class="number">{rater.done}</td>
                <td data-label="Active" class="number">{format_duration(rater.active_ms)}</td>
                <td data-label="Code">{code.to_owned()}</td>
            </tr>
        }
    };

    let pay_sheet = StudyPage::PaySheet.address(&slug);
    let comments: Vec<_> = raters
        .iter()
        .filter(|rater| !rater.comment.is_empty())
        .map(|rater| {
            view! { <li><b>{rater.label.clone()}</b> ": " {rater.comment.clone()}</li> }
        })
        .collect();
    let comments = (!comments.is_empty()).then(|| {
        view! { <h3>"Comments at the end"</h3> <ul>{comments}</ul> }
    });

    view! {
        <section aria-labelledby="raters">
            <h2 id="raters">"Who came"</h2>
            <div class="table-scroll" role="group" aria-labelledby="raters" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Crowd rater"</th>
                            <th scope="col">"Platform’s ID"</th>
                            <th scope="col">"Pseudonym"</th>
                            <th scope="col">"Answers"</th>
                            <th scope="col">"State"</th>
                            <th scope="col" class="number">"Sources"</th>
                            <th scope="col" class="number">"Active"</th>
                            <th scope="col">"Code"</th>
                        </tr>
                    </thead>
                    <tbody>{raters.into_iter().map(row).collect_view()}</tbody>
                </table>
            </div>
            {comments}
            <p class="actions">
                <a class="button" href=pay_sheet download="">"Download the pay sheet"</a>
                <span class="soft">"With the platform’s IDs, to pay people by. Other exports hold pseudonyms only."</span>
            </p>
        </section>
    }
    .into_any()
}

/// The platform's id of a crowd rater.
pub fn platform_ids(of: &CrowdRater) -> String {
    of.platform_id.clone().unwrap_or_else(|| "–".to_owned())
}

/// The state of a crowd rater, in words.
pub fn describe_end(of: &CrowdRater) -> String {
    let why = |state: &str| match of.reason.as_str() {
        "" => state.to_owned(),
        reason => format!("{state}: {reason}"),
    };
    match of.end {
        None => "at work".to_owned(),
        Some(CrowdEnd::Completed) => "finished".to_owned(),
        Some(CrowdEnd::ScreenedOut) => "screened out".to_owned(),
        Some(CrowdEnd::QuotaFull) => "came when all places were taken".to_owned(),
        Some(CrowdEnd::FailedChecks | CrowdEnd::Excluded) => why("excluded"),
        Some(CrowdEnd::Paused) => why("paused"),
        Some(CrowdEnd::Withdrawn) => "withdrew".to_owned(),
        Some(CrowdEnd::Lapsed) => "gave up".to_owned(),
    }
}

const WORDS: ParticipantWords = ParticipantWords {
    one: "a crowd rater",
    this: "this crowd rater",
    include: "Let continue",
    include_heading: "Let a crowd rater continue",
    erase: "Deletes the crowd rater with all of their ratings, times, comments and the IDs of their platform. You cannot \
            undo this. To keep the ratings but leave them out of the figures, exclude the crowd rater instead. Backups \
            made before still hold the data.",
};

/// The forms that exclude a crowd rater, let them continue, and erase them.
#[component]
pub(super) fn CrowdRaterForms(slug: String, raters: Vec<CrowdRater>) -> impl IntoView {
    let listed = |rater: CrowdRater| ListedParticipant {
        can_be_excluded: matches!(
            rater.end,
            None | Some(CrowdEnd::Completed | CrowdEnd::Paused | CrowdEnd::Lapsed)
        ),
        can_be_included: matches!(
            rater.end,
            Some(CrowdEnd::Paused | CrowdEnd::FailedChecks | CrowdEnd::Excluded | CrowdEnd::Lapsed)
        ),
        id: rater.id,
        label: rater.label,
    };
    let participants = raters.into_iter().map(listed).collect();
    view! { <ParticipantForms slug words=WORDS participants/> }
}
