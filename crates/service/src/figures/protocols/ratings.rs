use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use domain::{
    ids::{ExperimentId, OutputId, RaterId, SourceId},
    statistics::RatingTable,
    study::Dimension,
};
use store::{Store, Study};

use super::describe_protocol;
use crate::{
    computation::FigureError,
    figures::{
        RatingScope,
        systems::{JudgedRatings, SystemScores},
    },
    live::{LiveStudies, StudySnapshot},
};

/// The ratings of a study or a file, with the texts and times that a comparison of protocols needs.
#[derive(Debug, Clone)]
pub struct ProtocolRatings {
    /// The name of the study or the file.
    pub name: String,
    /// A description of how the ratings are collected; `None` if a file does not give one.
    pub protocol: Option<String>,
    /// The dimensions with ratings, in the order of the study; if there are none, the study's first one.
    pub dimensions: Vec<RatedDimension>,
    /// The index in `dimensions` of the compared one.
    pub compared: usize,
    /// The scores of outputs on this dimension.
    pub(super) scores: SystemScores,
    /// The texts of the sources by their numbers, which are those of [`JudgedOutput::source`].
    ///
    /// [`JudgedOutput::source`]: crate::figures::systems::JudgedOutput::source
    pub(super) sources: BTreeMap<usize, String>,
    /// Milliseconds of activity by rater and source; raters are numbered as in the ratings of the compared dimension.
    pub(super) active_ms: BTreeMap<(usize, usize), u64>,
    /// The experiment that the study is an arm of.
    pub(super) experiment: Option<ArmTimes>,
}

/// The active times in an arm of an experiment, on all dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmTimes {
    /// The experiment.
    pub id: ExperimentId,
    /// The rater's number in the experiment, the number of the source, and milliseconds of activity.
    pub times: Vec<(i64, usize, u64)>,
    /// Whether raters without such a number have ratings on the compared dimension, for example after an import of
    /// ratings.
    pub has_other_raters: bool,
}

/// The ratings on one dimension. Raters and outputs are numbered in the order of their keys.
#[derive(Debug, Clone)]
pub struct RatedDimension {
    /// The dimension.
    pub dimension: Dimension,
    /// Its ratings.
    pub ratings: JudgedRatings<usize, usize>,
}

impl ProtocolRatings {
    /// Collects the ratings of each dimension. `scores` are those on the dimension at the index `compared`;
    /// `active_ms` has milliseconds of activity by rater and number of the source, and is empty if no times are
    /// recorded.
    ///
    /// # Panics
    /// If there is no dimension at the index `compared`.
    #[must_use]
    pub fn new<R: Ord, U: Ord>(
        name: String,
        dimensions: Vec<(Dimension, JudgedRatings<R, U>)>,
        compared: usize,
        scores: SystemScores,
        sources: BTreeMap<usize, String>,
        active_ms: impl IntoIterator<Item = (R, usize, u64)>,
    ) -> Self {
        let raters = dimensions[compared].1.raw.raters();
        let mut times = BTreeMap::new();
        for (rater, source, ms) in active_ms {
            if let Ok(rater) = raters.binary_search(&rater) {
                *times.entry((rater, source)).or_default() += ms;
            }
        }

        let rated = |(dimension, ratings): (Dimension, JudgedRatings<R, U>)| RatedDimension {
            dimension,
            ratings: number_keys(ratings),
        };

        Self {
            name,
            protocol: None,
            dimensions: dimensions.into_iter().map(rated).collect(),
            compared,
            scores,
            sources,
            active_ms: times,
            experiment: None,
        }
    }

    /// The same ratings as those of an arm of an experiment.
    #[must_use]
    pub fn in_experiment(self, times: ArmTimes) -> Self {
        Self {
            experiment: Some(times),
            ..self
        }
    }

    /// Reads a study's ratings, with the dimension that [`choose_dimension`](Self::choose_dimension) chooses as the
    /// compared one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load(
        live: &LiveStudies,
        store: &Store,
        study: &Study,
        scope: RatingScope,
        asked: Arc<[String]>,
    ) -> Result<Self, FigureError> {
        let texts = live.source_list(store, study.id).await?;
        let of_study = study.clone();
        let rows = store.experiment_rows(study.id).await?;

        let read = move |snapshot: &StudySnapshot| {
            let texts: HashMap<SourceId, &str> = texts
                .iter()
                .map(|source| (source.id, &source.text[..]))
                .collect();
            let ratings = Self::from_snapshot(&of_study, snapshot, &texts, &asked);

            let Some((id, rows)) = &rows else {
                return ratings;
            };

            let dimension = &ratings.compared_dimension().dimension.name;
            let judged = JudgedRatings::<RaterId, OutputId>::from_snapshot(snapshot, dimension);
            let mut raters = judged.raw.raters().iter();
            let times = ArmTimes {
                // Ratings on which raters agreed do not belong to a single rater.
                has_other_raters: scope != RatingScope::Consensus
                    && raters.any(|rater| !rows.contains_key(rater)),
                ..ArmTimes::new(*id, rows, snapshot)
            };
            ratings.in_experiment(times)
        };

        live.read(store, study.id, scope, read).await
    }

    fn from_snapshot(
        study: &Study,
        snapshot: &StudySnapshot,
        texts: &HashMap<SourceId, &str>,
        asked: &[String],
    ) -> Self {
        let mut dimensions = snapshot.dimensions(&study.settings.dimensions);
        let rated = |dimension: &Dimension| snapshot.has_ratings(&dimension.name);

        // Dimensions with ratings come first.
        let rated = dimensions.iter().filter(|it| rated(it)).count();
        dimensions.truncate(rated.max(1));

        let names = dimensions.iter().map(|dimension| &dimension.name[..]);
        let compared = Self::choose_dimension(names, asked);
        let scores = SystemScores::from_snapshot(snapshot, &dimensions[compared].name, None);

        let judge = |dimension: Dimension| {
            let ratings = JudgedRatings::from_snapshot(snapshot, &dimension.name);
            (dimension, ratings)
        };
        let text = |(number, id): (usize, SourceId)| Some((number, (*texts.get(&id)?).to_owned()));
        let times = snapshot.sources().enumerate().flat_map(|(number, source)| {
            let times = source.work.times.iter();
            times.map(move |time| -> (RaterId, usize, u64) { (time.rater, number, time.active_ms) })
        });

        Self {
            protocol: Some(describe_protocol(&study.settings)),
            ..Self::new(
                study.name.clone(),
                dimensions.into_iter().map(judge).collect(),
                compared,
                scores,
                snapshot.source_ids().enumerate().filter_map(text).collect(),
                times,
            )
        }
    }

    /// The index of the first name in `asked` that is there; 0 if none is.
    pub fn choose_dimension<'a>(
        names: impl Iterator<Item = &'a str> + Clone,
        asked: &[String],
    ) -> usize {
        let index = |wanted: &String| names.clone().position(|name| name == wanted);
        asked.iter().find_map(index).unwrap_or(0)
    }

    /// The ratings on the dimension that is compared.
    #[must_use]
    pub fn compared_dimension(&self) -> &RatedDimension {
        &self.dimensions[self.compared]
    }
}

impl ArmTimes {
    fn new(id: ExperimentId, rows: &HashMap<RaterId, i64>, snapshot: &StudySnapshot) -> Self {
        let sources = snapshot.sources().enumerate();
        let times = sources.flat_map(|(number, source)| {
            let times = source.work.times.iter();
            times.filter_map(move |time| Some((*rows.get(&time.rater)?, number, time.active_ms)))
        });
        Self {
            id,
            times: times.collect(),
            has_other_raters: false,
        }
    }
}

/// Replaces the keys of raters and outputs by numbers, in the order of the keys.
fn number_keys<R: Ord, U: Ord>(judged: JudgedRatings<R, U>) -> JudgedRatings<usize, usize> {
    let numbers: BTreeMap<&U, usize> = judged.outputs.keys().zip(0..).collect();
    let number = |table: &RatingTable<R, U>| {
        let units = table.units();
        let entries = table
            .entries()
            .filter_map(|(rater, unit, value)| Some((rater, *numbers.get(&units[unit])?, value)));
        RatingTable::new(entries).expect("a table holds one finite rating a rater and unit")
    };

    let (raw, z) = (number(&judged.raw), number(&judged.z));

    JudgedRatings {
        raw,
        z,
        z_from: judged.z_from,
        outputs: judged.outputs.into_values().enumerate().collect(),
        systems: judged.systems,
        warnings: judged.warnings,
    }
}
