mod json;
mod table;

use app::{
    figures::{RaterEntry, StudyQuality},
    live::{Held, Live},
};
use domain::{
    statistics::{
        Agreement,
        quality::{Concern, Conduct, RaterQuality, by_rater, concerns},
    },
    study::{Dimension, Slug},
};
use formats::RatedFile;

use super::{
    output::print,
    rated::{Place, Rated, warnings},
    study::named,
};
use crate::{clock, database, settings::DataSettings};

/// How each rater of a study or a file went about it; those with most to look at first.
#[derive(Debug, clap::Args)]
pub(crate) struct RatersOf {
    #[command(flatten)]
    of: Rated,
}

/// What is printed.
struct Figures {
    dimension: Dimension,
    agreement: Agreement,
    raters: Vec<Entry>,
    warnings: Vec<String>,
}

struct Entry {
    label: String,
    scores: RaterQuality,
    /// Of a study only.
    conduct: Option<Conduct>,
    concerns: Vec<Concern>,
}

impl RatersOf {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let figures = match self.of.place()? {
            Place::File(path) => {
                let (dimension, file) = self.of.read(path)?;
                of_file(dimension, &file)?
            }
            Place::Study(study) => of_study(data, study, self.of.clone()).await?,
        };
        print(json, &json::all(&figures), || table::all(&figures))
    }
}

async fn of_study(data: &DataSettings, slug: &Slug, asked: Rated) -> anyhow::Result<Figures> {
    let store = database::open(data).await?;
    let study = named(&store, slug).await?;
    let of = (study.id, asked.which());
    let figures = move |held: &Held| {
        let dimension = asked.dimension(&held.dimensions(&study.settings.dimensions))?;
        let quality = StudyQuality::of(held, &dimension);
        anyhow::Ok((dimension, quality))
    };
    let live = Live::new(clock::now_ms);
    let (dimension, found) = live.read(&store, of, figures).await??;
    let entry = |of: RaterEntry| Entry {
        label: of.rater.label,
        scores: of.scores,
        conduct: Some(of.conduct),
        concerns: of.concerns,
    };
    Ok(Figures {
        dimension,
        agreement: found.agreement,
        raters: found.raters.into_iter().map(entry).collect(),
        warnings: vec![],
    })
}

/// Rows are outputs in the order of the file; identical ones are not told apart from others.
fn of_file(dimension: Dimension, file: &RatedFile) -> anyhow::Result<Figures> {
    let scale = dimension.scale;
    let table = &file.raw;
    let rows = table.entries().map(|(rater, unit, score)| {
        let line = table.units()[unit];
        let source = file.outputs.get(&line).map(|output| &output.source);
        (&table.raters()[rater], source, line, score)
    });
    let found = by_rater(rows, scale)?;
    let entry = |(label, scores): (&String, RaterQuality)| Entry {
        label: label.clone(),
        concerns: concerns(&scores, None, scale),
        scores,
        conduct: None,
    };
    let mut raters: Vec<_> = found.figures.into_iter().map(entry).collect();
    raters.sort_by_key(|entry| std::cmp::Reverse(entry.concerns.len()));
    Ok(Figures {
        dimension,
        agreement: found.agreement,
        raters,
        warnings: warnings(file),
    })
}
