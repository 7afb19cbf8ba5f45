mod json;
mod table;

use domain::{
    statistics::{
        Agreement,
        quality::{RaterConcern, RaterConduct, RaterQuality, compute_rater_quality, find_concerns},
    },
    study::{Dimension, Slug},
};
use formats::FileRatings;
use service::{
    figures::{RaterQualityEntry, StudyQuality},
    live::{LiveStudies, StudySnapshot},
};

use super::{
    output::print,
    ratings::{RatingsArgs, RatingsPlace, warnings},
    study::find_study,
};
use crate::{clock, database, settings::DataSettings};

/// How each rater of a study or a file went about it; those with most to look at first.
#[derive(Debug, clap::Args)]
pub(crate) struct RatersArgs {
    #[command(flatten)]
    ratings: RatingsArgs,
}

/// What is printed.
struct RatersReport {
    dimension: Dimension,
    agreement: Agreement,
    raters: Vec<RaterReport>,
    warnings: Vec<String>,
}

struct RaterReport {
    label: String,
    scores: RaterQuality,
    /// Of a study only.
    conduct: Option<RaterConduct>,
    concerns: Vec<RaterConcern>,
}

impl RatersArgs {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let figures = match self.ratings.place()? {
            RatingsPlace::File(path) => {
                let (dimension, file) = self.ratings.read(path)?;
                report_file(dimension, &file)?
            }
            RatingsPlace::Study(study) => report_study(data, study, self.ratings.clone()).await?,
        };
        print(json, &json::report_json(&figures), || {
            table::report_table(&figures)
        })
    }
}

async fn report_study(
    data: &DataSettings,
    slug: &Slug,
    asked: RatingsArgs,
) -> anyhow::Result<RatersReport> {
    let store = database::open(data).await?;
    let study = find_study(&store, slug).await?;
    let (id, scope) = (study.id, asked.which());
    let figures = move |held: &StudySnapshot| {
        let dimension = asked.dimension(&held.dimensions(&study.settings.dimensions))?;
        let quality = StudyQuality::compute(held, &dimension);
        anyhow::Ok((dimension, quality))
    };
    let live = LiveStudies::new(clock::now_ms);
    let (dimension, found) = live.read(&store, id, scope, figures).await??;
    let entry = |of: RaterQualityEntry| RaterReport {
        label: of.rater.label,
        scores: of.scores,
        conduct: Some(of.conduct),
        concerns: of.concerns,
    };
    Ok(RatersReport {
        dimension,
        agreement: found.agreement,
        raters: found.raters.into_iter().map(entry).collect(),
        warnings: vec![],
    })
}

/// Rows are outputs in the order of the file; identical ones are not told apart from others.
fn report_file(dimension: Dimension, file: &FileRatings) -> anyhow::Result<RatersReport> {
    let scale = dimension.scale;
    let table = &file.raw;
    let rows = table.entries().map(|(rater, unit, score)| {
        let line = table.units()[unit];
        let source = file.outputs.get(&line).map(|output| &output.source);
        (&table.raters()[rater], source, line, score)
    });
    let found = compute_rater_quality(rows, scale)?;
    let entry = |(label, scores): (&String, RaterQuality)| RaterReport {
        label: label.clone(),
        concerns: find_concerns(&scores, None, scale),
        scores,
        conduct: None,
    };
    let mut raters: Vec<_> = found.figures.into_iter().map(entry).collect();
    raters.sort_by_key(|entry| std::cmp::Reverse(entry.concerns.len()));
    Ok(RatersReport {
        dimension,
        agreement: found.agreement,
        raters,
        warnings: warnings(file),
    })
}
