//! The texts that a participant gets, with the order of their answers.

use domain::{
    comprehension::{ChoiceOrder, ComprehensionSettings, DesignCell, PassagePurpose},
    ids::ConditionId,
    random::SeededRandom,
};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{
    ParticipantState,
    design_load::{PlaceExpiry, StudyDesignLoad, load_design},
    material::{StoredPassage, StudyMaterial},
};
use crate::{Result, bulk, columns::BindId};

/// Separates the random numbers that order answers from those that choose texts.
const ANSWER_ORDERS: u64 = 0x616e_7377_6572_7321;

/// Chooses the participant's cells, as if participants whose places have expired had left.
pub(super) async fn assign_cells(
    tx: &mut AnyConnection,
    seat: &ParticipantState,
    settings: &ComprehensionSettings,
    material: &StudyMaterial,
    expiry: PlaceExpiry,
) -> Result<Vec<(usize, ConditionId)>> {
    let StudyDesignLoad { main, load, begun } =
        load_design(tx, seat.study, material, expiry).await?;
    let seed = seat.seed.cast_unsigned();
    let cells = settings.design.assign(&load, begun, seed);
    let placed = |cell: DesignCell| (main[cell.passage], material.conditions[cell.condition].0);
    Ok(cells.into_iter().map(placed).collect())
}

/// Adds practice before the texts and attention checks in their middle, in the condition of the
/// first text if they have it.
pub(super) fn with_practice(
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

pub(super) async fn insert_texts(
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

    // Not the random numbers that chose the texts: participants can see that choice, which would
    // reveal the order.
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
