//! The assignments that a group of saves concerns, loaded as far as its changes need them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{
    category::Category,
    ids::{AssignmentId, DiscussionId, OutputId, SourceId, StudyId},
    random::SeededRandom,
    study::AssignmentState,
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, StoredAnswer},
        hidden_ids::HiddenIds,
        order,
    },
};
use sqlx::AnyConnection;

use super::{
    save_queue::SaveRequest,
    validation::{JudgedOutput, excluding_slots},
};
use crate::{
    Result,
    answer_columns::{self, SlotColumns},
    assignments::AssignmentRecord,
    bulk,
    columns::{BindId, TableRow, read_rows},
    discussions::open_questions,
    lock::LockedStudy,
    membership::{read_barred_reason, standing_columns},
    task,
};

/// An assignment whose study is held.
#[derive(Debug)]
pub(super) struct HeldAssignment {
    pub(super) of: AssignmentRecord,
    /// Why its person may not judge in the study now, other than that the study is closed.
    pub(super) barred_reason: Option<&'static str>,
    /// The text of its source.
    pub(super) source: String,
    /// The current answers in the changed slots and in the slots that exclude these; all answers if
    /// the lead asks about some outputs.
    pub(super) current: HashMap<AnnotationSlot, StoredAnswer>,
    /// The outputs that the lead gave back from a source that was handed in.
    pub(super) asked: Vec<OutputId>,
    /// The lead's questions about outputs of the source, loaded if a change is a reply.
    pub(super) questions: Vec<(DiscussionId, OutputId)>,
    /// The id of the group for which it was given.
    pub(super) group: Option<String>,
    pub(super) created_at: i64,
    pub(super) leased_until: i64,
    seed: i64,
}

/// The known outputs of each source, in the order of the file.
pub(super) type SourceOutputs = HashMap<SourceId, Vec<JudgedOutput>>;

impl HeldAssignment {
    /// Loads assignments whose studies are held.
    pub(super) async fn load(
        tx: &mut AnyConnection,
        records: Vec<AssignmentRecord>,
    ) -> Result<HashMap<AssignmentId, Self>> {
        let query = concat!(
            "SELECT a.id, a.state, a.group_id, a.seed, a.created_at, a.leased_until, s.text, ",
            standing_columns!(),
            " FROM keys k
              JOIN assignment a ON a.id = k.id
              JOIN source s ON s.id = a.source_id
              JOIN study t ON t.id = a.study_id
              JOIN rater r ON r.id = a.rater_id
              LEFT JOIN person p ON p.id = r.person_id
              LEFT JOIN member m ON m.study_id = a.study_id AND m.person_id = r.person_id"
        );
        let bind = |query: bulk::BulkQuery, of: &AssignmentRecord| query.bind_id(of.assignment);
        let rows = bulk::select(tx, "id", query, &records, bind).await?;
        let mut records: HashMap<_, _> =
            records.into_iter().map(|of| (of.assignment, of)).collect();

        let mut all = HashMap::new();
        for row in &rows {
            let read = TableRow::new("assignment", row)?;
            // A row may come more than once.
            let Some(of) = records.remove(&read.parse("id")?) else {
                continue;
            };
            let Some(person) = of.person else { continue };

            // Read again, now that the study is held.
            let state = read.parse("state")?;
            let asked = match state {
                AssignmentState::HandedIn => open_questions(tx, of.assignment).await?,
                _ => vec![],
            };

            let open = Self {
                of: AssignmentRecord { state, ..of },
                barred_reason: read_barred_reason(row, person)?,
                source: read.get("text")?,
                current: HashMap::new(),
                asked: asked.into_iter().map(|question| question.output).collect(),
                questions: vec![],
                group: read.get("group_id")?,
                created_at: read.get("created_at")?,
                leased_until: read.get("leased_until")?,
                seed: read.get("seed")?,
            };
            all.insert(of.assignment, open);
        }

        Ok(all)
    }

    /// The ids that its outputs have on the annotator's page.
    pub(super) const fn hidden_ids(&self) -> HiddenIds {
        HiddenIds::new(self.seed.cast_unsigned())
    }

    /// Whether a change concerns only the outputs that the lead gave back. A new order may move
    /// only these.
    pub(super) fn concerns_question(
        &self,
        change: &AnnotationChange,
        outputs: &[JudgedOutput],
    ) -> bool {
        let order = match (&change.slot, &change.answer) {
            (AnnotationSlot::Progress, _) => return true,
            (_, AnnotationAnswer::Order(order)) => order,
            (AnnotationSlot::Comparison { outputs, .. }, _) => {
                return outputs.iter().any(|own| self.asked.contains(own));
            }
            (slot, _) => return slot.output().is_some_and(|own| self.asked.contains(&own)),
        };

        let mut shown: Vec<_> = outputs.iter().map(|judged| judged.output).collect();
        SeededRandom::new(self.seed.cast_unsigned()).shuffle(&mut shown);
        let before = match self.current.get(&AnnotationSlot::Order).map(|c| &c.answer) {
            Some(AnnotationAnswer::Order(Some(order))) => order::complete_order(order, &shown),
            _ => shown.clone(),
        };
        let after = order.as_ref().unwrap_or(&shown);

        order::moves_only(&before, after, &self.asked, &|output| {
            self.category(output, outputs)
        })
    }

    /// The annotator's category of an output.
    fn category(&self, output: OutputId, outputs: &[JudgedOutput]) -> Category {
        let own = self.current.get(&AnnotationSlot::Category { output });
        match own.map(|own| &own.answer) {
            Some(AnnotationAnswer::Category(Some(category))) => *category,
            _ => {
                let judged = outputs.iter().find(|judged| judged.output == output);
                judged.map_or(Category::Paraphrase, |judged| judged.category)
            }
        }
    }
}

/// Loads the lead's questions about sources for the assignments whose changes include a reply.
pub(super) async fn load_questions(
    tx: &mut AnyConnection,
    assignments: &mut HashMap<AssignmentId, HeldAssignment>,
    requests: &[SaveRequest],
) -> Result<()> {
    let is_reply = |change: &AnnotationChange| matches!(change.slot, AnnotationSlot::Reply { .. });
    let replying = requests
        .iter()
        .filter(|request| request.changes.iter().any(is_reply));

    for request in replying {
        let Some(open) = assignments.get_mut(&request.assignment) else {
            continue;
        };
        let query = "SELECT id, output_id FROM discussion WHERE source_id = $1";
        let rows = sqlx::query(query)
            .bind_id(open.of.source)
            .fetch_all(&mut *tx);

        open.questions = read_rows("discussion", &rows.await?, |row| {
            Ok((row.parse("id")?, row.parse("output_id")?))
        })?;
    }
    Ok(())
}

/// Loads the current answers in the changed slots and in the slots that exclude these; all answers
/// of assignments about which the lead asks.
pub(super) async fn load_current(
    tx: &mut AnyConnection,
    assignments: &mut HashMap<AssignmentId, HeldAssignment>,
    studies: &HashMap<StudyId, LockedStudy>,
    requests: &[SaveRequest],
) -> Result<()> {
    let mut slots = BTreeSet::new();
    for request in requests {
        let Some(held) = assignments.get(&request.assignment) else {
            continue;
        };
        let Some(study) = studies.get(&held.of.study) else {
            continue;
        };

        let dimensions = study.settings.dimensions_for(held.group.as_deref());
        let questions = study.settings.protocol.answer_step();
        // Other slots are refused, and may hold text that PostgreSQL does not accept.
        let is_asked = |slot: &AnnotationSlot| match slot {
            AnnotationSlot::Rating { dimension, .. }
            | AnnotationSlot::Comparison { dimension, .. } => {
                dimensions.iter().any(|known| known.name == *dimension)
            }
            AnnotationSlot::Question { key, .. } => {
                questions.is_some_and(|step| step.find(key).is_some())
            }
            _ => true,
        };

        let asked = request.changes.iter().map(|change| &change.slot);
        for slot in asked.filter(|slot| is_asked(slot)) {
            let excluding = excluding_slots(&dimensions, slot);
            let excluding = excluding.into_iter().map(|slot| (request.assignment, slot));
            slots.extend(excluding);
            slots.insert((request.assignment, slot.clone()));
        }
    }

    let keys: Vec<_> = slots
        .iter()
        .filter_map(|(assignment, slot)| {
            let held = assignments.get(assignment)?;
            Some((held.of, SlotColumns::new(slot)))
        })
        .collect();

    // The columns of the unique index on current answers.
    let columns = "rater, source, output, kind, dimension, compared";
    let query =
        "SELECT a.id, a.assignment_id, a.output_id, a.kind, a.dimension, a.compared, a.value, a.scale,
                        a.body
                 FROM keys k
                 JOIN stored_annotation a ON a.rater_id = k.rater AND a.source_id = k.source
                 AND COALESCE(a.output_id, '') = k.output AND a.kind = k.kind
                 AND a.dimension = k.dimension AND a.compared = k.compared AND a.current = 1";
    let rows = bulk::select(tx, columns, query, &keys, |query, (of, slot)| {
        let output = slot.output.map(|output| output.to_string());
        query
            .bind_id(of.rater)
            .bind_id(of.source)
            .bind(output.unwrap_or_default())
            .bind(slot.kind)
            .bind(slot.dimension.to_string())
            .bind(slot.compared.clone())
    });

    for row in &rows.await? {
        let assignment = TableRow::new("annotation", row)?.parse_optional("assignment_id")?;
        if let Some(open) = assignment.and_then(|id| assignments.get_mut(&id)) {
            let answer = answer_columns::read(row)?;
            open.current.insert(answer.slot.clone(), answer);
        }
    }

    // `concerns_question` looks at the order and the categories, too.
    for open in assignments
        .values_mut()
        .filter(|open| !open.asked.is_empty())
    {
        let answers = task::load_answers(tx, open.of.assignment).await?;
        open.current = answers
            .into_iter()
            .map(|answer| (answer.slot.clone(), answer))
            .collect();
    }

    Ok(())
}

/// Loads the outputs that changes concern; all of the source if the order changes or the lead asks
/// about some.
pub(super) async fn load_outputs(
    tx: &mut AnyConnection,
    assignments: &HashMap<AssignmentId, HeldAssignment>,
    requests: &[SaveRequest],
) -> Result<SourceOutputs> {
    let (mut sources, mut outputs) = (BTreeSet::new(), BTreeSet::new());
    for request in requests {
        let Some(open) = assignments.get(&request.assignment) else {
            continue;
        };
        let slots = || request.changes.iter().map(|change| &change.slot);

        for slot in slots() {
            match slot {
                AnnotationSlot::Comparison { outputs: shown, .. } => outputs.extend(shown),
                slot => outputs.extend(slot.output()),
            }
        }
        if !open.asked.is_empty() || slots().any(|slot| *slot == AnnotationSlot::Order) {
            sources.insert(open.of.source);
        }
    }

    let (sources, outputs) = (Vec::from_iter(sources), Vec::from_iter(outputs));
    let of_sources = "SELECT o.id, o.source_id, o.position, o.text, o.category
                      FROM keys k JOIN output o ON o.source_id = k.id AND o.twin_of IS NULL";
    let single = "SELECT o.id, o.source_id, o.position, o.text, o.category
                  FROM keys k JOIN output o ON o.id = k.id AND o.twin_of IS NULL";

    let mut rows = bulk::select(tx, "id", of_sources, &sources, |query, id| {
        query.bind_id(id)
    })
    .await?;
    rows.extend(bulk::select(tx, "id", single, &outputs, |query, id| query.bind_id(id)).await?);

    let mut found = BTreeMap::new();
    for row in &rows {
        let read = TableRow::new("output", row)?;
        let (position, id): (i64, &str) = (read.get("position")?, read.get("id")?);
        let judged = JudgedOutput {
            output: read.parse("id")?,
            text: read.get("text")?,
            category: read.parse("category")?,
        };
        found.insert(
            (position, id),
            (read.parse::<SourceId>("source_id")?, judged),
        );
    }

    let mut all = SourceOutputs::new();
    for (source, judged) in found.into_values() {
        all.entry(source).or_default().push(judged);
    }
    Ok(all)
}
