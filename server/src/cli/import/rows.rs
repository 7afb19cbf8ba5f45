//! The import of rows, from a table or from text files.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use domain::{
    dimensions::StudyDimensions,
    study::{RaterKind, StudySettings, SystemKind},
};
use formats::{
    ColumnMapping, FatalReadError, FileReadOptions, FormatFamily, OpenedFile, SimplificationUse,
    StatedScales, TextFile, survey,
};
use service::import::{ImportFailure, ImportOptions, ImportReport, ImportSummary, import_sources};
use store::Store;

use super::{
    ImportArgs, ImportFormat,
    files::{ReopenableFile, file_name, origin},
    record_begin,
};
use crate::{
    cli::{ratings::read_raters, study::find_study},
    clock,
};

impl ImportArgs {
    pub(super) async fn import_rows(
        &self,
        store: &Store,
        open: impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    ) -> anyhow::Result<Result<ImportReport, ImportFailure>> {
        let options = ImportOptions {
            purpose: self.purpose,
            raters: RaterKind::Imported,
            strict: self.strict,
            kinds: self.kinds()?,
        };
        let origin = origin(&self.files);
        let study = self.study(store).await?;
        record_begin(store, study.id, &origin.names).await?;
        Ok(import_sources(
            store,
            clock::CONTEXT,
            study,
            open,
            options,
            origin,
            Arc::default(),
        )
        .await)
    }

    /// A preview of what the files would add to the study, which need not exist yet.
    pub(super) async fn summary(
        &self,
        store: &Store,
        open: &(impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Sync),
    ) -> anyhow::Result<ImportSummary> {
        let kinds = self.kinds()?;
        let survey_result = tokio::task::block_in_place(|| survey(open()?, |_| true))?;
        let is_new = self.create && store.study_by_slug(&self.study).await?.is_none();
        let (dimensions, systems) = if is_new {
            (StudyDimensions::new(&StudySettings::default()), vec![])
        } else {
            let study = find_study(store, &self.study).await?;
            (
                store.study_dimensions(study.id, &study.settings).await?,
                store.systems(study.id).await?,
            )
        };
        let systems = systems
            .into_iter()
            .map(|system| (system.name, system.kind))
            .collect();
        Ok(ImportSummary::new(
            &survey_result,
            &dimensions,
            &systems,
            &kinds,
        ))
    }

    /// The kinds of systems that were stated.
    fn kinds(&self) -> anyhow::Result<Vec<(String, SystemKind)>> {
        let stated = self.kind.iter().map(|pair| {
            let parts = pair.rsplit_once('=');
            let (name, kind) = parts.with_context(|| {
                format!("“{pair}” names no kind: write NAME=KIND, such as “human 1=human”")
            })?;
            Ok((name.to_owned(), kind.parse()?))
        });
        stated.collect()
    }

    /// Checks what can be checked before a database is touched, and defers the reading itself.
    pub(super) fn opener(
        &self,
    ) -> anyhow::Result<
        impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + Sync + use<>,
    > {
        let mut mapping = ColumnMapping::parse(&self.map)?;
        mapping.scales = StatedScales::parse(&self.scale)?;
        let reading = FileReadOptions {
            family: match self.format {
                None => FormatFamily::Any,
                Some(ImportFormat::Simpeval) => FormatFamily::SimpEval,
                Some(ImportFormat::Asset) => FormatFamily::Asset,
                Some(ImportFormat::Jsonl) => FormatFamily::Jsonl,
                Some(ImportFormat::Csv) => FormatFamily::Csv,
            },
            mapping,
            raters: self.raters.as_deref().map(read_raters).transpose()?,
        };
        let simplifications = match self.simplifications_as_outputs {
            true => SimplificationUse::Outputs,
            false => SimplificationUse::References,
        };
        let mut files = Vec::new();
        for path in &self.files {
            files.push((file_name(path), ReopenableFile::new(path)?));
        }
        let texts = files.iter().any(|(name, _)| name.ends_with(".orig"));
        if !texts && files.len() > 1 {
            bail!(
                "several files go together only as texts, one of them NAME.orig: import tables one by one"
            );
        }
        Ok(move || {
            if texts {
                let text = |(name, file): &(String, ReopenableFile)| {
                    let input = file.open()?;
                    Ok::<_, FatalReadError>(TextFile {
                        name: name.clone(),
                        input,
                    })
                };
                let files = files.iter().map(text).collect::<Result<_, _>>()?;
                return formats::open_texts(files, simplifications);
            }
            let (_, file) = &files[0];
            formats::open(file.open()?, reading.clone())
        })
    }
}
