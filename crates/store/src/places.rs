//! The number of raters that have each source, counted again with every change of an assignment,
//! because it is needed whenever a source is given out. Raters of a group with a number of its own
//! are counted apart from the others, in `group_place`, which has a row for each source and each
//! such group.

use std::collections::BTreeSet;

use domain::{
    ids::{PersonId, SourceId, StudyId},
    study::StudySettings,
};
use sqlx::AnyConnection;

use crate::{Result, columns::BindId};

/// The end of a subquery that counts assignments `x` of raters who have the source and did not withdraw.
macro_rules! taken {
    () => {
        "x.state IN ('open', 'handed-in')
         AND NOT EXISTS (
            SELECT 1 FROM stored_rater r
            JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
            WHERE r.id = x.rater_id AND m.withdrawn_at IS NOT NULL)"
    };
}

/// The two statements that count the raters again of the sources whose ids the condition selects:
/// the raters of groups with a number of their own, and all others.
macro_rules! count_places {
    ($which:literal) => {
        [
            concat!(
                "UPDATE group_place SET taken = (
                    SELECT COUNT(*) FROM assignment x
                    WHERE x.source_id = group_place.source_id AND x.group_id = group_place.group_id AND ",
                taken!(),
                ") WHERE source_id ",
                $which
            ),
            concat!(
                "UPDATE stored_source SET taken = (
                    SELECT COUNT(*) FROM assignment x
                    WHERE x.source_id = stored_source.id AND NOT EXISTS (
                        SELECT 1 FROM group_place g
                        WHERE g.source_id = x.source_id AND g.group_id = x.group_id) AND ",
                taken!(),
                ") WHERE id ",
                $which
            ),
        ]
    };
}

/// Counts the raters of a source after one of its assignments changed.
pub(crate) async fn count_source_places(tx: &mut AnyConnection, source: SourceId) -> Result<()> {
    for statement in count_places!("= $1") {
        sqlx::query(statement)
            .bind_id(source)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// Counts the raters of all sources that the person was ever given in the study.
pub(crate) async fn count_person_places(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
) -> Result<()> {
    for statement in count_places!(
        "IN (SELECT a.source_id FROM assignment a JOIN stored_rater r ON r.id = a.rater_id
             WHERE r.study_id = $1 AND r.person_id = $2)"
    ) {
        sqlx::query(statement)
            .bind_id(study)
            .bind_id(person)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}

/// Counts the raters of all sources that the rater was ever given.
pub(crate) async fn count_rater_places(tx: &mut AnyConnection, rater: &str) -> Result<()> {
    for statement in count_places!("IN (SELECT source_id FROM assignment WHERE rater_id = $1)") {
        sqlx::query(statement).bind(rater).execute(&mut *tx).await?;
    }
    Ok(())
}

/// Creates and deletes rows of `group_place` as the study's groups need them, after its sources or
/// its groups changed.
pub(crate) async fn keep_group_places(
    tx: &mut AnyConnection,
    study: StudyId,
    settings: &StudySettings,
) -> Result<()> {
    let query = "SELECT DISTINCT group_id FROM group_place WHERE study_id = $1";
    let before: Vec<String> = sqlx::query_scalar(query)
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;
    let before = BTreeSet::from_iter(before);

    let wanted = settings.counted_groups();
    let wanted: BTreeSet<_> = wanted.map(|(group, _)| group.id.clone()).collect();

    for group in before.difference(&wanted) {
        sqlx::query("DELETE FROM group_place WHERE study_id = $1 AND group_id = $2")
            .bind_id(study)
            .bind(group)
            .execute(&mut *tx)
            .await?;
    }
    for group in &wanted {
        sqlx::query(
            "INSERT INTO group_place (source_id, group_id, study_id, position, priority)
             SELECT s.id, $2, s.study_id, s.position, s.priority FROM stored_source s
             WHERE s.study_id = $1 AND NOT EXISTS (
                SELECT 1 FROM group_place g WHERE g.source_id = s.id AND g.group_id = $2)",
        )
        .bind_id(study)
        .bind(group)
        .execute(&mut *tx)
        .await?;
    }

    // New sources have no raters yet.
    if before != wanted {
        for statement in count_places!("IN (SELECT id FROM stored_source WHERE study_id = $1)") {
            sqlx::query(statement)
                .bind_id(study)
                .execute(&mut *tx)
                .await?;
        }
    }
    Ok(())
}
