use domain::study::Role;
use leptos::prelude::*;
use store::Invitation;

use crate::{
    api::Invite,
    components::{Field, SentLinks, role_title},
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
        view! { <SentLinks slug=slug.clone() made=invitations now labelled_by="invitations"/> }
            .into_any()
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
