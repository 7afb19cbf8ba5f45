use domain::{comprehension::ComprehensionSettings, platform_id::platform_at};
use leptos::prelude::*;
use store::comprehension::{ExitReason, ParticipantSession};

use app::{
    api::{EraseReader, FinishSession},
    components::{Field, TextArea},
    enhanced::EnhancedForm,
    links,
};

/// The end of a session: an optional comment, and the button to finish.
#[component]
pub(super) fn FinishForm(back: bool, texts: usize) -> impl IntoView {
    let back = back.then(|| {
        view! { <a href=links::to(&links::read_text(texts))>"Back to the last text"</a> }
    });
    let action = links::action::<FinishSession>();

    view! {
        <h1>"You have read all texts"</h1>
        <EnhancedForm action=action class="card" label="Finish">
            <Field id="comment" label="Is there anything you would like to tell us? (optional)">
                <TextArea id="comment" name="comment" rows=4 value=""/>
            </Field>
            <div class="actions">
                {back}
                <button class="primary">"Finish"</button>
            </div>
        </EnhancedForm>
    }
}

/// The message after a session has ended.
#[component]
pub(super) fn SessionEnded(
    settings: ComprehensionSettings,
    session: ParticipantSession,
    /// Whether the study is closed.
    closed: bool,
) -> impl IntoView {
    let message = match session.left {
        Some(ExitReason::Withdrawn) => {
            "You have withdrawn. Your answers are not used, but they are still stored."
        }
        Some(ExitReason::Excluded) => "This session has ended.",
        Some(ExitReason::Lapsed) => {
            "This session has ended because there was no activity for a long time. Your texts were given to \
             another reader."
        }
        Some(ExitReason::ScreenedOut) => {
            "This study is looking for other people, so you cannot take part in it. Thank you for your interest."
        }
        Some(ExitReason::QuotaFull) => {
            "All places in this study are taken. Thank you for your interest."
        }
        None => "All your answers have been saved.",
    };

    let finished = session.left.is_none();
    let (named, code) = match session.left {
        None => ("Your completion code is ", settings.completion_code),
        Some(ExitReason::ScreenedOut | ExitReason::QuotaFull) => {
            ("Your code is ", settings.screened_out_code)
        }
        Some(_) => ("", String::new()),
    };
    let code = (!code.is_empty()).then(|| {
        view! { <p>{named} <code class="code">{code}</code></p> }
    });
    let onward = (finished && !settings.return_link.is_empty()).then(|| {
        let platform = platform_at(&settings.return_link);
        view! {
            <p class="actions">
                <a class="button primary" href=settings.return_link rel="noreferrer">"Return to " {platform}</a>
            </p>
        }
    });

    view! {
        <h1>"Thank you"</h1>
        <p class="lead">{message}</p>
        {code}
        {onward}
        {(!closed).then(|| view! { <EraseForm/> })}
    }
}

/// The form that erases a participant's data after their session has ended.
#[component]
fn EraseForm() -> impl IntoView {
    let action = links::action::<EraseReader>();

    view! {
        <details class="leave">
            <summary>"Erase my answers"</summary>
            <p>
                "Deletes your answers and everything else that is stored of you in this study. You cannot \
                 undo this. It works in this browser, and only until the study is closed. Afterwards ask \
                 the people who run the study."
            </p>
            <form method="post" action=action>
                <button class="danger">"Erase my answers"</button>
            </form>
        </details>
    }
}
