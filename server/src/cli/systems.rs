use std::collections::BTreeMap;

use app::figures::systems::{Judged, JudgedOutput, SystemEntry, SystemName};
use clap::ValueEnum;
use domain::{
    category::Category,
    statistics::{
        standardise::{Deviation, standardise},
        systems::SystemScore,
    },
    study::SystemKind,
    text::categorise::{Rule, categorise},
};
use formats::RatedFile;
use serde_json::{Value, json};

use super::{
    output::print,
    rated::{Place, Rated, warnings},
    study::named,
};
use crate::{database, settings::DataSettings};

/// Mean z-score and mean rating of each system, with 95 % intervals and ranks.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The score of a system is the mean over its outputs of the mean over their raters; its interval is \
t(.975, n-1)*s/sqrt(n) over the outputs. z = (rating - mean)/sd of each rater over all of their \
ratings, population sd; a file's own z-scores are taken where it has them. The largest mean has rank \
1, and ties share the smallest rank. The rating of an output that stands for an identical one counts \
for both systems, and once for the rater's mean and sd.")]
pub(crate) struct SystemsOf {
    #[command(flatten)]
    of: Rated,
    /// A ranking for each part instead of one: by the group that most raters put an output in. Of a
    /// file that names none it is the automatic one.
    #[arg(long, value_name = "PART")]
    by: Option<By>,
}

/// What outputs are divided by.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// Split, deletion, paraphrase.
    Category,
}

impl SystemsOf {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let parts: &[Option<Category>] = match self.by {
            None => &[None],
            Some(By::Category) => &Category::ALL.map(Some),
        };
        match self.of.place()? {
            Place::File(path) => show(json, &of_file(self.of.read(path)?), parts),
            Place::Study(slug) => {
                let store = database::open(data).await?;
                let study = named(&store, slug).await?.id;
                let (dimension, which) = (&self.of.dimension, self.of.which());
                let judged = Judged::of_study(&store, study, dimension, which).await?;
                show(json, &judged, parts)
            }
        }
    }
}

/// A file's ratings. Its own z-scores count where it has them, and its own categories.
pub(super) fn of_file(file: RatedFile) -> Judged<String, u64> {
    let z = if file.z.is_empty() {
        standardise(&file.raw, Deviation::Population).z
    } else {
        file.z.clone()
    };
    let (mut systems, mut sources) = (BTreeMap::new(), BTreeMap::new());
    let warnings = warnings(&file);
    let number = |of: &mut BTreeMap<String, usize>, name| {
        let next = of.len();
        *of.entry(name).or_insert(next)
    };
    let outputs = file.outputs.into_iter().map(|(line, of)| {
        let automatic = || categorise(&of.source_text, &of.text, Rule::default()).category;
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
    let named = |(_, name)| SystemName {
        name,
        kind: SystemKind::Machine,
    };
    Judged {
        raw: file.raw,
        z,
        outputs,
        systems: names.into_iter().map(named).collect(),
        warnings,
    }
}

fn show<R, U: Ord>(
    json: bool,
    judged: &Judged<R, U>,
    parts: &[Option<Category>],
) -> anyhow::Result<()> {
    let rankings: Vec<_> = parts
        .iter()
        .map(|part| (*part, judged.ranking(*part)))
        .collect();
    let entries = |(part, ranking): &(Option<Category>, Vec<SystemEntry>)| {
        let systems: Vec<_> = ranking.iter().map(entry).collect();
        json!({ "category": part.map(Category::name), "systems": systems })
    };
    let value = json!({
        "raters": judged.raw.active_raters(),
        "ratings": judged.raw.len(),
        "rankings": rankings.iter().map(entries).collect::<Vec<_>>(),
        "warnings": judged.warnings,
    });
    print(json, &value, || {
        let mut text: String = rankings.iter().map(|(part, of)| lines(*part, of)).collect();
        for warning in &judged.warnings {
            text += &format!("! {warning}\n");
        }
        text
    })
}

fn entry(of: &SystemEntry) -> Value {
    json!({
        "system": of.of.name,
        "kind": of.of.kind.name(),
        "rank": of.score().place,
        "rank_in_kind": of.place_in_kind,
        "z": of.z.as_ref().map(score),
        "raw": score(&of.raw),
    })
}

fn score(of: &SystemScore<usize>) -> Value {
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

fn lines(part: Option<Category>, ranking: &[SystemEntry]) -> String {
    let widths = ranking.iter().map(|it| it.of.name.chars().count());
    let wide = widths.max().unwrap_or(0).max("system".len());
    let mut text = String::new();
    if let Some(part) = part {
        text += &format!("{}\n", part.title());
    }
    if ranking.is_empty() {
        return text + "no rated output\n";
    }
    text += &format!(
        "{:>4}  {:<wide$}  {:<8}  {:>7}  {:>7}  {:^17}  {:>8}  {:^17}\n",
        "rank", "system", "kind", "outputs", "mean z", "95 % interval", "mean raw", "95 % interval"
    );
    for it in ranking {
        let (mean, interval) = it.z.as_ref().map_or_else(
            || ("-".to_owned(), "no z-scores".to_owned()),
            |z| (format!("{:.3}", z.mean), interval(z, 3)),
        );
        text += &format!(
            "{:>4}  {:<wide$}  {:<8}  {:>7}  {mean:>7}  {interval:^17}  {:>8.2}  {:^17}\n",
            it.score().place,
            it.of.name,
            it.of.kind.name(),
            it.raw.outputs,
            it.raw.mean,
            self::interval(&it.raw, 2)
        );
    }
    text
}

fn interval(of: &SystemScore<usize>, decimals: usize) -> String {
    match of.spread {
        Ok(spread) => {
            let (low, high) = spread.interval();
            format!("{low:.decimals$} to {high:.decimals$}")
        }
        Err(_) => "one output".to_owned(),
    }
}
