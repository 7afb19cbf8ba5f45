mod json;
mod table;

use app::figures::{RaterEntry, StudyQuality};
use domain::{
    score::Scale,
    statistics::{
        Agreement,
        quality::{Concern, Conduct, RaterQuality, by_rater, concerns},
    },
};
use formats::RatedFile;

use super::{
    output::print,
    rated::{Found, OfStudy, Rated, warnings},
};
use crate::settings::DataSettings;

/// How each rater of a study or a SimpEval file went about it; those with most to look at first.
#[derive(Debug, clap::Args)]
pub(crate) struct RatersOf {
    #[command(flatten)]
    rated: Rated,
}

/// What is printed.
struct Figures {
    scale: Scale,
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
        let figures = match self.rated.find(data).await? {
            Found::File(file) => of_file(&file)?,
            Found::Study(study) => of_study(study).await?,
        };
        print(json, &json::all(&figures), || table::all(&figures))
    }
}

async fn of_study(of: OfStudy) -> anyhow::Result<Figures> {
    let found = StudyQuality::of(&of.store, of.study.id, &of.dimension, of.which).await?;
    let entry = |of: RaterEntry| Entry {
        label: of.rater.label,
        scores: of.scores,
        conduct: Some(of.conduct),
        concerns: of.concerns,
    };
    Ok(Figures {
        scale: found.scale,
        agreement: found.agreement,
        raters: found.raters.into_iter().map(entry).collect(),
        warnings: vec![],
    })
}

/// Rows are outputs in the order of the file; identical ones are not told apart from others.
fn of_file(file: &RatedFile) -> anyhow::Result<Figures> {
    let scale = Scale::PERCENT;
    let table = &file.raw;
    let rows = table.entries().map(|(rater, unit, score)| {
        let line = table.units()[unit];
        (&table.raters()[rater], file.sources.get(&line), line, score)
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
        scale,
        agreement: found.agreement,
        raters,
        warnings: warnings(file),
    })
}
