use domain::{
    crowd::{CrowdEnd, CrowdSettings},
    platform_id::platform_at,
};
use leptos::prelude::*;
use store::crowd::CrowdRater;

use app::{
    api::FinishCrowd,
    components::{Field, TextArea},
    enhanced::EnhancedForm,
    error::Refusal,
    links,
    request::{RequestAccess, refuse},
    services,
};

/// The end of a crowd rater's work, for their page of the study; `None` while it continues.
pub async fn find_ended_work(access: &RequestAccess) -> Result<Option<AnyView>, Refusal> {
    let rater = services().store.crowd_rater(access.person.id).await;
    let rater = rater.map_err(refuse)?.filter(|rater| rater.end.is_some());
    let crowd = access.study.settings.crowd.clone();
    Ok(rater.map(|rater| view! { <CrowdWorkEnded crowd rater/> }.into_any()))
}

/// The form that ends a crowd rater's work and gives them their code.
#[component]
pub fn FinishWork(slug: String) -> impl IntoView {
    let action = links::action::<FinishCrowd>();
    view! {
        <p>"You are done: there is nothing more for you to judge."</p>
        <EnhancedForm action=action label="Finish">
            <input type="hidden" name="slug" value=slug/>
            <Field id="comment" label="Is there anything you would like to tell us? (optional)">
                <TextArea id="comment" name="comment" rows=4 value=""/>
            </Field>
            <div class="actions"><button class="primary">"Finish"</button></div>
        </EnhancedForm>
    }
}

/// The message after a crowd rater's work has ended, with the code and the way back.
#[component]
pub fn CrowdWorkEnded(crowd: CrowdSettings, rater: CrowdRater) -> impl IntoView {
    let end = rater.end.unwrap_or(CrowdEnd::Completed);
    let message = match end {
        CrowdEnd::Completed => "All your answers have been saved.",
        CrowdEnd::ScreenedOut => {
            "This study is looking for other people, so you cannot take part in it. Thank you for your interest."
        }
        CrowdEnd::QuotaFull => "All places in this study are taken. Thank you for your interest.",
        CrowdEnd::FailedChecks => {
            "Some of your answers did not fit the texts that they were about, so your work in this study has ended."
        }
        CrowdEnd::Paused => {
            "Some of your answers did not fit the texts that they were about. You get no more texts until the people \
             who run this study have looked at them."
        }
        CrowdEnd::Withdrawn => {
            "You have withdrawn. Your answers are not used, but they are still stored."
        }
        CrowdEnd::Excluded => "Your work in this study has ended.",
        CrowdEnd::Lapsed => {
            "You were away for a long time, and another person has your place. The answers that you submitted are kept."
        }
    };

    let code = crowd.codes.code(end).map(str::to_owned);
    let code = code.map(|code| {
        view! { <p>"Your code is " <code class="code">{code}</code></p> }
    });
    let onward = crowd.return_address(end).map(|address| {
        let platform = platform_at(&address);
        view! {
            <p class="actions">
                <a class="button primary" href=address rel="noreferrer">"Return to " {platform}</a>
            </p>
        }
    });

    view! {
        <h1>"Thank you"</h1>
        <p class="lead">{message}</p>
        {code}
        {onward}
    }
}
