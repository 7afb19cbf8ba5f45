//! Webhooks: the addresses to which notices may be sent, the signature and the body of a notice, and the pauses between
//! tries.

mod allowed;
mod network;
mod notice;
mod schedule;

pub use self::{
    allowed::{
        AddressRefusal, AllowedAddresses, AllowedPrefix, PrefixError, WebhookAddress, address_host,
    },
    network::is_public,
    notice::{SignedNotice, new_secret, sign},
    schedule::retry_pause_ms,
};

use store::webhooks::{DeliveryProblem, NoticeKind};

/// A kind of notice in words.
#[must_use]
pub const fn notice_words(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::SourceHandedIn => "A source was submitted",
        NoticeKind::StudyFinished => "The study was closed or archived",
        NoticeKind::JobEnded => "A background job ended",
        NoticeKind::Test => "Test",
    }
}

/// The reason why a receiver did not take a notice, as a sentence without its full stop.
#[must_use]
pub const fn problem_words(problem: DeliveryProblem) -> &'static str {
    match problem {
        DeliveryProblem::NotAllowed => "The server’s settings no longer allow this address",
        DeliveryProblem::NoAddress => "The name of its host could not be looked up",
        DeliveryProblem::PrivateAddress => {
            "Its host is in a private network, which the server’s settings do not name"
        }
        DeliveryProblem::Unreachable => "No connection could be made",
        DeliveryProblem::Tls => "The encrypted connection failed: check the receiver’s certificate",
        DeliveryProblem::TimedOut => "It did not answer in time",
        DeliveryProblem::BrokenOff => "The connection broke off",
        DeliveryProblem::Redirected => {
            "It answered with a redirect, which is not followed: enter the address to which it leads"
        }
        DeliveryProblem::Refused => "It did not accept the notice",
        DeliveryProblem::Interrupted => "The server stopped during the last try",
    }
}
