use domain::{rater_groups::RaterGroup, study::Role};
use leptos::prelude::*;
use store::Invitation;

use app::{
    api::Invite,
    components::{Field, GroupChoice, SentLinks, role_title},
    enhanced::EnhancedForm,
    links,
};

/// Links for joining: the form to make one, and the links made so far.
#[component]
pub fn Invitations(
    slug: String,
    /// The links made so far, newest first.
    invitations: Vec<Invitation>,
    /// The current time in milliseconds since 1970.
    now: i64,
    /// The groups of annotators.
    groups: Vec<RaterGroup>,
) -> impl IntoView {
    let list = if invitations.is_empty() {
        view! {
            <p class="empty">
                "No links have been made yet. Make one and send it to the people who should join. They choose a \
                 name and a password when they follow it."
            </p>
        }
        .into_any()
    } else {
        view! { <SentLinks slug=slug.clone() made=invitations now groups=groups.clone() labelled_by="invitations"/> }
            .into_any()
    };

    view! {
        <section aria-labelledby="invitations">
            <h2 id="invitations">"Invitations"</h2>
            <InvitationForm slug groups/>
            {list}
        </section>
    }
}

/// The form that makes a link.
#[component]
fn InvitationForm(slug: String, groups: Vec<RaterGroup>) -> impl IntoView {
    let action = links::action::<Invite>();
    let option = |role: Role| {
        let annotator = role == Role::Annotator;
        view! { <option value=role.name() selected=annotator>{role_title(role)}</option> }
    };

    view! {
        <EnhancedForm action=action class="card side-by-side" label="Make an invitation link">
            <input type="hidden" name="slug" value=slug/>
            <Field id="invite-role" label="Role">
                <select id="invite-role" name="role">
                    {Role::ALL.iter().copied().rev().map(option).collect_view()}
                </select>
            </Field>
            <GroupChoice id="invite-group" groups/>
            <Field id="invite-label" label="Label">
                <input
                    id="invite-label"
                    name="label"
                    maxlength="80"
                    placeholder="such as a course"
                    autocomplete="off"
                />
            </Field>
            <Field id="invite-uses" label="Number of people">
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
            <Field id="invite-days" label="Days it works">
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
