//! The raters of a study: annotators, columns of files, simulated annotators.

use domain::{
    ids::{PersonId, RaterId, StudyId},
    study::Role,
};
use sqlx::AnyConnection;

use crate::{
    Error, Result, Store,
    columns::{BindId, TableRow, parse_text},
    lock,
};

/// An annotator of a study who has not withdrawn.
#[derive(Debug, Clone)]
pub(crate) struct AnnotatorRater {
    pub(crate) rater: RaterId,
    /// Whether their answers or the lead admitted them to the main sources.
    pub(crate) admitted: bool,
    /// The id of their group; `None` for none.
    pub(crate) group: Option<String>,
}

impl Store {
    /// The annotator as a rater. If they aren't one yet, they become one, with the id `new` and the
    /// next free pseudonym.
    ///
    /// # Errors
    /// Refused where the person is not an annotator of the study or has withdrawn, or the study is
    /// closed.
    pub async fn ensure_rater(
        &self,
        study: StudyId,
        person: PersonId,
        new: RaterId,
    ) -> Result<RaterId> {
        in_transaction!(self, |tx| {
            lock::lock_open_study(&mut tx, study).await?;
            ensure_annotator_rater(&mut tx, study, person, new)
                .await?
                .rater
        })
    }
}

/// The annotator, who becomes a rater with the id `new` if they aren't one yet. The study must be
/// held.
pub(crate) async fn ensure_annotator_rater(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    new: RaterId,
) -> Result<AnnotatorRater> {
    let row = sqlx::query(
        "SELECT m.role, m.admitted_at, m.withdrawn_at, m.group_id, r.id AS rater_id FROM member m
         LEFT JOIN rater r ON r.study_id = m.study_id AND r.person_id = m.person_id
         WHERE m.study_id = $1 AND m.person_id = $2",
    )
    .bind_id(study)
    .bind_id(person)
    .fetch_optional(&mut *tx)
    .await?;

    let refused = |sentence: &str| Err(Error::Refused(sentence.to_owned()));
    let Some(row) = row else {
        return refused("You are not an annotator of this study.");
    };
    let row = TableRow::named("member", &row, person);
    if row.parse::<Role>("role")? != Role::Annotator {
        return refused("Only annotators of a study judge in it.");
    }
    if row.is_set("withdrawn_at")? {
        return refused("You have withdrawn from this study.");
    }

    let rater = match row.get::<Option<&str>>("rater_id")? {
        Some(id) => parse_text("rater", id, "id", id)?,
        None => {
            insert_rater(tx, study, person, new).await?;
            new
        }
    };

    Ok(AnnotatorRater {
        rater,
        admitted: row.is_set("admitted_at")?,
        group: row.get("group_id")?,
    })
}

/// Makes the person a rater under the next pseudonym (“annotator 1” and so on) that no rater has
/// and no erased rater had. The study must be held.
async fn insert_rater(
    tx: &mut AnyConnection,
    study: StudyId,
    person: PersonId,
    id: RaterId,
) -> Result<()> {
    let query = "SELECT position, label FROM stored_rater WHERE study_id = $1";
    let raters: Vec<(i64, String)> = sqlx::query_as(query)
        .bind_id(study)
        .fetch_all(&mut *tx)
        .await?;

    let last = raters.iter().map(|(position, _)| *position).max();
    let position = last.map_or(0, |last| last + 1);

    let given: i64 = sqlx::query_scalar("SELECT raters_joined FROM study WHERE id = $1")
        .bind_id(study)
        .fetch_one(&mut *tx)
        .await?;

    // A file may have brought a rater with this label.
    let (number, label) = (given + 1..)
        .map(|number| (number, format!("annotator {number}")))
        .find(|(_, label)| raters.iter().all(|(_, taken)| taken != label))
        .expect("numbers do not run out");

    sqlx::query("UPDATE study SET raters_joined = $2 WHERE id = $1")
        .bind_id(study)
        .bind(number)
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "INSERT INTO stored_rater (id, study_id, position, kind, label, person_id)
         VALUES ($1, $2, $3, 'person', $4, $5)",
    )
    .bind_id(id)
    .bind_id(study)
    .bind(position)
    .bind(label)
    .bind_id(person)
    .execute(tx)
    .await?;
    Ok(())
}
