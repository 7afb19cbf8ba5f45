//! Protocols compared from the command line.

mod json;
mod table;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use domain::{dimensions::dimension_name, study::Dimension};
use formats::FileRatings;
use service::{
    figures::{
        protocols::{MOST_STUDIES, ProtocolRatings, compare_protocols},
        systems::SystemScores,
    },
    live::LiveStudies,
};

pub(super) use self::json::ProtocolsJson;
use super::{
    input_args::ReadingArgs,
    input_file::file_name,
    output::CommandOutput,
    ratings::{StudyOrFile, read_dimensions},
    scope_args::ScopeArgs,
    study::find_study,
    systems::{CategoryUse, from_rated_file},
};
use crate::{clock, database, settings::DataSettings};

/// Agreement, time and systems of several studies, on the sources that all of them have.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A source is shared where its text is: the same but for case and white space, else but for tokenisation, \
quotes, dashes and Unicode form where only one text is so. Figures are those of the shared sources that are \
rated everywhere. Alpha is Krippendorff's at the interval level, on every scale; its interval is the \
percentile interval at 95 % of 1,000 resamples of sources from a fixed seed, z-scores held fixed. \
z = (rating - mean)/sd of each rater over all of their ratings, those of other sources included, population \
sd; a file's own z-scores are taken where it has them. Pairs of systems are apart by Wilcoxon's signed ranks \
over sources at .05 after Holm's correction, as on the page of systems. Active time is that of all raters at \
the sources, without idle time and whatever they rated; per hour, pairs are counted only where the time of \
every rating is recorded. Systems are ordered by mean z-score; those of the same name are compared.")]
pub(crate) struct ProtocolsArgs {
    /// Two or more studies, by their short names, or files of ratings as `rankrate agreement` takes them.
    /// A name with a point or a slash is a file.
    #[arg(
        value_name = "STUDY|FILE",
        required = true,
        num_args = 2..=MOST_STUDIES,
        value_parser = StudyOrFile::parse
    )]
    studies: Vec<StudyOrFile>,
    /// The dimension to compare, in each study that has it; elsewhere the first one with ratings. May be
    /// repeated, for studies that name it differently.
    #[arg(long, value_name = "NAME")]
    dimension: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    reading: ReadingArgs,
}

impl ProtocolsArgs {
    pub(crate) async fn run(
        self,
        mut output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        let asked: Vec<_> = self
            .dimension
            .iter()
            .map(|name| dimension_name(name))
            .collect();
        let scope = self.scope.scope();

        let is_study = |place: &StudyOrFile| matches!(place, StudyOrFile::Study(_));
        let store = match self.studies.iter().any(is_study) {
            true => Some(database::open_to_read(data).await?),
            false => None,
        };
        if self.studies.iter().all(is_study) {
            self.reading.refuse_for_study()?;
        }

        let live = LiveStudies::new(clock::now_ms);
        let mut ratings = Vec::with_capacity(self.studies.len());
        for place in &self.studies {
            ratings.push(match (place, &store) {
                (StudyOrFile::Study(slug), Some(store)) => {
                    let study = find_study(store, slug).await?;
                    let asked = asked.clone().into();
                    let mut loaded =
                        ProtocolRatings::load(&live, store, &study, scope, asked).await?;
                    // Commands call studies by their short names.
                    loaded.name = slug.to_string();
                    loaded
                }
                (StudyOrFile::File(path), _) => read_file(path, &self.reading, &asked)?,
                (StudyOrFile::Study(slug), None) => anyhow::bail!("{slug} is in no database"),
            });
        }

        check_dimensions(&asked, &ratings)?;
        let comparison = compare_protocols(&ratings);
        output.print(&ProtocolsJson::from(&comparison), || {
            table::lines(&comparison)
        })
    }
}

/// Refuses a dimension that no study or file has, since a mistyped name would go unnoticed.
fn check_dimensions(asked: &[String], ratings: &[ProtocolRatings]) -> anyhow::Result<()> {
    let dimensions = || ratings.iter().flat_map(|ratings| &ratings.dimensions);
    let mut names: Vec<_> = dimensions().map(|of| &of.dimension.name[..]).collect();
    names.sort_unstable();
    names.dedup();
    match asked.iter().find(|name| !names.contains(&&name[..])) {
        Some(name) => anyhow::bail!(
            "there are no ratings on “{name}”; the dimensions are: {}",
            names.join(", ")
        ),
        None => Ok(()),
    }
}

/// Reads the ratings of a file, which records no times.
fn read_file(
    path: &Path,
    reading: &ReadingArgs,
    asked: &[String],
) -> anyhow::Result<ProtocolRatings> {
    let dimensions = read_dimensions(path, reading, None)?;
    let names = dimensions.iter().map(|(dimension, _)| &dimension.name[..]);
    let compared = ProtocolRatings::choose_dimension(names, asked);

    // A source has the same number on all dimensions.
    let (mut numbers, mut texts) = (BTreeMap::<Arc<str>, usize>::new(), BTreeMap::new());
    let judge = |(dimension, file): (Dimension, FileRatings)| {
        let number = |(line, output): (&u64, &formats::RatedOutput)| {
            let next = numbers.len();
            let number = *numbers.entry(output.source.clone()).or_insert(next);
            texts
                .entry(number)
                .or_insert_with(|| output.source_text.to_string());
            (*line, number)
        };
        let sources: BTreeMap<u64, usize> = file.outputs.iter().map(number).collect();
        let mut judged = from_rated_file(file, CategoryUse::Unneeded);
        for (line, output) in &mut judged.outputs {
            output.source = sources[line];
        }
        (dimension, judged)
    };

    let judged: Vec<_> = dimensions.into_iter().map(judge).collect();
    let scores = SystemScores::from(judged[compared].1.clone());
    let no_times = [];
    Ok(ProtocolRatings::new(
        file_name(path),
        judged,
        compared,
        scores,
        texts,
        no_times,
    ))
}

#[cfg(test)]
mod tests;
