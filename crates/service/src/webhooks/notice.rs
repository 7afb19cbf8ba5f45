//! The body of a notice, and its signature.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::ids::StudyId;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Serialize;
use sha2::Sha256;
use store::webhooks::{ClaimedDelivery, WebhookNotice, WebhookSecret};

use crate::export::format_timestamp;

/// The prefix of secrets, by which people, and programs that search files for secrets, recognise them.
const SECRET_PREFIX: &str = "whsec_";

/// A new secret from 256 random bits.
#[must_use]
pub fn new_secret(random: [u8; 32]) -> WebhookSecret {
    WebhookSecret(format!("{SECRET_PREFIX}{}", BASE64_STANDARD.encode(random)))
}

/// The signature of a notice: `v1,` and the HMAC-SHA256 of `ID.TIMESTAMP.BODY` in Base64. The key is the rest of the
/// secret after its prefix, decoded from Base64.
#[must_use]
pub fn sign(secret: &WebhookSecret, id: &str, timestamp: i64, body: &str) -> String {
    let text = secret.0.strip_prefix(SECRET_PREFIX).unwrap_or(&secret.0);
    // Our own secrets always decode; any other text is used as the key itself.
    let key = BASE64_STANDARD
        .decode(text)
        .unwrap_or_else(|_| text.as_bytes().to_vec());

    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes keys of any length");
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()))
}

/// The body of a notice, with ids and kinds only.
#[derive(Debug, Serialize)]
struct NoticeBody<'a> {
    /// The same at every try, so that a receiver can recognise duplicates.
    id: &'a str,
    /// The time of the event.
    time: String,
    study: StudyId,
    #[serde(flatten)]
    notice: &'a WebhookNotice,
}

/// A notice, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedNotice {
    /// Its id.
    pub id: String,
    /// The time of this try, in seconds since 1970.
    pub timestamp: i64,
    /// The body, as JSON.
    pub body: String,
    /// The signature of id, timestamp and body.
    pub signature: String,
}

impl SignedNotice {
    /// The notice of a delivery, to be sent at `now_ms`.
    #[must_use]
    pub fn new(delivery: &ClaimedDelivery, now_ms: i64) -> Self {
        let id = delivery.id().to_string();
        let body = NoticeBody {
            id: &id,
            time: format_timestamp(delivery.created_at),
            study: delivery.study,
            notice: &delivery.notice,
        };
        let body = serde_json::to_string(&body).expect("it has string keys");

        let timestamp = now_ms.div_euclid(1_000);
        let signature = sign(&delivery.secret, &id, timestamp, &body);

        Self {
            id,
            timestamp,
            body,
            signature,
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::{AssignmentId, JobId, SourceId, WebhookId};
    use store::webhooks::FinishedStatus;
    use uuid::Uuid;

    use super::*;

    /// The expected signature was computed with Python's hmac and base64 modules.
    #[test]
    fn the_signature_is_that_of_python() {
        let secret = new_secret([7; 32]);
        assert_eq!(
            secret.0,
            "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
        );
        assert_eq!(
            sign(&secret, "an-id", 1_700_000_000, "{\"kind\":\"test\"}"),
            "v1,/Tne09hOUGwYJD2UVKFc+PAPi3QZU+/oqUMZc0bq9SM="
        );
    }

    #[test]
    fn bodies_hold_ids_and_kinds_alone() {
        let id = |number| Uuid::from_u128(number);
        let body = |notice| {
            let delivery = ClaimedDelivery {
                webhook: WebhookId(id(1)),
                number: 3,
                study: StudyId(id(2)),
                notice,
                created_at: 1_700_000_000_000,
                attempt: 1,
                address: "https://hooks.example.org/secret-path".into(),
                secret: new_secret([7; 32]),
            };
            SignedNotice::new(&delivery, 1_700_000_001_500)
        };

        let uuid = |number: u128| format!("00000000-0000-0000-0000-{number:012}");
        let begin = format!(
            r#"{{"id":"{}-3","time":"2023-11-14T22:13:20.000Z","study":"{}","kind":"#,
            uuid(1),
            uuid(2)
        );

        for (notice, rest) in [
            (
                WebhookNotice::SourceHandedIn {
                    source: SourceId(id(4)),
                    assignment: AssignmentId(id(5)),
                },
                format!(
                    r#""source-handed-in","source":"{}","assignment":"{}"}}"#,
                    uuid(4),
                    uuid(5)
                ),
            ),
            (
                WebhookNotice::StudyFinished {
                    status: FinishedStatus::Archived,
                },
                r#""study-finished","status":"archived"}"#.to_owned(),
            ),
            (
                WebhookNotice::JobEnded {
                    job: JobId(id(6)),
                    job_kind: "import".into(),
                    status: "done".into(),
                },
                format!(
                    r#""job-ended","job":"{}","job_kind":"import","status":"done"}}"#,
                    uuid(6)
                ),
            ),
            (WebhookNotice::Test, r#""test"}"#.to_owned()),
        ] {
            let signed = body(notice);
            assert_eq!(signed.body, format!("{begin}{rest}"));
            assert_eq!(signed.timestamp, 1_700_000_001);
            assert_eq!(signed.id, format!("{}-3", uuid(1)));
        }
    }
}
