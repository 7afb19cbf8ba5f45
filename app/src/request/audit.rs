//! Audit entries for what a request does.

use std::net::IpAddr;

use domain::ids::{AuditEntryId, PersonId, StudyId};
use service::accounts::{
    attempts::{self, LoginError, LoginOrigin, VerifiedPerson},
    network,
};
use store::{
    Store,
    audit::{AuditActor, AuditKind, AuditSubject, NewAuditEntry},
};

use super::{services, visitor};
use crate::{Services, visitor::Visitor};

/// The store with an audit entry for its next change: the signed-in person made it.
pub fn audited(kind: AuditKind, study: Option<StudyId>, subject: AuditSubject) -> Store {
    let services = services();
    let entry = audit_entry(&services, &visitor(), kind, study, subject);
    services.store.audited(entry)
}

/// As [`audited`], for a person who is about to be signed in.
pub fn audited_as(
    person: PersonId,
    kind: AuditKind,
    study: Option<StudyId>,
    subject: AuditSubject,
) -> Store {
    let services = services();
    let mut entry = audit_entry(&services, &visitor(), kind, study, subject);
    entry.actor = AuditActor::Person(person);
    services.store.audited(entry)
}

/// An audit entry for what a person does from this address.
pub fn audit_entry_of(
    services: &Services,
    person: PersonId,
    address: IpAddr,
    kind: AuditKind,
    study: Option<StudyId>,
    subject: AuditSubject,
) -> NewAuditEntry {
    NewAuditEntry {
        id: AuditEntryId(services.context.new_id()),
        at: services.context.now_ms(),
        actor: AuditActor::Person(person),
        address: address.to_canonical().to_string(),
        kind,
        study,
        subject,
    }
}

/// An audit entry for what the visitor does.
pub fn audit_entry(
    services: &Services,
    visitor: &Visitor,
    kind: AuditKind,
    study: Option<StudyId>,
    subject: AuditSubject,
) -> NewAuditEntry {
    let session = visitor.session.as_ref();

    NewAuditEntry {
        id: AuditEntryId(services.context.new_id()),
        at: services.context.now_ms(),
        actor: session.map_or(AuditActor::Nobody, |session| {
            AuditActor::Person(session.person.id)
        }),
        address: visitor.address.to_canonical().to_string(),
        kind,
        study,
        subject,
    }
}

/// Checks a name and password. The log of changes records failures and lockouts.
///
/// # Errors
/// As for [`attempts::check`].
pub async fn check_password(
    origin: LoginOrigin,
    name: &str,
    password: &str,
) -> Result<VerifiedPerson, LoginError> {
    let (services, visitor) = (services(), visitor());
    let now = services.context.now_ms();
    let checked = attempts::check(&services.store, origin, name, password, now).await;

    let kind = match &checked {
        Err(LoginError::Wrong | LoginError::Closed) => AuditKind::SignInFailed,
        Err(LoginError::TooMany(_)) => AuditKind::LockedOut,
        Ok(_) | Err(_) => return checked,
    };

    // Only records the name of an account: anything else may be a password typed into the wrong field.
    let account = services.store.person_named(name).await?;
    let subject = account.map_or(AuditSubject::Nothing, |(person, _)| {
        AuditSubject::Person(person.id)
    });

    let mut entry = audit_entry(&services, &visitor, kind, None, subject);
    if kind == AuditKind::LockedOut || entry.subject == AuditSubject::Nothing {
        // Refused attempts cost little, and made-up names are without number, so each network gets one entry.
        entry.address = network(visitor.address).to_string();
        let since = now - attempts::WINDOW_MS;
        services.store.record_audit_once(entry, since).await?;
    } else {
        services.store.record_audit(entry).await?;
    }

    checked
}
