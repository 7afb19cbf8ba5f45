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
};

/// The ratings of annotators that count. Imported and simulated ones always do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RatingScope {
    /// Those of sources that were handed in, but of outputs that their rater is to look at again.
    HandedIn,
    /// Those of open sources and of such outputs as well.
    IncludingOpen,
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
    ($part:expr, $before:literal, whole: $whole:literal, source: $source:literal, $after:literal) => {
        match $part {
            $crate::rating_rows::StudyPart::Whole => concat!($before, " ", $whole, " ", $after),
            $crate::rating_rows::StudyPart::Source(_) => {
                concat!($before, " ", $source, " ", $after)
            }
        }
    };
}
pub(crate) use part;

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
        .map(|(name, scale)| Dimension { name, scale })
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
    let statement = part!(
        part,
        "SELECT a.id, a.rater_id, a.output_id, a.source_id, a.dimension, a.value, a.recorded_at,
                o.system_id, o.position, r.position AS rater_position,
                CASE WHEN x.id IS NULL THEN 0 ELSE 1 END AS by_hand
         FROM annotation a
         JOIN output o ON o.id = a.output_id
         JOIN source s ON s.id = a.source_id
         JOIN rater r ON r.id = a.rater_id
         LEFT JOIN assignment x ON x.id = a.assignment_id
         LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id",
        whole: "WHERE a.study_id = $1 AND $3 = ''",
        source: "WHERE s.study_id = $1 AND a.source_id = $3",
        "AND a.kind = 'rating' AND a.current = 1
           AND a.value IS NOT NULL AND o.purpose = 'main' AND s.purpose = 'main'
           AND m.withdrawn_at IS NULL
           AND (x.id IS NULL OR x.state = 'handed-in' OR (x.state = 'open' AND $2 = 1))
           AND ($2 = 1 OR NOT EXISTS (SELECT 1 FROM open_question q
                WHERE q.assignment_id = a.assignment_id AND q.output_id = a.output_id))"
    );
    let twins = load_twins(tx, study, part).await?;
    let mut names = DimensionNames::default();
    let mut ratings = Vec::new();
    // One by one: a driver's row takes many times the room of what is kept of it.
    let mut rows = sqlx::query(statement)
        .bind_id(study)
        .bind(i64::from(which == RatingScope::IncludingOpen))
        .bind(part.source())
        .fetch(&mut *tx);
    while let Some(row) = rows.try_next().await? {
        let Some(rating) = leave_out(read_rating(&row, &mut names))? else {
            continue;
        };
        let rater: i64 = row.try_get("rater_position")?;
        if row.try_get::<i64, _>("by_hand")? != 0 {
            for twin in twins.get(&rating.output).into_iter().flatten() {
                let shared = RatingRow {
                    output: twin.output,
                    system: twin.system,
                    shared: true,
                    ..rating.clone()
                };
                ratings.push(((twin.position, rater), shared));
            }
        }
        ratings.push(((row.try_get("position")?, rater), rating));
    }
    ratings.sort_by(|(a, x), (b, y)| (a, &x.dimension).cmp(&(b, &y.dimension)));
    Ok(ratings.into_iter().map(|(_, rating)| rating).collect())
}

/// The outputs that others stand for, by these.
async fn load_twins(
    tx: &mut AnyConnection,
    study: StudyId,
    part: StudyPart,
) -> Result<HashMap<OutputId, Vec<TwinOutput>>> {
    let statement = part!(
        part,
        "SELECT o.id, o.twin_of, o.system_id, o.position
         FROM output o JOIN source s ON s.id = o.source_id",
        whole: "WHERE o.study_id = $1 AND $2 = ''",
        source: "WHERE s.study_id = $1 AND o.source_id = $2",
        "AND o.twin_of IS NOT NULL"
    );
    let rows = sqlx::query(statement)
        .bind_id(study)
        .bind(part.source())
        .fetch_all(tx)
        .await?;
    let mut twins = HashMap::<_, Vec<_>>::new();
    for row in &rows {
        let row = TableRow::new("output", row)?;
        let first = row.parse("twin_of")?;
        twins.entry(first).or_default().push(TwinOutput {
            output: row.parse("id")?,
            system: row.parse("system_id")?,
            position: row.get("position")?,
        });
    }
    Ok(twins)
}

/// An output that is judged through another one with the same text.
struct TwinOutput {
    output: OutputId,
    system: SystemId,
    position: i64,
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

fn read_rating(row: &AnyRow, names: &mut DimensionNames) -> Result<RatingRow> {
    let id: &str = row.try_get("id")?;
    let table = "annotation";
    Ok(RatingRow {
        rater: parse_text(table, id, "rater_id", row.try_get("rater_id")?)?,
        output: parse_text(table, id, "output_id", row.try_get("output_id")?)?,
        source: parse_text(table, id, "source_id", row.try_get("source_id")?)?,
        system: parse_text("output", id, "system_id", row.try_get("system_id")?)?,
        dimension: names.get(row.try_get("dimension")?),
        value: row.try_get("value")?,
        recorded_at: row.try_get("recorded_at")?,
        shared: false,
    })
}
