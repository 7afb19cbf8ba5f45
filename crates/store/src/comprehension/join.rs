//! Taking part: a session by a link, then texts by the design.

use std::collections::HashMap;

use domain::{
    comprehension::{
        CellLoad, ChoiceOrder, ComprehensionSettings, DesignCell, ParticipantCapacity,
        PassagePurpose,
    },
    ids::{ConditionId, ParticipantId, StudyId},
    random::SeededRandom,
};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use super::{
    ParticipantState, lock_active_participant,
    material::{StoredPassage, StudyMaterial, load_material, load_settings},
};
use crate::{
    Error, EventKind, Result, Store, bulk,
    columns::BindId,
    event,
    invitations::{count_use, find_comprehension_link},
    lock,
};

/// Ids given by the platform that sent a participant.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlatformIds<'a> {
    /// The participant; a second participation under the same id is refused.
    pub participant: Option<&'a str>,
    /// The platform's study.
    pub study: &'a str,
    /// The platform's session.
    pub session: &'a str,
}

/// A session that is to begin.
#[derive(Debug, Clone, Copy)]
pub struct NewParticipant<'a> {
    /// The id.
    pub id: ParticipantId,
    /// SHA-256 of the cookie's value.
    pub session_hash: &'a str,
    /// SHA-256 of the link's token.
    pub link_hash: &'a str,
    /// Who they are elsewhere.
    pub platform: PlatformIds<'a>,
    /// The seed that shuffles texts and answers.
    pub seed: i64,
}

/// Sets the random numbers that order answers apart from those that choose texts.
const ANSWER_ORDERS: u64 = 0x616e_7377_6572_7321;

impl Store {
    /// How many texts the next participant gets, practice and attention checks among them, and how
    /// many more participants get any, counted up to `most`. `None` where the study has no reading comprehension.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn comprehension_outlook(
        &self,
        study: StudyId,
        most: u32,
        now_ms: i64,
    ) -> Result<Option<ParticipantCapacity>> {
        let mut reader = self.reader().acquire().await?;
        let Some(settings) = load_settings(&mut reader, study).await? else {
            return Ok(None);
        };
        let material = load_material(&mut reader, study).await?;
        let lapsed = lapsed_before(&settings, now_ms);
        let loaded = load_design(&mut reader, study, &material, lapsed).await?;
        let mut outlook = settings
            .design
            .remaining_capacity(loaded.load, loaded.begun, most);
        if outlook.places > 0 {
            let others = material.passages.iter().filter(|own| {
                own.passage.purpose != PassagePurpose::Main && !own.questions.is_empty()
            });
            outlook.texts += u32::try_from(others.count()).unwrap_or(u32::MAX);
        }
        Ok(Some(outlook))
    }

    /// Begins a session by a link; texts are given by [`Store::begin_reading`].
    ///
    /// # Errors
    /// Refused where the link does not work, the study is closed, or the platform's participant has
    /// taken part before.
    pub async fn join_comprehension(
        &self,
        new: &NewParticipant<'_>,
        now_ms: i64,
    ) -> Result<StudyId> {
        in_transaction!(self, |tx| {
            let (study, _) = find_comprehension_link(&mut tx, new.link_hash).await?;
            lock::lock_open_study(&mut tx, study).await?;
            // Once more: others may have used it while we waited.
            let (_, link) = find_comprehension_link(&mut tx, new.link_hash).await?;
            link.check(now_ms)?;
            let number: i64 =
                sqlx::query("SELECT COUNT(*) + 1 FROM participant WHERE study_id = $1")
                    .bind_id(study)
                    .fetch_one(&mut *tx)
                    .await?
                    .try_get(0)?;
            sqlx::query(
                "INSERT INTO participant (id, study_id, label, session_hash, external_id,
                     external_study, external_session, joined_at, seen_at, seed)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)",
            )
            .bind_id(new.id)
            .bind_id(study)
            .bind(format!("participant {number}"))
            .bind(new.session_hash)
            .bind(new.platform.participant)
            .bind(new.platform.study)
            .bind(new.platform.session)
            .bind(now_ms)
            .bind(new.seed)
            .execute(&mut *tx)
            .await
            .map_err(|error| match Error::from(error) {
                error if error.is_unique_violation() => Error::Taken(
                    "You have taken part in this study before: each person may once.".into(),
                ),
                error => error,
            })?;
            count_use(&mut tx, new.link_hash).await?;
            event::record(&mut tx, study, EventKind::Participant, new.id, now_ms).await?;
            study
        })
    }

    /// Records consent and the answers to the screening questions, and gives the participant their
    /// texts: practice first, attention checks in the middle. Asked again it changes nothing. How
    /// many texts were given; 0 where all texts have their participants, and then nothing is recorded.
    ///
    /// Participants who began, did not finish and were not seen for the study's lease make room first.
    ///
    /// # Errors
    /// Refused where the session has ended or the study is closed.
    pub async fn begin_comprehension(
        &self,
        session_hash: &str,
        screening: &[String],
        new_id: impl Fn() -> Uuid,
        now_ms: i64,
    ) -> Result<u32> {
        in_transaction!(self, |tx| {
            let seat = lock_active_participant(&mut tx, session_hash).await?;
            let Some(settings) = load_settings(&mut tx, seat.study).await? else {
                return Err(Error::Refused("This study has nothing to read.".into()));
            };
            if !seat.begun {
                end_lapsed_sessions(&mut tx, &settings, seat.study, now_ms).await?;
                let material = load_material(&mut tx, seat.study).await?;
                let cells = assign_cells(&mut tx, &seat, &settings, &material).await?;
                if cells.is_empty() {
                    return Ok(0);
                }
                let cells = with_practice(cells, &material);
                insert_texts(&mut tx, &seat, &material, &cells, &new_id).await?;
                sqlx::query("UPDATE participant SET begun_at = $2, screening = $3 WHERE id = $1")
                    .bind_id(seat.participant)
                    .bind(now_ms)
                    .bind(crate::columns::to_json(&screening))
                    .execute(&mut *tx)
                    .await?;
                sqlx::query("UPDATE comprehension SET begun = begun + 1 WHERE study_id = $1")
                    .bind_id(seat.study)
                    .execute(&mut *tx)
                    .await?;
                event::record(
                    &mut tx,
                    seat.study,
                    EventKind::Participant,
                    seat.participant,
                    now_ms,
                )
                .await?;
            }
            let reading_count: i64 =
                sqlx::query("SELECT COUNT(*) FROM reading WHERE participant_id = $1")
                    .bind_id(seat.participant)
                    .fetch_one(&mut *tx)
                    .await?
                    .try_get(0)?;
            u32::try_from(reading_count).unwrap_or(u32::MAX)
        })
    }
}

/// Ends the sessions of those who began and were not seen for the study's lease.
async fn end_lapsed_sessions(
    tx: &mut AnyConnection,
    settings: &ComprehensionSettings,
    study: StudyId,
    now_ms: i64,
) -> Result<()> {
    let rows = sqlx::query(
        "UPDATE participant SET left_at = $3, left_as = 'lapsed'
         WHERE study_id = $1 AND begun_at IS NOT NULL AND finished_at IS NULL AND left_at IS NULL
           AND seen_at < $2 RETURNING id",
    )
    .bind_id(study)
    .bind(lapsed_before(settings, now_ms))
    .bind(now_ms)
    .fetch_all(&mut *tx)
    .await?;
    for row in rows {
        event::record(
            tx,
            study,
            EventKind::Participant,
            row.try_get::<&str, _>("id")?,
            now_ms,
        )
        .await?;
    }
    Ok(())
}

/// The passages that are read for the study, with their readers.
struct StudyDesignLoad {
    /// The places of these passages in the material.
    main: Vec<usize>,
    /// Who has them.
    load: CellLoad,
    /// How many participants were given texts so far.
    begun: u64,
}

/// Counts the readers of each text; those who lapse, as they were last seen before `lapsed_before`, not.
async fn load_design(
    tx: &mut AnyConnection,
    study: StudyId,
    material: &StudyMaterial,
    lapsed_before: i64,
) -> Result<StudyDesignLoad> {
    let main: Vec<usize> = (0..material.passages.len())
        .filter(|at| material.passages[*at].passage.purpose == PassagePurpose::Main)
        .collect();
    let mut load = CellLoad::new(main.len(), material.conditions.len(), |cell| {
        let stored_passage = &material.passages[main[cell.passage]];
        let name = &material.conditions[cell.condition].1;
        !stored_passage.questions.is_empty()
            && stored_passage
                .passage
                .texts
                .iter()
                .any(|(own, _)| own == name)
    });
    let passages: HashMap<String, usize> = (0..)
        .zip(&main)
        .map(|(at, own)| (material.passages[*own].id.to_string(), at))
        .collect();
    let conditions: HashMap<String, usize> = (0..)
        .zip(&material.conditions)
        .map(|(at, (id, _))| (id.to_string(), at))
        .collect();
    let rows = sqlx::query(
        "SELECT r.passage_id, r.condition_id FROM reading r
         JOIN participant p ON p.id = r.participant_id
         WHERE p.study_id = $1 AND p.left_at IS NULL
           AND (p.finished_at IS NOT NULL OR p.seen_at >= $2)",
    )
    .bind_id(study)
    .bind(lapsed_before)
    .fetch_all(&mut *tx)
    .await?;
    for row in rows {
        let passage = passages.get(row.try_get::<&str, _>("passage_id")?);
        let condition = conditions.get(row.try_get::<&str, _>("condition_id")?);
        if let (Some(passage), Some(condition)) = (passage, condition) {
            load.add(DesignCell {
                passage: *passage,
                condition: *condition,
            });
        }
    }
    let begun: i64 = sqlx::query("SELECT begun FROM comprehension WHERE study_id = $1")
        .bind_id(study)
        .fetch_one(tx)
        .await?
        .try_get("begun")?;
    Ok(StudyDesignLoad {
        main,
        load,
        begun: u64::try_from(begun).unwrap_or(0),
    })
}

/// The cells that the participant gets.
async fn assign_cells(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    settings: &ComprehensionSettings,
    material: &StudyMaterial,
) -> Result<Vec<(usize, ConditionId)>> {
    let StudyDesignLoad { main, load, begun } =
        load_design(tx, seat.study, material, i64::MIN).await?;
    let seed = seat.seed.cast_unsigned();
    let cells = settings.design.assign(&load, begun, seed);
    let placed = |cell: DesignCell| (main[cell.passage], material.conditions[cell.condition].0);
    Ok(cells.into_iter().map(placed).collect())
}

fn lapsed_before(settings: &ComprehensionSettings, now_ms: i64) -> i64 {
    now_ms - i64::from(settings.lease_hours) * 3_600_000
}

/// Practice before the texts and attention checks in their middle, in the condition of the first text
/// where they have it.
fn with_practice(
    mut cells: Vec<(usize, ConditionId)>,
    material: &StudyMaterial,
) -> Vec<(usize, ConditionId)> {
    let condition = cells[0].1;
    let cells_of = |purpose| {
        let own = material.passages.iter().enumerate();
        let own =
            own.filter(move |(_, own)| own.passage.purpose == purpose && !own.questions.is_empty());
        own.filter_map(move |(at, own)| Some((at, choose_condition(material, own, condition)?)))
    };
    let middle = cells.len().div_ceil(2);
    cells.splice(middle..middle, cells_of(PassagePurpose::Check));
    cells.splice(0..0, cells_of(PassagePurpose::Practice));
    cells
}

fn choose_condition(
    material: &StudyMaterial,
    of: &StoredPassage,
    wanted: ConditionId,
) -> Option<ConditionId> {
    let has = |(_, name): &&(ConditionId, domain::comprehension::MaterialName)| {
        of.passage.texts.iter().any(|(own, _)| own == name)
    };
    let mut conditions = material.conditions.iter().filter(has).map(|(id, _)| *id);
    let first = conditions.next()?;
    Some(if conditions.any(|id| id == wanted) {
        wanted
    } else {
        first
    })
}

async fn insert_texts(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    material: &StudyMaterial,
    cells: &[(usize, ConditionId)],
    new_id: &impl Fn() -> Uuid,
) -> Result<()> {
    let participant = seat.participant.to_string();
    let rows: Vec<_> = (0_i64..)
        .zip(cells)
        .map(|(at, cell)| (new_id().to_string(), at, cell))
        .collect();
    let columns = "reading (id, participant_id, passage_id, condition_id, position)";
    bulk::insert(
        tx,
        columns,
        &rows,
        |query, (id, position, (passage, condition))| {
            query
                .bind(id.clone())
                .bind(participant.clone())
                .bind_id(material.passages[*passage].id)
                .bind_id(condition)
                .bind(*position)
        },
    )
    .await?;
    // Not the numbers that chose the texts: these can be seen, and would tell of the order.
    let mut random = SeededRandom::new(seat.seed.cast_unsigned().rotate_left(32) ^ ANSWER_ORDERS);
    let mut orders = Vec::new();
    for (id, _, (passage, _)) in &rows {
        for question in &material.passages[*passage].questions {
            orders.push((id, *question, ChoiceOrder::random(&mut random)));
        }
    }
    let columns = "reading_order (reading_id, question_id, answers)";
    bulk::insert(tx, columns, &orders, |query, (reading, question, order)| {
        query
            .bind((*reading).clone())
            .bind_id(question)
            .bind(order.to_string())
    })
    .await
}
