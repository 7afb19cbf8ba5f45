//! The rows that figures are computed from: ratings of the main outputs of main sources, never training,
//! qualification or quality control, and without raters who withdrew.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use domain::{
    ids::{OutputId, RaterId, SourceId, StudyId, SystemId},
    score::RatingScale,
    study::Dimension,
};
use futures_util::TryStreamExt as _;
use sqlx::{AnyConnection, Row, any::AnyRow};

use crate::{
    Result, Store, answer_columns,
    columns::{BindId, TableRow, parse_text},
    member_list::consensus_rater,
    packed_rows::{COLUMN_END, PackedRow, ROW_END, packed_rows},
};

/// The ratings of annotators that count. Imported and simulated ones always do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RatingScope {
    /// Those of sources that were handed in, but of outputs that their rater is to look at again.
    #[default]
    HandedIn,
    /// Those of open sources and of such outputs as well.
    IncludingOpen,
    /// In place of theirs, those on which the raters of a source agreed ([`crate::consensus`]).
    Consensus,
}

/// The part of a study that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyPart {
    /// All of it.
    Whole,
    /// One source and its outputs.
    Source(SourceId),
}

impl StudyPart {
    /// The source as text; empty for all.
    pub(crate) fn source(self) -> String {
        match self {
            Self::Whole => String::new(),
            Self::Source(source) => source.to_string(),
        }
    }
}

/// Two statements that differ in what they read: all of study `$1`, or of it the source `$3` alone.
/// Each looks where an index leads.
macro_rules! part {
    ($part:expr, $before:expr, whole: $whole:literal, source: $source:literal, $after:literal) => {
        match $part {
            $crate::rating_rows::StudyPart::Whole => concat!($before, " ", $whole, " ", $after),
            $crate::rating_rows::StudyPart::Source(_) => {
                concat!($before, " ", $source, " ", $after)
            }
        }
    };
}
pub(crate) use part;

/// The statement on main sources of study `$1`, or on its source `$2`: each with its outputs and its ratings, packed.
/// `$3` says whether those of open sources count too; `$ratings` selects the ratings of a source.
macro_rules! packed_ratings {
    ($part:expr, $ratings:expr) => {
        part!(
            $part,
            concat!(
                "SELECT s.id,
                    (SELECT string_agg(o.id || $4 || o.system_id || $4 || o.position || $4 || o.purpose
                            || $4 || COALESCE(o.twin_of, ''), $5)
                     FROM output o WHERE o.source_id = s.id) AS outputs,
                    (", $ratings, ") AS ratings
                 FROM source s WHERE s.study_id = $1 AND s.purpose = 'main'"
            ),
            whole: "AND $2 = ''",
            source: "AND s.id = $2",
            ""
        )
    };
}

/// The ratings of raters for a source; `$value` writes a rating's number.
macro_rules! rater_ratings {
    ($value:literal) => {
        concat!(
            "SELECT string_agg(a.id || $4 || a.rater_id || $4 || a.output_id || $4 || ",
            $value,
            " || $4 || a.recorded_at || $4 || CASE WHEN x.id IS NULL THEN '0' ELSE '1' END
                    || $4 || a.dimension, $5)
             FROM annotation a LEFT JOIN assignment x ON x.id = a.assignment_id
             WHERE a.source_id = s.id AND a.kind = 'rating' AND a.current = 1 AND a.value IS NOT NULL
               AND (x.id IS NULL OR x.state = 'handed-in' OR (x.state = 'open' AND $3 = 1))
               AND ($3 = 1 OR NOT EXISTS (SELECT 1 FROM open_question q
                    WHERE q.assignment_id = a.assignment_id AND q.output_id = a.output_id))"
        )
    };
}

/// The ratings on which the raters of a source agreed, in the same columns; the study's id stands for the rater.
macro_rules! agreed_ratings {
    ($value:literal) => {
        concat!(
            "SELECT string_agg(a.id || $4 || a.study_id || $4 || a.output_id || $4 || ",
            $value,
            " || $4 || a.decided_at || $4 || '1' || $4 || a.dimension, $5)
             FROM consensus_answer a JOIN consensus c ON c.source_id = a.source_id
             WHERE a.source_id = s.id AND a.kind = 'rating' AND a.current = 1 AND a.value IS NOT NULL
               AND c.agreed_at IS NOT NULL AND $3 = 0"
        )
    };
}

impl Store {
    /// The rows of a statement of [`part!`] that takes nothing but the study and the source.
    pub(crate) async fn part_rows(
        &self,
        statement: &'static str,
        study: StudyId,
        part: StudyPart,
    ) -> Result<Vec<AnyRow>> {
        let rows = sqlx::query(statement)
            .bind_id(study)
            .bind(part.source())
            .fetch_all(self.reader())
            .await?;
        Ok(rows)
    }

    /// Hands each source's row of a statement of [`part!`] to `each`. The statement takes the study, the source and the
    /// two separators of [`crate::packed_rows`].
    pub(crate) async fn each_packed_source(
        &self,
        statement: &'static str,
        study: StudyId,
        part: StudyPart,
        mut each: impl FnMut(&AnyRow) -> Result<()>,
    ) -> Result<()> {
        let mut rows = sqlx::query(statement)
            .bind_id(study)
            .bind(part.source())
            .bind(COLUMN_END)
            .bind(ROW_END)
            .fetch(self.reader());
        while let Some(row) = rows.try_next().await? {
            self.tolerate(study, each(&row))?;
        }
        Ok(())
    }
}

/// A rating that is current.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingRow {
    /// Who rated.
    pub rater: RaterId,
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// Who simplified it.
    pub system: SystemId,
    /// On what, such as `overall`.
    pub dimension: Arc<str>,
    /// The number as it was given.
    pub value: f64,
    /// When it was given, in milliseconds since 1970.
    pub recorded_at: i64,
    /// Whether it was given to an output with the same text and is copied to this one:
    /// of these rows none is a unit of its own.
    pub shared: bool,
}

impl Store {
    /// The study's ratings, by the order of outputs and then of raters.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn ratings(&self, study: StudyId, which: RatingScope) -> Result<Vec<RatingRow>> {
        self.ratings_of(study, StudyPart::Whole, which).await
    }

    /// The ratings of a part of the study, in the same order.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn ratings_of(
        &self,
        study: StudyId,
        part: StudyPart,
        which: RatingScope,
    ) -> Result<Vec<RatingRow>> {
        let leave_out = |row| self.tolerate(study, row);
        let mut reader = self.reader().acquire().await?;
        load_ratings(&mut reader, study, part, which, leave_out).await
    }
}

impl Store {
    /// The dimensions on which the study has ratings, by name, each with the scale that its ratings
    /// were given on; where the scale was changed meanwhile, the one that holds all of them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rated_dimensions(&self, study: StudyId) -> Result<Vec<Dimension>> {
        rated_dimensions(&mut *self.reader().acquire().await?, study).await
    }

    /// How many ratings the study has on a dimension that count once their source is handed in: about as
    /// many as [`Store::ratings`] gives, counted quickly.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_ratings(&self, study: StudyId, dimension: &str) -> Result<u64> {
        let row = sqlx::query(
            "SELECT COUNT(*) FROM annotation a
             LEFT JOIN assignment x ON x.id = a.assignment_id
             WHERE a.study_id = $1 AND a.kind = 'rating' AND a.current = 1 AND a.dimension = $2
               AND a.value IS NOT NULL AND (x.id IS NULL OR x.state = 'handed-in')",
        )
        .bind_id(study)
        .bind(dimension)
        .fetch_one(self.reader())
        .await?;
        Ok(row.try_get::<i64, _>(0)?.cast_unsigned())
    }
}

/// See [`Store::rated_dimensions`].
pub(crate) async fn rated_dimensions(
    tx: &mut AnyConnection,
    study: StudyId,
) -> Result<Vec<Dimension>> {
    let rows = sqlx::query(
        "SELECT DISTINCT dimension, scale FROM annotation
         WHERE study_id = $1 AND kind = 'rating' AND current = 1 AND value IS NOT NULL",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;
    let mut scales = BTreeMap::<String, RatingScale>::new();
    for row in rows {
        let name: String = row.try_get("dimension")?;
        let text: Option<&str> = row.try_get("scale")?;
        // A scale that does not read hides its dimension here, and takes no page down.
        let Some(scale) = text.and_then(answer_columns::parse_scale) else {
            continue;
        };
        let known_scale = scales.entry(name).or_insert(scale);
        known_scale.low = known_scale.low.min(scale.low);
        known_scale.high = known_scale.high.max(scale.high);
    }
    let dimensions = scales.into_iter();
    Ok(dimensions
        .map(|(name, scale)| Dimension::new(name, scale))
        .collect())
}

/// The study's ratings, by the order of outputs and then of raters. Of each row `leave_out` is asked:
/// where it gives nothing, the row is left out.
pub(crate) async fn load_ratings(
    tx: &mut AnyConnection,
    study: StudyId,
    part: StudyPart,
    which: RatingScope,
    leave_out: impl Fn(Result<RatingRow>) -> Result<Option<RatingRow>> + Send,
) -> Result<Vec<RatingRow>> {
    // Both write a number so that it reads as the same number.
    let is_sqlite = tx.backend_name() == "SQLite";
    let statement = match (which, is_sqlite) {
        (RatingScope::Consensus, true) => packed_ratings!(part, agreed_ratings!("quote(a.value)")),
        (RatingScope::Consensus, false) => {
            packed_ratings!(part, agreed_ratings!("CAST(a.value AS TEXT)"))
        }
        (_, true) => packed_ratings!(part, rater_ratings!("quote(a.value)")),
        (_, false) => packed_ratings!(part, rater_ratings!("CAST(a.value AS TEXT)")),
    };
    let raters = match which {
        RatingScope::Consensus => HashMap::from([(consensus_rater(study).id, 0)]),
        RatingScope::HandedIn | RatingScope::IncludingOpen => {
            load_rater_positions(tx, study).await?
        }
    };
    let mut names = DimensionNames::default();
    let mut ratings = Vec::new();
    let mut sources = sqlx::query(statement)
        .bind_id(study)
        .bind(part.source())
        .bind(i64::from(which == RatingScope::IncludingOpen))
        .bind(COLUMN_END)
        .bind(ROW_END)
        .fetch(&mut *tx);
    while let Some(row) = sources.try_next().await? {
        let source: &str = row.try_get("id")?;
        let source = parse_text("source", source, "id", source);
        let Some(source) = readable(source, &leave_out)? else {
            continue;
        };
        let mut outputs = HashMap::new();
        for row in packed_rows("output", row.try_get("outputs")?) {
            if let Some((id, output)) = readable(read_output(row), &leave_out)? {
                outputs.insert(id, output);
            }
        }
        let mut twins = HashMap::<OutputId, Vec<OutputId>>::new();
        for (id, output) in &outputs {
            if let Some(first) = output.twin_of {
                twins.entry(first).or_default().push(*id);
            }
        }
        for row in packed_rows("annotation", row.try_get("ratings")?) {
            let Some(packed) = readable(read_rating(row), &leave_out)? else {
                continue;
            };
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
                shared: false,
            };
            let Some(rating) = leave_out(Ok(rating))? else {
                continue;
            };
            let twins = twins.get(&rating.output).into_iter().flatten();
            for twin in twins.filter(|_| packed.by_hand) {
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
    }
    ratings.sort_by(|(a, x), (b, y)| (a, &x.dimension).cmp(&(b, &y.dimension)));
    Ok(ratings.into_iter().map(|(_, rating)| rating).collect())
}

/// The value; nothing where it does not read and its row may be left out.
fn readable<T>(
    value: Result<T>,
    leave_out: impl Fn(Result<RatingRow>) -> Result<Option<RatingRow>>,
) -> Result<Option<T>> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(error) => leave_out(Err(error)).map(|_| None),
    }
}

/// The places of the study's raters in its list, without those who withdrew.
async fn load_rater_positions(
    tx: &mut AnyConnection,
    study: StudyId,
) -> Result<HashMap<RaterId, i64>> {
    let rows = sqlx::query(
        "SELECT r.id, r.position FROM rater r
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
         WHERE r.study_id = $1 AND m.withdrawn_at IS NULL",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;
    let read = |row: &AnyRow| {
        let row = TableRow::new("rater", row)?;
        Ok((row.parse("id")?, row.get("position")?))
    };
    rows.iter().map(read).collect()
}

/// An output without its text.
struct OutputPlace {
    system: SystemId,
    position: i64,
    is_main: bool,
    /// The output that is judged for this one, which has the same text.
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

/// A rating as a statement of [`packed_ratings!`] has it.
struct PackedRating<'t> {
    rater: RaterId,
    output: OutputId,
    value: f64,
    recorded_at: i64,
    /// Whether an annotator gave it, and not an import.
    by_hand: bool,
    dimension: &'t str,
}

fn read_rating(mut row: PackedRow<'_>) -> Result<PackedRating<'_>> {
    Ok(PackedRating {
        rater: row.parse("rater_id")?,
        output: row.parse("output_id")?,
        value: row.parse("value")?,
        recorded_at: row.parse("recorded_at")?,
        by_hand: row.text("assignment_id")? == "1",
        dimension: row.text("dimension")?,
    })
}

/// One text a dimension.
#[derive(Default)]
struct DimensionNames(HashMap<String, Arc<str>>);

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
