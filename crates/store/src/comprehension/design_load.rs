//! The readers of each text in the design, and the room that is left.

use std::collections::HashMap;

use domain::{
    comprehension::{
        CellLoad, ComprehensionSettings, DesignCell, ParticipantCapacity, PassagePurpose,
    },
    ids::StudyId,
};
use sqlx::{AnyConnection, Row};

use super::material::{StudyMaterial, load_material, load_settings};
use crate::{Result, Store, columns::BindId};

/// How long a participant without an answer keeps a place that another one needs.
const UNANSWERED_MS: i64 = 30 * 60_000;

/// The times since which participants must have been seen to keep their places.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaceExpiry {
    /// For those who have answered.
    pub(super) seen_before: i64,
    /// For those who have not.
    pub(super) unanswered_before: i64,
}

impl PlaceExpiry {
    /// Keeps every place.
    pub(super) const NEVER: Self = Self {
        seen_before: i64::MIN,
        unanswered_before: i64::MIN,
    };

    /// Ends places after the study's lease, whether the participant has answered or not.
    pub(super) fn lease(settings: &ComprehensionSettings, now_ms: i64) -> Self {
        Self {
            seen_before: now_ms - i64::from(settings.lease_hours) * 3_600_000,
            unanswered_before: i64::MIN,
        }
    }

    /// Ends places after the study's lease, and earlier if there is no answer yet: taking places
    /// without reading must not keep others out for long.
    pub(super) fn new(settings: &ComprehensionSettings, now_ms: i64) -> Self {
        Self {
            unanswered_before: now_ms - UNANSWERED_MS,
            ..Self::lease(settings, now_ms)
        }
    }
}

impl Store {
    /// The number of texts that the next participant gets, including practice and attention checks,
    /// and the number of further participants who get any, counted up to `most`. `None` if the
    /// study has no reading comprehension.
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
        let expiry = PlaceExpiry::new(&settings, now_ms);
        let loaded = load_design(&mut reader, study, &material, expiry).await?;
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
}

/// The passages of the design, with their readers.
pub(super) struct StudyDesignLoad {
    /// The indices of these passages in the material.
    pub(super) main: Vec<usize>,
    /// Their readers.
    pub(super) load: CellLoad,
    /// The number of participants who were given texts so far.
    pub(super) begun: u64,
}

/// Counts the readers of each text, without those whose place has expired.
pub(super) async fn load_design(
    tx: &mut AnyConnection,
    study: StudyId,
    material: &StudyMaterial,
    expiry: PlaceExpiry,
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
           AND (p.finished_at IS NOT NULL OR (p.seen_at >= $2 AND (p.seen_at >= $3 OR EXISTS (
                SELECT 1 FROM reading own
                JOIN reading_answer a ON a.reading_id = own.id AND a.current = 1
                WHERE own.participant_id = p.id))))",
    )
    .bind_id(study)
    .bind(expiry.seen_before)
    .bind(expiry.unanswered_before)
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

    let begun: i64 = sqlx::query_scalar("SELECT begun FROM comprehension WHERE study_id = $1")
        .bind_id(study)
        .fetch_one(tx)
        .await?;
    Ok(StudyDesignLoad {
        main,
        load,
        begun: u64::try_from(begun).unwrap_or(0),
    })
}
