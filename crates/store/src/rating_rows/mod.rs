//! The rows from which figures are computed: ratings of the main outputs of main sources, never of
//! training, qualification or quality control, and without raters who withdrew.

mod load;

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    ids::{OutputId, RaterId, SourceId, StudyId, SystemId},
    score::RatingScale,
    study::Dimension,
};
use futures_util::TryStreamExt as _;
use sqlx::{AnyConnection, any::AnyRow};

pub(crate) use self::load::load_ratings;
use crate::{
    Result, Store, answer_columns,
    columns::BindId,
    packed_rows::{COLUMN_END, ROW_END},
};

/// The annotators' ratings that count. Imported and simulated ones always do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum RatingScope {
    /// Ratings in sources that were handed in, except of outputs that their rater should look at
    /// again.
    #[default]
    HandedIn,
    /// Also ratings in open sources, and of such outputs.
    IncludingOpen,
    /// Instead of theirs, the ratings on which the raters of a source agreed
    /// ([`crate::consensus`]).
    Consensus,
}

/// The part of a study to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StudyPart {
    /// All of it.
    Whole,
    /// One source and its outputs.
    Source(SourceId),
}

impl StudyPart {
    /// The source as text; empty for the whole study.
    pub(crate) fn source(self) -> String {
        match self {
            Self::Whole => String::new(),
            Self::Source(source) => source.to_string(),
        }
    }
}

/// Two statements that differ in what they read: all of study `$1`, or one of its sources. Each
/// looks where an index leads.
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

impl Store {
    /// The rows of a statement of [`part!`] that takes only the study and the source.
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

    /// Passes each source's row of a statement of [`part!`] to `each`. The statement takes the
    /// study, the source and the two separators of [`crate::packed_rows`].
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

/// A current rating.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingRow {
    /// The rater.
    pub rater: RaterId,
    /// The output.
    pub output: OutputId,
    /// The source.
    pub source: SourceId,
    /// The system that wrote it.
    pub system: SystemId,
    /// The dimension, such as `overall`.
    pub dimension: Arc<str>,
    /// The value as it was given.
    pub value: f64,
    /// When it was given, in milliseconds since 1970.
    pub recorded_at: i64,
    /// Whether it was given to an output with the same text and is copied to this one; such a row
    /// is never a unit of its own.
    pub shared: bool,
}

impl Store {
    /// The study's ratings, in the order of outputs and then of raters.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn ratings(&self, study: StudyId, which: RatingScope) -> Result<Vec<RatingRow>> {
        let leave_out = |row| self.tolerate(study, row);
        let mut reader = self.reader().acquire().await?;
        load_ratings(&mut reader, study, StudyPart::Whole, which, leave_out).await
    }

    /// The ratings of a part of the study by source, those of each source in the same order. Every
    /// source has ratings.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn ratings_by_source(
        &self,
        study: StudyId,
        part: StudyPart,
        which: RatingScope,
    ) -> Result<Vec<Vec<RatingRow>>> {
        let leave_out = |row| self.tolerate(study, row);
        let mut reader = self.reader().acquire().await?;
        let sources = load::load_by_source(&mut reader, study, part, which, leave_out).await?;

        let sources = sources.into_iter().filter(|ratings| !ratings.is_empty());
        let without_places = |ratings: Vec<load::PlacedRating>| {
            let ratings = ratings.into_iter().map(|(_, rating)| rating);
            ratings.collect::<Vec<_>>()
        };
        Ok(sources.map(without_places).collect())
    }
}

impl Store {
    /// The dimensions on which the study has ratings, by name, each with the scale of its ratings;
    /// if the scale was changed meanwhile, the smallest one that holds them all.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn rated_dimensions(&self, study: StudyId) -> Result<Vec<Dimension>> {
        rated_dimensions(&mut *self.reader().acquire().await?, study).await
    }

    /// The number of the study's ratings on a dimension that count once their source is handed in:
    /// about as many as [`Store::ratings`] returns, counted quickly.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn count_ratings(&self, study: StudyId, dimension: &str) -> Result<u64> {
        let count: i64 = sqlx::query_scalar(
            "SELECT COUNT(*) FROM annotation a
             LEFT JOIN assignment x ON x.id = a.assignment_id
             WHERE a.study_id = $1 AND a.kind = 'rating' AND a.current = 1 AND a.dimension = $2
               AND a.value IS NOT NULL AND (x.id IS NULL OR x.state = 'handed-in')",
        )
        .bind_id(study)
        .bind(dimension)
        .fetch_one(self.reader())
        .await?;
        Ok(count.cast_unsigned())
    }
}

/// The dimensions of [`Store::rated_dimensions`].
pub(crate) async fn rated_dimensions(
    tx: &mut AnyConnection,
    study: StudyId,
) -> Result<Vec<Dimension>> {
    let rows: Vec<(String, Option<String>)> = sqlx::query_as(
        "SELECT DISTINCT dimension, scale FROM annotation
         WHERE study_id = $1 AND kind = 'rating' AND current = 1 AND value IS NOT NULL",
    )
    .bind_id(study)
    .fetch_all(tx)
    .await?;

    let mut scales = BTreeMap::<String, RatingScale>::new();
    for (name, text) in rows {
        // A scale that cannot be read hides its dimension here, and fails no page.
        let Some(scale) = text.as_deref().and_then(answer_columns::parse_scale) else {
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
