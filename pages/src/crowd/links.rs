use domain::rater_groups::RaterGroup;
use leptos::prelude::*;
use store::{Invitation, InvitationTarget};

use app::{
    api::Invite,
    components::{Field, GroupChoice, SentLinks},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
};

/// Links for crowd raters: the form to make one, and the links made so far.
#[component]
pub(super) fn CrowdLinks(
    slug: String,
    made: Vec<Invitation>,
    now: i64,
    /// Whether there is an information sheet to agree to.
    informed: bool,
    /// Whether crowd raters may begin.
    is_open: bool,
    /// The groups of annotators.
    groups: Vec<RaterGroup>,
) -> impl IntoView {
    let texts = StudyPage::TextSettings.address(&slug);
    let form = if informed {
        view! { <MakeLink slug=slug.clone() groups=groups.clone()/> }.into_any()
    } else {
        view! {
            <p class="caution">
                "There is no information sheet yet that crowd raters can agree to: " <a href=texts>"write it"</a>
                " before you make a link."
            </p>
        }
        .into_any()
    };

    let list = (!made.is_empty()).then(|| {
        view! { <SentLinks slug made now groups labelled_by="links"/> }
    });
    let closed = (informed && !is_open).then(|| {
        view! {
            <p class="soft">
                "The study is closed to crowd raters: nobody new can begin by a link until you open it below."
            </p>
        }
    });

    view! {
        <section aria-labelledby="links">
            <h2 id="links">"Links"</h2>
            <p>
                "No account is needed to follow a link, and each person takes part once. With a new link come the addresses to \
                 paste into Prolific, MTurk and SONA, which put their IDs in; other platforms can use the parameters "
                <code>"participant"</code> ", " <code>"study"</code> " and " <code>"session"</code>
                ". To renew a link, revoke it and make another."
            </p>
            {closed}
            {form}
            {list}
        </section>
    }
}

#[component]
fn MakeLink(slug: String, groups: Vec<RaterGroup>) -> impl IntoView {
    let action = links::action::<Invite>();

    view! {
        <EnhancedForm action=action class="card side-by-side" label="Make a link for crowd raters">
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="role" value=InvitationTarget::Crowd.name()/>
            <GroupChoice id="link-group" groups/>
            <Field id="link-label" label="Label">
                <input id="link-label" name="label" maxlength="80" autocomplete="off"/>
            </Field>
            <Field id="link-uses" label="Number of people">
                <input id="link-uses" name="uses" type="number" min="1" max="10000" value="20" required class="short"/>
            </Field>
            <Field id="link-days" label="Days it works">
                <input id="link-days" name="days" type="number" min="1" max="365" value="30" required class="short"/>
            </Field>
            <button class="primary">"Make a link"</button>
        </EnhancedForm>
    }
}
