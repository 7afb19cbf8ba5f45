//! Links by which people join a study, or read for it.

use std::str::FromStr;

use domain::{
    ids::{PersonId, StudyId},
    study::{Role, Slug, UnknownRole},
};
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Error, Person, Result, Store,
    columns::{self, BindId},
    event, membership, people,
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
    /// From when on it does not work.
    pub expires_at: i64,
    /// How many people may still follow it.
    pub uses_left: i64,
    /// When a lead took it back.
    pub revoked_at: Option<i64>,
}

/// The access that a link opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvitationTarget {
    /// They become a member of that role.
    Membership(Role),
    /// They read as a participant, without an account.
    Comprehension,
}

impl InvitationTarget {
    /// Its name in forms and in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Membership(role) => role.name(),
            Self::Comprehension => "participant",
        }
    }
}

impl FromStr for InvitationTarget {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        match text {
            "participant" => Ok(Self::Comprehension),
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
    /// How many people may follow it, at least 1.
    pub uses: i64,
    /// From when on it does not work, in milliseconds since 1970.
    pub expires_at: i64,
    /// Who made it.
    pub created_by: Option<PersonId>,
}

/// The study and role of a link that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationDetails {
    /// The study.
    pub study: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub study_name: String,
    /// The role that the link gives; for a person who has followed it, their role: a member keeps
    /// the role they had.
    pub role: Role,
    /// From when on the link does not work, in milliseconds since 1970.
    pub expires_at: i64,
}

impl Store {
    /// Makes an invitation to a study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn create_invitation(
        &self,
        study: StudyId,
        new: &NewInvitation<'_>,
        now_ms: i64,
    ) -> Result<()> {
        in_transaction!(self, |tx| {
            sqlx::query(
                "INSERT INTO invitation (token_hash, study_id, role, label, created_by, created_at,
                                         expires_at, uses_left)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(new.token_hash)
            .bind_id(study)
            .bind(new.target.name())
            .bind(new.label)
            .bind_id(new.created_by)
            .bind(now_ms)
            .bind(new.expires_at)
            .bind(new.uses)
            .execute(&mut *tx)
            .await?;
        })
    }

    /// The study's invitations, those that do not work any more included, newest first.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn invitations(&self, study: StudyId) -> Result<Vec<Invitation>> {
        let rows = sqlx::query(
            "SELECT token_hash, role, label, created_at, expires_at, uses_left, revoked_at
             FROM invitation WHERE study_id = $1 ORDER BY created_at DESC, token_hash",
        )
        .bind_id(study)
        .fetch_all(self.reader())
        .await?;
        self.readable(study, &rows, read_invitation)
    }

    /// Takes an invitation of the study back; tells what it opened. `None` where there is none, or it
    /// was before.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn revoke_invitation(
        &self,
        study: StudyId,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<Option<InvitationTarget>> {
        in_transaction!(self, |tx| {
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
            row.map(|row| {
                columns::parse_text("invitation", token_hash, "role", row.try_get("role")?)
            })
            .transpose()?
        })
    }

    /// The link by which participants read, whether it works or not, and its study.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is none.
    pub async fn comprehension_link(&self, token_hash: &str) -> Result<(StudyId, Invitation)> {
        let mut reader = self.reader().acquire().await?;
        find_comprehension_link(&mut reader, token_hash).await
    }

    /// The study and role of the link, for the person about to follow it.
    ///
    /// # Errors
    /// [`Error::Refused`] where the link does not work, with the reason.
    pub async fn preview_invitation(
        &self,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<InvitationDetails> {
        let mut reader = self.reader().acquire().await?;
        let (invitation, invited) = load_details(&mut reader, token_hash).await?;
        invitation.check(now_ms)?;
        Ok(invited)
    }

    /// Makes the person a member by the link. A member keeps their role, and the
    /// link is not used up by them.
    ///
    /// # Errors
    /// [`Error::Refused`] where the link does not work, with the reason.
    pub async fn redeem_invitation(
        &self,
        token_hash: &str,
        person: PersonId,
        now_ms: i64,
    ) -> Result<InvitationDetails> {
        in_transaction!(self, |tx| {
            redeem(&mut tx, token_hash, person, now_ms).await?
        })
    }

    /// Adds a person and makes them a member by the link, or does neither.
    ///
    /// # Errors
    /// [`Error::Refused`] where the link does not work or the name cannot be one, [`Error::Taken`]
    /// where the name is taken.
    pub async fn register_by_invitation(
        &self,
        token_hash: &str,
        id: PersonId,
        name: &str,
        password_hash: &str,
        now_ms: i64,
    ) -> Result<(Person, InvitationDetails)> {
        in_transaction!(self, |tx| {
            // First, so that a made-up link does not reveal which names are taken.
            load_details(&mut tx, token_hash).await?.0.check(now_ms)?;
            let hash = Some(password_hash);
            let person = people::insert(&mut tx, id, name, hash, false, now_ms).await?;
            let invited = redeem(&mut tx, token_hash, id, now_ms).await?;
            (person, invited)
        })
    }
}

/// Makes the person a member by the link, unless they are one.
async fn redeem(
    tx: &mut AnyConnection,
    token_hash: &str,
    person: PersonId,
    now_ms: i64,
) -> Result<InvitationDetails> {
    let (_, mut invited) = load_details(tx, token_hash).await?;
    // From here on no other link of this study is followed until this transaction ends.
    event::lock_study(tx, invited.study).await?;
    let (invitation, _) = load_details(tx, token_hash).await?;
    match find_role(tx, invited.study, person).await? {
        Some(role) => invited.role = role,
        None => {
            invitation.check(now_ms)?;
            membership::insert(tx, invited.study, person, invited.role, now_ms).await?;
            count_use(tx, token_hash).await?;
        }
    }
    Ok(invited)
}

/// One more has followed the link.
pub(crate) async fn count_use(tx: &mut AnyConnection, token_hash: &str) -> Result<()> {
    sqlx::query("UPDATE invitation SET uses_left = uses_left - 1 WHERE token_hash = $1")
        .bind(token_hash)
        .execute(tx)
        .await?;
    Ok(())
}

/// The link by which participants read, whether it works or not, and its study.
pub(crate) async fn find_comprehension_link(
    tx: &mut AnyConnection,
    token_hash: &str,
) -> Result<(StudyId, Invitation)> {
    let (study, invitation, _) = find_invitation(tx, token_hash).await?;
    match invitation.target {
        InvitationTarget::Comprehension => Ok((study, invitation)),
        InvitationTarget::Membership(_) => Err(unknown_link()),
    }
}

/// The invitation, whether it works or not, and what it leads to.
async fn load_details(
    tx: &mut AnyConnection,
    token_hash: &str,
) -> Result<(Invitation, InvitationDetails)> {
    let (study, invitation, (slug, study_name)) = find_invitation(tx, token_hash).await?;
    let InvitationTarget::Membership(role) = invitation.target else {
        return Err(unknown_link());
    };
    let invited = InvitationDetails {
        study,
        slug,
        study_name,
        role,
        expires_at: invitation.expires_at,
    };
    Ok((invitation, invited))
}

fn unknown_link() -> Error {
    Error::Refused("This link is not known: check that it was copied in full.".into())
}

/// The invitation, its study, and what that is called.
async fn find_invitation(
    tx: &mut AnyConnection,
    token_hash: &str,
) -> Result<(StudyId, Invitation, (Slug, String))> {
    let row = sqlx::query(
        "SELECT i.token_hash AS token_hash, i.role AS role, i.label AS label,
                i.created_at AS created_at, i.expires_at AS expires_at, i.uses_left AS uses_left,
                i.revoked_at AS revoked_at, s.id AS study_id, s.slug AS slug, s.name AS study_name
         FROM invitation i JOIN study s ON s.id = i.study_id
         WHERE i.token_hash = $1",
    )
    .bind(token_hash)
    .fetch_optional(tx)
    .await?
    .ok_or_else(unknown_link)?;
    let id: &str = row.try_get("study_id")?;
    let slug = columns::parse_text("study", id, "slug", row.try_get("slug")?)?;
    Ok((
        columns::parse_text("study", id, "id", id)?,
        read_invitation(&row)?,
        (slug, row.try_get("study_name")?),
    ))
}

impl Invitation {
    /// Whether the link still works.
    ///
    /// # Errors
    /// [`Error::Refused`] with the reason why not.
    pub fn check(&self, now_ms: i64) -> Result<()> {
        let why_not = if self.revoked_at.is_some() {
            "was taken back"
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

async fn find_role(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<Option<Role>> {
    let row = sqlx::query("SELECT role FROM member WHERE study_id = $1 AND person_id = $2")
        .bind_id(study)
        .bind_id(person)
        .fetch_optional(tx)
        .await?;
    row.map(|row| columns::parse_text("member", person, "role", row.try_get("role")?))
        .transpose()
}

fn read_invitation(row: &AnyRow) -> Result<Invitation> {
    let token_hash: String = row.try_get("token_hash")?;
    Ok(Invitation {
        target: columns::parse_text("invitation", &token_hash, "role", row.try_get("role")?)?,
        label: row.try_get("label")?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        uses_left: row.try_get("uses_left")?,
        revoked_at: row.try_get("revoked_at")?,
        token_hash,
    })
}
