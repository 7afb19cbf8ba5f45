//! The kinds of entries in the log of changes, with their names and words. A new kind is added here
//! only.

use domain::names;

/// The kind of an entry in the log of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditKind {
    /// A session began.
    SignedIn,
    /// A name and password did not match, or the account was closed; subject: the account, where there is one.
    SignInFailed,
    /// A sign-in was refused after too many failures; subject: the account, where there is one.
    LockedOut,
    /// A session was ended from elsewhere.
    SessionEnded,
    /// A person changed their own password.
    PasswordChanged,
    /// A person was given a new password; subject: the person.
    PasswordReset,
    /// A token for the HTTP API was made; subject: its name, or from the command line its person.
    TokenMade,
    /// A token for the HTTP API was revoked; subject: its name, or from the command line its person.
    TokenRevoked,
    /// A one-time link for a new password was made; subject: the person.
    PasswordLinkMade,
    /// A person set their password by a one-time link.
    PasswordSetByLink,
    /// A person was made an administrator; subject: the person.
    AdminGranted,
    /// A person is no longer an administrator; subject: the person.
    AdminRevoked,
    /// An account was added; subject: the person.
    AccountAdded,
    /// An account of an administrator was added; subject: the person.
    AdminAdded,
    /// A person made an account by an invitation, and joined its study; subject: the member.
    AccountRegistered,
    /// An account was closed; subject: the person.
    AccountClosed,
    /// A closed account was opened again; subject: the person.
    AccountReopened,
    /// A person was erased; subject: the person.
    PersonErased,
    /// An invitation was made; subject: the invitation.
    InvitationMade,
    /// An invitation was taken back; subject: the invitation.
    InvitationRevoked,
    /// A person with an account joined a study by an invitation; subject: the member.
    MemberJoined,
    /// A person was added to a study; subject: the member.
    MemberAdded,
    /// A member was given another role; subject: the member.
    RoleChanged,
    /// An annotator was put into another group, or into none; subject: the member.
    MemberGroupChanged,
    /// A member was taken out of a study; subject: the person.
    MemberRemoved,
    /// An annotator was admitted by a lead; subject: the member.
    MemberAdmitted,
    /// An annotator withdrew.
    MemberWithdrew,
    /// A study was created; subject: its name.
    StudyCreated,
    /// A study was closed; subject: its name.
    StudyClosed,
    /// A closed study was opened again; subject: its name.
    StudyReopened,
    /// A study was archived; subject: its name.
    StudyArchived,
    /// A study was taken out of the archive; subject: its name.
    StudyUnarchived,
    /// A study was erased; subject: its name.
    StudyErased,
    /// An import of files began; subject: the files.
    ImportBegun,
    /// An import was undone; subject: its files.
    ImportUndone,
    /// Systems were renamed, hidden or shown, or given another kind; subject: their names.
    SystemsChanged,
    /// A source was deleted with its outputs; subject: its name.
    SourceDeleted,
    /// An output was deleted; subject: its source's name.
    OutputDeleted,
    /// A lead recorded a final value of an output; subject: its source's name.
    FinalValueRecorded,
    /// A lead removed a final value of an output; subject: its source's name.
    FinalValueRemoved,
    /// A metric was removed with its scores; subject: its name.
    MetricRemoved,
    /// A dataset was exported; subject: the file or the format.
    Exported,
    /// A trained model was downloaded; subject: the model.
    ModelDownloaded,
    /// A trained model was taken into use; subject: the model.
    ModelAdopted,
    /// A trained model was taken out of use; subject: the model.
    ModelDropped,
    /// A participant's answers were excluded; subject: the participant.
    ParticipantExcluded,
    /// An excluded participant's answers count again; subject: the participant.
    ParticipantIncluded,
    /// A participant was erased; subject: the participant.
    ParticipantErased,
    /// A webhook was added; subject: the host of its address.
    WebhookAdded,
    /// The address or the notices of a webhook were changed; subject: the host of its address.
    WebhookChanged,
    /// A webhook was paused, by a lead or by the server after failures; subject: the host of its address.
    WebhookPaused,
    /// A paused webhook was started again; subject: the host of its address.
    WebhookResumed,
    /// A webhook was given a new secret; subject: the host of its address.
    WebhookSecretRenewed,
    /// A webhook was removed; subject: the host of its address.
    WebhookRemoved,
    /// A study's retention period was changed.
    RetentionSet,
    /// Data was deleted at the end of its retention period.
    Retention,
}

names!(AuditKind, "kind of entry", UnknownAuditKind,
    SignedIn => "signed-in", SignInFailed => "sign-in-failed", LockedOut => "locked-out",
    SessionEnded => "session-ended", PasswordChanged => "password-changed",
    PasswordReset => "password-reset", PasswordLinkMade => "password-link-made",
    TokenMade => "token-made", TokenRevoked => "token-revoked",
    PasswordSetByLink => "password-set-by-link", AdminGranted => "admin-granted",
    AdminRevoked => "admin-revoked", AccountAdded => "account-added", AdminAdded => "admin-added",
    AccountRegistered => "account-registered", AccountClosed => "account-closed",
    AccountReopened => "account-reopened", PersonErased => "person-erased",
    InvitationMade => "invitation-made", InvitationRevoked => "invitation-revoked",
    MemberJoined => "member-joined", MemberAdded => "member-added", RoleChanged => "role-changed",
    MemberGroupChanged => "member-group-changed", MemberRemoved => "member-removed", MemberAdmitted => "member-admitted",
    MemberWithdrew => "member-withdrew",
    StudyCreated => "study-created", StudyClosed => "study-closed",
    StudyReopened => "study-reopened", StudyArchived => "study-archived",
    StudyUnarchived => "study-unarchived", StudyErased => "study-erased",
    ImportBegun => "import-begun", ImportUndone => "import-undone",
    SystemsChanged => "systems-changed", SourceDeleted => "source-deleted", OutputDeleted => "output-deleted",
    FinalValueRecorded => "final-value-recorded", FinalValueRemoved => "final-value-removed",
    MetricRemoved => "metric-removed", Exported => "exported",
    ModelDownloaded => "model-downloaded", ModelAdopted => "model-adopted",
    ModelDropped => "model-dropped", ParticipantExcluded => "participant-excluded",
    ParticipantIncluded => "participant-included", ParticipantErased => "participant-erased",
    WebhookAdded => "webhook-added", WebhookChanged => "webhook-changed", WebhookPaused => "webhook-paused",
    WebhookResumed => "webhook-resumed", WebhookSecretRenewed => "webhook-secret-renewed",
    WebhookRemoved => "webhook-removed",
    RetentionSet => "retention-set", Retention => "retention");

impl AuditKind {
    /// The words for people. The actor and the subject are named next to them.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::SignedIn => "Signed in",
            Self::SignInFailed => "Failed to sign in",
            Self::LockedOut => "Was locked out after too many failed sign-ins",
            Self::SessionEnded => "Signed out a device",
            Self::PasswordChanged => "Changed their password",
            Self::PasswordReset => "Gave a person a new password",
            Self::PasswordLinkMade => "Made a link for a new password",
            Self::TokenMade => "Made an API token",
            Self::TokenRevoked => "Revoked an API token",
            Self::PasswordSetByLink => "Set their password by a link",
            Self::AdminGranted => "Made a person an administrator",
            Self::AdminRevoked => "Removed a person as administrator",
            Self::AccountAdded => "Added an account",
            Self::AdminAdded => "Added an administrator’s account",
            Self::AccountRegistered => "Made an account by an invitation",
            Self::AccountClosed => "Deactivated an account",
            Self::AccountReopened => "Opened an account again",
            Self::PersonErased => "Erased a person",
            Self::InvitationMade => "Made an invitation",
            Self::InvitationRevoked => "Revoked an invitation",
            Self::MemberJoined => "Joined by an invitation",
            Self::MemberAdded => "Added a member",
            Self::RoleChanged => "Changed a member’s role",
            Self::MemberGroupChanged => "Changed an annotator’s group",
            Self::MemberRemoved => "Removed a member",
            Self::MemberAdmitted => "Admitted an annotator",
            Self::MemberWithdrew => "Withdrew from the study",
            Self::StudyCreated => "Created a study",
            Self::StudyClosed => "Closed a study",
            Self::StudyReopened => "Opened a study again",
            Self::StudyArchived => "Archived a study",
            Self::StudyUnarchived => "Took a study out of the archive",
            Self::StudyErased => "Erased a study",
            Self::ImportBegun => "Began an import",
            Self::ImportUndone => "Undid an import",
            Self::SystemsChanged => "Changed systems",
            Self::SourceDeleted => "Deleted a source",
            Self::OutputDeleted => "Deleted an output",
            Self::FinalValueRecorded => "Recorded a final value",
            Self::FinalValueRemoved => "Removed a final value",
            Self::MetricRemoved => "Removed a metric",
            Self::Exported => "Exported data",
            Self::ModelDownloaded => "Downloaded a model",
            Self::ModelAdopted => "Took a model into use",
            Self::ModelDropped => "Took a model out of use",
            Self::ParticipantExcluded => "Excluded a participant",
            Self::ParticipantIncluded => "Included a participant again",
            Self::ParticipantErased => "Erased a participant",
            Self::WebhookAdded => "Added a webhook",
            Self::WebhookChanged => "Changed a webhook",
            Self::WebhookPaused => "Paused a webhook",
            Self::WebhookResumed => "Started a webhook again",
            Self::WebhookSecretRenewed => "Renewed the secret of a webhook",
            Self::WebhookRemoved => "Removed a webhook",
            Self::RetentionSet => "Changed how long personal data is kept",
            Self::Retention => "Deleted data after the time for which it is kept",
        }
    }

    /// Whether such an entry can concern a study.
    #[must_use]
    pub const fn concerns_studies(self) -> bool {
        !matches!(
            self,
            Self::SignedIn
                | Self::SignInFailed
                | Self::LockedOut
                | Self::SessionEnded
                | Self::PasswordChanged
                | Self::PasswordReset
                | Self::PasswordLinkMade
                | Self::TokenMade
                | Self::TokenRevoked
                | Self::PasswordSetByLink
                | Self::AdminGranted
                | Self::AdminRevoked
                | Self::AccountAdded
                | Self::AdminAdded
                | Self::AccountClosed
                | Self::AccountReopened
                | Self::PersonErased
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every name under which an entry was ever stored: databases hold them.
    const STORED_NAMES: &str = "account-added account-closed account-registered account-reopened \
        admin-added admin-granted admin-revoked exported final-value-recorded final-value-removed \
        import-begun import-undone invitation-made \
        invitation-revoked locked-out member-added member-admitted member-group-changed member-joined member-removed \
        member-withdrew metric-removed model-adopted model-downloaded model-dropped output-deleted \
        participant-erased participant-excluded \
        participant-included password-changed password-link-made password-reset password-set-by-link \
        person-erased retention retention-set role-changed session-ended sign-in-failed signed-in \
        source-deleted study-archived study-closed \
        study-created study-erased study-reopened study-unarchived systems-changed \
        token-made token-revoked webhook-added webhook-changed webhook-paused webhook-removed webhook-resumed \
        webhook-secret-renewed";

    #[test]
    fn every_stored_name_is_a_kind_and_every_kind_has_words_of_its_own() {
        let mut names: Vec<_> = AuditKind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        assert_eq!(names, STORED_NAMES.split_whitespace().collect::<Vec<_>>());
        let words: BTreeSet<_> = AuditKind::ALL.iter().map(|kind| kind.words()).collect();
        assert_eq!(words.len(), AuditKind::ALL.len());
        for kind in AuditKind::ALL {
            assert_eq!(kind.name().parse(), Ok(*kind));
        }
    }
}
