//! The webhooks of a study: addresses of other programs, to which the server sends notices of what happens in it.

mod deliveries;
mod form;
mod list;

use leptos::prelude::*;
use service::webhooks::AllowedAddresses;
use store::webhooks::MOST_WEBHOOKS;

use self::{deliveries::Deliveries, form::AddForm, list::WebhookCard};
use app::{
    error::Refusal,
    layout::{StudyTab, study_page},
    links,
    request::{RequestAccess, refuse},
    services,
};

/// The number of deliveries on the page.
const LISTED: u32 = 50;

/// The webhooks of a study.
#[component]
pub fn WebhooksPage() -> impl IntoView {
    study_page(
        "Webhooks",
        StudyTab::Webhooks,
        RequestAccess::require_lead,
        content,
    )
}

async fn content(access: RequestAccess) -> Result<impl IntoView, Refusal> {
    let (services, study) = (services(), access.study.id);
    let webhooks = services.store.webhooks(study).await.map_err(refuse)?;
    let deliveries = services.store.webhook_deliveries(study, LISTED).await;
    let deliveries = deliveries.map_err(refuse)?;

    let slug = access.study.slug.to_string();
    let (allowed, now) = (services.webhooks, services.context.now_ms());
    let can_add =
        !allowed.is_empty() && u32::try_from(webhooks.len()).is_ok_and(|n| n < MOST_WEBHOOKS);

    let cards: Vec<_> = webhooks
        .iter()
        .enumerate()
        .map(|(number, webhook)| {
            let (slug, webhook) = (slug.clone(), webhook.clone());
            let refused = allowed.check(&webhook.address).err();
            view! { <WebhookCard slug number=number + 1 webhook refused/> }
        })
        .collect();

    let list = (!cards.is_empty()).then(|| {
        view! {
            <section aria-labelledby="webhooks">
                <h2 id="webhooks">"Your webhooks"</h2>
                {cards}
            </section>
        }
    });

    Ok(view! {
        <h1>"Webhooks"</h1>
        <p class="lead">
            "When something happens in this study, this server can send another program a signed notice. \
             A notice holds ids and kinds only. The program reads texts and ratings through the "
            <a href=links::to(links::API)>"HTTP API"</a> ", with a token."
        </p>
        {allowed.is_empty().then(|| view! { <SwitchedOff/> })}
        {list}
        {can_add.then(|| view! { <AddForm slug=slug.clone() allowed=allowed.clone()/> })}
        <Deliveries slug webhooks deliveries is_on=!allowed.is_empty() now/>
    })
}

/// Says that webhooks are off, and what the administrator has to write.
#[component]
fn SwitchedOff() -> impl IntoView {
    view! {
        <div class="caution">
            <p>
                "Webhooks are switched off on this server, and nothing is sent. Its administrator switches them on: they \
                 list the addresses below which notices may be sent in the settings file, and start the server again."
            </p>
            <pre><code>"[webhooks]\nallow = [\"https://hooks.example.org/studies/\"]"</code></pre>
        </div>
    }
}

/// The allowed addresses as a sentence for the help text of a field.
fn describe_allowed(allowed: &AllowedAddresses) -> String {
    let all: Vec<_> = allowed.iter().map(ToString::to_string).collect();
    format!(
        "The administrator allows addresses that begin with {}",
        all.join(" or ")
    )
}
