//! How many raters have each source, counted again with every change of an assignment: which sources have room is
//! asked whenever a source is given out.

use domain::ids::{PersonId, SourceId, StudyId};
use sqlx::AnyConnection;

use crate::{Result, columns::BindId};

/// The statement that counts the raters of those sources again that the condition names.
macro_rules! count_places {
    ($which:literal) => {
        concat!(
            "UPDATE stored_source SET taken = (
                SELECT COUNT(*) FROM assignment x
                WHERE x.source_id = stored_source.id AND x.state IN ('open', 'handed-in')
                  AND NOT EXISTS (
                    SELECT 1 FROM stored_rater r
                    JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                    WHERE r.id = x.rater_id AND m.withdrawn_at IS NOT NULL))
             WHERE ",
            $which
        )
    };
}

/// Counts the raters of a source after one of its assignments changed.
pub(crate) async fn count_source_places(tx: &mut AnyConnection, source: SourceId) -> Result<()> {
    sqlx::query(count_places!("id = $1"))
        .bind_id(source)
        .execute(tx)
        .await?;
    Ok(())
}

/// Counts the raters of all sources that the person was ever given in the study.
pub(crate) async fn count_person_places(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<()> {
    sqlx::query(count_places!(
        "id IN (SELECT a.source_id FROM assignment a JOIN stored_rater r ON r.id = a.rater_id
                WHERE r.study_id = $1 AND r.person_id = $2)"
    ))
    .bind_id(study)
    .bind_id(person)
    .execute(tx)
    .await?;
    Ok(())
}

/// Counts the raters of all sources that the rater was ever given.
pub(crate) async fn count_rater_places(tx: &mut AnyConnection, rater: &str) -> Result<()> {
    sqlx::query(count_places!(
        "id IN (SELECT source_id FROM assignment WHERE rater_id = $1)"
    ))
    .bind(rater)
    .execute(tx)
    .await?;
    Ok(())
}
