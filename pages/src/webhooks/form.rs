use std::collections::BTreeSet;

use leptos::prelude::*;
use service::webhooks::AllowedAddresses;
use store::webhooks::NoticeKind;

use super::describe_allowed;
use app::{api::AddWebhook, enhanced::EnhancedForm, links};

/// The form that adds a webhook.
#[component]
pub(super) fn AddForm(slug: String, allowed: AllowedAddresses) -> impl IntoView {
    let action = links::action::<AddWebhook>();
    let notices = NoticeKind::CHOICES.into_iter().collect();
    view! {
        <section aria-labelledby="add">
            <h2 id="add">"Add a webhook"</h2>
            <EnhancedForm action=action class="card" label="Add a webhook">
                <input type="hidden" name="slug" value=slug/>
                <WebhookFields id="new" address=String::new() notices help=describe_allowed(&allowed)/>
                <div class="actions"><button class="primary">"Add the webhook"</button></div>
            </EnhancedForm>
        </section>
    }
}

/// The fields of a webhook.
#[component]
pub(super) fn WebhookFields(
    /// The beginning of the fields' ids.
    #[prop(into)]
    id: String,
    address: String,
    notices: BTreeSet<NoticeKind>,
    /// The help text of the address.
    #[prop(optional, into)]
    help: Option<String>,
) -> impl IntoView {
    let address_id = format!("{id}-address");
    let help_id = format!("{id}-address-help");

    let choices: Vec<_> = NoticeKind::CHOICES
        .into_iter()
        .map(|kind| {
            let (name, label) = describe_choice(kind);
            let (field, checked) = (format!("{id}-{name}"), notices.contains(&kind));
            view! {
                <div class="choice">
                    <input type="checkbox" id=field.clone() name=name value="yes" checked=checked/>
                    <label for=field>{label}</label>
                </div>
            }
        })
        .collect();

    let described_by = help.is_some().then(|| help_id.clone());

    view! {
        <div class="field">
            <label for=address_id.clone()>"Address"</label>
            <input
                id=address_id
                name="address"
                type="url"
                value=address
                required
                maxlength="2000"
                placeholder="https://"
                autocomplete="off"
                aria-describedby=described_by
            />
            {help.map(|help| view! { <p class="help" id=help_id>{help}</p> })}
        </div>
        <fieldset>
            <legend>"Send a notice when"</legend>
            {choices}
        </fieldset>
    }
}

/// The name of a field and its label.
const fn describe_choice(kind: NoticeKind) -> (&'static str, &'static str) {
    match kind {
        NoticeKind::SourceHandedIn => (
            "source_handed_in",
            "a source was submitted, for the first time or again",
        ),
        NoticeKind::StudyFinished => ("study_finished", "the study was closed or archived"),
        NoticeKind::JobEnded => (
            "job_ended",
            "a background job ended: an import, alignment, scoring or training",
        ),
        NoticeKind::Test => ("test", "it is tried"),
    }
}
