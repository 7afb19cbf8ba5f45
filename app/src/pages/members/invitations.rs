use domain::study::Role;
use leptos::prelude::*;
use store::Invitation;

use super::people::role_title;
use crate::{
    api::{Invite, RevokeInvitation},
    components::{Field, Moment},
    islands::EnhancedForm,
    links,
};

/// Links by which people join: making one, and those that were made.
#[component]
pub fn Invitations(
    /// The study's short name.
    slug: String,
    /// Those that were made, newest first.
    invitations: Vec<Invitation>,
    /// Now, in milliseconds since 1970.
    now: i64,
) -> impl IntoView {
    let list = if invitations.is_empty() {
        view! {
            <p class="empty">
                "No link has been made yet. Make one, and send it to those who shall join: whoever \
                 follows it chooses a name and a password."
            </p>
        }
        .into_any()
    } else {
        view! { <Made slug=slug.clone() invitations now/> }.into_any()
    };
    view! {
        <section aria-labelledby="invitations">
            <h2 id="invitations">"Invitations"</h2>
            <Make slug/>
            {list}
        </section>
    }
}

/// The form that makes a link.
#[component]
fn Make(slug: String) -> impl IntoView {
    let action = links::action::<Invite>();
    let option = |role: Role| {
        let annotator = role == Role::Annotator;
        view! { <option value=role.name() selected=annotator>{role_title(role)}</option> }
    };
    view! {
        <EnhancedForm action=action class="card side-by-side" label="Make an invitation link">
            <input type="hidden" name="slug" value=slug/>
            <Field id="invite-role" label="They become">
                <select id="invite-role" name="role">
                    {Role::ALL.iter().copied().rev().map(option).collect_view()}
                </select>
            </Field>
            <Field id="invite-label" label="Called">
                <input
                    id="invite-label"
                    name="label"
                    maxlength="80"
                    placeholder="such as a course"
                    autocomplete="off"
                />
            </Field>
            <Field id="invite-uses" label="For how many people">
                <input
                    id="invite-uses"
                    name="uses"
                    type="number"
                    min="1"
                    max="1000"
                    value="1"
                    required
                    class="short"
                />
            </Field>
            <Field id="invite-days" label="Works for days">
                <input
                    id="invite-days"
                    name="days"
                    type="number"
                    min="1"
                    max="365"
                    value="14"
                    required
                    class="short"
                />
            </Field>
            <button class="primary">"Make a link"</button>
        </EnhancedForm>
    }
}

/// The links that were made, and the way to take one back.
#[component]
fn Made(slug: String, invitations: Vec<Invitation>, now: i64) -> impl IntoView {
    let row = |it: Invitation| {
        let works = it.check(now).is_ok();
        let name = if it.label.is_empty() {
            "without a name".to_owned()
        } else {
            it.label.clone()
        };
        let revoke = works.then(
            || view! { <Revoke slug=slug.clone() hash=it.token_hash.clone() name=name.clone()/> },
        );
        view! {
            <tr class:past=!works>
                <th scope="row" data-label="Called">{name}</th>
                <td data-label="They become">{role_title(it.role)}</td>
                <td data-label="State">{state(&it, now)}</td>
                <td data-label="Made"><Moment ms=it.created_at/></td>
                <td data-label="Works until"><Moment ms=it.expires_at/></td>
                <td data-label="Actions">{revoke}</td>
            </tr>
        }
    };
    view! {
        <div class="table-scroll" role="group" aria-labelledby="invitations" tabindex="0">
            <table class="fold">
                <thead>
                    <tr>
                        <th scope="col">"Called"</th>
                        <th scope="col">"They become"</th>
                        <th scope="col">"State"</th>
                        <th scope="col">"Made"</th>
                        <th scope="col">"Works until"</th>
                        <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody>{invitations.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

/// The form that takes a link back.
#[component]
fn Revoke(slug: String, hash: String, name: String) -> impl IntoView {
    let action = links::action::<RevokeInvitation>();
    view! {
        <EnhancedForm action=action class="inline" label=format!("Take the link {name} back")>
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="invitation" value=hash/>
            <button>"Take back"</button>
        </EnhancedForm>
    }
}

/// Whether a link works, and for how many people.
fn state(it: &Invitation, now: i64) -> String {
    if it.revoked_at.is_some() {
        "taken back".to_owned()
    } else if it.expires_at <= now {
        "expired".to_owned()
    } else {
        match it.uses_left {
            ..=0 => "used up".to_owned(),
            1 => "open for one person".to_owned(),
            left => format!("open for {left} people"),
        }
    }
}
