//! Beginning by a link, or coming back.

use std::cmp::Reverse;

use domain::{
    crowd::{CrowdEnd, CrowdSettings},
    ids::{ParticipantId, PersonId, StudyId},
    screening::ScreeningOutcome,
    study::{Role, StudySettings},
};
use sqlx::AnyConnection;

use crate::{
    Error, EventKind, InvitationTarget, Result, Store,
    assignments::{away_before, count_crowd_room},
    columns::{self, BindId, TableRow},
    comprehension::{PlatformIds, next_label},
    event,
    invitations::{count_use, find_participant_link, put_into_group},
    join_rate::{JoinLimit, count_join},
    lock, membership,
};

/// The crowd raters of one study from one network address, as for participants who read.
const NEW_RATERS: [JoinLimit; 2] = [JoinLimit::per_minute(10), JoinLimit::per_hour(100)];

/// A person who is about to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewCrowdRater<'a> {
    /// The id as a participant, if they are none yet.
    pub id: ParticipantId,
    /// The id of their account, if they have none yet.
    pub person: PersonId,
    /// SHA-256 of the link's token.
    pub link_hash: &'a str,
    /// Who they are elsewhere.
    pub platform: PlatformIds<'a>,
    /// Whether they agree to take part. Without it they are only told that no place is left.
    pub consents: bool,
    /// Their answers to the screening questions, in their order.
    pub screening: &'a [String],
    /// A hash of the network address that they join from.
    pub network: &'a str,
    /// Their session.
    pub session: NewCrowdSession<'a>,
}

/// The session of a crowd rater, which begins without a password.
#[derive(Debug, Clone, Copy)]
pub struct NewCrowdSession<'a> {
    /// The hash of what the cookie says.
    pub token_hash: &'a str,
    /// The name that the browser gives itself.
    pub user_agent: &'a str,
    /// When it ends unless it is extended, in milliseconds since 1970.
    pub expires_ms: i64,
}

/// A crowd rater's place in a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrowdPlace {
    /// The study.
    pub study: StudyId,
    /// Their account.
    pub person: PersonId,
    /// How their work ended, where it did, at the latest at the screening questions.
    pub end: Option<CrowdEnd>,
}

impl Store {
    /// The link by which crowd raters begin, whether it works or not, and its study.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is none.
    pub async fn crowd_link(&self, token_hash: &str) -> Result<(StudyId, crate::Invitation)> {
        let mut reader = self.reader().acquire().await?;
        find_participant_link(&mut reader, token_hash, InvitationTarget::Crowd).await
    }

    /// Whether the platform's participant is a crowd rater of the study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn has_crowd_place(&self, study: StudyId, external_id: &str) -> Result<bool> {
        let mut reader = self.reader().acquire().await?;
        Ok(find_place(&mut reader, study, external_id).await?.is_some())
    }

    /// The number of sources that a person who begins now by a link for that group can count on; 0 where no place is left.
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

    /// Begins a crowd rater's session by a link: with a new account, or with the one that the platform's participant
    /// has where the study needs a platform's ids. One who is screened out, or for whom no place is left, gets a session as
    /// well, in which they are told so, but is no member of the study.
    ///
    /// # Errors
    /// Refused where the link does not work, the study is closed or not open to crowd raters, a question has no answer, the
    /// platform's id is missing or a placeholder, the platform's participant has taken part before, or a place is free for
    /// one who does not consent; [`Error::TooMany`] after too many from the address.
    pub async fn join_crowd(&self, new: &NewCrowdRater<'_>, now_ms: i64) -> Result<CrowdPlace> {
        new.platform.check()?;
        in_transaction!(self, |tx| {
            let (study, _) =
                find_participant_link(&mut tx, new.link_hash, InvitationTarget::Crowd).await?;
            let settings = lock::lock_open_study(&mut tx, study).await?.settings;
            // Those who come back count as well: ids cannot be tried out faster than places taken.
            let subject = format!("crowd {study} {}", new.network);
            count_join(&mut tx, &subject, &NEW_RATERS, "beginning", now_ms).await?;
            let before = match settings.crowd.needs_platform_id {
                true => find_place(&mut tx, study, new.platform.require_participant()?).await?,
                false => None,
            };
            let place = match before {
                Some(place) => place,
                None => insert(&mut tx, study, &settings, new, now_ms).await?,
            };
            insert_session(&mut tx, place.person, new.session, now_ms).await?;
            place
        })
    }
}

/// The place of the platform's participant.
async fn find_place(
    tx: &mut AnyConnection,
    study: StudyId,
    external_id: &str,
) -> Result<Option<CrowdPlace>> {
    let row = sqlx::query(
        "SELECT id, person_id, finished_at, left_as FROM participant
         WHERE study_id = $1 AND external_id = $2 AND kind = 'rating' AND person_id IS NOT NULL",
    )
    .bind_id(study)
    .bind(external_id)
    .fetch_optional(tx)
    .await?;
    row.map(|row| {
        let row = TableRow::new("participant", &row)?;
        let is_finished = row.get::<Option<i64>>("finished_at")?.is_some();
        let left: Option<CrowdEnd> = row.parse_optional("left_as")?;
        Ok(CrowdPlace {
            study,
            person: row.parse("person_id")?,
            end: left.or(is_finished.then_some(CrowdEnd::Completed)),
        })
    })
    .transpose()
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
    // Once more: others may have used it while we waited.
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
         VALUES ($1, $2, 'rating', $3, $4, $5, $6, $7, $8, $8, 0, $9, $10, $11, $12)",
    )
    .bind_id(new.id)
    .bind_id(study)
    .bind_id(new.person)
    .bind(label)
    .bind(new.platform.participant)
    .bind(new.platform.study)
    .bind(new.platform.session)
    .bind(now_ms)
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

/// Adds an account without a password, under a name that says nothing of the person.
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

async fn insert_session(
    tx: &mut AnyConnection,
    person: PersonId,
    new: NewCrowdSession<'_>,
    now_ms: i64,
) -> Result<()> {
    // Nobody typed a password, so that nothing counts as confirmed.
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

/// A crowd rater who takes a place for people with their answers.
struct PlaceHolder {
    id: ParticipantId,
    answers: Vec<String>,
    /// Whether they have been away for so long that another person may have the place.
    is_away: bool,
}

impl PlaceHolder {
    /// Whether they gave the same answer to that question.
    fn shares(&self, at: usize, answers: &[String]) -> bool {
        let own = self.answers.get(at);
        own.is_some() && own == answers.get(at)
    }
}

/// The outcome of screening, and the crowd raters whose places it takes because they have been away for the study's
/// lease: as few as possible, those who have been away longest first.
struct ScreeningVerdict {
    outcome: ScreeningOutcome,
    leaving: Vec<ParticipantId>,
}

/// Judges the answers in a study that is held, so that two who come at once cannot have the same place.
async fn judge_screening(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
    answers: &[String],
    now_ms: i64,
) -> Result<ScreeningVerdict> {
    let CrowdSettings { screening, .. } = &settings.crowd;
    let mut leaving = vec![];
    let mut holders = match screening.questions().is_empty() {
        true => vec![],
        false => load_place_holders(tx, study, away_before(settings, now_ms)).await?,
    };
    loop {
        let taken = |at: usize, text: &str| {
            let alike = holders
                .iter()
                .filter(|holder| holder.answers.get(at).is_some_and(|answer| answer == text));
            u32::try_from(alike.count()).unwrap_or(u32::MAX)
        };
        let outcome = screening.judge(answers, taken).map_err(|question| {
            Error::Refused(format!("Choose an answer to “{}”.", question.question))
        })?;
        let full = match outcome {
            ScreeningOutcome::QuotaFull => screening.full_questions(answers, taken),
            _ => return Ok(ScreeningVerdict { outcome, leaving }),
        };
        match find_in_the_way(&holders, &full, answers) {
            Some(place) => leaving.push(holders.remove(place).id),
            // Those who would have made room keep their places.
            None => {
                leaving.clear();
                return Ok(ScreeningVerdict { outcome, leaving });
            }
        }
    }
}

/// The place in the list of the person who is away and takes most of the places that are missing; of several, the first.
fn find_in_the_way(holders: &[PlaceHolder], full: &[usize], answers: &[String]) -> Option<usize> {
    let frees = |holder: &PlaceHolder| {
        let shared = full.iter().filter(|at| holder.shares(**at, answers));
        shared.count()
    };
    let away = holders
        .iter()
        .enumerate()
        .filter(|(_, holder)| holder.is_away);
    let most = away.max_by_key(|(place, holder)| (frees(holder), Reverse(*place)));
    most.filter(|(_, holder)| frees(holder) > 0)
        .map(|(place, _)| place)
}

async fn load_place_holders(
    tx: &mut AnyConnection,
    study: StudyId,
    away_before: i64,
) -> Result<Vec<PlaceHolder>> {
    // An excluded rater gives up their place to another; a paused rater keeps it, since the lead may let them continue.
    let rows = sqlx::query(
        "SELECT id, screening, finished_at, seen_at FROM participant
         WHERE study_id = $1 AND kind = 'rating' AND begun_at IS NOT NULL
           AND (left_as IS NULL OR left_as = 'paused')
         ORDER BY seen_at, id",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;
    rows.iter()
        .map(|row| {
            let row = TableRow::new("participant", row)?;
            Ok(PlaceHolder {
                id: row.parse("id")?,
                answers: row.json_optional("screening")?.unwrap_or_default(),
                is_away: row.get::<Option<i64>>("finished_at")?.is_none()
                    && row.get::<i64>("seen_at")? < away_before,
            })
        })
        .collect()
}

async fn end_away(
    tx: &mut AnyConnection,
    study: StudyId,
    participant: ParticipantId,
    now_ms: i64,
) -> Result<()> {
    sqlx::query("UPDATE participant SET left_at = $2, left_as = 'lapsed' WHERE id = $1")
        .bind_id(participant)
        .bind(now_ms)
        .execute(&mut *tx)
        .await?;
    event::record(tx, study, EventKind::Participant, participant, now_ms).await?;
    Ok(())
}
