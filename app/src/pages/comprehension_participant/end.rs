use domain::comprehension::ComprehensionSettings;
use leptos::prelude::*;
use store::comprehension::{ExitReason, ParticipantSession};

use crate::{api::FinishSession, components::Field, islands::EnhancedForm, links};

/// After the last text: a comment, and the end.
#[component]
pub(super) fn Finish(back: bool, texts: usize) -> impl IntoView {
    let back = back.then(|| {
        view! { <a href=links::to(&format!("/read?text={texts}"))>"Back to the last text"</a> }
    });
    let action = links::action::<FinishSession>();
    view! {
        <h1>"You have read all texts"</h1>
        <EnhancedForm action=action class="card" label="Finish">
            <Field id="comment" label="Is there anything that you want to say? (You need not.)">
                <textarea id="comment" name="comment" rows="4"></textarea>
            </Field>
            <div class="actions">
                {back}
                <button class="primary">"Finish"</button>
            </div>
        </EnhancedForm>
    }
}

/// What is said once a session is over.
#[component]
pub(super) fn Ended(settings: ComprehensionSettings, session: ParticipantSession) -> impl IntoView {
    let said = match session.left {
        Some(ExitReason::Withdrawn) => "You have withdrawn. Your answers are not used.",
        Some(ExitReason::Excluded) => "This session has ended.",
        Some(ExitReason::Lapsed) => {
            "This session has ended, because nothing happened in it for long. Your texts were given to \
             somebody else."
        }
        None => "All your answers are stored.",
    };
    let finished = session.left.is_none();
    let code = (finished && !settings.completion_code.is_empty()).then(|| {
        view! { <p>"Your completion code is " <code class="code">{settings.completion_code}</code></p> }
    });
    let onward = (finished && !settings.return_link.is_empty()).then(|| {
        view! {
            <p class="actions">
                <a class="button primary" href=settings.return_link rel="noreferrer">"Go back to where you came from"</a>
            </p>
        }
    });
    view! {
        <h1>"Thank you"</h1>
        <p class="lead">{said}</p>
        {code}
        {onward}
    }
}
