//! Beginning by a link, or coming back.

use domain::{
    crowd::CrowdEnd,
    ids::{ParticipantId, PersonId, StudyId},
    study::{Role, StudySettings},
};
use sqlx::AnyConnection;

use super::{
    resume::{has_begun_work, move_place},
    screening::{end_away, judge_screening},
};
use crate::{
    Error, EventKind, InvitationTarget, Result, Store,
    assignments::count_crowd_room,
    columns::{self, BindId, TableRow, read_row},
    comprehension::{PlatformIds, next_label},
    event,
    invitations::{count_use, find_participant_link, put_into_group},
    join_rate::{JoinLimit, count_join},
    lock, membership,
};

/// The limits on crowd raters of one study from one network address, as for participants who read.
const NEW_RATERS: [JoinLimit; 2] = [JoinLimit::per_minute(10), JoinLimit::per_hour(100)];

/// A person who is about to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewCrowdRater<'a> {
    /// The id as a participant, if they aren't one yet.
    pub id: ParticipantId,
    /// The id of their account, if they have none yet.
    pub person: PersonId,
    /// The crowd rater who is signed in in this browser.
    pub signed_in: Option<PersonId>,
    /// The random secret of their [`ResumeKey`](super::ResumeKey); never 0.
    pub secret: i64,
    /// SHA-256 of the link's token.
    pub link_hash: &'a str,
    /// Their ids on the platform.
    pub platform: PlatformIds<'a>,
    /// Whether they agree to take part. Without consent they only learn whether a place is left.
    pub consents: bool,
    /// Their answers to the screening questions, in their order.
    pub screening: &'a [String],
    /// A hash of the network address from which they join.
    pub network: &'a str,
    /// Their session.
    pub session: NewCrowdSession<'a>,
}

/// The session of a crowd rater, which begins without a password.
#[derive(Debug, Clone, Copy)]
pub struct NewCrowdSession<'a> {
    /// The hash of the cookie's value.
    pub token_hash: &'a str,
    /// The name that the browser gives itself.
    pub user_agent: &'a str,
    /// When it expires unless it is extended, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// A crowd rater's place in a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrowdPlace {
    /// The study.
    pub study: StudyId,
    /// Their account.
    pub person: PersonId,
    /// How their work ended, if it did; at the earliest with the screening questions.
    pub end: Option<CrowdEnd>,
}

impl Store {
    /// The link by which crowd raters begin, whether it still works or not, and its study.
    ///
    /// # Errors
    /// [`Error::Refused`] if there is none.
    pub async fn crowd_link(&self, token_hash: &str) -> Result<(StudyId, crate::Invitation)> {
        let mut reader = self.reader().acquire().await?;
        find_participant_link(&mut reader, token_hash, InvitationTarget::Crowd).await
    }

    /// Whether the platform's participant, a crowd rater of the study, was given a source; `None`
    /// if they aren't one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_crowd_work(&self, study: StudyId, external_id: &str) -> Result<Option<bool>> {
        let mut reader = self.reader().acquire().await?;
        match find_place(&mut reader, study, external_id).await? {
            None => Ok(None),
            Some(place) => has_begun_work(&mut reader, study, place.person)
                .await
                .map(Some),
        }
    }

    /// The number of sources that a person who begins now by a link for the group can count on; 0
    /// if no place is left.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn crowd_room(
        &self,
        study: StudyId,
        settings: &StudySettings,
        group: Option<&str>,
        now_ms: i64,
    ) -> Result<u32> {
        let mut tx = self.reader().begin().await?;
        count_crowd_room(&mut tx, study, settings, group, now_ms).await
    }

    /// Begins a crowd rater's session by a link. The account is new, unless the study needs a
    /// platform's ids and the platform's participant has an account already: they keep it if they
    /// have no work yet or come from the same browser. A person who is screened out, or for whom no
    /// place is left, gets a session, too, in which they are told so, but does not become a member
    /// of the study.
    ///
    /// # Errors
    /// Refused where the link does not work, the study is closed or not open to crowd raters, a
    /// question has no answer, the platform's id is missing or a placeholder, the platform's
    /// participant has taken part before or has work in another browser, or a place is free for a
    /// person who does not consent; [`Error::TooMany`] after too many people from the address.
    pub async fn join_crowd(&self, new: &NewCrowdRater<'_>, now_ms: i64) -> Result<CrowdPlace> {
        new.platform.check()?;
        in_transaction!(self, |tx| {
            let (study, _) =
                find_participant_link(&mut tx, new.link_hash, InvitationTarget::Crowd).await?;
            let settings = lock::lock_open_study(&mut tx, study).await?.settings;
            count_arrival(&mut tx, study, new.network, now_ms).await?;

            let before = match settings.crowd.needs_platform_id {
                true => find_place(&mut tx, study, new.platform.require_participant()?).await?,
                false => None,
            };

            let place = match before {
                Some(place) if new.signed_in == Some(place.person) => place,
                Some(place) => {
                    move_place(&mut tx, &place, new.secret).await?;
                    place
                }
                None => insert(&mut tx, study, &settings, new, now_ms).await?,
            };

            insert_session(&mut tx, place.person, new.session, now_ms).await?;
            place
        })
    }
}

/// Counts a person who arrives from the network address. People who come back count as well, so
/// that ids and secrets cannot be tried out faster than places can be taken.
pub(super) async fn count_arrival(
    tx: &mut AnyConnection,
    study: StudyId,
    network: &str,
    now_ms: i64,
) -> Result<()> {
    let subject = format!("crowd {study} {network}");
    count_join(tx, &subject, &NEW_RATERS, "beginning", now_ms).await
}

/// The place of the platform's participant.
async fn find_place(
    tx: &mut AnyConnection,
    study: StudyId,
    external_id: &str,
) -> Result<Option<CrowdPlace>> {
    let row = sqlx::query(
        "SELECT id, study_id, person_id, finished_at, left_as FROM participant
         WHERE study_id = $1 AND external_id = $2 AND kind = 'rating' AND person_id IS NOT NULL",
    )
    .bind_id(study)
    .bind(external_id)
    .fetch_optional(tx)
    .await?;
    read_row("participant", row, read_place)
}

/// Reads a place from its participant.
pub(super) fn read_place(row: &TableRow<'_>) -> Result<CrowdPlace> {
    let is_finished = row.is_set("finished_at")?;
    let left: Option<CrowdEnd> = row.parse_optional("left_as")?;
    Ok(CrowdPlace {
        study: row.parse("study_id")?,
        person: row.parse("person_id")?,
        end: left.or(is_finished.then_some(CrowdEnd::Completed)),
    })
}

/// Adds the person to a study that is held.
async fn insert(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    new: &NewCrowdRater<'_>,
    now_ms: i64,
) -> Result<CrowdPlace> {
    if !settings.crowd.is_open {
        return Err(Error::Refused(
            "This study takes no new people at the moment. Thank you for your interest.".into(),
        ));
    }

    // Checked again: others may have used the link while we waited.
    let (_, link) = find_participant_link(tx, new.link_hash, InvitationTarget::Crowd).await?;
    let room = match link.uses_left {
        ..=0 => 0,
        _ => {
            link.check(now_ms)?;
            count_crowd_room(tx, study, settings, link.group.as_deref(), now_ms).await?
        }
    };

    let mut end = (room == 0).then_some(CrowdEnd::QuotaFull);
    if new.consents {
        let screened = judge_screening(tx, study, settings, new.screening, now_ms).await?;
        end = Option::from(screened.outcome).or(end);
        if end.is_none() {
            for participant in screened.leaving {
                end_away(tx, study, participant, now_ms).await?;
            }
        }
    } else if end.is_none() {
        return Err(Error::Refused(
            "A place has become free meanwhile. Open your link again to take part.".into(),
        ));
    }

    insert_account(tx, new.person, now_ms).await?;
    let label = next_label(tx, study).await?;
    sqlx::query(
        "INSERT INTO participant (id, study_id, kind, person_id, label, external_id,
             external_study, external_session, joined_at, seen_at, seed, screening, begun_at, left_at, left_as)
         VALUES ($1, $2, 'rating', $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13)",
    )
    .bind_id(new.id)
    .bind_id(study)
    .bind_id(new.person)
    .bind(label)
    .bind(new.platform.participant)
    .bind(new.platform.study)
    .bind(new.platform.session)
    .bind(now_ms)
    .bind(new.secret)
    .bind(columns::to_json(&new.screening))
    .bind(end.is_none().then_some(now_ms))
    .bind(end.is_some().then_some(now_ms))
    .bind(end.map(CrowdEnd::name))
    .execute(&mut *tx)
    .await
    .map_err(|error| match Error::from(error) {
        error if error.is_unique_violation() => {
            Error::Taken("You have taken part in this study before: each person may once.".into())
        }
        error => error,
    })?;

    event::record(tx, study, EventKind::Participant, new.id, now_ms).await?;
    if end.is_none() {
        count_use(tx, new.link_hash).await?;
        membership::insert(tx, study, new.person, Role::Annotator, now_ms).await?;
        put_into_group(tx, study, new.person, &link, now_ms).await?;
        // They agreed before they began.
        sqlx::query("UPDATE member SET consented_at = $3 WHERE study_id = $1 AND person_id = $2")
            .bind_id(study)
            .bind_id(new.person)
            .bind(now_ms)
            .execute(tx)
            .await?;
    }

    Ok(CrowdPlace {
        study,
        person: new.person,
        end,
    })
}

/// Adds an account without a password, under a name that says nothing about the person.
async fn insert_account(tx: &mut AnyConnection, id: PersonId, now_ms: i64) -> Result<()> {
    let (high, low) = id.0.as_u64_pair();
    let name = format!("Crowd rater {:016x}", high ^ low);
    sqlx::query(
        "INSERT INTO person (id, name, folded_name, is_admin, is_crowd, created_at)
         VALUES ($1, $2, $3, 0, 1, $4)",
    )
    .bind_id(id)
    .bind(&name)
    .bind(name.to_lowercase())
    .bind(now_ms)
    .execute(tx)
    .await?;
    Ok(())
}

pub(super) async fn insert_session(
    tx: &mut AnyConnection,
    person: PersonId,
    new: NewCrowdSession<'_>,
    now_ms: i64,
) -> Result<()> {
    // No password was typed, so nothing counts as confirmed.
    sqlx::query(
        "INSERT INTO session
             (token_hash, person_id, user_agent, created_at, confirmed_at, seen_at, expires_at)
         VALUES ($1, $2, $3, $4, 0, $4, $5)",
    )
    .bind(new.token_hash)
    .bind_id(person)
    .bind(new.user_agent)
    .bind(now_ms)
    .bind(new.expires_ms)
    .execute(tx)
    .await?;
    Ok(())
}
