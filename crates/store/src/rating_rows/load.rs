//! Loading ratings, source by source, from packed rows.

use std::{cmp::Ordering, sync::Arc};

use domain::{
    ids::{AssignmentId, OutputId, RaterId, StudyId, SystemId},
    score::LARGEST_NUMBER,
};
use futures_util::TryStreamExt as _;
use rustc_hash::{FxHashMap, FxHashSet};
use sqlx::{AnyConnection, Row, any::AnyRow};

use super::{RatingRow, RatingScope, StudyPart, part};
use crate::{
    Result,
    answer_columns::SHARED_RATING,
    columns::{BindId, TableRow, parse_text, read_rows},
    member_list::consensus_rater,
    packed_rows::{COLUMN_END, PackedRow, ROW_END, packed_rows},
};

/// The statement on main sources of study `$1`, or on its source `$2`: each with its outputs, its
/// assignments and all of its current ratings, packed. `$assignments` and `$ratings` select the
/// latter two. Which ratings count is decided from the assignments afterwards: looking one up for
/// every rating takes longer than reading it.
macro_rules! packed_ratings {
    ($part:expr, $assignments:expr, $ratings:expr) => {
        part!(
            $part,
            concat!(
                "SELECT s.id,
                    (SELECT string_agg(concat_ws($3, o.id, o.system_id, o.position, o.purpose,
                            COALESCE(o.twin_of, '')), $4)
                     FROM output o WHERE o.source_id = s.id) AS outputs,
                    (", $assignments, ") AS assignments,
                    (", $ratings, ") AS ratings
                 FROM source s WHERE s.study_id = $1 AND s.purpose = 'main'"
            ),
            whole: "AND $2 = ''",
            source: "AND s.id = $2",
            ""
        )
    };
}

/// The statement on the ratings of raters; `$value` writes a rating's number.
macro_rules! rater_ratings {
    ($part:expr, $value:literal) => {
        packed_ratings!(
            $part,
            "SELECT string_agg(concat_ws($3, x.id, x.state), $4)
             FROM assignment x WHERE x.study_id = $1 AND x.source_id = s.id",
            concat!(
                "SELECT string_agg(concat_ws($3, a.id, COALESCE(a.assignment_id, ''), a.rater_id,
                        a.output_id, ",
                $value,
                ", a.recorded_at, a.kind, a.dimension), $4)
                 FROM annotation a
                 WHERE a.source_id = s.id AND a.kind IN ('rating', 'shared-rating') AND a.current = 1
                   AND a.value IS NOT NULL AND a.output_id IS NOT NULL"
            )
        )
    };
}

/// The statement on the ratings on which the raters of a source agreed, in the same columns. A
/// finished consensus is read as an assignment that was handed in, with the id of its source; the
/// study's id replaces the rater's.
macro_rules! agreed_ratings {
    ($part:expr, $value:literal) => {
        packed_ratings!(
            $part,
            "SELECT concat_ws($3, c.source_id, 'handed-in')
             FROM consensus c WHERE c.source_id = s.id AND c.agreed_at IS NOT NULL",
            concat!(
                "SELECT string_agg(concat_ws($3, a.id, a.source_id, a.study_id, a.output_id, ",
                $value,
                ", a.decided_at, a.kind, a.dimension), $4)
                 FROM consensus_answer a
                 WHERE a.source_id = s.id AND a.kind = 'rating' AND a.current = 1
                   AND a.value IS NOT NULL AND a.output_id IS NOT NULL"
            )
        )
    };
}

/// A rating with the positions of its output and of its rater in their lists.
pub(super) type PlacedRating = ((i64, i64), RatingRow);

/// The study's ratings, in the order of outputs and then of raters. `leave_out` is given each row,
/// or its error; where it returns `None`, the row is left out.
pub(crate) async fn load_ratings(
    tx: &mut AnyConnection,
    study: StudyId,
    part: StudyPart,
    which: RatingScope,
    leave_out: impl Fn(Result<RatingRow>) -> Result<Option<RatingRow>> + Send,
) -> Result<Vec<RatingRow>> {
    let sources = load_by_source(tx, study, part, which, leave_out).await?;
    let mut ratings: Vec<_> = sources.into_iter().flatten().collect();
    // The outputs of a source mostly follow each other, so nearly all are in order.
    ratings.sort_by(compare_places);
    Ok(ratings.into_iter().map(|(_, rating)| rating).collect())
}

/// The same ratings by source, those of each source in the same order; sources are in the order of
/// their first rated output.
pub(super) async fn load_by_source(
    tx: &mut AnyConnection,
    study: StudyId,
    part: StudyPart,
    which: RatingScope,
    leave_out: impl Fn(Result<RatingRow>) -> Result<Option<RatingRow>> + Send,
) -> Result<Vec<Vec<PlacedRating>>> {
    // All of these write a number so that it reads as the same number. Nearly all are whole, which
    // SQLite writes faster.
    let is_sqlite = tx.backend_name() == "SQLite";
    let statement = match (which, is_sqlite) {
        (RatingScope::Consensus, true) => agreed_ratings!(part, "quote(a.value)"),
        (RatingScope::Consensus, false) => agreed_ratings!(part, "CAST(a.value AS TEXT)"),
        (_, true) => rater_ratings!(
            part,
            "CASE WHEN a.value = CAST(a.value AS INTEGER) THEN CAST(a.value AS INTEGER) ELSE quote(a.value) END"
        ),
        (_, false) => rater_ratings!(part, "CAST(a.value AS TEXT)"),
    };

    let raters = match which {
        RatingScope::Consensus => std::iter::once((consensus_rater(study).id, 0)).collect(),
        RatingScope::HandedIn | RatingScope::IncludingOpen => {
            load_rater_positions(tx, study).await?
        }
    };

    // Outputs that are looked at again do not count until they are submitted.
    let to_check = match which {
        RatingScope::HandedIn => load_open_questions(tx, study, part).await?,
        RatingScope::IncludingOpen | RatingScope::Consensus => FxHashSet::default(),
    };

    let mut names = DimensionNames::default();
    let mut by_source = Vec::new();
    let mut sources = sqlx::query(statement)
        .bind_id(study)
        .bind(part.source())
        .bind(COLUMN_END)
        .bind(ROW_END)
        .fetch(&mut *tx);
    while let Some(row) = sources.try_next().await? {
        let source: &str = row.try_get("id")?;
        let source = parse_text("source", source, "id", source);
        let Some(source) = readable(source, &leave_out)? else {
            continue;
        };

        let mut outputs = FxHashMap::default();
        for row in packed_rows("output", row.try_get("outputs")?) {
            if let Some((id, output)) = readable(read_output(row), &leave_out)? {
                outputs.insert(id, output);
            }
        }

        let mut twins = FxHashMap::<OutputId, Vec<OutputId>>::default();
        for (id, output) in &outputs {
            if let Some(first) = output.twin_of {
                twins.entry(first).or_default().push(*id);
            }
        }

        let mut ratings = Vec::new();
        let mut counting = FxHashSet::default();
        for row in packed_rows("assignment", row.try_get("assignments")?) {
            counting.extend(readable(read_counting(row, which), &leave_out)?.flatten());
        }

        for row in packed_rows("annotation", row.try_get("ratings")?) {
            let counts = |assignment: AssignmentId| counting.contains(&assignment);
            let Some(packed) = readable(read_rating(row, counts), &leave_out)?.flatten() else {
                continue;
            };
            if let Some(assignment) = packed.assignment
                && to_check.contains(&(assignment, packed.output))
            {
                continue;
            }
            let (Some(output), Some(rater_position)) =
                (outputs.get(&packed.output), raters.get(&packed.rater))
            else {
                continue;
            };
            if !output.is_main {
                continue;
            }

            let rating = RatingRow {
                rater: packed.rater,
                output: packed.output,
                source,
                system: output.system,
                dimension: names.get(packed.dimension),
                value: packed.value,
                recorded_at: packed.recorded_at,
                shared: packed.shared,
            };
            let Some(rating) = leave_out(Ok(rating))? else {
                continue;
            };

            let twins = twins.get(&rating.output).into_iter().flatten();
            for twin in twins.filter(|_| packed.assignment.is_some()) {
                let of_twin = &outputs[twin];
                let shared = RatingRow {
                    output: *twin,
                    system: of_twin.system,
                    shared: true,
                    ..rating.clone()
                };
                ratings.push(((of_twin.position, *rater_position), shared));
            }
            ratings.push(((output.position, *rater_position), rating));
        }

        ratings.sort_by(compare_places);
        by_source.push(ratings);
    }

    by_source.sort_by_key(|ratings| ratings.first().map(|(place, _)| *place));
    Ok(by_source)
}

/// Compares by the order of outputs, of raters and of dimensions.
fn compare_places((a, x): &PlacedRating, (b, y): &PlacedRating) -> Ordering {
    (a, &x.dimension).cmp(&(b, &y.dimension))
}

/// The value; `None` if it cannot be read and its row may be left out.
fn readable<T>(
    value: Result<T>,
    leave_out: impl Fn(Result<RatingRow>) -> Result<Option<RatingRow>>,
) -> Result<Option<T>> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(error) => leave_out(Err(error)).map(|_| None),
    }
}

/// The positions of the study's raters in its list, without those who withdrew.
async fn load_rater_positions(
    tx: &mut AnyConnection,
    study: StudyId,
) -> Result<FxHashMap<RaterId, i64>> {
    let rows = sqlx::query(
        "SELECT r.id, r.position FROM rater r
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE r.study_id = $1 AND m.withdrawn_at IS NULL",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;
    read_rows("rater", &rows, |row| {
        Ok((row.parse("id")?, row.get("position")?))
    })
}

/// The outputs of a part of the study that raters should look at again, each with the rater's
/// assignment.
async fn load_open_questions(
    tx: &mut AnyConnection,
    study: StudyId,
    part: StudyPart,
) -> Result<FxHashSet<(AssignmentId, OutputId)>> {
    let statement = part!(
        part,
        "SELECT q.assignment_id, q.output_id FROM open_question q
         JOIN assignment x ON x.id = q.assignment_id",
        whole: "WHERE x.study_id = $1 AND $2 = ''",
        source: "WHERE x.study_id = $1 AND x.source_id = $2",
        ""
    );

    let rows = sqlx::query(statement)
        .bind_id(study)
        .bind(part.source())
        .fetch_all(tx)
        .await?;

    let read = |row: &AnyRow| {
        let row = TableRow::keyed("reopened_output", row, "assignment_id")?;
        Ok((row.parse("assignment_id")?, row.parse("output_id")?))
    };
    rows.iter().map(read).collect()
}

/// The assignment, if its ratings count.
fn read_counting(mut row: PackedRow<'_>, which: RatingScope) -> Result<Option<AssignmentId>> {
    let counts = match row.text("state")? {
        "handed-in" => true,
        "open" => which == RatingScope::IncludingOpen,
        _ => false,
    };
    counts.then(|| row.id()).transpose()
}

/// An output without its text.
struct OutputPlace {
    system: SystemId,
    position: i64,
    is_main: bool,
    /// The output that is judged in place of this one, with the same text.
    twin_of: Option<OutputId>,
}

fn read_output(mut row: PackedRow<'_>) -> Result<(OutputId, OutputPlace)> {
    let output = OutputPlace {
        system: row.parse("system_id")?,
        position: row.parse("position")?,
        is_main: row.text("purpose")? == "main",
        twin_of: row.parse_optional("twin_of")?,
    };
    Ok((row.id()?, output))
}

/// A rating as a statement of [`packed_ratings!`] returns it.
struct PackedRating<'t> {
    /// The assignment in which an annotator gave it; `None` if it was imported.
    assignment: Option<AssignmentId>,
    rater: RaterId,
    output: OutputId,
    value: f64,
    recorded_at: i64,
    /// Whether it was imported as a copy of a rating of an identical output.
    shared: bool,
    dimension: &'t str,
}

/// Reads a rating; `None` if its assignment does not count.
fn read_rating(
    mut row: PackedRow<'_>,
    counts: impl Fn(AssignmentId) -> bool,
) -> Result<Option<PackedRating<'_>>> {
    let assignment = row.parse_optional("assignment_id")?;
    if !assignment.is_none_or(counts) {
        return Ok(None);
    }

    let (rater, output) = (row.parse("rater_id")?, row.parse("output_id")?);
    let value: f64 = row.parse("value")?;
    // An earlier version may have imported larger values.
    if !(-LARGEST_NUMBER..=LARGEST_NUMBER).contains(&value) {
        return Err(row.bad("value", "is beyond 1e15, which no rating reaches"));
    }

    Ok(Some(PackedRating {
        assignment,
        rater,
        output,
        value,
        recorded_at: row.parse("recorded_at")?,
        shared: row.text("kind")? == SHARED_RATING,
        dimension: row.text("dimension")?,
    }))
}

/// One shared text per dimension.
#[derive(Default)]
struct DimensionNames(FxHashMap<String, Arc<str>>);

impl DimensionNames {
    fn get(&mut self, name: &str) -> Arc<str> {
        if let Some(existing) = self.0.get(name) {
            return Arc::clone(existing);
        }
        let new: Arc<str> = name.into();
        self.0.insert(name.to_owned(), Arc::clone(&new));
        new
    }
}
