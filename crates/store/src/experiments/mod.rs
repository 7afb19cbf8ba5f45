//! Experiments that compare protocols: several studies, the arms, on the same sources.
//!
//! Each arm is a study with its own protocol, guidelines, training and figures. A Latin square
//! ([`domain::latin_square`]) decides in which arm a rater judges a source: the arm is the symbol
//! in the row of the person and the column of the source. The column is stored with the source, the
//! row with the rater; both are the same in every arm.
//!
//! Locks are taken in one order: studies by their arm, then the experiment.

mod arms;
mod copies;
mod members;
mod parts;
mod rows;
mod square;

use domain::{
    ids::{ExperimentId, StudyId},
    study::{Slug, StudySettings},
};
use sqlx::AnyConnection;

pub use self::{
    arms::NewArm,
    copies::{CopiedOutput, CopiedSource},
    members::MemberEntry,
    parts::ExperimentPart,
};
pub(crate) use self::{
    rows::{EnteredArm, enter_arm, expected_column},
    square::refuse_outside_square,
};
use crate::{
    Result, Store,
    columns::{BindId, TableRow, parse_count, read_rows},
};

/// The largest number of arms of an experiment.
pub const MOST_ARMS: usize = 6;

/// An experiment with its arms.
#[derive(Debug, Clone, PartialEq)]
pub struct ProtocolExperiment {
    /// Its id.
    pub id: ExperimentId,
    /// The number of rows and columns of its square, one for each number of an arm.
    pub order: usize,
    /// Its arms that still exist, by their number.
    pub arms: Vec<ExperimentArm>,
    /// The number of people who have a row of the square, except those who left everywhere.
    pub raters: u32,
}

/// An arm of an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentArm {
    /// The study.
    pub study: StudyId,
    /// Its short name.
    pub slug: Slug,
    /// Its name for people.
    pub name: String,
    /// Its settings.
    pub settings: StudySettings,
    /// Whether it is closed or archived.
    pub is_closed: bool,
    /// Its number from 0, a symbol of the square.
    pub arm: usize,
    /// The number of sources to judge.
    pub sources: u32,
    /// The number of these without a column of the square; nobody is given them.
    pub unplaced: u32,
    /// The number of outputs of these sources to judge, without quality-control items.
    pub outputs: u32,
    /// The number of annotators, except those who withdrew.
    pub annotators: u32,
    /// The number of annotators of the other open arms who have yet to become annotators of it.
    pub lacking: u32,
}

impl ProtocolExperiment {
    /// The number of people who have to take part so that every source gets its raters in every
    /// arm.
    #[must_use]
    pub fn raters_needed(&self) -> usize {
        let raters = self.arms.iter().map(|arm| arm.settings.raters_each()).max();
        self.order * raters.unwrap_or_default() as usize
    }

    /// Whether the open arms have equally many sources and equally many outputs, each source has a
    /// column of the square, and no arm lacks an annotator of another.
    #[must_use]
    pub fn is_up_to_date(&self) -> bool {
        let open: Vec<_> = self.arms.iter().filter(|arm| !arm.is_closed).collect();
        let same = |count: fn(&ExperimentArm) -> u32| {
            open.windows(2).all(|two| count(two[0]) == count(two[1]))
        };
        open.iter().all(|arm| arm.unplaced == 0 && arm.lacking == 0)
            && same(|arm| arm.sources)
            && same(|arm| arm.outputs)
    }

    /// Whether one of its arms was erased.
    #[must_use]
    pub const fn lacks_arm(&self) -> bool {
        self.arms.len() < self.order
    }
}

impl Store {
    /// The experiment of which the study is an arm, if any.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn experiment_of(&self, study: StudyId) -> Result<Option<ProtocolExperiment>> {
        let mut tx = self.reader().begin().await?;
        let Some(id) = find_experiment(&mut tx, study).await? else {
            return Ok(None);
        };

        let rows = sqlx::query(
            "SELECT s.id, s.slug, s.name, s.settings, s.closed_at, a.arm, e.arms,
                    (SELECT COUNT(*) FROM source c WHERE c.study_id = s.id AND c.purpose = 'main') AS sources,
                    (SELECT COUNT(*) FROM source c WHERE c.study_id = s.id AND c.purpose = 'main'
                       AND c.square_column IS NULL) AS unplaced,
                    (SELECT COUNT(*) FROM output o JOIN source c ON c.id = o.source_id
                     WHERE c.study_id = s.id AND c.purpose = 'main' AND o.purpose = 'main') AS outputs,
                    (SELECT COUNT(*) FROM member m WHERE m.study_id = s.id AND m.role = 'annotator'
                       AND m.withdrawn_at IS NULL) AS annotators,
                    (SELECT COUNT(DISTINCT m.person_id) FROM member m
                     JOIN experiment_arm b ON b.study_id = m.study_id
                     JOIN study t ON t.id = b.study_id
                     JOIN person p ON p.id = m.person_id
                     WHERE b.experiment_id = a.experiment_id AND t.closed_at IS NULL AND m.role = 'annotator'
                       AND m.withdrawn_at IS NULL AND p.is_crowd = 0
                       AND NOT EXISTS (SELECT 1 FROM member o WHERE o.study_id = s.id AND o.person_id = m.person_id)
                       AND NOT EXISTS (SELECT 1 FROM stored_rater r
                                       WHERE r.study_id = s.id AND r.person_id = m.person_id)) AS lacking
             FROM experiment_arm a
             JOIN protocol_experiment e ON e.id = a.experiment_id
             JOIN study s ON s.id = a.study_id
             WHERE a.experiment_id = $1 AND s.erased_at IS NULL ORDER BY a.arm",
        )
        .bind_id(id)
        .fetch_all(&mut *tx)
        .await?;

        let mut experiment = ProtocolExperiment {
            id,
            order: 0,
            arms: vec![],
            raters: rows::count_rows(&mut tx, id).await?,
        };

        for row in &rows {
            experiment.order = parse_count(row, "arms")? as usize;
            let row = TableRow::new("study", row)?;
            experiment.arms.push(ExperimentArm {
                study: row.parse("id")?,
                slug: row.parse("slug")?,
                name: row.get("name")?,
                settings: row.json("settings")?,
                is_closed: row.is_set("closed_at")?,
                arm: row.count("arm")? as usize,
                sources: row.count("sources")?,
                unplaced: row.count("unplaced")?,
                outputs: row.count("outputs")?,
                annotators: row.count("annotators")?,
                lacking: row.count("lacking")?,
            });
        }

        Ok(Some(experiment))
    }
}

/// The experiment of which a study is an arm.
async fn find_experiment(tx: &mut AnyConnection, study: StudyId) -> Result<Option<ExperimentId>> {
    let row = sqlx::query("SELECT experiment_id FROM experiment_arm WHERE study_id = $1")
        .bind_id(study)
        .fetch_optional(tx)
        .await?;
    row.map(|row| TableRow::named("experiment_arm", &row, study).parse("experiment_id"))
        .transpose()
}

/// The studies of an experiment, by their arm.
async fn load_arm_studies(
    tx: &mut AnyConnection,
    experiment: ExperimentId,
) -> Result<Vec<(StudyId, usize)>> {
    let rows = sqlx::query(
        "SELECT study_id AS id, arm FROM experiment_arm WHERE experiment_id = $1 ORDER BY arm",
    )
    .bind_id(experiment)
    .fetch_all(tx)
    .await?;
    read_rows("experiment_arm", &rows, |row| {
        Ok((row.parse("id")?, row.count("arm")? as usize))
    })
}

/// Holds the experiment until the transaction ends. Returns its order, and the lowest row that the
/// next rater may get.
async fn lock_experiment(
    tx: &mut AnyConnection,
    experiment: ExperimentId,
) -> Result<(usize, usize)> {
    let row = sqlx::query(
        "UPDATE protocol_experiment SET next_row = next_row WHERE id = $1 RETURNING arms, next_row",
    )
    .bind_id(experiment)
    .fetch_one(tx)
    .await?;
    Ok((
        parse_count(&row, "arms")? as usize,
        parse_count(&row, "next_row")? as usize,
    ))
}
