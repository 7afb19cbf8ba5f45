//! Webhooks of a study: addresses of other programs that are notified of events in it.

mod add_webhook;
mod change_webhook;
mod pause_webhook;
mod remove_webhook;
mod renew_webhook_secret;
mod send_notice_again;
mod send_test_notice;

pub use add_webhook::{AddWebhook, add_webhook};
pub use change_webhook::{ChangeWebhook, change_webhook};
pub use pause_webhook::{PauseWebhook, pause_webhook};
pub use remove_webhook::{RemoveWebhook, remove_webhook};
pub use renew_webhook_secret::{RenewWebhookSecret, renew_webhook_secret};
pub use send_notice_again::{SendNoticeAgain, send_notice_again};
pub use send_test_notice::{SendTestNotice, send_test_notice};

#[cfg(feature = "ssr")]
use server_side::{check_address, choose_notices, find_webhook, show_secret, subject};

#[cfg(feature = "ssr")]
mod server_side {
    use std::collections::BTreeSet;

    use service::webhooks::{WebhookAddress, address_host};
    use store::{
        audit::AuditSubject,
        webhooks::{NoticeKind, Webhook, WebhookSecret},
    };

    use crate::{
        error::Refusal,
        flash::{self, Flash},
        links::StudyPage,
        request::{RequestAccess, parse, refuse, see_other},
        services,
    };

    /// Parses an address that notices may be sent to.
    pub(super) fn check_address(text: &str) -> Result<WebhookAddress, Refusal> {
        let address = services().webhooks.check(text);
        address.map_err(|refusal| Refusal::invalid(refusal.to_string()))
    }

    /// The kinds of notices whose fields are present.
    pub(super) fn choose_notices(
        source_handed_in: Option<String>,
        study_finished: Option<String>,
        job_ended: Option<String>,
    ) -> Result<BTreeSet<NoticeKind>, Refusal> {
        let chosen: BTreeSet<_> = [
            (source_handed_in, NoticeKind::SourceHandedIn),
            (study_finished, NoticeKind::StudyFinished),
            (job_ended, NoticeKind::JobEnded),
        ]
        .into_iter()
        .filter_map(|(field, kind)| field.map(|_| kind))
        .collect();

        match chosen.is_empty() {
            true => Err(Refusal::invalid(
                "Choose at least one kind of notice for the webhook.",
            )),
            false => Ok(chosen),
        }
    }

    /// The webhook with that id, if it belongs to the study.
    pub(super) async fn find_webhook(access: &RequestAccess, id: &str) -> Result<Webhook, Refusal> {
        let id = parse::id(id)?;
        let webhooks = services().store.webhooks(access.study.id).await;
        let mut webhooks = webhooks.map_err(refuse)?.into_iter();
        webhooks
            .find(|webhook| webhook.id == id)
            .ok_or(Refusal::NotFound)
    }

    /// The subject of an audit entry: the host alone, since paths may hold secrets.
    pub(super) fn subject(address: &str) -> AuditSubject {
        AuditSubject::Named(address_host(address))
    }

    /// Redirects to the webhooks, which then show the secret once.
    pub(super) fn show_secret(slug: &str, sentence: &str, secret: WebhookSecret) {
        flash::set(&Flash::Secret(sentence.to_owned(), secret.0));
        see_other(&StudyPage::Webhooks.path(slug));
    }
}
