use domain::crowd::{CrowdEnd, CrowdSettings};
use leptos::prelude::*;
use store::crowd::CrowdRater;

use crate::{
    api::{EraseParticipant, ExcludeReader, IncludeReader},
    components::{Field, format_duration},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

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

/// The forms that exclude a crowd rater, let them continue, and erase them.
#[component]
pub(super) fn CrowdRaterForms(slug: String, raters: Vec<CrowdRater>) -> impl IntoView {
    let options_for = |is_listed: &dyn Fn(&CrowdRater) -> bool| {
        let those = raters.iter().filter(|rater| is_listed(rater));
        let option = |rater: &CrowdRater| {
            view! { <option value=rater.id.to_string()>{rater.label.clone()}</option> }.into_any()
        };
        let options: Vec<_> = those.map(option).collect();
        (!options.is_empty()).then_some(options)
    };
    let can_exclude = |rater: &CrowdRater| {
        matches!(
            rater.end,
            None | Some(CrowdEnd::Completed | CrowdEnd::Paused | CrowdEnd::Lapsed)
        )
    };
    let can_go_on = |rater: &CrowdRater| {
        matches!(
            rater.end,
            Some(CrowdEnd::Paused | CrowdEnd::FailedChecks | CrowdEnd::Excluded | CrowdEnd::Lapsed)
        )
    };
    let exclude =
        options_for(&can_exclude).map(|options| view! { <Exclude slug=slug.clone() options/> });
    let go_on = options_for(&can_go_on).map(|options| view! { <GoOn slug=slug.clone() options/> });
    let erase = options_for(&|_| true).map(|options| view! { <EraseForm slug options/> });
    view! { {exclude} {go_on} {erase} }
}

#[component]
fn Exclude(slug: String, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<ExcludeReader>();
    view! {
        <EnhancedForm action=action class="card side-by-side" label="Exclude a crowd rater">
            <input type="hidden" name="slug" value=slug/>
            <Field id="exclude" label="Exclude">
                <select id="exclude" name="participant">{options}</select>
            </Field>
            <Field id="reason" label="Reason">
                <input id="reason" name="reason" required maxlength="200" autocomplete="off"/>
            </Field>
            <button>"Exclude"</button>
        </EnhancedForm>
    }
}

#[component]
fn GoOn(slug: String, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<IncludeReader>();
    view! {
        <EnhancedForm action=action class="card side-by-side" label="Let a crowd rater continue">
            <input type="hidden" name="slug" value=slug/>
            <Field id="include" label="Let continue">
                <select id="include" name="participant">{options}</select>
            </Field>
            <button>"Let continue"</button>
        </EnhancedForm>
    }
}

#[component]
fn EraseForm(slug: String, options: Vec<AnyView>) -> impl IntoView {
    let action = links::action::<EraseParticipant>();
    view! {
        <details class="leave">
            <summary>"Erase a crowd rater"</summary>
            <p>
                "Deletes the crowd rater with all of their ratings, times, comments and the IDs of their platform. You \
                 cannot undo this. To keep the ratings but leave them out of the figures, exclude the crowd rater \
                 instead. Backups made before still hold the data."
            </p>
            <EnhancedForm action=action label="Erase a crowd rater">
                <input type="hidden" name="slug" value=slug/>
                <Field id="erase" label="Erase">
                    <select id="erase" name="participant">{options}</select>
                </Field>
                <p class="choice">
                    <input id="erase-sure" type="checkbox" name="sure" value="yes" required/>
                    <label for="erase-sure">"Yes, erase this crowd rater"</label>
                </p>
                <div class="actions"><button class="danger">"Erase"</button></div>
            </EnhancedForm>
        </details>
    }
}
