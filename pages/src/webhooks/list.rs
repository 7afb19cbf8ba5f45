use domain::ids::WebhookId;
use leptos::prelude::*;
use service::webhooks::{AddressRefusal, notice_words};
use store::webhooks::{PAUSED_AFTER, Webhook};

use super::form::WebhookFields;
use app::{
    api::{ChangeWebhook, PauseWebhook, RemoveWebhook, RenewWebhookSecret, SendTestNotice},
    components::Moment,
    enhanced::EnhancedForm,
    links,
};

/// One webhook, with its actions.
#[component]
pub(super) fn WebhookCard(
    slug: String,
    /// Its number on the page, from 1.
    number: usize,
    webhook: Webhook,
    /// The reason why the server's settings do not allow its address.
    refused: Option<AddressRefusal>,
) -> impl IntoView {
    let id = webhook.id;
    let kinds: Vec<_> = webhook
        .notices
        .iter()
        .map(|kind| view! { <li>{notice_words(*kind)}</li> })
        .collect();

    let title = format!("webhook-{number}");
    let labelled_by = title.clone();
    let warning = refused
        .filter(|refused| *refused != AddressRefusal::Off)
        .map(|refused| {
            view! { <p class="caution">{format!("Nothing is sent to this address. {refused}")}</p> }
        });
    let edit = links::action::<ChangeWebhook>();

    view! {
        <article class="card webhook" aria-labelledby=labelled_by>
            <h3 id=title><code class="address">{webhook.address.clone()}</code></h3>
            <WebhookState webhook=webhook.clone()/>
            {warning}
            <ul>{kinds}</ul>
            <WebhookActions slug=slug.clone() webhook=webhook.clone() number/>
            <details class="more">
                <summary>"Change it"<span class="visually-hidden">{format!(": webhook {number}")}</span></summary>
                <WebhookForm action=edit slug=slug.clone() webhook=id label=format!("Change webhook {number}")>
                    <WebhookFields id=format!("webhook-{number}") address=webhook.address notices=webhook.notices/>
                    <div class="actions"><button>"Save"</button></div>
                </WebhookForm>
            </details>
            <RenewAndRemove slug webhook=id number/>
        </article>
    }
}

/// Whether the webhook gets notices.
#[component]
fn WebhookState(webhook: Webhook) -> impl IntoView {
    match webhook.pause {
        None if webhook.failures == 0 => view! { <p>"Active"</p> }.into_any(),
        None => {
            let failures = webhook.failures;
            view! { <p>{format!("Active; the last deliveries failed ({failures} of {PAUSED_AFTER} until it is paused)")}</p> }
                .into_any()
        }
        Some(pause) if pause.by_server => view! {
            <p class="caution">
                "The server paused it on " <Moment ms=pause.since/>
                {format!(": the last {PAUSED_AFTER} deliveries failed. Repair the receiver, try it with a test notice, and start it \
                          again.")}
            </p>
        }
        .into_any(),
        Some(pause) => view! { <p>"Paused since " <Moment ms=pause.since/></p> }.into_any(),
    }
}

/// A form about one webhook.
#[component]
fn WebhookForm(
    action: String,
    slug: String,
    webhook: WebhookId,
    /// The form's name for screen readers.
    label: String,
    #[prop(default = "")] class: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <EnhancedForm action=action class label>
            <input type="hidden" name="slug" value=slug/>
            <input type="hidden" name="webhook" value=webhook.to_string()/>
            {children()}
        </EnhancedForm>
    }
}

/// The buttons for a test and for a pause.
#[component]
fn WebhookActions(slug: String, webhook: Webhook, number: usize) -> impl IntoView {
    let (test, pause) = (
        links::action::<SendTestNotice>(),
        links::action::<PauseWebhook>(),
    );
    let id = webhook.id;
    let (value, label) = match webhook.pause {
        None => ("yes", "Pause"),
        Some(_) => ("no", "Start again"),
    };
    let named = format!(" webhook {number}");

    view! {
        <div class="actions">
            <WebhookForm action=test slug=slug.clone() webhook=id label=format!("Test{named}") class="inline">
                <button>"Send a test notice"<span class="visually-hidden">{format!(" to webhook {number}")}</span></button>
            </WebhookForm>
            <WebhookForm action=pause slug webhook=id label=format!("{label}{named}") class="inline">
                <input type="hidden" name="pause" value=value/>
                <button>{label}<span class="visually-hidden">{named}</span></button>
            </WebhookForm>
        </div>
    }
}

/// The forms for a new secret and for the end of the webhook.
#[component]
fn RenewAndRemove(slug: String, webhook: WebhookId, number: usize) -> impl IntoView {
    let (renew, remove) = (
        links::action::<RenewWebhookSecret>(),
        links::action::<RemoveWebhook>(),
    );

    view! {
        <details class="more">
            <summary>"New secret"<span class="visually-hidden">{format!(" for webhook {number}")}</span></summary>
            <p>
                "The old secret signs nothing from then on. Until the receiver knows the new one, it refuses notices, and \
                 these are sent again later."
            </p>
            <WebhookForm action=renew slug=slug.clone() webhook label=format!("New secret for webhook {number}")>
                <div class="actions"><button>"Renew the secret"</button></div>
            </WebhookForm>
        </details>
        <details class="more">
            <summary>"Remove it"<span class="visually-hidden">{format!(": webhook {number}")}</span></summary>
            <p>"Its deliveries go with it, and those that wait are not sent."</p>
            <WebhookForm action=remove slug webhook label=format!("Remove webhook {number}")>
                <div class="actions"><button class="danger">"Remove the webhook"</button></div>
            </WebhookForm>
        </details>
    }
}
