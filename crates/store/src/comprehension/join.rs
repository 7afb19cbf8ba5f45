//! Joining: a session by a link, then texts by the design.

use domain::{
    comprehension::ComprehensionSettings,
    ids::{ConditionId, ParticipantId, StudyId},
    platform_id::{is_placeholder, placeholder_sentence},
    screening::ScreeningOutcome,
};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{
    ExitReason, ParticipantState,
    assigned_texts::{assign_cells, insert_texts, with_practice},
    design_load::PlaceExpiry,
    leave::record_exit,
    lock_active_participant,
    material::{StudyMaterial, load_material, load_settings},
};
use crate::{
    Error, EventKind, Result, Store,
    columns::{BindId, TableRow, parse_count},
    event,
    invitations::{InvitationTarget, count_use, find_participant_link},
    join_rate::{JoinLimit, count_join},
    lock,
};

/// The limits on participants of one study from one network address. A class in a computer room
/// stays below them while it reads the information sheet, and a single client cannot take all
/// places unnoticed.
const NEW_PARTICIPANTS: [JoinLimit; 2] = [JoinLimit::per_minute(10), JoinLimit::per_hour(100)];

/// The links for participants in reading comprehension.
const LINK: InvitationTarget = InvitationTarget::Comprehension;

/// The ids given by the platform that sent a participant.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlatformIds<'a> {
    /// The participant. The same id never gets a second place: it gets its own place back if the
    /// study needs ids, and is refused otherwise.
    pub participant: Option<&'a str>,
    /// The platform's study.
    pub study: &'a str,
    /// The platform's session.
    pub session: &'a str,
}

impl<'a> PlatformIds<'a> {
    /// Checks that none is a placeholder that the platform did not fill in.
    ///
    /// # Errors
    /// Refused where one is; the message names it.
    pub fn check(self) -> Result<()> {
        let ids = [
            self.participant.unwrap_or_default(),
            self.study,
            self.session,
        ];
        match ids.into_iter().find(|id| is_placeholder(id)) {
            Some(id) => Err(Error::Refused(placeholder_sentence(id))),
            None => Ok(()),
        }
    }

    /// The participant's id.
    ///
    /// # Errors
    /// Refused where the platform gave none.
    pub(crate) fn require_participant(self) -> Result<&'a str> {
        self.participant.ok_or_else(|| {
            Error::Refused(
                "Your link lacks the ID by which the platform that sent you knows you: open the study from \
                 the platform again."
                    .into(),
            )
        })
    }
}

/// A session to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewParticipant<'a> {
    /// The id.
    pub id: ParticipantId,
    /// SHA-256 of the cookie's value.
    pub session_hash: &'a str,
    /// SHA-256 of the link's token.
    pub link_hash: &'a str,
    /// Their ids on the platform.
    pub platform: PlatformIds<'a>,
    /// A hash of the network address from which they join.
    pub network: &'a str,
    /// The seed that shuffles texts and answers.
    pub seed: i64,
}

/// The outcome of beginning to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingStart {
    /// The participant has this number of texts.
    Begun(u32),
    /// All texts have their participants; nothing was recorded.
    NoPlace,
    /// The answers to the screening questions ended the session.
    Ended(ExitReason),
}

impl Store {
    /// Begins a session by a link; [`Store::begin_comprehension`] gives the texts. If the study
    /// needs the platform's ids, a participant who has a place continues it in this session and no
    /// longer in the one before.
    ///
    /// # Errors
    /// Refused where the link does not work, the study is closed, the platform's id is missing or a
    /// placeholder, or the platform's participant has taken part before; [`Error::TooMany`] after
    /// too many participants from the address.
    pub async fn join_comprehension(
        &self,
        new: &NewParticipant<'_>,
        now_ms: i64,
    ) -> Result<StudyId> {
        new.platform.check()?;
        in_transaction!(self, |tx| {
            let (study, _) = find_participant_link(&mut tx, new.link_hash, LINK).await?;
            lock::lock_open_study(&mut tx, study).await?;

            // Resumed sessions count as well, so that ids cannot be tried out faster than places
            // can be taken.
            let subject = format!("reading {study} {}", new.network);
            count_join(&mut tx, &subject, &NEW_PARTICIPANTS, "beginning", now_ms).await?;

            let settings = load_settings(&mut tx, study).await?.unwrap_or_default();
            if !settings.needs_platform_id || !resume_place(&mut tx, study, new, now_ms).await? {
                insert_participant(&mut tx, study, new, now_ms).await?;
            }
            study
        })
    }

    /// The number of texts that the platform's participant was given; `None` if they have no place
    /// in the study.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn platform_participant_texts(
        &self,
        study: StudyId,
        external_id: &str,
    ) -> Result<Option<u32>> {
        let row = sqlx::query(
            "SELECT COUNT(r.id) AS texts FROM participant p
             LEFT JOIN reading r ON r.participant_id = p.id
             WHERE p.study_id = $1 AND p.external_id = $2 AND p.kind = 'reading' AND p.left_at IS NULL
             GROUP BY p.id",
        )
        .bind_id(study)
        .bind(external_id)
        .fetch_optional(self.reader())
        .await?;
        row.map(|row| parse_count(&row, "texts")).transpose()
    }

    /// Records consent and the answers to the screening questions, and gives the participant their
    /// texts: practice first, attention checks in the middle. A second call changes nothing.
    /// Answers that screen a person out aren't kept; their session and their platform's ID are, so
    /// that they cannot try other answers.
    ///
    /// Participants who began, did not finish and were not seen for the study's lease make room
    /// first, and then, if their places are needed, those who have not answered anything for half
    /// an hour.
    ///
    /// # Errors
    /// Refused where the session has ended, the study is closed, or an answer is not one of the
    /// choices.
    pub async fn begin_comprehension(
        &self,
        session_hash: &str,
        screening: &[String],
        new_id: impl Fn() -> Uuid,
        now_ms: i64,
    ) -> Result<ReadingStart> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            let Some(settings) = load_settings(&mut tx, seat.study).await? else {
                return Err(Error::Refused("This study has nothing to read.".into()));
            };

            if seat.begun {
                return Ok(ReadingStart::Begun(count_texts(&mut tx, &seat).await?));
            }

            let lease = PlaceExpiry::lease(&settings, now_ms);
            end_expired_sessions(&mut tx, seat.study, lease, now_ms).await?;

            match screen(&mut tx, &seat, &settings, screening).await? {
                Some(reason) => {
                    let (study, participant) = (seat.study, seat.participant);
                    record_exit(&mut tx, study, participant, reason, "", now_ms).await?;
                    ReadingStart::Ended(reason)
                }
                None => {
                    let material = load_material(&mut tx, seat.study).await?;
                    let cells = find_room(&mut tx, &seat, &settings, &material, now_ms).await?;
                    if cells.is_empty() {
                        // Nobody loses a place: the transaction ends without a change.
                        return Ok(ReadingStart::NoPlace);
                    }

                    let cells = with_practice(cells, &material);
                    insert_texts(&mut tx, &seat, &material, &cells, &new_id).await?;
                    record_start(&mut tx, &seat, screening, now_ms).await?;
                    ReadingStart::Begun(count_texts(&mut tx, &seat).await?)
                }
            }
        })
    }
}

/// The next pseudonym that no participant has and no erased one had. The study must be held.
pub(crate) async fn next_label(tx: &mut AnyConnection, study: StudyId) -> Result<String> {
    loop {
        let number: i64 = sqlx::query_scalar(
            "UPDATE study SET participants_joined = participants_joined + 1
             WHERE id = $1 RETURNING participants_joined",
        )
        .bind_id(study)
        .fetch_one(&mut *tx)
        .await?;
        let label = format!("participant {number}");

        // A file may have brought a participant with this label.
        let taken = sqlx::query("SELECT 1 FROM participant WHERE study_id = $1 AND label = $2")
            .bind_id(study)
            .bind(&label)
            .fetch_optional(&mut *tx)
            .await?;
        if taken.is_none() {
            return Ok(label);
        }
    }
}

/// Moves the place of the platform's participant to their new session. Returns false if they have
/// none.
async fn resume_place(
    tx: &mut AnyConnection,
    study: StudyId,
    new: &NewParticipant<'_>,
    now_ms: i64,
) -> Result<bool> {
    let participant = new.platform.require_participant()?;
    let resumed = sqlx::query(
        "UPDATE participant SET session_hash = $3, seen_at = $4
         WHERE study_id = $1 AND external_id = $2 AND kind = 'reading' AND left_at IS NULL",
    )
    .bind_id(study)
    .bind(participant)
    .bind(new.session_hash)
    .bind(now_ms)
    .execute(tx)
    .await?
    .rows_affected();
    Ok(resumed == 1)
}

/// Adds the participant to a study that is held.
async fn insert_participant(
    tx: &mut AnyConnection,
    study: StudyId,
    new: &NewParticipant<'_>,
    now_ms: i64,
) -> Result<()> {
    // Checked again: others may have used the link while we waited.
    let (_, link) = find_participant_link(tx, new.link_hash, LINK).await?;
    link.check(now_ms)?;

    let label = next_label(tx, study).await?;
    sqlx::query(
        "INSERT INTO participant (id, study_id, label, session_hash, external_id,
             external_study, external_session, joined_at, seen_at, seed)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)",
    )
    .bind_id(new.id)
    .bind_id(study)
    .bind(label)
    .bind(new.session_hash)
    .bind(new.platform.participant)
    .bind(new.platform.study)
    .bind(new.platform.session)
    .bind(now_ms)
    .bind(new.seed)
    .execute(&mut *tx)
    .await
    .map_err(|error| match Error::from(error) {
        error if error.is_unique_violation() => {
            Error::Taken("You have taken part in this study before: each person may once.".into())
        }
        error => error,
    })?;

    count_use(tx, new.link_hash).await?;
    event::record(tx, study, EventKind::Participant, new.id, now_ms).await?;
    Ok(())
}

/// Records that the participant has begun, with their answers to the screening questions.
async fn record_start(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    screening: &[String],
    now_ms: i64,
) -> Result<()> {
    // Seen now, because they may have joined long before, when no place was free.
    sqlx::query("UPDATE participant SET begun_at = $2, seen_at = $2, screening = $3 WHERE id = $1")
        .bind_id(seat.participant)
        .bind(now_ms)
        .bind(crate::columns::to_json(&screening))
        .execute(&mut *tx)
        .await?;

    sqlx::query("UPDATE comprehension SET begun = begun + 1 WHERE study_id = $1")
        .bind_id(seat.study)
        .execute(&mut *tx)
        .await?;
    seat.record_event(tx, now_ms).await?;
    Ok(())
}

async fn count_texts(tx: &mut AnyConnection, seat: &ParticipantState) -> Result<u32> {
    let row = sqlx::query("SELECT COUNT(*) AS texts FROM reading WHERE participant_id = $1")
        .bind_id(seat.participant)
        .fetch_one(tx)
        .await?;
    parse_count(&row, "texts")
}

/// The reason why the answers to the screening questions end the session, if they do. Participants
/// who finished or are reading take up the quotas of their answers.
async fn screen(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    settings: &ComprehensionSettings,
    answers: &[String],
) -> Result<Option<ExitReason>> {
    let rows = sqlx::query(
        "SELECT id, screening FROM participant
         WHERE study_id = $1 AND kind = 'reading' AND begun_at IS NOT NULL AND left_at IS NULL
           AND screening IS NOT NULL",
    )
    .bind_id(seat.study)
    .fetch_all(tx)
    .await?;

    let mut holders: Vec<Vec<String>> = vec![];
    for row in &rows {
        holders.push(TableRow::new("participant", row)?.json("screening")?);
    }

    let taken = |at: usize, text: &str| {
        let alike = holders
            .iter()
            .filter(|answers| answers.get(at).is_some_and(|answer| answer == text));
        u32::try_from(alike.count()).unwrap_or(u32::MAX)
    };

    match settings.judge_screening(answers, taken) {
        Ok(ScreeningOutcome::Accepted) => Ok(None),
        Ok(ScreeningOutcome::NotAccepted) => Ok(Some(ExitReason::ScreenedOut)),
        Ok(ScreeningOutcome::QuotaFull) => Ok(Some(ExitReason::QuotaFull)),
        Err(asked) => Err(Error::Refused(format!(
            "Choose an answer to “{}”.",
            asked.question
        ))),
    }
}

/// The participant's texts, after expired places were made free. Participants who have not answered
/// anything keep a place that nobody needs.
async fn find_room(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    settings: &ComprehensionSettings,
    material: &StudyMaterial,
    now_ms: i64,
) -> Result<Vec<(usize, ConditionId)>> {
    let free = assign_cells(tx, seat, settings, material, PlaceExpiry::NEVER).await?;
    let expiry = PlaceExpiry::new(settings, now_ms);
    let with_unused = assign_cells(tx, seat, settings, material, expiry).await?;
    if with_unused.len() <= free.len() {
        return Ok(free);
    }

    end_expired_sessions(tx, seat.study, expiry, now_ms).await?;
    Ok(with_unused)
}

/// Ends the sessions of participants who began, did not finish, and whose places have expired.
async fn end_expired_sessions(
    tx: &mut AnyConnection,
    study: StudyId,
    expiry: PlaceExpiry,
    now_ms: i64,
) -> Result<()> {
    let participants: Vec<String> = sqlx::query_scalar(
        "UPDATE participant SET left_at = $4, left_as = 'lapsed'
         WHERE study_id = $1 AND kind = 'reading' AND begun_at IS NOT NULL AND finished_at IS NULL
           AND left_at IS NULL
           AND (seen_at < $2 OR (seen_at < $3 AND NOT EXISTS (
                SELECT 1 FROM reading r
                JOIN reading_answer a ON a.reading_id = r.id AND a.current = 1
                WHERE r.participant_id = participant.id)))
         RETURNING id",
    )
    .bind_id(study)
    .bind(expiry.seen_before)
    .bind(expiry.unanswered_before)
    .bind(now_ms)
    .fetch_all(&mut *tx)
    .await?;

    for participant in participants {
        event::record(tx, study, EventKind::Participant, participant, now_ms).await?;
    }
    Ok(())
}
