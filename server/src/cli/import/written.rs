//! Adding what annotators wrote to their study.

use std::{io::Cursor, sync::Arc};

use anyhow::bail;
use formats::FileReadOptions;
use service::{
    import::{
        ImportFailure, ImportOptions, ImportOrigin, ImportReport, import_sources, write_rows,
    },
    written_texts::AdoptionPlan,
};
use store::{Store, Study};

use super::record_begin;
use crate::clock;

/// Adds the submitted texts that the study does not have yet, as references or outputs as its protocol says.
pub(super) async fn add_written(
    store: &Store,
    study: Study,
    options: ImportOptions,
) -> anyhow::Result<Result<ImportReport, ImportFailure>> {
    if study.settings.protocol.write_step().is_none() {
        bail!("{}: its annotators write no texts", study.slug);
    }

    let plan = AdoptionPlan::load(store, &study).await?;
    if plan.rows.is_empty() {
        return Ok(Ok(ImportReport::default()));
    }

    let content: Arc<[u8]> = write_rows(&plan.rows)?.into();
    let origin = ImportOrigin {
        names: vec!["written texts".to_owned()],
        ..ImportOrigin::default()
    };
    record_begin(store, study.id, &origin.names).await?;

    let open = move || formats::open(Cursor::new(content.clone()), FileReadOptions::default());
    let import = import_sources(
        store,
        clock::CONTEXT,
        study,
        open,
        options,
        origin,
        Arc::default(),
    );
    Ok(import.await)
}
