//! Following links: where each leads, and the membership that it gives.

use domain::{
    ids::{PersonId, StudyId},
    study::{Role, Slug},
};
use sqlx::{AnyConnection, Row};

use super::{Invitation, InvitationTarget, read_invitation};
use crate::{
    Error, Person, Result, Store,
    columns::{self, BindId, TableRow},
    join_rate::{JoinLimit, count_join},
    lock, membership, people,
};

/// The limit on new accounts from one network address by one invitation; several classes behind one
/// address stay below it. The invitation's uses limit them as well.
const NEW_ACCOUNTS: JoinLimit = JoinLimit::per_hour(100);

/// The study and role of a link that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationDetails {
    /// The study.
    pub study: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub study_name: String,
    /// The role that the link gives. For a person who has followed it, their own role: a member
    /// keeps the one they had.
    pub role: Role,
    /// When the link expires, in milliseconds since 1970.
    pub expires_at: i64,
    /// Whether the study is archived, so that nobody can join it.
    is_archived: bool,
}

/// Refuses if the study is archived: nobody can join it.
fn refuse_archived(invited: &InvitationDetails) -> Result<()> {
    match invited.is_archived {
        true => Err(Error::Refused(format!(
            "The study “{}” is archived: nobody can join it. Ask the person who sent you the link.",
            invited.study_name
        ))),
        false => Ok(()),
    }
}

impl Store {
    /// The link by which participants read, whether it still works or not, and its study.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is none.
    pub async fn comprehension_link(&self, token_hash: &str) -> Result<(StudyId, Invitation)> {
        let mut reader = self.reader().acquire().await?;
        find_participant_link(&mut reader, token_hash, InvitationTarget::Comprehension).await
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
        refuse_archived(&invited)?;
        Ok(invited)
    }

    /// Makes the person a member by the link. A member keeps their role and does not use up the
    /// link.
    ///
    /// # Errors
    /// [`Error::Refused`] where the link does not work, with the reason.
    pub async fn redeem_invitation(
        &self,
        token_hash: &str,
        person: PersonId,
        now_ms: i64,
    ) -> Result<InvitationDetails> {
        let mut reader = self.reader().acquire().await?;
        let (study, ..) = find_invitation(&mut reader, token_hash).await?;
        drop(reader);
        let store = self.with_audited_study(study);
        let (invited, _) = change_in_transaction!(store, |tx| {
            redeem(&mut tx, token_hash, person, now_ms).await?
        })?;
        Ok(invited)
    }

    /// Adds a person and makes them a member by the link, or does neither. `network` is a hash of
    /// the address from which the request comes.
    ///
    /// # Errors
    /// [`Error::Refused`] where the link does not work or the name is not allowed, [`Error::Taken`]
    /// where the name is taken, [`Error::TooMany`] after too many new accounts from the address by
    /// the link.
    pub async fn register_by_invitation(
        &self,
        token_hash: &str,
        id: PersonId,
        name: &str,
        password_hash: &str,
        network: &str,
        now_ms: i64,
    ) -> Result<(Person, InvitationDetails)> {
        in_transaction!(self, |tx| {
            // First, so that a made-up link does not reveal which names are taken.
            load_details(&mut tx, token_hash).await?.0.check(now_ms)?;

            let subject = format!("account {token_hash} {network}");
            count_join(
                &mut tx,
                &subject,
                &[NEW_ACCOUNTS],
                "creating accounts",
                now_ms,
            )
            .await?;

            let hash = Some(password_hash);
            let person = people::insert(&mut tx, id, name, hash, false, now_ms).await?;
            let (invited, _) = redeem(&mut tx, token_hash, id, now_ms).await?;
            (person, invited)
        })
    }
}

/// Makes the person a member by the link, unless they are one. Also returns whether they are new.
async fn redeem(
    tx: &mut AnyConnection,
    token_hash: &str,
    person: PersonId,
    now_ms: i64,
) -> Result<(InvitationDetails, bool)> {
    let (_, mut invited) = load_details(tx, token_hash).await?;

    // Held from here on: no other link of this study is followed until this transaction ends.
    let locked_study = lock::lock_study(tx, invited.study).await?;
    let (invitation, _) = load_details(tx, token_hash).await?;
    let role = find_role(tx, invited.study, person).await?;
    match role {
        Some(role) => invited.role = role,
        None => {
            invitation.check(now_ms)?;
            refuse_archived(&invited)?;
            if locked_study.closed_reason.is_some() {
                return Err(Error::Refused(
                    "This study is closed: nobody can join it.".into(),
                ));
            }
            membership::insert(tx, invited.study, person, invited.role, now_ms).await?;
            put_into_group(tx, invited.study, person, &invitation, now_ms).await?;
            count_use(tx, token_hash).await?;
        }
    }

    Ok((invited, role.is_none()))
}

/// Puts a new annotator into the group of the link, if it has one.
pub(crate) async fn put_into_group(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    invitation: &Invitation,
    now_ms: i64,
) -> Result<()> {
    if let Some(group) = &invitation.group {
        membership::set_group(tx, study, person, Some(group), now_ms).await?;
    }
    Ok(())
}

/// Counts another person who followed the link.
pub(crate) async fn count_use(tx: &mut AnyConnection, token_hash: &str) -> Result<()> {
    sqlx::query("UPDATE invitation SET uses_left = uses_left - 1 WHERE token_hash = $1")
        .bind(token_hash)
        .execute(tx)
        .await?;
    Ok(())
}

/// The link by which participants of that kind take part, whether it still works or not, and its
/// study.
pub(crate) async fn find_participant_link(
    tx: &mut AnyConnection,
    token_hash: &str,
    target: InvitationTarget,
) -> Result<(StudyId, Invitation)> {
    let (study, invitation, _) = find_invitation(tx, token_hash).await?;
    if invitation.target == target {
        Ok((study, invitation))
    } else {
        Err(unknown_link())
    }
}

/// The invitation, whether it still works or not, and its details.
async fn load_details(
    tx: &mut AnyConnection,
    token_hash: &str,
) -> Result<(Invitation, InvitationDetails)> {
    let (study, invitation, (slug, study_name, is_archived)) =
        find_invitation(tx, token_hash).await?;
    let InvitationTarget::Membership(role) = invitation.target else {
        return Err(unknown_link());
    };

    let invited = InvitationDetails {
        study,
        slug,
        study_name,
        role,
        expires_at: invitation.expires_at,
        is_archived,
    };
    Ok((invitation, invited))
}

fn unknown_link() -> Error {
    Error::Refused("This link is not known: check that it was copied in full.".into())
}

/// The invitation, its study, the study's short name and name, and whether the study is archived.
async fn find_invitation(
    tx: &mut AnyConnection,
    token_hash: &str,
) -> Result<(StudyId, Invitation, (Slug, String, bool))> {
    let row = sqlx::query(
        "SELECT i.token_hash AS token_hash, i.role AS role, i.label AS label,
                i.created_at AS created_at, i.expires_at AS expires_at, i.uses_left AS uses_left,
                i.revoked_at AS revoked_at, i.group_id AS group_id, s.id AS study_id, s.slug AS slug, s.name AS study_name,
                s.archived_at AS archived_at
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
        (
            slug,
            row.try_get("study_name")?,
            row.try_get::<Option<i64>, _>("archived_at")?.is_some(),
        ),
    ))
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
    row.map(|row| TableRow::named("member", &row, person).parse("role"))
        .transpose()
}
