use std::collections::BTreeMap;

use clap::ValueEnum;
use domain::{
    category::Category,
    statistics::{
        standardise::{DeviationKind, standardise},
        systems::SystemScore,
    },
    study::{Dimension, SystemKind},
    text::categorise::{ThresholdRule, categorise},
};
use formats::FileRatings;
use serde_json::{Value, json};
use service::{
    figures::systems::{
        JudgedOutput, JudgedRatings, SystemEntry, SystemName, SystemScores, ZScoreOrigin,
    },
    live::{LiveStudies, StudySnapshot},
};
use store::{Store, Study};

use super::{
    output::print,
    ratings::{RatingsArgs, RatingsPlace, warnings},
    study::find_study,
};
use crate::{clock, database, settings::DataSettings};

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
}

/// How scores come about, beside them.
const METHOD: &str = "mean over outputs of the mean over raters; interval 95 %, t(.975, n-1)*s/sqrt(n) \
                      over outputs; z by rater over all ratings, population sd; ties share the \
                      smallest rank";

/// What outputs are divided by.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SystemGrouping {
    /// Split, deletion, paraphrase.
    Category,
}

impl SystemsArgs {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let parts: &[Option<Category>] = match self.by {
            None => &[None],
            Some(SystemGrouping::Category) => &Category::ALL.map(Some),
        };
        match self.ratings.place()? {
            RatingsPlace::File(path) => {
                let (dimension, file) = self.ratings.read(path)?;
                print_ranking(json, &dimension, &from_rated_file(file).into(), parts)
            }
            RatingsPlace::Study(slug) => {
                let store = database::open(data).await?;
                let study = find_study(&store, slug).await?;
                let (dimension, scores) = read_study(&store, &study, &self.ratings).await?;
                print_ranking(json, &dimension, &scores, parts)
            }
        }
    }
}

/// A file's ratings. Its own z-scores count where it has them, and its own categories.
pub(super) fn from_rated_file(file: FileRatings) -> JudgedRatings<String, u64> {
    let (z, z_from) = if file.z.is_empty() {
        let z = standardise(&file.raw, DeviationKind::Population).z;
        (z, ZScoreOrigin::Ratings)
    } else {
        (file.z.clone(), ZScoreOrigin::File)
    };
    let (mut systems, mut sources) = (BTreeMap::new(), BTreeMap::new());
    let warnings = warnings(&file);
    let number = |of: &mut BTreeMap<String, usize>, name| {
        let next = of.len();
        *of.entry(name).or_insert(next)
    };
    let outputs = file.outputs.into_iter().map(|(line, of)| {
        let automatic = || categorise(&of.source_text, &of.text, ThresholdRule::default()).category;
        let output = JudgedOutput {
            category: of.category.unwrap_or_else(automatic),
            system: number(&mut systems, of.system),
            source: number(&mut sources, of.source),
        };
        (line, output)
    });
    let outputs = outputs.collect();
    let mut names: Vec<_> = systems
        .into_iter()
        .map(|(name, place)| (place, name))
        .collect();
    names.sort_unstable();
    let named = |(_, name)| SystemName { name, kind: None };
    JudgedRatings {
        raw: file.raw,
        z,
        z_from,
        outputs,
        systems: names.into_iter().map(named).collect(),
        warnings,
    }
}

fn print_ranking(
    json: bool,
    dimension: &Dimension,
    judged: &SystemScores,
    parts: &[Option<Category>],
) -> anyhow::Result<()> {
    let rankings: Vec<_> = parts
        .iter()
        .map(|part| (*part, judged.ranking(*part)))
        .collect();
    let entries = |(part, ranking): &(Option<Category>, Vec<SystemEntry>)| {
        let systems: Vec<_> = ranking.iter().map(system_json).collect();
        json!({ "category": part.map(Category::name), "systems": systems })
    };
    let value = json!({
        "method": METHOD,
        "dimension": dimension,
        "z_from": match judged.z_from {
            ZScoreOrigin::Ratings => "raw ratings",
            ZScoreOrigin::File => "file",
        },
        "raters": judged.raters,
        "ratings": judged.ratings,
        "rankings": rankings.iter().map(entries).collect::<Vec<_>>(),
        "warnings": judged.warnings,
    });
    print(json, &value, || {
        let mut text = format!("{}, from {}\n", dimension.name, dimension.scale);
        for (part, ranking) in &rankings {
            text += &ranking_lines(*part, ranking);
        }
        for warning in &judged.warnings {
            text += &format!("! {warning}\n");
        }
        text
    })
}

fn system_json(of: &SystemEntry) -> Value {
    json!({
        "system": of.system.name,
        "kind": of.system.kind.map(SystemKind::name),
        "rank": of.score().place,
        "rank_in_kind": of.place_in_kind,
        "z": of.z.as_ref().map(score_json),
        "raw": score_json(&of.raw),
    })
}

fn score_json(of: &SystemScore<usize>) -> Value {
    let interval = of.spread.map(|spread| spread.interval());
    let mut score = json!({
        "outputs": of.outputs,
        "mean": of.mean,
        "rank": of.place,
        "interval": interval.ok(),
        "sd": of.spread.map(|spread| spread.sd).ok(),
    });
    if let Err(reason) = of.spread {
        score["undefined"] = json!(reason.to_string());
    }
    score
}

fn ranking_lines(part: Option<Category>, ranking: &[SystemEntry]) -> String {
    let mut text = part.map_or_else(String::new, |part| format!("{}\n", part.title()));
    if ranking.is_empty() {
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
    ];
    let row = |it: &SystemEntry| {
        let z = it.z.as_ref();
        [
            it.score().place.to_string(),
            it.system.name.clone(),
            it.system.kind.map_or("", SystemKind::name).to_owned(),
            it.raw.outputs.to_string(),
            z.map_or_else(|| "none".to_owned(), |z| format!("{:.3}", z.mean)),
            z.map_or_else(String::new, |z| format_interval(z, 3)),
            format!("{:.2}", it.raw.mean),
            format_interval(&it.raw, 2),
        ]
    };
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(ranking.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).map(|it| width(it).unwrap_or(0)).collect();
    // A file does not say what kind of writer a system is.
    let kinds = ranking.iter().any(|it| it.system.kind.is_some());
    for row in &rows {
        for (column, (cell, wide)) in row.iter().zip(&widths).enumerate() {
            match column {
                2 if !kinds => {}
                1 | 2 => text += &format!("{cell:<wide$}  "),
                _ => text += &format!("{cell:>wide$}  "),
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

fn format_interval(of: &SystemScore<usize>, decimals: usize) -> String {
    match of.spread {
        Ok(spread) => {
            let (low, high) = spread.interval();
            format!("{low:.decimals$} to {high:.decimals$}")
        }
        Err(_) => "one output".to_owned(),
    }
}

/// A study's ratings on the dimension that is asked for.
pub(super) async fn read_study(
    store: &Store,
    study: &Study,
    asked: &RatingsArgs,
) -> anyhow::Result<(Dimension, SystemScores)> {
    let (scope, asked) = (asked.which(), asked.clone());
    let of_settings = study.settings.dimensions.clone();
    let figures = move |held: &StudySnapshot| {
        let dimension = asked.dimension(&held.dimensions(&of_settings))?;
        let scores = SystemScores::from_snapshot(held, &dimension.name);
        Ok((dimension, scores))
    };
    LiveStudies::new(clock::now_ms)
        .read(store, study.id, scope, figures)
        .await?
}

#[cfg(test)]
mod tests {
    use testdata::{golden, needs_released_data, released_text};

    use super::*;

    /// The scores and ranks that numpy gives for the released ratings.
    #[needs_released_data("simpeval")]
    #[test]
    fn simpeval_past_scores_of_numpy() {
        let file = released_text("simpeval/simpeval_past.csv");
        let golden = golden("system_scores.json");
        let judged = SystemScores::from(from_rated_file(
            formats::read_ratings(file.as_bytes(), None).unwrap(),
        ));
        assert_eq!(judged.z_from, ZScoreOrigin::File);
        let ranking = judged.ranking(None);
        assert_eq!(ranking.len(), 24);
        for found in &ranking {
            let expected = &golden["expected"][&found.system.name];
            let (z, raw) = (found.z.as_ref().unwrap(), &found.raw);
            assert!((z.mean - expected["mean_z"].as_f64().unwrap()).abs() < 1e-9);
            assert!((raw.mean - expected["mean_raw"].as_f64().unwrap()).abs() < 1e-9);
            assert_eq!(
                (&expected["rank_z"], &expected["rank_raw"]),
                (&json!(z.place), &json!(raw.place))
            );
        }
        // Every output is in one group.
        let parts = Category::ALL.map(|part| judged.ranking(Some(part)));
        let outputs = parts.iter().flatten().map(|entry| entry.raw.outputs);
        assert_eq!(outputs.sum::<usize>(), 2400);
    }
}
