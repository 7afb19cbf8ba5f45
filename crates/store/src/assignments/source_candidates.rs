//! The sources that an annotator could be given, read without going through sources that have their
//! number of raters.

use std::collections::HashSet;

use domain::{
    ids::{RaterId, SourceId, StudyId},
    study::{SourcePurpose, StudySettings},
    work::attention::item_place,
};
use sqlx::{AnyConnection, any::AnyRow};

use super::{
    LEASE, attention::RaterAttention, choice::SourceCandidate, upcoming_work::PurposeProgress,
};
use crate::{
    Result,
    alignments::load_held_back,
    bulk::BulkQuery,
    columns::{BindId, TableRow, parse_text, read_rows},
    own_overlap::read_own_overlap,
};

/// The rater for whom sources are looked up, and the settings that matter for it.
#[derive(Debug, Clone)]
pub(super) struct CandidateQuery {
    pub(super) study: StudyId,
    pub(super) rater: RaterId,
    /// The id of the rater's group; `None` for none.
    pub(super) group: Option<String>,
    /// The number of raters that each source should get among those who count like the rater: the
    /// rater's group if it has a number of its own, otherwise all other raters. In the latter case
    /// sources may have numbers of their own.
    overlap: u32,
    /// The id of that group; empty if the rater counts among all others.
    pub(super) counted_group: String,
    /// The ids of the study's groups with a number of their own, with a comma before and after
    /// each.
    pub(super) all_counted: String,
    /// Whether annotators see the edits of outputs; then a source waits until these are the best
    /// available.
    needs_edits: bool,
    /// Whether annotators only write, so that a source needs no outputs.
    only_writes: bool,
    /// A rater gets one attention item per this many sources; 0 for none.
    pub(super) attention_every: u32,
    /// In an arm of an experiment, the column of the square whose main sources the rater gets;
    /// `None` for all sources.
    pub(super) square_column: Option<i64>,
    pub(super) now_ms: i64,
}

impl CandidateQuery {
    /// The query for a rater of a group; a group that the study no longer has counts as none.
    pub(super) fn new(
        study: StudyId,
        rater: RaterId,
        group: Option<&str>,
        settings: &StudySettings,
        now_ms: i64,
    ) -> Self {
        let group = settings.group(group);
        let counted = group.and_then(|group| Some((group.id.clone(), group.overlap?)));
        let (counted_group, overlap) = counted.unwrap_or((String::new(), settings.overlap));
        let all_counted = settings.counted_groups();

        Self {
            study,
            rater,
            group: group.map(|group| group.id.clone()),
            overlap,
            counted_group,
            all_counted: all_counted
                .map(|(group, _)| format!(",{},", group.id))
                .collect(),
            needs_edits: settings.protocol.needs_edits(),
            only_writes: settings.protocol.only_writes(),
            attention_every: settings.quality_control.attention_every,
            square_column: None,
            now_ms,
        }
    }

    /// Binds the first five values of a statement made by `candidates`.
    fn bind(&self, statement: &'static str) -> BulkQuery {
        sqlx::query(statement)
            .bind_id(self.study)
            .bind_id(self.rater)
            .bind(self.now_ms)
            .bind(self.counted_group.clone())
            .bind(self.all_counted.clone())
    }

    /// The same query, limited to main sources in a column of the square.
    pub(super) fn in_square(self, square_column: Option<i64>) -> Self {
        Self {
            square_column,
            ..self
        }
    }

    /// The sources that are not given out yet.
    pub(super) async fn load_held_back(&self, tx: &mut AnyConnection) -> Result<HashSet<SourceId>> {
        match self.needs_edits {
            true => load_held_back(tx, self.study, self.now_ms).await,
            false => Ok(HashSet::new()),
        }
    }
}

/// The SQL condition that the rater of assignment `x` counts among the same raters as a rater of
/// group `$4`, where `$5` are the groups that are counted apart.
macro_rules! counted_alike {
    () => {
        "CASE WHEN $5 LIKE '%,' || x.group_id || ',%' THEN x.group_id ELSE '' END = $4"
    };
}
pub(super) use counted_alike;

/// The SQL that counts the assignments of source `s` to raters other than `$2` that meet the
/// condition and count alike, leaving out raters who withdrew.
macro_rules! others {
    ($condition:literal) => {
        concat!(
            "(SELECT COUNT(*) FROM assignment x
              WHERE x.source_id = s.id AND x.rater_id <> $2 AND ",
            counted_alike!(),
            " AND (",
            $condition,
            ") AND NOT EXISTS (
                SELECT 1 FROM rater r
                JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
                WHERE r.id = x.rater_id AND m.withdrawn_at IS NOT NULL))"
        )
    };
}

/// The SQL that counts the other raters who handed source `s` in or have it on a lease that is
/// valid at `$3`.
macro_rules! held {
    () => {
        others!("x.state = 'handed-in' OR (x.state = 'open' AND x.leased_until >= $3)")
    };
}

/// The statement that reads sources `s` of study `$1` from `$from` with the condition `$which`, if
/// they have something to do, as rater `$2` sees them at `$3`. The rater counts among group `$4`,
/// where `$5` are the groups that are counted apart.
macro_rules! candidates {
    ($query:expr, $which:literal) => {
        candidates!($query, from "source s", $which)
    };
    ($query:expr, from $from:expr, $($which:expr),+) => {
        match $query.only_writes {
            true => candidates!(@ "", $from, $($which),+),
            false => candidates!(
                @ " AND EXISTS (SELECT 1 FROM output o WHERE o.source_id = s.id) ",
                $from,
                $($which),+
            ),
        }
    };
    (@ $needed:literal, $from:expr, $($which:expr),+) => {
        concat!(
            "SELECT s.id, s.purpose, s.position, s.priority, s.own_overlap,
                    mine.id AS mine_id, mine.state AS mine_state, mine.reason AS mine_reason,
                    CASE WHEN EXISTS (SELECT 1 FROM open_question q WHERE q.assignment_id = mine.id)
                         THEN 1 ELSE 0 END AS asked, ",
            held!(),
            " AS held, ",
            others!("x.state = 'open' AND x.leased_until < $3"),
            " AS expired FROM ",
            $from,
            " LEFT JOIN assignment mine ON mine.source_id = s.id AND mine.rater_id = $2
             WHERE s.study_id = $1 ",
            $needed,
            $($which),+
        )
    };
}

/// The sources from which the rater's next one is chosen, in no particular order, and those that
/// are held back. No other source would be chosen over these.
pub(super) async fn load_choice(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
) -> Result<(Vec<SourceCandidate>, HashSet<SourceId>)> {
    let held_back = query.load_held_back(tx).await?;
    let mut candidates = load_begun(tx, query).await?;
    candidates.extend(load_preparation(tx, query).await?);
    candidates.extend(load_attention(tx, query, &held_back).await?);
    // One more than are held back, so that at least one is not, if there is any.
    let count = held_back.len() + 1;
    candidates.extend(load_best_main(tx, query, count).await?);

    if query.counted_group.is_empty() {
        candidates.extend(load_best_own(tx, query, count).await?);
    }
    Ok((candidates, held_back))
}

/// One source as the rater sees it; `None` if the study has no such source with something to do.
pub(super) async fn load_candidate(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    source: SourceId,
) -> Result<Option<SourceCandidate>> {
    let row = query
        .bind(candidates!(query, "AND s.id = $6"))
        .bind_id(source)
        .fetch_optional(tx)
        .await?;

    row.as_ref()
        .map(|row| read_candidate(query, row))
        .transpose()
}

/// The sources that the rater has open, is asked about or lost when a lease expired, and those that
/// others have on an expired lease.
async fn load_begun(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
) -> Result<Vec<SourceCandidate>> {
    // SQLite runs a cross join in the order in which it is written; otherwise it would go through
    // all sources of the study.
    let rows = query
        .bind(candidates!(
            query,
            from "(SELECT x.source_id FROM assignment x
               WHERE x.rater_id = $2 AND (
                   x.state = 'open'
                   OR (x.state = 'released' AND x.reason = $6)
                   OR (x.state = 'handed-in'
                       AND EXISTS (SELECT 1 FROM open_question q WHERE q.assignment_id = x.id)))
               UNION
               SELECT x.source_id FROM assignment x
               WHERE x.study_id = $1 AND x.state = 'open' AND x.leased_until < $3
              ) begun CROSS JOIN source s",
            // An attention item that others have is given out only when it is due, a source of an
            // experiment only in its column.
            "AND s.id = begun.source_id AND (s.purpose <> 'attention' OR mine.id IS NOT NULL)
             AND (s.purpose <> 'main' OR mine.id IS NOT NULL OR $7 < 0 OR s.square_column = $7)"
        ))
        .bind(LEASE)
        .bind(query.square_column.unwrap_or(-1))
        .fetch_all(tx)
        .await?;
    read_candidates(query, &rows)
}

/// The tutorial, training and qualification sources, which are few, that the rater has not had.
async fn load_preparation(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
) -> Result<Vec<SourceCandidate>> {
    let rows = query
        .bind(candidates!(
            query,
            "AND s.purpose IN ('tutorial', 'training', 'qualification') AND mine.id IS NULL"
        ))
        .fetch_all(tx)
        .await?;
    read_candidates(query, &rows)
}

/// The rater's next attention item, if one is due: among those that expect an answer and aren't
/// held back.
async fn load_attention(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    held_back: &HashSet<SourceId>,
) -> Result<Option<SourceCandidate>> {
    if query.attention_every == 0 || !RaterAttention::load(tx, query).await?.is_due() {
        return Ok(None);
    }
    let rows = query
        .bind(candidates!(
            query,
            "AND s.purpose = 'attention' AND mine.id IS NULL AND EXISTS (
            SELECT 1 FROM output o WHERE o.source_id = s.id AND o.expected IS NOT NULL)"
        ))
        .fetch_all(tx)
        .await?;

    let ready = read_candidates(query, &rows)?.into_iter();
    let ready = ready.filter(|item| !held_back.contains(&item.source));
    Ok(ready.min_by_key(|item| item_place(query.rater, item.source)))
}

/// The statement that reads the best main sources with room that meet the condition `$which`, for
/// the group `$4`, with `$6` raters each and at most `$7` of them. The stored count leads to the
/// right rows, but the exact count decides, because a server of an earlier version may have given
/// out sources without counting.
macro_rules! best_main {
    ($query:expr, $which:literal) => {
        match $query.counted_group.is_empty() {
            true => candidates!(
                $query,
                from "source s",
                "AND s.purpose = 'main' AND s.own_overlap IS NULL AND s.taken < $6 AND mine.id IS NULL ",
                $which,
                " AND ",
                held!(),
                " < $6 ORDER BY s.taken DESC, s.priority DESC, s.position LIMIT $7"
            ),
            // A cross join, so that SQLite begins with the group's places.
            false => candidates!(
                $query,
                from "group_place g CROSS JOIN source s",
                "AND g.study_id = $1 AND g.group_id = $4 AND g.taken < $6 AND s.id = g.source_id
                 AND s.purpose = 'main' AND mine.id IS NULL ",
                $which,
                " AND ",
                held!(),
                " < $6 ORDER BY g.taken DESC, g.priority DESC, g.position LIMIT $7"
            ),
        }
    };
}

/// The best `count` sources of the study itself that have room and that the rater has not had,
/// without sources that have a number of raters of their own. For a rater of a group with its own
/// number, no source has one.
async fn load_best_main(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    count: usize,
) -> Result<Vec<SourceCandidate>> {
    let statement = match query.square_column {
        None => best_main!(query, ""),
        // A separate statement, so that the index on the column is used.
        Some(_) => best_main!(query, "AND s.square_column = $8"),
    };

    let bound = query
        .bind(statement)
        .bind(i64::from(query.overlap))
        .bind(i64::try_from(count).unwrap_or(i64::MAX));
    let bound = match query.square_column {
        None => bound,
        Some(column) => bound.bind(column),
    };
    read_candidates(query, &bound.fetch_all(tx).await?)
}

/// Like [`load_best_main`], for sources with a number of raters of their own. An index finds those
/// with room.
async fn load_best_own(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
    count: usize,
) -> Result<Vec<SourceCandidate>> {
    let rows = query
        .bind(candidates!(
            query,
            from "source s",
            "AND s.purpose = 'main' AND s.own_overlap > s.taken AND mine.id IS NULL
             AND ($7 < 0 OR s.square_column = $7) AND ",
            held!(),
            " < s.own_overlap ORDER BY s.taken DESC, s.priority DESC, s.position LIMIT $6"
        ))
        .bind(i64::try_from(count).unwrap_or(i64::MAX))
        .bind(query.square_column.unwrap_or(-1))
        .fetch_all(tx)
        .await?;
    read_candidates(query, &rows)
}

fn read_candidates(query: &CandidateQuery, rows: &[AnyRow]) -> Result<Vec<SourceCandidate>> {
    let candidates = rows.iter().map(|row| read_candidate(query, row));
    candidates.collect()
}

fn read_candidate(query: &CandidateQuery, row: &AnyRow) -> Result<SourceCandidate> {
    let row = TableRow::new("source", row)?;
    let mine = match row.get::<Option<&str>>("mine_id")? {
        None => None,
        Some(mine) => Some((
            parse_text("assignment", mine, "id", mine)?,
            parse_text("assignment", mine, "state", row.get("mine_state")?)?,
            row.get("mine_reason")?,
        )),
    };

    let own_overlap = match query.counted_group.is_empty() {
        true => read_own_overlap(&row)?,
        false => None,
    };

    Ok(SourceCandidate {
        source: row.parse("id")?,
        purpose: row.parse("purpose")?,
        position: row.get("position")?,
        priority: row.get("priority")?,
        overlap: own_overlap.unwrap_or(query.overlap),
        asked: row.flag("asked")?,
        mine,
        held: row.count("held")?,
        expired: row.count("expired")?,
    })
}

/// A rater's progress with the sources for one purpose.
#[derive(Debug, Clone, Copy)]
pub(super) struct PurposeCounts {
    pub(super) purpose: SourcePurpose,
    pub(super) progress: PurposeProgress,
    /// For main sources, the number of raters that they still lack together, among those who count
    /// like the rater.
    pub(super) free_places: u32,
}

/// The statement of [`count_purposes`], given the SQL for a source's taken places and all its
/// places, and the join that they need.
macro_rules! counts {
    ($taken:literal, $places:literal, $join:literal) => {
        concat!(
        "WITH mine AS (
            SELECT x.source_id, x.state, x.reason, x.id FROM assignment x WHERE x.rater_id = $2
         ), expired AS (
            SELECT x.source_id, COUNT(*) AS places FROM assignment x
            WHERE x.study_id = $1 AND x.state = 'open' AND x.leased_until < $3 AND x.rater_id <> $2 AND ",
        counted_alike!(),
        " GROUP BY x.source_id
         )
         SELECT MIN(s.id) AS id, s.purpose, COUNT(*) AS sources,
                COUNT(CASE WHEN mine.state IN ('handed-in', 'skipped') THEN 1 END) AS done,
                COUNT(CASE
                    WHEN mine.state = 'open' THEN 1
                    WHEN mine.state = 'handed-in' THEN
                        (SELECT MAX(1) FROM open_question q WHERE q.assignment_id = mine.id)
                    WHEN mine.state IS NOT NULL AND (mine.state <> 'released' OR mine.reason <> $6)
                        THEN NULL
                    WHEN s.purpose = 'attention' AND NOT EXISTS (
                        SELECT 1 FROM output o WHERE o.source_id = s.id AND o.expected IS NOT NULL)
                        THEN NULL
                    WHEN s.purpose <> 'main' OR ",
        $taken,
        " - COALESCE(e.places, 0) < ",
        $places,
        " THEN 1
                END) AS available,
                CAST(SUM(CASE WHEN ",
        $taken,
        " - COALESCE(e.places, 0) < ",
        $places,
        " THEN ",
        $places,
        " - ",
        $taken,
        " + COALESCE(e.places, 0) ELSE 0 END) AS BIGINT) AS free_places
         FROM source s
         LEFT JOIN mine ON mine.source_id = s.id
         LEFT JOIN expired e ON e.source_id = s.id ",
        $join,
        " WHERE s.study_id = $1
           AND ($8 = 1 OR EXISTS (SELECT 1 FROM output o WHERE o.source_id = s.id))
           AND ($9 < 0 OR s.purpose <> 'main' OR mine.id IS NOT NULL OR s.square_column = $9)
         GROUP BY s.purpose")
    };
}

/// Counts the study's sources as the rater sees them.
pub(super) async fn count_purposes(
    tx: &mut AnyConnection,
    query: &CandidateQuery,
) -> Result<Vec<PurposeCounts>> {
    // Both are counted before the join: otherwise SQLite would look for them for each source.
    let statement = match query.counted_group.is_empty() {
        true => counts!("s.taken", "COALESCE(s.own_overlap, $7)", ""),
        false => counts!(
            "COALESCE(g.taken, 0)",
            "$7",
            "LEFT JOIN group_place g ON g.source_id = s.id AND g.group_id = $4"
        ),
    };

    let rows = query
        .bind(statement)
        .bind(LEASE)
        .bind(i64::from(query.overlap))
        .bind(i64::from(query.only_writes))
        .bind(query.square_column.unwrap_or(-1))
        .fetch_all(tx)
        .await?;

    read_rows("source", &rows, |row| {
        Ok(PurposeCounts {
            purpose: row.parse("purpose")?,
            progress: PurposeProgress {
                sources: row.count("sources")?,
                done: row.count("done")?,
                available: row.count("available")?,
            },
            free_places: row.count("free_places")?,
        })
    })
}
