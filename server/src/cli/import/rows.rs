//! The import of rows, from a table or from text files.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use domain::study::{RaterKind, SystemKind};
use formats::{
    FatalReadError, FileReadOptions, FormatFamily, OpenedFile, ReadError, SimplificationUse,
    TextFile,
};
use service::import::{
    ImportFailure, ImportOptions, ImportReport, ImportSummary, import_sources, rehearse_sources,
};
use store::Store;

use super::{
    ImportArgs, ImportFormat,
    files::{ReopenableFile, origin},
    record_begin,
};
use crate::{
    cli::{input_file::file_name, study::find_study},
    clock,
};

/// Refuses a file whose rows are all bad, with the reasons. Reads it up to its first good row.
fn require_good_row(opened: OpenedFile<'_>) -> Result<(), FatalReadError> {
    let mut bad_rows = Vec::new();
    for row in opened.rows {
        match row {
            Err(ReadError::Row(bad)) => bad_rows.push(bad),
            Err(ReadError::Fatal(fault)) => return Err(fault),
            Ok(_) => return Ok(()),
        }
    }
    match bad_rows.is_empty() {
        true => Err(FatalReadError::NoRows),
        false => Err(FatalReadError::NoUsableRow(bad_rows)),
    }
}

impl ImportArgs {
    pub(super) async fn import_rows(
        &self,
        store: &Store,
        open: impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    ) -> anyhow::Result<Result<ImportReport, ImportFailure>> {
        let options = self.import_options()?;
        // A file of no known format, or without a row to import, must not create a study.
        require_good_row(open()?)?;

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

    /// Previews what the files would add to the study, which need not exist yet.
    pub(super) async fn summary(
        &self,
        store: &Store,
        open: impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Send + 'static,
    ) -> anyhow::Result<ImportSummary> {
        let is_new = self.create && store.study_by_slug(&self.study).await?.is_none();
        let study = match is_new {
            true => None,
            false => Some(find_study(store, &self.study).await?),
        };

        let options = self.import_options()?;
        let study = study.as_ref();
        let rehearsed =
            rehearse_sources(store, clock::CONTEXT, study, open, options, u64::MAX).await;
        rehearsed.map_err(|failure| match failure {
            ImportFailure::File(fault) => fault.into(),
            other => other.into(),
        })
    }

    pub(super) fn import_options(&self) -> anyhow::Result<ImportOptions> {
        Ok(ImportOptions {
            purpose: self.purpose,
            raters: RaterKind::Imported,
            strict: self.strict,
            kinds: self.kinds()?,
        })
    }

    /// The kinds of systems that the arguments state.
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

    /// Checks what does not need the database, and returns a function that opens the files.
    pub(super) fn opener(
        &self,
    ) -> anyhow::Result<
        impl Fn() -> Result<OpenedFile<'static>, FatalReadError> + Clone + Send + Sync + use<>,
    > {
        let reading = FileReadOptions {
            family: match self.format {
                None => FormatFamily::Any,
                Some(ImportFormat::Simpeval) => FormatFamily::SimpEval,
                Some(ImportFormat::Asset) => FormatFamily::Asset,
                Some(ImportFormat::Jsonl) => FormatFamily::Jsonl,
                Some(ImportFormat::Csv) => FormatFamily::Csv,
            },
            ..self.reading.options(self.raters.as_deref())?
        };
        let simplifications = match self.simplifications_as_outputs {
            true => SimplificationUse::Outputs,
            false => SimplificationUse::References,
        };

        let mut files = Vec::new();
        for path in &self.files {
            files.push((file_name(path), ReopenableFile::new(path)?));
        }
        let texts = files
            .iter()
            .any(|(name, _)| name.trim_end_matches(".gz").ends_with(".orig"));
        let files = Arc::new(files);
        let input = self.reading.input.options();
        if !texts && files.len() > 1 {
            bail!(
                "several files go together only as texts, one of them NAME.orig: import tables one by one"
            );
        }

        Ok(move || {
            if texts {
                let text = |(name, file): &(String, ReopenableFile)| {
                    let input = file.open(&input)?;
                    Ok::<_, FatalReadError>(TextFile {
                        name: name.clone(),
                        input,
                    })
                };
                let files = files.iter().map(text).collect::<Result<_, _>>()?;
                return formats::open_texts(files, simplifications);
            }

            let (_, file) = &files[0];
            formats::open(file.open(&input)?, reading.clone())
        })
    }
}
