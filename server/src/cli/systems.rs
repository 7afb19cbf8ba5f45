use std::{collections::HashMap, sync::Arc};

use anyhow::Context as _;
use domain::{
    statistics::{
        RatingTable,
        bootstrap::ResamplingOptions,
        standardise::{DeviationKind, standardise},
        systems::SystemScore,
    },
    study::{Dimension, SystemKind},
    text::categorise::{ThresholdRule, categorise},
};
use formats::{FileRatings, SharedRating};
use service::{
    figures::{
        RatingScope,
        metrics::{AssistedSystems, MeanUnit, StudyMetricScores},
        systems::{
            JudgedOutput, JudgedRatings, SystemEntry, SystemName, SystemScores, ZScoreOrigin,
        },
    },
    findings,
    live::{LiveStudies, StudySnapshot},
    wording::count_noun,
};
use store::{Store, Study};

use super::{
    output::{CommandOutput, aligned, warning_lines},
    ratings::{RatingsArgs, RatingsPlace, warnings},
    study::find_study,
};
use crate::{
    clock, database,
    reports::{PartRanking, SystemGrouping, SystemRankings, SystemsJson, find_group},
    settings::DataSettings,
};

/// Mean z-score and mean rating of each system, with 95 % intervals and ranks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The score of a system is the mean over its outputs of the mean over their raters; its interval is \
t(.975, n-1)*s/sqrt(n) over the outputs. z = (rating - mean)/sd of each rater over all of their \
ratings, population sd; a file's own z-scores are taken where it has them. The largest mean has rank \
1, and ties share the smallest rank. The rating of an output that stands for an identical one counts \
for both systems, and once for the rater's mean and sd.")]
pub(crate) struct SystemsArgs {
    #[command(flatten)]
    ratings: RatingsArgs,
    /// A ranking for each part instead of one: by the group that most raters put an output in. Of a
    /// file that names none it is the automatic one.
    #[arg(long, value_name = "PART")]
    by: Option<SystemGrouping>,
    /// Also means that this metric makes more certain: people's ratings of some outputs correct its
    /// scores of all (prediction-powered inference). The study must have its scores.
    #[arg(long, value_name = "METRIC", requires = "study", conflicts_with_all = ["by", "file"])]
    with_metric: Option<String>,
    /// Only the ratings of this group of raters, by its name. z-scores are by all ratings of a rater.
    #[arg(long, value_name = "NAME", requires = "study", conflicts_with_all = ["with_metric", "file"])]
    group: Option<String>,
}

impl SystemsArgs {
    pub(crate) async fn run(
        self,
        output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        match self.ratings.place()? {
            RatingsPlace::File(path) => {
                let (dimension, mut file) = self.ratings.read(path)?;
                let z_from = add_shared_ratings(&mut file)?;
                let categories = match self.by {
                    Some(SystemGrouping::Category) => CategoryUse::Needed,
                    None => CategoryUse::Unneeded,
                };

                let mut scores = SystemScores::from(from_rated_file(file, categories));
                scores.z_from = z_from;
                print_ranking(output, &SystemRankings::new(dimension, scores, self.by))
            }
            RatingsPlace::Study(slug) => {
                let store = database::open_to_read(data).await?;
                let study = find_study(&store, slug).await?;
                let (dimension, scores) =
                    read_study(&store, &study, &self.ratings, self.group.as_deref()).await?;

                let mut rankings = SystemRankings::new(dimension, scores, self.by);
                if let Some(metric) = self.with_metric {
                    let dimension = &rankings.dimension.name;
                    let scope = self.ratings.which();
                    let assisted = assist(&store, &study, scope, dimension, &metric).await?;
                    rankings.assisted = Some((metric, assisted));
                }
                print_ranking(output, &rankings)
            }
        }
    }
}

/// Adds the ratings of an exported study that were given to an identical output, and returns the origin of z-scores. A
/// rater's z-scores depend on the ratings that they gave, each of which counts once.
pub(super) fn add_shared_ratings(file: &mut FileRatings) -> anyhow::Result<ZScoreOrigin> {
    let has_z = !file.z.is_empty();
    let z_from = match has_z {
        true => ZScoreOrigin::File,
        false => ZScoreOrigin::Ratings,
    };
    let shared = std::mem::take(&mut file.shared);
    if shared.is_empty() {
        return Ok(z_from);
    }

    let own = standardise(&file.raw, DeviationKind::Population);
    if !has_z {
        file.z = own.z;
    }

    let computed = |rating: &SharedRating| {
        let rater = file.raw.raters().binary_search(&rating.rater).ok()?;
        Some(own.scales[rater].ok()?.z(rating.value))
    };
    let z_scores = shared.iter().filter_map(|rating| {
        let z = if has_z { rating.z } else { computed(rating) };
        Some((rating.rater.clone(), rating.unit, z?))
    });
    let z_scores: Vec<_> = table_entries(&file.z).chain(z_scores).collect();

    let ratings = shared
        .iter()
        .map(|rating| (rating.rater.clone(), rating.unit, rating.value));
    let ratings: Vec<_> = table_entries(&file.raw).chain(ratings).collect();
    (file.raw, file.z) = (RatingTable::new(ratings)?, RatingTable::new(z_scores)?);

    let outputs = shared
        .into_iter()
        .map(|rating| (rating.unit, rating.output));
    file.outputs.extend(outputs);
    Ok(z_from)
}

fn table_entries(table: &RatingTable<String, u64>) -> impl Iterator<Item = (String, u64, f64)> {
    let (raters, units) = (table.raters(), table.units());
    let entries = table.entries();
    entries.map(|(rater, unit, value)| (raters[rater].clone(), units[unit], value))
}

/// Whether figures need the categories of outputs. For a large file, computing these takes longer than reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CategoryUse {
    Needed,
    Unneeded,
}

/// A file's ratings, with its own z-scores and categories if it has them.
pub(super) fn from_rated_file(
    file: FileRatings,
    categories: CategoryUse,
) -> JudgedRatings<String, u64> {
    let (z, z_from) = if file.z.is_empty() {
        let z = standardise(&file.raw, DeviationKind::Population).z;
        (z, ZScoreOrigin::Ratings)
    } else {
        (file.z.clone(), ZScoreOrigin::File)
    };

    let (mut systems, mut sources) = (HashMap::new(), HashMap::new());
    let warnings = warnings(&file);
    let number = |numbers: &mut HashMap<Arc<str>, usize>, name| {
        let next = numbers.len();
        *numbers.entry(name).or_insert(next)
    };

    let outputs = file.outputs.into_iter().map(|(line, rated_output)| {
        let automatic = || {
            categorise(
                &rated_output.source_text,
                &rated_output.text,
                ThresholdRule::default(),
            )
            .category
        };
        let output = JudgedOutput {
            category: (categories == CategoryUse::Needed)
                .then(|| rated_output.category.unwrap_or_else(automatic)),
            system: number(&mut systems, rated_output.system),
            source: number(&mut sources, rated_output.source),
        };
        (line, output)
    });
    let outputs = outputs.collect();

    let mut names: Vec<_> = systems
        .into_iter()
        .map(|(name, place)| (place, name))
        .collect();
    names.sort_unstable();
    let named = |(_, name): (usize, Arc<str>)| SystemName {
        name: name.to_string(),
        kind: None,
        is_hidden: false,
    };

    JudgedRatings {
        raw: file.raw,
        z,
        z_from,
        outputs,
        systems: names.into_iter().map(named).collect(),
        warnings,
    }
}

fn print_ranking(mut output: CommandOutput, rankings: &SystemRankings) -> anyhow::Result<()> {
    output.print(&SystemsJson::from(rankings), || {
        let SystemRankings {
            dimension,
            scores,
            assisted,
            ..
        } = rankings;
        let mut text = format!("{}, from {}\n", dimension.name, dimension.scale);
        for ranking in &rankings.parts {
            text += &ranking_lines(ranking);
        }
        if let Some((metric, assisted)) = assisted {
            text += &assisted_lines(metric, assisted);
        }

        text + &warning_lines(&scores.warnings)
    })
}

fn ranking_lines(ranking: &PartRanking) -> String {
    let PartRanking {
        part,
        systems,
        letters,
    } = ranking;
    let text = part.map_or_else(String::new, |part| format!("{}\n", part.title()));
    if systems.is_empty() {
        return text + "no rated output\n";
    }

    let head = [
        "rank",
        "system",
        "kind",
        "outputs",
        "mean z",
        "95 % interval",
        "mean raw",
        "95 % interval",
        "letters",
    ];
    // For one system alone, letters say nothing.
    let letters = letters.as_ref().filter(|_| systems.len() > 1);
    let row = |(at, entry): (usize, &SystemEntry)| {
        let z = entry.z.as_ref();
        [
            entry.score().place.to_string(),
            entry.system.name.clone(),
            entry.system.kind.map_or("", SystemKind::name).to_owned(),
            entry.raw.outputs.to_string(),
            z.map_or_else(|| "none".to_owned(), |z| format!("{:.3}", z.mean)),
            z.map_or_else(String::new, |z| format_interval(z, 3)),
            format!("{:.2}", entry.raw.mean),
            format_interval(&entry.raw, 2),
            letters.map_or_else(String::new, |letters| letters[at].clone()),
        ]
    };
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(systems.iter().enumerate().map(row));

    // A file does not say what kind of writer a system is.
    if systems.iter().all(|entry| entry.system.kind.is_none()) {
        rows[0][2].clear();
    }
    if letters.is_none() {
        rows[0][8].clear();
    }
    let table = aligned(&rows, |column| [1, 2, 8].contains(&column));
    let key = letters.map_or("", |_| LETTERS_KEY);
    text + &table + key
}

/// The meaning of the column of letters.
const LETTERS_KEY: &str = "Systems that share a letter cannot be told apart.\n";

fn assisted_lines(metric: &str, assisted: &AssistedSystems) -> String {
    let (unit, decimals) = match assisted.unit {
        MeanUnit::StandardDeviations => ("z", 3),
        MeanUnit::Points => ("raw", 2),
    };
    let finding = findings::metrics::saved_ratings(metric, assisted);

    let mut rows = vec![
        [
            "system",
            "rated",
            "others",
            &format!("mean {unit}"),
            "95 % interval",
            "ratings alone",
            "95 % interval",
        ]
        .map(str::to_owned),
    ];

    let ends = |(low, high): (f64, f64)| format!("{low:.decimals$} to {high:.decimals$}");
    for of in &assisted.systems {
        let name = of.system.name.clone();
        rows.push(match of.mean {
            Err(why) => {
                let mut cells = [const { String::new() }; 7];
                (cells[0], cells[3]) = (name, why.to_string());
                cells
            }
            Ok(mean) => [
                name,
                mean.plain.n.to_string(),
                mean.unrated.to_string(),
                format!("{:.decimals$}", mean.mean),
                ends(mean.interval()),
                format!("{:.decimals$}", mean.plain.mean),
                ends(mean.plain.interval()),
            ],
        });
    }

    let mut text = format!("{finding}\n");
    text += &aligned(&rows, |column| column == 0);
    if assisted.learned_from > 0 {
        text += &format!(
            "! {} that {metric} learned from left out\n",
            count_noun(assisted.learned_from, "source")
        );
    }
    text
}

/// The systems' scores with the help of the metric of this name.
async fn assist(
    store: &Store,
    study: &Study,
    scope: RatingScope,
    dimension: &str,
    metric: &str,
) -> anyhow::Result<AssistedSystems> {
    let metrics = store.metrics(study.id).await?;
    let Some(id) = metrics.iter().rev().find(|own| own.name == metric) else {
        let names: Vec<_> = metrics.iter().map(|own| &own.name[..]).collect();
        anyhow::bail!(
            "{} has no scores by “{metric}”; {}",
            study.slug,
            match &names[..] {
                [] => "score its outputs on the page Metrics first".to_owned(),
                names => format!("its metrics are: {}", names.join(", ")),
            }
        );
    };

    let id = id.id;
    let scores = StudyMetricScores::new(
        metrics.clone(),
        store.output_entries(study.id).await?,
        &store.metric_scores(study.id).await?,
    );

    let dimension = dimension.to_owned();
    let compute = move |snapshot: &StudySnapshot| {
        let resampling = ResamplingOptions::default();
        AssistedSystems::compute(snapshot, &scores, &dimension, id, resampling)
    };
    let assisted = LiveStudies::new(clock::now_ms)
        .read(store, study.id, scope, compute)
        .await?;

    assisted.with_context(|| {
        format!(
            "“{metric}” has nothing to add: it scores no rated output, or all outputs that it scores have ratings"
        )
    })
}

fn format_interval(score: &SystemScore<usize>, decimals: usize) -> String {
    match score.spread {
        Ok(spread) => {
            let (low, high) = spread.interval();
            format!("{low:.decimals$} to {high:.decimals$}")
        }
        Err(_) => "one output".to_owned(),
    }
}

/// A study's scores on the chosen dimension, by all raters or by those of the group with that name.
pub(super) async fn read_study(
    store: &Store,
    study: &Study,
    ratings: &RatingsArgs,
    group: Option<&str>,
) -> anyhow::Result<(Dimension, SystemScores)> {
    let group = find_group(&study.settings, group)?.map(str::to_owned);
    let (scope, ratings) = (ratings.which(), ratings.clone());
    let study_dimensions = study.settings.dimensions.clone();
    let figures = move |snapshot: &StudySnapshot| {
        let dimension = ratings.dimension(&snapshot.dimensions(&study_dimensions))?;
        let scores = SystemScores::from_snapshot(snapshot, &dimension.name, group.as_deref());
        Ok((dimension, scores))
    };

    LiveStudies::new(clock::now_ms)
        .read(store, study.id, scope, figures)
        .await?
}

#[cfg(test)]
mod tests {
    use domain::category::Category;
    use testdata::{golden, needs_released_data, released_text};

    use serde_json::json;

    use super::*;

    /// The scores and ranks that numpy computes from the released ratings.
    #[needs_released_data("simpeval")]
    #[test]
    fn simpeval_past_scores_of_numpy() {
        let file = released_text("simpeval/simpeval_past.csv");
        let golden = golden("system_scores.json");
        let scores = SystemScores::from(from_rated_file(
            formats::read_ratings(file.as_bytes(), None).unwrap(),
            CategoryUse::Needed,
        ));
        assert_eq!(scores.z_from, ZScoreOrigin::File);

        let ranking = scores.ranking(None);
        assert_eq!(ranking.len(), 24);
        for entry in &ranking {
            let expected = &golden["expected"][&entry.system.name];
            let (z, raw) = (entry.z.as_ref().unwrap(), &entry.raw);
            assert!((z.mean - expected["mean_z"].as_f64().unwrap()).abs() < 1e-9);
            assert!((raw.mean - expected["mean_raw"].as_f64().unwrap()).abs() < 1e-9);
            assert_eq!(
                (&expected["rank_z"], &expected["rank_raw"]),
                (&json!(z.place), &json!(raw.place))
            );
        }

        // Every output is in one category.
        let parts = Category::ALL.map(|part| scores.ranking(Some(part)));
        let outputs = parts.iter().flatten().map(|entry| entry.raw.outputs);
        assert_eq!(outputs.sum::<usize>(), 2400);
    }
}
