use std::{fs::File, io::BufReader, path::PathBuf, sync::Arc};

use anyhow::{Context as _, bail};
use app::imports::{Manner, Progress, Report};
use domain::{
    ids::StudyId,
    study::{RaterKind, Settings, Slug, SourcePurpose},
};
use formats::{Family, Fatal, Mapping, Opened, Reading, Simplifications, TextFile};
use store::{NewStudy, Store, Study};

use super::{output::print, rated::read_raters};
use crate::{
    clock, database,
    import::{Failure, bring_in},
    settings::DataSettings,
};

/// Brings files into a study. Rows that are there already change nothing.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportInto {
    /// The study, by its short name.
    study: Slug,
    /// The files: one table, or NAME.orig with NAME.simp.0 … and one text file a system.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What the files are; by default they show it themselves.
    #[arg(long, value_enum)]
    format: Option<Kind>,
    /// Make the study where there is none of that name.
    #[arg(long)]
    create: bool,
    /// Which column (or key) holds which field, as `output=generation`; may be repeated.
    #[arg(long, value_name = "FIELD=COLUMN")]
    map: Vec<String>,
    /// The file that names who is behind each rating of a SimpEval file.
    #[arg(long, value_name = "FILE")]
    raters: Option<PathBuf>,
    /// Take NAME.simp.N as outputs of writers to judge, and not as references.
    #[arg(long)]
    simplifications_as_outputs: bool,
    /// What the sources are there for.
    #[arg(long, value_name = "PURPOSE", default_value = "main")]
    purpose: SourcePurpose,
    /// Import nothing unless every row is good.
    #[arg(long)]
    strict: bool,
}

/// The formats by name.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    /// SimpEval past and 2022, direct assessment, Likert.
    Simpeval,
    /// ASSET's texts or ratings.
    Asset,
    /// One JSON object a line.
    Jsonl,
    /// Any table, by --map.
    Csv,
}

impl ImportInto {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let open = self.opener()?;
        let store = database::open(data).await?;
        let study = self.study(&store).await?;
        let manner = Manner {
            purpose: self.purpose,
            raters: RaterKind::Imported,
            strict: self.strict,
        };
        let progress = Arc::new(Progress::default());
        match bring_in(&store, study, open, manner, progress).await {
            Ok(report) => print(json, &report, || lines(&report)),
            Err(Failure::Strict(report)) => {
                let bad: Vec<_> = report
                    .bad_rows
                    .iter()
                    .map(|bad| format!("\n  {bad}"))
                    .collect();
                bail!("{}{}", Failure::Strict(report), bad.concat())
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// Checks what can be checked before a database is touched, and defers the reading itself.
    fn opener(
        &self,
    ) -> anyhow::Result<impl FnOnce() -> Result<Opened<'static>, Fatal> + Send + use<>> {
        let reading = Reading {
            family: match self.format {
                None => Family::Any,
                Some(Kind::Simpeval) => Family::SimpEval,
                Some(Kind::Asset) => Family::Asset,
                Some(Kind::Jsonl) => Family::Jsonl,
                Some(Kind::Csv) => Family::Csv,
            },
            mapping: Mapping::parse(&self.map)?,
            raters: self.raters.as_deref().map(read_raters).transpose()?,
        };
        let simplifications = match self.simplifications_as_outputs {
            true => Simplifications::Outputs,
            false => Simplifications::References,
        };
        let mut files = Vec::new();
        for path in &self.files {
            let file =
                File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            files.push((name, BufReader::new(file)));
        }
        let texts = files.iter().any(|(name, _)| name.ends_with(".orig"));
        if !texts && files.len() > 1 {
            bail!(
                "several files go together only as texts, one of them NAME.orig: import tables one by one"
            );
        }
        Ok(move || {
            if texts {
                let text = |(name, input)| TextFile {
                    name,
                    input: Box::new(input),
                };
                return formats::open_texts(files.into_iter().map(text).collect(), simplifications);
            }
            let (_, input) = files.remove(0);
            formats::open(input, reading)
        })
    }

    async fn study(&self, store: &Store) -> anyhow::Result<Study> {
        if self.create && store.study_by_slug(&self.study).await?.is_none() {
            let new = NewStudy {
                id: StudyId(clock::new_id()),
                slug: &self.study,
                name: self.study.as_str(),
                settings: &Settings::default(),
                lead: None,
            };
            store.create_study(&new, clock::now_ms()).await?;
        }
        super::study::named(store, &self.study).await
    }
}

fn lines(report: &Report) -> String {
    let new = report.new;
    let mut text = format!(
        "{}: {} rows; new are {} sources, {} references, {} systems, {} outputs, {} raters and {} \
         ratings",
        report.format,
        report.rows,
        new.sources,
        new.references,
        new.systems,
        new.outputs,
        new.raters,
        new.answers,
    );
    if report.scores > 0 {
        text += &format!(
            "\n{} scores have no rater: they are kept, and enter no figure",
            report.scores
        );
    }
    if report.bad > 0 {
        text += &format!("\n{} rows were left out:", report.bad);
    }
    for bad in &report.bad_rows {
        text += &format!("\n  {bad}");
    }
    for note in &report.notes {
        text += &format!("\n{note}");
    }
    text
}
