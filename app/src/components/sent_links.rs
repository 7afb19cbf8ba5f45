use domain::rater_groups::RaterGroup;
use leptos::prelude::*;
use store::{Invitation, InvitationTarget};

use super::{Moment, MomentForm, role_title};
use crate::{api::RevokeInvitation, enhanced::EnhancedForm, links};

/// The links that a lead has made, with a way to revoke them.
#[component]
pub fn SentLinks(
    slug: String,
    /// The links, newest first.
    made: Vec<Invitation>,
    /// Now, in milliseconds since 1970.
    now: i64,
    /// The groups of annotators.
    #[prop(optional)]
    groups: Vec<RaterGroup>,
    /// The id of the heading above.
    labelled_by: &'static str,
) -> impl IntoView {
    let joins = made
        .iter()
        .any(|invitation| matches!(invitation.target, InvitationTarget::Membership(_)));
    let has_groups = !groups.is_empty();

    let row = |invitation: Invitation| {
        let works = invitation.check(now).is_ok();
        let group = groups
            .iter()
            .find(|group| Some(&group.id) == invitation.group.as_ref());
        let group = group.map(|group| group.name.clone());
        let name = if invitation.label.is_empty() {
            "unnamed".to_owned()
        } else {
            invitation.label.clone()
        };

        let revoke = works.then(
            || view! { <Revoke slug=slug.clone() hash=invitation.token_hash.clone() name=name.clone()/> },
        );
        view! {
            <tr class:past=!works>
                <th scope="row" data-label="Label">{name}</th>
                {joins.then(|| view! { <td data-label="Role">{become_title(invitation.target)}</td> })}
                {has_groups.then(|| view! { <td data-label="Group">{group}</td> })}
                <td data-label="State">{state(&invitation, now)}</td>
                <td data-label="Made"><Moment ms=invitation.created_at form=MomentForm::Relative/></td>
                <td data-label="Works until"><Moment ms=invitation.expires_at/></td>
                <td data-label="Actions">{revoke}</td>
            </tr>
        }
    };

    view! {
        <div class="table-scroll" role="group" aria-labelledby=labelled_by tabindex="0">
            <table class="fold">
                <thead>
                    <tr>
                        <th scope="col">"Label"</th>
                        {joins.then(|| view! { <th scope="col">"Role"</th> })}
                        {has_groups.then(|| view! { <th scope="col">"Group"</th> })}
                        <th scope="col">"State"</th>
                        <th scope="col">"Made"</th>
                        <th scope="col">"Works until"</th>
                        <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody>{made.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

/// The form that revokes a link.
#[component]
fn Revoke(slug: String, hash: String, name: String) -> impl IntoView {
    let action = links::action::<RevokeInvitation>();
    view! {
        <EnhancedForm action=action class="inline" label=format!("Revoke the link {name}")>
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="invitation" value=hash/>
            <button>"Revoke"</button>
        </EnhancedForm>
    }
}

/// The state of a link, with the number of people it still works for.
fn state(it: &Invitation, now: i64) -> String {
    if it.revoked_at.is_some() {
        "revoked".to_owned()
    } else if it.expires_at <= now {
        "expired".to_owned()
    } else {
        match it.uses_left {
            ..=0 => "used up".to_owned(),
            1 => "works for one more person".to_owned(),
            left => format!("works for {left} more people"),
        }
    }
}

/// The displayed name of the role that a link gives.
fn become_title(opens: InvitationTarget) -> &'static str {
    match opens {
        InvitationTarget::Membership(role) => role_title(role),
        InvitationTarget::Comprehension => "Participant",
        InvitationTarget::Crowd => "Crowd rater",
    }
}
