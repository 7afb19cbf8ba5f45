//! The dimensions that an import adds to its study.

use domain::{
    dimensions::{DimensionPlan, RatedRange, StudyDimensions, plan_dimensions},
    ids::StudyId,
    study::{Dimension, StudySettings},
};
use sqlx::AnyConnection;

use super::{StudyImport, record::ImportRecord, refuse};
use crate::{
    Result, Store,
    columns::{self, BindId},
    rating_rows::rated_dimensions,
};

impl Store {
    /// The study's dimensions, as an import would find them.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn study_dimensions(
        &self,
        study: StudyId,
        settings: &StudySettings,
    ) -> Result<StudyDimensions> {
        let mut reader = self.reader().acquire().await?;
        load_dimensions(&mut reader, study, &settings.dimensions).await
    }
}

impl StudyImport {
    /// Adds the dimensions of the file to those of the study: see [`plan_dimensions`]. They take
    /// effect when the import is committed.
    ///
    /// # Errors
    /// Refused where they do not fit the study, or the database fails.
    pub async fn dimensions(&mut self, of_file: &[RatedRange]) -> Result<DimensionPlan> {
        let (plan, is_new) = self.record.plan_dimensions(of_file).await?;
        self.dimensions = of_file.to_vec();
        self.dimensions_lacked = is_new;
        Ok(plan)
    }
}

impl ImportRecord {
    /// The plan of [`plan_dimensions`] for the study's current settings, and whether it changes them.
    async fn plan_dimensions(&self, of_file: &[RatedRange]) -> Result<(DimensionPlan, bool)> {
        let Some(study) = self.store.study(self.study).await? else {
            return refuse("The study no longer exists.".to_owned());
        };
        let stored_dimensions = self.store.study_dimensions(self.study, &study.settings);
        let plan = plan(&stored_dimensions.await?, of_file)?;
        let is_new = plan.dimensions != study.settings.dimensions;
        Ok((plan, is_new))
    }
}

/// Adds the dimensions of a file to the settings of a study that the transaction holds. Returns
/// whether the study lacked one.
pub(super) async fn add_dimensions(
    tx: &mut AnyConnection,
    study: StudyId,
    mut settings: StudySettings,
    of_file: &[RatedRange],
) -> Result<bool> {
    let stored_dimensions = load_dimensions(&mut *tx, study, &settings.dimensions).await?;
    let plan = plan(&stored_dimensions, of_file)?;
    if plan.dimensions == settings.dimensions {
        return Ok(false);
    }

    settings.dimensions = plan.dimensions;
    settings.forget_removed_dimensions();
    sqlx::query("UPDATE study SET settings = $2 WHERE id = $1")
        .bind_id(study)
        .bind(columns::to_json(&settings))
        .execute(tx)
        .await?;
    Ok(true)
}

fn plan(there: &StudyDimensions, of_file: &[RatedRange]) -> Result<DimensionPlan> {
    plan_dimensions(there, of_file).or_else(|clash| refuse(format!("{clash}.")))
}

async fn load_dimensions(
    tx: &mut AnyConnection,
    study: StudyId,
    of_settings: &[Dimension],
) -> Result<StudyDimensions> {
    let assigned = sqlx::query("SELECT id FROM assignment WHERE study_id = $1 LIMIT 1")
        .bind_id(study)
        .fetch_optional(&mut *tx)
        .await?;
    Ok(StudyDimensions {
        of_settings: of_settings.to_vec(),
        rated: rated_dimensions(tx, study).await?,
        unassigned: assigned.is_none(),
    })
}
