//! Entries of the log of changes for commands and for the server itself, which act without a request.

use domain::ids::{AuditEntryId, StudyId};
use store::audit::{AuditActor, AuditKind, AuditSubject, NewAuditEntry};

use crate::clock;

/// An entry for a change by a command.
pub(crate) fn command_entry(
    kind: AuditKind,
    study: Option<StudyId>,
    subject: AuditSubject,
) -> NewAuditEntry {
    new_entry(AuditActor::CommandLine, kind, study, subject)
}

/// An entry for a change by the server itself.
pub(crate) fn server_entry(
    kind: AuditKind,
    study: Option<StudyId>,
    subject: AuditSubject,
) -> NewAuditEntry {
    new_entry(AuditActor::Server, kind, study, subject)
}

fn new_entry(
    actor: AuditActor,
    kind: AuditKind,
    study: Option<StudyId>,
    subject: AuditSubject,
) -> NewAuditEntry {
    NewAuditEntry {
        id: AuditEntryId(clock::new_id()),
        at: clock::now_ms(),
        actor,
        address: String::new(),
        kind,
        study,
        subject,
    }
}
