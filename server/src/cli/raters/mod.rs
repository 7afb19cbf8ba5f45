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

pub(super) use self::json::RatersJson;
use super::{
    output::CommandOutput,
    ratings::{RatingsArgs, RatingsPlace, warnings},
    study::find_study,
};
use crate::{clock, database, settings::DataSettings};

/// How each rater of a study or a file rated; those with most concerns first.
#[derive(Debug, clap::Args)]
pub(crate) struct RatersArgs {
    #[command(flatten)]
    ratings: RatingsArgs,
}

/// The figures of all raters, as they are printed.
struct RatersReport {
    dimension: Dimension,
    agreement: Agreement,
    raters: Vec<RaterReport>,
    warnings: Vec<String>,
}

struct RaterReport {
    label: String,
    /// The name of their group; `None` without a group and for a file.
    group: Option<String>,
    /// `None` without scores on the dimension.
    scores: Option<RaterQuality>,
    /// `None` for a file.
    conduct: Option<RaterConduct>,
    concerns: Vec<RaterConcern>,
}

impl RatersArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let report = match self.ratings.place()? {
            RatingsPlace::File(path) => {
                let (dimension, file) = self.ratings.read(path)?;
                report_file(dimension, &file)?
            }
            RatingsPlace::Study(study) => report_study(data, study, self.ratings.clone()).await?,
        };
        output.print(&RatersJson::from(&report), || table::report_table(&report))
    }
}

async fn report_study(
    data: &DataSettings,
    slug: &Slug,
    ratings: RatingsArgs,
) -> anyhow::Result<RatersReport> {
    let store = database::open_to_read(data).await?;
    let study = find_study(&store, slug).await?;
    let (id, scope) = (study.id, ratings.which());
    let groups = study.settings.groups.clone();

    let figures = move |snapshot: &StudySnapshot| {
        let dimension = ratings.dimension(&snapshot.dimensions(&study.settings.dimensions))?;
        let quality = StudyQuality::compute(snapshot, &dimension);
        anyhow::Ok((dimension, quality))
    };
    let live = LiveStudies::new(clock::now_ms);
    let (dimension, quality) = live.read(&store, id, scope, figures).await??;

    let report = |entry: RaterQualityEntry| RaterReport {
        group: groups
            .iter()
            .find(|group| Some(&group.id) == entry.rater.group.as_ref())
            .map(|group| group.name.clone()),
        label: entry.rater.label,
        scores: entry.scores,
        conduct: Some(entry.conduct),
        concerns: entry.concerns,
    };

    Ok(RatersReport {
        dimension,
        agreement: quality.agreement,
        raters: quality.raters.into_iter().map(report).collect(),
        warnings: vec![],
    })
}

/// Computes the figures of a file. Its rows count as outputs, in file order and without joining identical ones.
fn report_file(dimension: Dimension, file: &FileRatings) -> anyhow::Result<RatersReport> {
    let scale = dimension.scale;
    let table = &file.raw;
    let rows = table.entries().map(|(rater, unit, score)| {
        let line = table.units()[unit];
        let source = file.outputs.get(&line).map(|output| &output.source);
        (&table.raters()[rater], source, line, score)
    });
    let quality = compute_rater_quality(rows, scale)?;

    let entry = |(label, scores): (&String, RaterQuality)| RaterReport {
        label: label.clone(),
        group: None,
        concerns: find_concerns(Some(&scores), None, scale),
        scores: Some(scores),
        conduct: None,
    };
    let mut raters: Vec<_> = quality.figures.into_iter().map(entry).collect();
    raters.sort_by_key(|entry| std::cmp::Reverse(entry.concerns.len()));

    Ok(RatersReport {
        dimension,
        agreement: quality.agreement,
        raters,
        warnings: warnings(file),
    })
}
