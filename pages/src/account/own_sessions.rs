use leptos::prelude::*;
use store::SessionEntry;

use super::device::device_in_words;
use app::{
    api::{EndOtherSessions, EndSession},
    components::{Moment, MomentForm},
    enhanced::EnhancedForm,
    links, sessions,
};

/// The devices on which a person is signed in, this one first, with ways to sign the others out.
#[component]
pub fn OwnSessions(
    /// All sessions of the person.
    sessions: Vec<SessionEntry>,
    /// The token hash of the session that shows the page.
    here: String,
) -> impl IntoView {
    let (this, others): (Vec<_>, Vec<_>) = sessions
        .into_iter()
        .partition(|session| session.token_hash == here);
    let has_others = !others.is_empty();

    let row = |is_here| move |session: SessionEntry| view! { <Row session is_here/> };
    let rows = this.into_iter().map(row(true));
    let rows: Vec<_> = rows.chain(others.into_iter().map(row(false))).collect();

    let end_others = has_others.then(|| {
        let action = links::action::<EndOtherSessions>();
        view! {
            <EnhancedForm action=action>
                <button>"Sign out everywhere else"</button>
            </EnhancedForm>
        }
    });

    view! {
        <section aria-labelledby="sessions">
            <h2 id="sessions">"Where you are signed in"</h2>
            <p class="soft">
                {format!(
                    "If you do not know one of these devices, sign it out and change your password. {} days after \
                     signing in, each device asks for your password again.",
                    sessions::LONGEST_DAYS,
                )}
            </p>
            <div class="table-scroll" role="group" aria-labelledby="sessions" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"Device"</th>
                            <th scope="col">"Signed in"</th>
                            <th scope="col">"Last used"</th>
                            <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {end_others}
        </section>
    }
}

#[component]
fn Row(session: SessionEntry, is_here: bool) -> impl IntoView {
    let device = device_in_words(&session.user_agent);
    let (name, suffix) = (
        sessions::form_name(&session.token_hash),
        format!(" {device}"),
    );
    let end = (!is_here).then(|| {
        let action = links::action::<EndSession>();
        view! {
            <EnhancedForm action=action class="inline">
                <input type="hidden" name="session" value=name/>
                <button>"Sign out"<span class="visually-hidden">{suffix}</span></button>
            </EnhancedForm>
        }
    });
    let seen = if is_here {
        "now".into_any()
    } else {
        view! { <Moment ms=session.seen_at form=MomentForm::Relative/> }.into_any()
    };

    view! {
        <tr>
            <th scope="row" data-label="Device">
                {device}
                {is_here.then(|| view! { " " <span class="tag">"this device"</span> })}
            </th>
            <td data-label="Signed in"><Moment ms=session.created_at form=MomentForm::Relative/></td>
            <td data-label="Last used">{seen}</td>
            <td data-label="Actions">{end}</td>
        </tr>
    }
}
