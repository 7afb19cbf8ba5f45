//! The dimensions that an import adds to its study.

use domain::{
    dimensions::{DimensionPlan, RatedRange, StudyDimensions, plan_dimensions},
    ids::StudyId,
    study::{Dimension, Settings},
};
use sqlx::AnyConnection;

use super::{Import, refuse};
use crate::{Result, Store, ratings::rated_dimensions, read};

impl Store {
    /// What the study's dimensions are, as an import would find them.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn study_dimensions(
        &self,
        study: StudyId,
        settings: &Settings,
    ) -> Result<StudyDimensions> {
        let mut reader = self.reader().acquire().await?;
        of_study(&mut reader, study, &settings.dimensions).await
    }
}

impl Import {
    /// Adds the dimensions of the file to those of the study: see [`plan_dimensions`]. They are there
    /// when the import is committed.
    ///
    /// # Errors
    /// Refused where they do not fit the study, or the database fails.
    pub async fn dimensions(&mut self, of_file: &[RatedRange]) -> Result<DimensionPlan> {
        let settings = &mut self.settings;
        let there = of_study(&mut self.tx, self.study, &settings.dimensions).await?;
        let plan = match plan_dimensions(&there, of_file) {
            Ok(plan) => plan,
            Err(clash) => return refuse(format!("{clash}.")),
        };
        if plan.dimensions != settings.dimensions {
            settings.dimensions.clone_from(&plan.dimensions);
            sqlx::query("UPDATE study SET settings = $2 WHERE id = $1")
                .bind(self.study.to_string())
                .bind(read::to_json(settings))
                .execute(&mut *self.tx)
                .await?;
            self.settings_changed = true;
        }
        Ok(plan)
    }
}

async fn of_study(
    tx: &mut AnyConnection,
    study: StudyId,
    of_settings: &[Dimension],
) -> Result<StudyDimensions> {
    let assigned = sqlx::query("SELECT id FROM assignment WHERE study_id = $1 LIMIT 1")
        .bind(study.to_string())
        .fetch_optional(&mut *tx)
        .await?;
    Ok(StudyDimensions {
        of_settings: of_settings.to_vec(),
        rated: rated_dimensions(tx, study).await?,
        unassigned: assigned.is_none(),
    })
}
