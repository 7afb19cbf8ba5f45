//! Links with which people join a study, or read for it.

mod redemption;

use std::str::FromStr;

use domain::{
    ids::{PersonId, StudyId},
    study::{Role, UnknownRole},
};
use sqlx::any::AnyRow;

pub use self::redemption::InvitationDetails;
pub(crate) use self::redemption::{count_use, find_participant_link, put_into_group};
use crate::{
    Error, Result, Store,
    columns::{BindId, TableRow},
    lock,
};

/// An invitation, without its token: the link is shown once, when it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The hash of the link's token; names the invitation.
    pub token_hash: String,
    /// The access that it opens.
    pub target: InvitationTarget,
    /// The lead's label, such as a course.
    pub label: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// When it expires.
    pub expires_at: i64,
    /// The number of people who may still follow it.
    pub uses_left: i64,
    /// When a lead revoked it.
    pub revoked_at: Option<i64>,
    /// The id of the group that annotators join; `None` for none.
    pub group: Option<String>,
}

/// The access that a link opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvitationTarget {
    /// Membership with that role.
    Membership(Role),
    /// A participant's place in reading comprehension, without an account.
    Comprehension,
    /// A crowd rater's place, without a password.
    Crowd,
}

impl InvitationTarget {
    /// Its name in forms and in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Membership(role) => role.name(),
            Self::Comprehension => "participant",
            Self::Crowd => "crowd",
        }
    }
}

impl FromStr for InvitationTarget {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        match text {
            "participant" => Ok(Self::Comprehension),
            "crowd" => Ok(Self::Crowd),
            role => role.parse().map(Self::Membership),
        }
    }
}

/// An invitation to create.
#[derive(Debug, Clone)]
pub struct NewInvitation<'a> {
    /// The hash of the link's token.
    pub token_hash: &'a str,
    /// The access that it opens.
    pub target: InvitationTarget,
    /// The lead's label, such as a course.
    pub label: &'a str,
    /// The number of people who may follow it, at least 1.
    pub uses: i64,
    /// When it expires, in milliseconds since 1970.
    pub expires_at: i64,
    /// The person who made it.
    pub created_by: Option<PersonId>,
    /// The id of the group that annotators join; `None` for none.
    pub group: Option<&'a str>,
}

impl Store {
    /// Makes an invitation to a study.
    ///
    /// # Errors
    /// Refused where the study is archived.
    pub async fn create_invitation(
        &self,
        study: StudyId,
        new: &NewInvitation<'_>,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            lock::refuse_archived(&mut tx, study).await?;

            sqlx::query(
                "INSERT INTO invitation (token_hash, study_id, role, label, created_by, created_at,
                                         expires_at, uses_left, group_id)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            )
            .bind(new.token_hash)
            .bind_id(study)
            .bind(new.target.name())
            .bind(new.label)
            .bind_id(new.created_by)
            .bind(now_ms)
            .bind(new.expires_at)
            .bind(new.uses)
            .bind(new.group.map(str::to_owned))
            .execute(&mut *tx)
            .await?;
        })
    }

    /// The study's invitations, newest first, including those that no longer work.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn invitations(&self, study: StudyId) -> Result<Vec<Invitation>> {
        let rows = sqlx::query(
            "SELECT token_hash, role, label, created_at, expires_at, uses_left, revoked_at, group_id
             FROM invitation WHERE study_id = $1 ORDER BY created_at DESC, token_hash",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        self.readable(study, &rows, read_invitation)
    }

    /// Revokes an invitation of the study, and returns the access that it opened. `None` if there
    /// is none, or it was revoked before.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_invitation(
        &self,
        study: StudyId,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<Option<InvitationTarget>> {
        change_in_transaction!(self, |tx| {
            let row = sqlx::query(
                "UPDATE invitation SET revoked_at = $3
                 WHERE study_id = $1 AND token_hash = $2 AND revoked_at IS NULL
                 RETURNING role",
            )
            .bind_id(study)
            .bind(token_hash)
            .bind(now_ms)
            .fetch_optional(&mut *tx)
            .await?;

            row.map(|row| TableRow::named("invitation", &row, token_hash).parse("role"))
                .transpose()?
        })
    }
}

impl Invitation {
    /// Checks that the link still works.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason if it does not.
    pub fn check(&self, now_ms: i64) -> Result<()> {
        let why_not = if self.revoked_at.is_some() {
            "was revoked"
        } else if self.expires_at <= now_ms {
            "has expired"
        } else if self.uses_left <= 0 {
            "has been used up"
        } else {
            return Ok(());
        };
        Err(Error::Refused(format!(
            "This link {why_not}: ask its sender for a new one."
        )))
    }
}

fn read_invitation(row: &AnyRow) -> Result<Invitation> {
    let row = TableRow::keyed("invitation", row, "token_hash")?;
    Ok(Invitation {
        target: row.parse("role")?,
        label: row.get("label")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        uses_left: row.get("uses_left")?,
        revoked_at: row.get("revoked_at")?,
        group: row.get("group_id")?,
        token_hash: row.id().to_owned(),
    })
}
