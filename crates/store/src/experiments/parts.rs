//! The arms of an experiment, as parts of an annotator's work.

use std::collections::BTreeMap;

use domain::{
    ids::{ExperimentId, PersonId, StudyId},
    latin_square::block_order,
    study::Slug,
};
use sqlx::Row;

use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_count},
};

/// An arm in which a person annotates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentPart {
    /// Its experiment.
    pub experiment: ExperimentId,
    /// The study.
    pub study: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// Whether it is closed or archived.
    pub is_closed: bool,
    /// The number of the person's arms of this experiment.
    pub parts: usize,
    /// Its place among them in their order, from 1; `None` until they begin, because the order is
    /// not known yet.
    pub part: Option<usize>,
}

impl Store {
    /// The arms of experiments in which a person annotates. Arms of one experiment follow each
    /// other, in the person's order.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn experiment_parts(&self, person: PersonId) -> Result<Vec<ExperimentPart>> {
        let rows = sqlx::query(
            "SELECT s.id, s.slug, s.name, s.closed_at, a.experiment_id, a.arm, e.arms,
                    (SELECT MAX(r.square_row) FROM stored_rater r
                     JOIN experiment_arm b ON b.study_id = r.study_id
                     WHERE b.experiment_id = a.experiment_id AND r.person_id = $1) AS square_row
             FROM member m
             JOIN experiment_arm a ON a.study_id = m.study_id
             JOIN protocol_experiment e ON e.id = a.experiment_id
             JOIN study s ON s.id = a.study_id
             WHERE m.person_id = $1 AND m.role = 'annotator' AND m.withdrawn_at IS NULL AND s.erased_at IS NULL
             ORDER BY e.created_at, e.id, a.arm",
        )
        .bind_id(person)
        .fetch_all(self.reader())
        .await?;

        let mut experiments = BTreeMap::<ExperimentId, Vec<(usize, bool, ExperimentPart)>>::new();
        for row in &rows {
            let (arm, order) = (parse_count(row, "arm")?, parse_count(row, "arms")?);
            let square_row: Option<i64> = row.try_get("square_row")?;
            let square_row = square_row.and_then(|number| usize::try_from(number).ok());
            let table = TableRow::new("study", row)?;
            let experiment = table.parse("experiment_id")?;

            // Until they begin, arms are in the order of their numbers.
            let mut blocks = block_order(square_row.unwrap_or_default(), order.max(1) as usize);
            let place = blocks.position(|block| block == arm as usize);

            let part = ExperimentPart {
                experiment,
                study: table.parse("id")?,
                slug: table.parse("slug")?,
                name: table.get("name")?,
                is_closed: table.is_set("closed_at")?,
                parts: 0,
                part: None,
            };
            let place = place.unwrap_or(usize::MAX);
            let parts = experiments.entry(experiment).or_default();
            parts.push((place, square_row.is_some(), part));
        }

        let mut ordered = vec![];
        for mut parts in experiments.into_values() {
            parts.sort_by_key(|(place, ..)| *place);
            let count = parts.len();
            for (index, (_, has_begun, part)) in parts.into_iter().enumerate() {
                ordered.push(ExperimentPart {
                    parts: count,
                    part: has_begun.then_some(index + 1),
                    ..part
                });
            }
        }

        Ok(ordered)
    }
}
