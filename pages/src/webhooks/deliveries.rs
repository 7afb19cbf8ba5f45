use std::collections::HashMap;

use domain::ids::WebhookId;
use leptos::prelude::*;
use service::webhooks::{address_host, notice_words, problem_words};
use store::webhooks::{DeliveryState, NoticeKind, Webhook, WebhookDelivery};

use app::{
    api::SendNoticeAgain,
    components::{Moment, MomentForm},
    enhanced::EnhancedForm,
    links::{self, StudyPage},
    page_script::PageScript,
};

/// The time that a page waits for the end of a test, in milliseconds: longer than one try takes.
const TEST_MS: i64 = 30_000;

/// The newest deliveries.
#[component]
pub(super) fn Deliveries(
    slug: String,
    webhooks: Vec<Webhook>,
    deliveries: Vec<WebhookDelivery>,
    /// Whether this server sends notices.
    is_on: bool,
    /// The current time in milliseconds since 1970.
    now: i64,
) -> impl IntoView {
    if webhooks.is_empty() {
        return ().into_any();
    }
    if deliveries.is_empty() {
        return view! {
            <section aria-labelledby="deliveries">
                <h2 id="deliveries">"Last deliveries"</h2>
                <p class="empty">"Nothing has been sent yet. Try it with a test notice."</p>
            </section>
        }
        .into_any();
    }

    let is_tested = |delivery: &WebhookDelivery| {
        delivery.kind == NoticeKind::Test
            && delivery.state == DeliveryState::Waiting
            && delivery.created_at > now - TEST_MS
    };
    let waiting = (is_on && deliveries.iter().any(is_tested))
        .then(|| view! { <TestUnderWay slug=slug.clone()/> });

    let webhooks: HashMap<WebhookId, Webhook> = webhooks
        .into_iter()
        .map(|webhook| (webhook.id, webhook))
        .collect();
    let row = |delivery: WebhookDelivery| {
        let webhook = webhooks.get(&delivery.webhook).cloned();
        view! { <DeliveryRow slug=slug.clone() webhook delivery/> }
    };
    let rows: Vec<_> = deliveries.into_iter().map(row).collect();

    view! {
        <section aria-labelledby="deliveries">
            <h2 id="deliveries">"Last deliveries"</h2>
            {waiting}
            <div class="table-scroll" role="group" aria-labelledby="deliveries" tabindex="0">
                <table class="fold">
                    <thead>
                        <tr>
                            <th scope="col">"When"</th>
                            <th scope="col">"What"</th>
                            <th scope="col">"To"</th>
                            <th scope="col">"State"</th>
                            <th scope="col" class="number">"Tries"</th>
                            <th scope="col">"Next try"</th>
                            <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="soft">
                "A notice is tried up to eight times within a day, with growing pauses. Deliveries are kept for 30 days."
            </p>
        </section>
    }
    .into_any()
}

/// Says that a test is being sent, and reloads the page once it is over. Without scripts the lead reloads it.
#[component]
fn TestUnderWay(slug: String) -> impl IntoView {
    view! {
        <p id="preparing" role="status">
            "The test notice is being sent. " <a href=StudyPage::Webhooks.address(&slug)>"Check again"</a>
        </p>
        <PageScript name="preparing"/>
    }
}

#[component]
fn DeliveryRow(slug: String, webhook: Option<Webhook>, delivery: WebhookDelivery) -> impl IntoView {
    let action = links::action::<SendNoticeAgain>();
    let host = webhook
        .as_ref()
        .map(|webhook| address_host(&webhook.address))
        .unwrap_or_default();
    let is_paused = webhook.is_some_and(|webhook| webhook.pause.is_some());
    let what = notice_words(delivery.kind);

    let next = match delivery.next_try_at {
        None => "–".into_any(),
        Some(_) if is_paused && delivery.kind != NoticeKind::Test => {
            "when it is started again".into_any()
        }
        Some(ms) => view! { <Moment ms/> }.into_any(),
    };

    let again = (delivery.state != DeliveryState::Waiting).then(|| {
        view! {
            <EnhancedForm action=action class="inline">
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="webhook" value=delivery.webhook.to_string()/>
                <input type="hidden" name="number" value=delivery.number.to_string()/>
                <button>
                    "Send again"<span class="visually-hidden">{format!(" notice {}: {what}", delivery.number)}</span>
                </button>
            </EnhancedForm>
        }
    });

    view! {
        <tr class:past=delivery.state == DeliveryState::Failed>
            <th scope="row" data-label="When"><Moment ms=delivery.created_at form=MomentForm::Relative/></th>
            <td data-label="What">{what}</td>
            <td data-label="To">{host}</td>
            <td data-label="State">{describe_state(&delivery)}</td>
            <td data-label="Tries" class="number">{delivery.attempts}</td>
            <td data-label="Next try">{next}</td>
            <td data-label="Actions" class="again">{again}</td>
        </tr>
    }
}

/// The state of a delivery in words, with the reason why the last try failed.
fn describe_state(delivery: &WebhookDelivery) -> String {
    let answer = delivery
        .status
        .map(|status| format!(" (status {status})"))
        .unwrap_or_default();
    let problem = delivery.problem.map(problem_words);

    match (delivery.state, problem) {
        (DeliveryState::Delivered, _) => format!("delivered{answer}"),
        (DeliveryState::Waiting, None) => "waits to be sent".to_owned(),
        (DeliveryState::Waiting, Some(why)) => format!("is tried again. {why}{answer}"),
        (DeliveryState::Failed, why) => {
            format!("failed. {}{answer}", why.unwrap_or("It was not taken"))
        }
    }
}
