//! Creating studies with more than their settings.

use domain::comprehension::ComprehensionSettings;

use crate::{
    EventKind, NewStudy, Result, Store, columns::BindId, comprehension::store_settings, event,
    import::ImportRows, places, studies::insert_study,
};

/// The parts with which a study is created, in addition to its settings.
pub struct StudyParts<'a> {
    /// The information sheet to which annotators consent, as Markdown; empty if there is none.
    pub information: &'a str,
    /// The settings of reading comprehension; `None` for a study without it.
    pub comprehension: Option<&'a ComprehensionSettings>,
    /// Sources with outputs, from [`Store::rehearse_import`] for a new study.
    pub rows: ImportRows,
}

impl Store {
    /// Creates a study with all of its parts, or nothing.
    ///
    /// # Errors
    /// [`crate::Error::Taken`] where another study has the short name, or the database fails.
    pub async fn create_study_with(
        &self,
        new: &NewStudy<'_>,
        parts: StudyParts<'_>,
        now_ms: i64,
    ) -> Result<()> {
        let rows = parts.rows.finish();
        in_transaction!(self, |tx| {
            insert_study(&mut tx, new, now_ms).await?;
            sqlx::query("UPDATE study SET information = $2 WHERE id = $1")
                .bind_id(new.id)
                .bind(parts.information)
                .execute(&mut *tx)
                .await?;
            event::record(&mut tx, new.id, EventKind::Study, new.id, now_ms).await?;

            if let Some(settings) = parts.comprehension {
                store_settings(&mut tx, new.id, settings).await?;
                event::record(&mut tx, new.id, EventKind::Comprehension, new.id, now_ms).await?;
            }

            rows.write(&mut tx, new.id, new.lead, now_ms).await?;
            places::keep_group_places(&mut tx, new.id, new.settings).await?;
        })
    }
}
